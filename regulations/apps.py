from django.apps import AppConfig


class RegulationsConfig(AppConfig):
    name = "regulations"
    verbose_name = "Przepisy"

    def ready(self) -> None:
        """Register the system checks, and what to do when units leave the register."""
        from catalog.importers.sync.handover import FOLLOWERS
        from regulations import checks  # noqa: F401
        from regulations.successors import follow_codes

        if follow_codes not in FOLLOWERS:
            FOLLOWERS.append(follow_codes)
