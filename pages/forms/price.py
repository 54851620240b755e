"""Form of the prices of a depot, with all fuels on one page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils import timezone

from catalog.depots import fuels
from catalog.models import Depot
from catalog.text import short_zloty, zloty
from pages.forms import fields
from pages.forms.public_form import PublicForm
from prices.models import PlausibleRange
from prices.validation import InvalidPrice, PriceInput, unit_price

OLDEST_PRICE = timedelta(days=31)
"""Greatest age of a submitted price."""

PRICES = "Ceny"
"""Heading of the part of the fields of `PriceFields`."""

HOW = (
    "Podaj ceny z VAT, bez transportu, za tonę (t) albo metr przestrzenny (mp); puste pola pomiń. Jeśli cena jest za "
    "worek, wpisz obok jego wagę, a przeliczymy ją na tonę."
)


@dataclass(frozen=True, slots=True)
class FuelQuestions:
    """The fields of one fuel. bag: None for a fuel that is not sold by weight."""

    fuel: fuels.Fuel
    price: BoundField
    bag: BoundField | None


class PriceFields(PublicForm):
    """A price for each fuel, and their day. Fields are checked one by one, so that errors appear beside them."""

    day = forms.DateField(
        label="Dzień, w którym ceny obowiązywały",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d", "%d.%m.%Y"],
        error_messages=fields.required("Podaj dzień, w którym ceny obowiązywały.")
        | {"invalid": "Wpisz dzień na przykład tak: 21.11.2026."},
    )

    def add_prices(self, depot: Depot) -> None:
        """Add the fields of each fuel, those of the depot first."""
        self.today = timezone.localdate(self.on)
        self.fields["day"].initial = self.today
        self.price_fuels = sorted(fuels.FUELS, key=lambda fuel: fuel.slug not in depot.fuels)
        for fuel in self.price_fuels:
            self.fields[f"price-{fuel.slug}"] = fields.Amount(
                label=fuel.name,
                max_length=20,
                required=False,
                widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
            )
            if fuel.unit == "t":
                label = f"{fuel.name}: waga worka w kilogramach"
                # The only visible label of the row is that of the price.
                attributes = {"inputmode": "decimal", "autocomplete": "off", "aria-label": label}
                self.fields[f"bag-{fuel.slug}"] = fields.Weight(
                    label=label, max_length=20, required=False, widget=forms.TextInput(attrs=attributes)
                )
        self.price_names = (*(name for name in self.fields if name.startswith(("price-", "bag-"))), "day")

    @property
    def price_rows(self) -> Iterator[FuelQuestions]:
        """The fields of each fuel."""
        for fuel in self.price_fuels:
            bag = f"bag-{fuel.slug}"
            price = self[f"price-{fuel.slug}"]
            yield FuelQuestions(fuel, price, self[bag] if bag in self.fields else None)

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day > self.today:
            raise forms.ValidationError("Ten dzień jeszcze nie nadszedł.")
        if day < self.today - OLDEST_PRICE:
            raise forms.ValidationError(f"Podaj ceny z ostatnich {OLDEST_PRICE.days} dni.")
        return day

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        ranges = PlausibleRange.objects.in_bulk()
        for fuel in self.price_fuels:
            names = (f"price-{fuel.slug}", f"bag-{fuel.slug}")
            if not any(name in self.errors for name in names):
                self._check(fuel, ranges.get(fuel.slug))
        return data

    def quotes(self) -> list[PriceInput]:
        """Return the entered prices, one for each fuel with a price."""
        return [quote for fuel in self.price_fuels if (quote := self._quote(fuel)) is not None]

    def _quote(self, fuel: fuels.Fuel) -> PriceInput | None:
        data = self.cleaned_data
        price, bag_kg = data.get(f"price-{fuel.slug}"), data.get(f"bag-{fuel.slug}")
        if price is None:
            return None
        day = data.get("day", self.today)
        if bag_kg is None:
            return PriceInput(fuel.slug, day, fuel.unit, price=price)
        return PriceInput(fuel.slug, day, fuel.unit, bag_price=price, bag_kg=bag_kg)

    def _check(self, fuel: fuels.Fuel, limits: PlausibleRange | None) -> None:
        """Add an error to the field of an invalid or implausible price."""
        name = f"price-{fuel.slug}"
        quote = self._quote(fuel)
        if quote is None:
            if self.cleaned_data.get(f"bag-{fuel.slug}") is not None:
                self.add_error(name, "Do wagi worka podaj jego cenę.")
            return
        try:
            price = unit_price(quote, max(self.today, quote.day))
        except InvalidPrice as error:
            self.add_error(name, f"{str(error).capitalize()}.")
            return
        if limits and not limits.low <= price <= limits.high:
            self.add_error(
                name,
                f"To daje {zloty(float(price))} {fuels.PER_UNIT[fuel.unit]}. Wiarygodne ceny tego paliwa to od "
                f"{short_zloty(limits.low)} do {short_zloty(limits.high)}. Sprawdź, czy kwota nie jest za inną ilość.",
            )


class PriceForm(PriceFields):
    """Prices of a depot, submitted by a reader."""

    PARTS = (
        (PRICES, HOW, ()),
        ("O Tobie", "", ("email",)),
    )

    def __init__(self, posted: Any = None, *, depot: Depot, **options: Any) -> None:
        super().__init__(posted, **options)
        self.add_prices(depot)
        self.fields["email"].help_text = "Wyślemy na niego odnośnik do potwierdzenia i decyzję. Nie publikujemy go."

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not self.errors and not self.quotes():
            self.add_error(None, "Podaj cenę co najmniej jednego paliwa.")
        return data
