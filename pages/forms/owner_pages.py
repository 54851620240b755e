"""Forms and pages of owners. `pages.forms.owner` has their views."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms

from catalog.models import Depot
from catalog.parsing.opening_hours import DAYS
from catalog.submissions import objections, tokens
from catalog.text import short_zloty
from pages.forms import fields
from pages.forms.depot import HOURS, HoursFields
from pages.forms.public_form import HOW, PRICES, PriceFields, PublicForm
from pages.polish import date_digits
from prices.models import DepotPrice
from prices.owners import MOST_PRICES
from prices.price_lists import UploadForm


class OwnerForm(HoursFields, PriceFields):
    """Hours and prices of an entry. present: its newest prices."""

    email = None  # type: ignore[assignment] # removes the inherited field

    PARTS = ((PRICES, HOW, ()), HOURS)
    COMPACT = (HOURS[0],)
    FOLDED = (HOURS[0],)
    folds_fuels = True

    def __init__(self, posted: Any = None, *, depot: Depot, present: Sequence[DepotPrice], **options: Any) -> None:
        self.depot = depot
        super().__init__(posted, initial=fields.written_days(depot.hours, depot.opening_hours), **options)
        self.add_prices(depot)
        for price in present:
            now = f"Teraz {short_zloty(price.price)}/{price.unit}, z dnia {date_digits(price.day)}."
            self.fields[f"price-{price.fuel}"].help_text = now

    def hours(self) -> dict[str, Any]:
        """Return the hours by name of `Depot.PUBLIC_FIELDS`; an empty dict for unchanged ones."""
        if not any(day in self.changed_data for day in DAYS):
            return {}
        return {name: self.cleaned_data[name] for name in ("hours", "opening_hours")}


class PriceListForm(UploadForm):
    def clean_import_file(self) -> Any:
        file = super().clean_import_file()
        if len(self.table.rows) > MOST_PRICES:
            raise forms.ValidationError(f"Plik ma więcej niż {MOST_PRICES} wierszy. Podziel go na części.")
        return file


def label_of(depot: Depot) -> str:
    """Name, street and place: branches of one name may stand in one town."""
    street = f"{depot.street} {depot.house_number}".strip()
    return ", ".join(part for part in (depot.name, street, depot.place) if part)


class BranchesForm(PublicForm):
    """Claim of further entries by an owner. nearby: published entries with the same NIP."""

    email = None  # type: ignore[assignment] # removes the inherited field

    branches = forms.MultipleChoiceField(
        label="Wpisy z tym samym NIP-em", widget=forms.CheckboxSelectMultiple, required=False
    )
    numbers = fields.Message(
        label="Inne wpisy",
        max_length=1000,
        required=False,
        help_text="Wklej adresy ich stron albo numery, każdy w osobnym wierszu.",
    )
    agreed = forms.BooleanField(
        label="To składy mojej firmy",
        error_messages=fields.required("Zaznacz to pole, jeśli to składy Twojej firmy."),
    )

    PARTS = (("Które wpisy?", "", ("branches", "numbers", "agreed")),)

    def __init__(self, posted: Any = None, *, nearby: Sequence[Depot], **options: Any) -> None:
        super().__init__(posted, **options)
        if not nearby:
            del self.fields["branches"]
            return
        field: Any = self.fields["branches"]
        field.choices = [(str(depot.pk), label_of(depot)) for depot in nearby]

    def clean_numbers(self) -> list[int]:
        rows = self.cleaned_data["numbers"].replace(",", " ").split()
        numbers = [re.fullmatch(r"(?:(?:\S*/)?sklad/)?([0-9]{1,9})(?:[-/]\S*)?", row) for row in rows]
        if unclear := [row for row, number in zip(rows, numbers, strict=True) if number is None]:
            raise forms.ValidationError(f"To nie jest adres strony składu ani numer: {unclear[0][:60]}.")
        return [int(number[1]) for number in numbers if number]

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        chosen = {*map(int, data.get("branches", ())), *data.get("numbers", ())}
        data["depots"] = sorted(chosen)
        if not self.errors and not chosen:
            self.add_error(None, "Wskaż co najmniej jeden wpis.")
        return data


class RenewForm(PublicForm):
    """Request for a new link by e-mail."""

    PARTS = (("Twój adres", "", ("email",)),)


class ObjectionForm(PublicForm):
    """An objection; its text is optional."""

    email = None  # type: ignore[assignment] # removes the inherited field

    objection = fields.Message(
        label="Dlaczego",
        max_length=objections.MAX_OBJECTION,
        required=False,
        help_text="Przeczyta to tylko redakcja.",
    )

    PARTS = (("Twój sprzeciw", "", ("objection",)),)


class RestoreForm(PublicForm):
    """Request for a removed entry; its text is optional."""

    email = None  # type: ignore[assignment] # removes the inherited field

    message = fields.Message(
        label="Dlaczego", max_length=2000, required=False, help_text="Przeczyta to tylko redakcja."
    )

    PARTS = (("Twoja prośba", "", ("message",)),)


def owner_path(token: str, depot: Depot) -> str:
    """Return the path of the page behind an owner's link, about one of the owner's entries."""
    return f"{tokens.OWNER.path_of(token)}&sklad={depot.pk}"
