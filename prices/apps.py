from django.apps import AppConfig


class PricesConfig(AppConfig):
    name = "prices"
    verbose_name = "Ceny"

    def ready(self) -> None:
        """Register the handlers that move prices when depots are merged, restored or erased, and undo decisions."""
        from catalog.models import DepotBatch
        from catalog.services.batches import BATCH_HANDLERS
        from catalog.services.followers import FOLLOWERS, Follower
        from prices import handlers

        BATCH_HANDLERS[DepotBatch.About.PRICES] = handlers.undo_prices
        FOLLOWERS.append(
            Follower(
                name="prices",
                label="ceny",
                move=handlers.move_prices,
                bring_back=handlers.bring_prices_back,
                count=handlers.count_prices,
                erased=handlers.recount_prices,
            )
        )
