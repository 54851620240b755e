from django.apps import AppConfig


class PricesConfig(AppConfig):
    name = "prices"
    verbose_name = "Ceny"

    def ready(self) -> None:
        """Let prices follow a depot that is merged into another."""
        from catalog import actions
        from prices import figures, merging

        actions.FOLLOWERS.append(actions.Follower(lock=figures.lock, move=merging.move_prices))
