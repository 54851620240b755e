from django.apps import AppConfig


class SubsidyConfig(AppConfig):
    name = "subsidy"
    verbose_name = "Dotacja"
