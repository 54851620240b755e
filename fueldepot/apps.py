from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig as DjangoStaticFilesConfig


class FueldepotConfig(AppConfig):
    name = "fueldepot"
    verbose_name = "Usługa"
    default = True

    def ready(self) -> None:
        from fueldepot import checks  # noqa: F401


class StaticFilesConfig(DjangoStaticFilesConfig):
    """Excludes unused static files of packages."""

    ignore_patterns = [*DjangoStaticFilesConfig.ignore_patterns, "redoc"]
