"""System checks of the calculator."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from subsidy import rules


@register()
def check_rules(**kwargs: Any) -> list[CheckMessage]:
    """subsidy.E001: every rule file can be read."""
    try:
        rules.current()
    except rules.RulesError as error:
        hint = "mend the file; CONTRIBUTING.md shows how a value is written"
        return [Error(str(error), hint=hint, id="subsidy.E001")]
    return []
