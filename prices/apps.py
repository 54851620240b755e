from django.apps import AppConfig


class PricesConfig(AppConfig):
    name = "prices"
    verbose_name = "Ceny"

    def ready(self) -> None:
        from catalog.models import Decision
        from catalog.services.journal import STAYING, UNDO_HANDLERS, UNDO_KINDS
        from catalog.services.merging import FOLLOWERS, Follower
        from prices import services, submissions

        UNDO_HANDLERS["prices.depotprice"] = submissions.undo_prices
        UNDO_HANDLERS["prices.plausiblerange"] = submissions.undo_ranges
        STAYING["prices.depotprice"] = submissions.find_replaced
        # The fuels that prices added to depots follow their prices, and are not restored by themselves.
        UNDO_KINDS[Decision.Kind.PRICES] = UNDO_KINDS[Decision.Kind.PRICE_LIST] = submissions.undo_prices
        FOLLOWERS.append(
            Follower(
                name="prices",
                label="ceny",
                move=services.move_prices,
                bring_back=services.bring_prices_back,
                count=services.count_prices,
                erased=lambda: services.record_prices(None),
            )
        )
