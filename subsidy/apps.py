"""The app, and the system check of its rule files."""

from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register

from subsidy import rules


class SubsidyConfig(AppConfig):
    name = "subsidy"
    verbose_name = "Dotacja"


@register()
def check_rules(**kwargs: Any) -> list[CheckMessage]:
    """subsidy.E001: every rule file can be read."""
    try:
        rules.current()
    except rules.RulesError as error:
        return [
            Error(str(error), hint="mend the file; CONTRIBUTING.md shows how a value is written", id="subsidy.E001")
        ]
    return []
