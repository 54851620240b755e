"""Model fields of codes: lists of codes, and appliances that may stay."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from django import forms
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models

from regulations.codes import Appliance


class CodesField(ArrayField):  # type: ignore[type-arg] # not subscriptable at run time
    """A list of codes out of `choices`, edited by checkboxes. Empty by default, in the database too."""

    def __init__(self, *args: Any, choices: Any = None, **kwargs: Any) -> None:
        if choices is not None:
            kwargs.setdefault("base_field", models.CharField(max_length=40, choices=choices))
        kwargs.setdefault("blank", True)
        kwargs.setdefault("default", list)
        kwargs.setdefault("db_default", [])
        super().__init__(*args, **kwargs)

    def formfield(self, **kwargs: Any) -> Any:
        # ArrayField itself offers a line of text with commas.
        ticked = {
            "form_class": forms.MultipleChoiceField,
            "choices": self.base_field.choices,
            "widget": forms.CheckboxSelectMultiple,
            "show_hidden_initial": False,
        }
        return super(ArrayField, self).formfield(**(ticked | kwargs))


@dataclass(frozen=True, slots=True)
class Spared:
    """An appliance that may stay. started_before: only if it was put to use before this day; None for any."""

    appliance: Appliance
    started_before: date | None = None


@lru_cache(maxsize=1000)
def read_spared(text: str) -> tuple[Spared, ...]:
    """Parse a text of one appliance per line, a code or "code | 2027-01-01". Raises ValueError."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        code, _, day = (part.strip() for part in line.partition("|"))
        found.append(Spared(Appliance(code), date.fromisoformat(day) if day else None))
    return tuple(found)


def write_spared(spared: Iterable[Spared]) -> str:
    """Return the inverse of `read_spared`."""
    return "\n".join(
        f"{one.appliance} | {one.started_before}" if one.started_before else str(one.appliance) for one in spared
    )


def validate_spared(text: str) -> None:
    """Raise ValidationError for a text that `read_spared` cannot parse."""
    try:
        read_spared(text)
    except ValueError:
        known = ", ".join(Appliance.values)
        message = f"Wpisz kod urządzenia albo: kod | RRRR-MM-DD. Kody: {known}"
        raise ValidationError(message, code="form") from None


class SparedField(models.TextField):  # type: ignore[type-arg] # not subscriptable at run time
    """Appliances that may stay, as text for `read_spared`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("validators", [validate_spared])
        kwargs.setdefault("blank", True)
        kwargs.setdefault("default", "")
        kwargs.setdefault("db_default", "")
        super().__init__(*args, **kwargs)
