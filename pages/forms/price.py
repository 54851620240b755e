"""What a depot asks for a fuel."""

from datetime import date, timedelta
from typing import Any

from django import forms

from catalog import fuels
from pages.forms import fields
from pages.forms.stranger import StrangerForm
from pages.polish import zloty
from pages.prices import PER_UNIT
from prices.actions import PriceRefused, Quote, price_of
from prices.models import PlausibleRange
from prices.wording import exact

OLDEST_PRICE = timedelta(days=31)


class PriceForm(StrangerForm):
    """What a depot asks for a fuel."""

    fuel = forms.ChoiceField(
        label="Paliwo",
        choices=[("", "wybierz"), *fuels.CHOICES],
        error_messages=fields.required("Wybierz paliwo, którego dotyczy cena."),
    )
    price = fields.Amount(
        label="Cena za tonę (drewno: za metr przestrzenny)",
        max_length=20,
        required=False,
        help_text="W złotych, z VAT. Zostaw puste, jeśli podajesz cenę worka.",
    )
    bag_price = fields.Amount(label="Albo cena worka", max_length=20, required=False, help_text="W złotych, z VAT.")
    bag_kg = fields.Weight(
        label="Waga worka w kilogramach", max_length=20, required=False, help_text="Razem z ceną worka, na przykład 20."
    )
    day = forms.DateField(
        label="Dzień, w którym cena obowiązywała",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d", "%d.%m.%Y"],
        error_messages=fields.required("Podaj dzień, w którym cena obowiązywała.")
        | {"invalid": "Wpisz dzień na przykład tak: 21.11.2026."},
    )

    PARTS = (
        (
            "Cena",
            "Podaj cenę z cennika, paragonu albo rozmowy ze składem, bez transportu.",
            ("fuel", "price", "bag_price", "bag_kg", "day"),
        ),
        ("O Tobie", "", ("email",)),
    )

    def __init__(self, posted: Any = None, *, today: date, **options: Any) -> None:
        super().__init__(posted, initial={"day": today}, **options)
        self.fields["email"].help_text = "Wyślemy na niego tylko odnośnik do potwierdzenia. Nie publikujemy go."
        self.today = today

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day > self.today:
            raise forms.ValidationError("Ten dzień jeszcze nie nadszedł.")
        if day < self.today - OLDEST_PRICE:
            raise forms.ValidationError(f"Podaj cenę z ostatnich {OLDEST_PRICE.days} dni.")
        return day

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if self.errors:
            return data
        by_bag = data["bag_price"] is not None or data["bag_kg"] is not None
        if by_bag == (data["price"] is not None):
            self.add_error("price", "Podaj albo cenę za tonę, albo cenę i wagę worka.")
            return data
        try:
            price = price_of(self.quote(), self.today)
        except PriceRefused as error:
            self.add_error("bag_price" if by_bag else "price", f"{str(error).capitalize()}.")
            return data
        limits = PlausibleRange.objects.filter(pk=data["fuel"]).first()
        if limits and not limits.low <= price <= limits.high:
            unit = fuels.BY_SLUG[data["fuel"]].unit
            self.add_error(
                "bag_price" if by_bag else "price",
                f"To daje {zloty(float(price))} {PER_UNIT[unit]}. Wiarygodne ceny tego paliwa to "
                f"od {exact(limits.low)} do {exact(limits.high)} zł. Sprawdź, czy kwota nie jest za inną ilość.",
            )
        return data

    def quote(self) -> Quote:
        """What was typed."""
        data = self.cleaned_data
        return Quote(
            fuel=data["fuel"],
            day=data["day"],
            unit=fuels.BY_SLUG[data["fuel"]].unit,
            price=data["price"],
            bag_price=data["bag_price"],
            bag_kg=data["bag_kg"],
        )
