from django.apps import AppConfig


class PricesConfig(AppConfig):
    name = "prices"
    verbose_name = "Ceny"

    def ready(self) -> None:
        """Register the handlers that move prices when depots are merged, restored or erased, and undo decisions."""
        from catalog.models import Decision
        from catalog.services.journal import FOLLOWERS, UNDO_HANDLERS, UNDO_KINDS, Follower
        from prices import handlers

        UNDO_HANDLERS["prices.depotprice"] = handlers.undo_prices
        UNDO_HANDLERS["prices.plausiblerange"] = handlers.undo_ranges
        # The fuels that prices added to depots follow their prices, and are not restored by themselves.
        UNDO_KINDS[Decision.Kind.PRICES] = UNDO_KINDS[Decision.Kind.PRICE_LIST] = handlers.undo_prices
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
