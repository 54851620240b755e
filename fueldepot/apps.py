from django.apps import AppConfig


class FueldepotConfig(AppConfig):
    name = "fueldepot"
    verbose_name = "Usługa"
