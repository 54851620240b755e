from django.apps import AppConfig


class SubsidyConfig(AppConfig):
    name = "subsidy"
    verbose_name = "Dotacja"

    def ready(self) -> None:
        """Register the system checks."""
        from subsidy import checks  # noqa: F401
