from django.apps import AppConfig


class RegulationsConfig(AppConfig):
    name = "regulations"
    verbose_name = "Przepisy"

    def ready(self) -> None:
        """Register the system checks."""
        from regulations import checks  # noqa: F401
