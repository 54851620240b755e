from django.apps import AppConfig


class PricesConfig(AppConfig):
    name = "prices"
    verbose_name = "Ceny"

    def ready(self) -> None:
        """Register the handlers that move prices when depots are merged, restored or erased, and undo decisions."""
        from catalog.models import DepotBatch
        from catalog.services import merging, moderation
        from catalog.services.batches import BATCH_HANDLERS
        from prices import demonstration, merge_handler, undo_handler

        BATCH_HANDLERS[DepotBatch.About.PRICES] = undo_handler.undo_prices
        moderation.DEMONSTRATION_HANDLERS.append(demonstration.recount_prices)
        merging.MERGE_HANDLERS.append(
            merging.MergeHandler(
                name="prices",
                label="ceny",
                move=merge_handler.move_prices,
                bring_back=merge_handler.bring_prices_back,
                count=merge_handler.count_prices,
            )
        )
