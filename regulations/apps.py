from django.apps import AppConfig


class RegulationsConfig(AppConfig):
    name = "regulations"
    verbose_name = "Przepisy"
