from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "catalog"
    verbose_name = "Katalog składów"

    def ready(self) -> None:
        """Register the system checks."""
        from catalog import checks  # noqa: F401
