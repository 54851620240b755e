from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.contrib.staticfiles.apps import StaticFilesConfig as DjangoStaticFilesConfig


class FueldepotConfig(AppConfig):
    name = "fueldepot"
    verbose_name = "Usługa"
    default = True

    def ready(self) -> None:
        from fueldepot import checks  # noqa: F401


class DeskConfig(admin_apps.AdminConfig):
    default = False
    default_site = "fueldepot.desk.logins.DeskSite"


class StaticFilesConfig(DjangoStaticFilesConfig):
    ignore_patterns = [*DjangoStaticFilesConfig.ignore_patterns, "redoc"]
