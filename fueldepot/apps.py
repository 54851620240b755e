from django.apps import AppConfig


class FueldepotConfig(AppConfig):
    name = "fueldepot"
    verbose_name = "Usługa"

    def ready(self) -> None:
        """Register the system checks."""
        from fueldepot import checks  # noqa: F401
