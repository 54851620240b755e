from django.apps import AppConfig


class PricesConfig(AppConfig):
    name = "prices"
    verbose_name = "Ceny"

    def ready(self) -> None:
        """Let prices follow a depot that is merged into another."""
        from catalog import merge_actions
        from prices import figures, merging

        merge_actions.FOLLOWERS.append(merge_actions.Follower(lock=figures.lock, move=merging.move_prices))
