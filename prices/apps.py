from django.apps import AppConfig


class PricesConfig(AppConfig):
    name = "prices"
    verbose_name = "Ceny"

    def ready(self) -> None:
        """Let prices follow a depot that is merged into another, and come back with it."""
        from catalog import actions
        from prices import merging

        actions.FOLLOWERS.append(
            actions.Follower(
                name="prices",
                label="ceny",
                move=merging.move_prices,
                bring_back=merging.bring_prices_back,
                count=merging.count_prices,
            )
        )
