from django.apps import AppConfig


class PricesConfig(AppConfig):
    name = "prices"
    verbose_name = "Ceny"

    def ready(self) -> None:
        from catalog.models import Decision
        from catalog.services.journal import FOLLOWERS, UNDO_HANDLERS, UNDO_KINDS, Follower
        from prices import submissions

        UNDO_HANDLERS["prices.depotprice"] = submissions.undo_prices
        UNDO_HANDLERS["prices.plausiblerange"] = submissions.undo_ranges
        # The fuels that prices added to depots follow their prices, and are not restored by themselves.
        UNDO_KINDS[Decision.Kind.PRICES] = UNDO_KINDS[Decision.Kind.PRICE_LIST] = submissions.undo_prices
        FOLLOWERS.append(
            Follower(
                name="prices",
                label="ceny",
                move=submissions.move_prices,
                bring_back=submissions.bring_prices_back,
                count=submissions.count_prices,
                erased=submissions.recount_prices,
            )
        )
