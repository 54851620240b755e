"""Admin of plausible ranges. A draft shows its effects and takes effect once approved."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from catalog.admin.desk import KeptRowsMixin
from catalog.admin.drafts import DraftedAdmin
from catalog.admin.registers_and_history import HistoryAdmin
from catalog.depots import fuels
from catalog.text import short_zloty
from prices import medians, models, services, validation
from prices.medians import PriceStatistics, Range
from prices.snapshot import read_prices


def describe_range(fuel: str, wanted: Range, today: date) -> list[str]:
    """Return the numbers of prices that drop out and come back, and the changed medians. Two queries.

    The medians are those of the fuel and of every fuel that has it among its assortments.
    """
    prices = read_prices()
    ranges: Mapping[str, Range] = {**prices.ranges, fuel: wanted}
    effects: list[str] = []
    for other in fuels.FUELS:
        if fuel not in fuels.assortments(other.slug):
            continue
        columns = prices.columns.of_fuels(fuels.assortments(other.slug))
        before = medians.compute(columns, prices.ranges, today)
        after = medians.compute(columns, ranges, today)
        if other.slug == fuel:
            recent = columns.where((columns.days >= before.start.toordinal()) & (columns.days <= today.toordinal()))
            counted, to_count = (medians.is_plausible(recent, limits) for limits in (prices.ranges, ranges))
            effects.append(
                f"Ceny z ostatnich {medians.WINDOW_MONTHS} miesięcy: {before.considered}. "
                f"Wypadnie: {(counted & ~to_count).sum()}, wróci: {(to_count & ~counted).sum()}."
            )
        effects.append(
            f"{other.name}: liczba cen w medianie kraju {before.country.n} → {after.country.n}, "
            f"mediana {amount(before)} → {amount(after)}."
        )
    return effects


def amount(figures: PriceStatistics) -> str:
    """Return the country's median as text, "brak" without one."""
    median = figures.country.median
    return "brak" if median is None else short_zloty(median)


class RangeForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    class Meta:
        model = models.PlausibleRange
        fields = ("low", "high")
        localized_fields = "__all__"

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        low, high = data.get("low"), data.get("high")
        if low is not None and high is not None and not 0 < low <= high < validation.PRICE_LIMIT:
            limits = f"musi być dodatni i poniżej {short_zloty(validation.PRICE_LIMIT)}"
            self.add_error("high", f"Przedział {limits}, a jego początek nie większy od końca.")
        return data


@admin.register(models.PlausibleRange)
class PlausibleRangeAdmin(KeptRowsMixin, DraftedAdmin, HistoryAdmin):
    """Ranges change by drafts. Each fuel has one from the start; none is added or deleted."""

    list_display = ("fuel", "low", "high")
    ordering = ("fuel",)
    form = RangeForm

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def describe_draft(self, before: Any, after: Any, cleaned: Any) -> list[str]:
        return describe_range(after.pk, Range(after.low, after.high), timezone.localdate())

    def write_draft(self, request: HttpRequest, obj: models.PlausibleRange, form: Any, change: bool) -> None:
        super().write_draft(request, obj, form, change)
        services.record_prices(timezone.localdate())
