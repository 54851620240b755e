"""Admin of plausible ranges. A draft shows its effects and takes effect once approved."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from catalog.admin import DraftedAdmin
from catalog.admin.desk import current_editor
from catalog.admin.history import HistoryAdmin
from prices import models, queries, services, validation
from prices.medians import Range
from prices.range_effects import describe_range


class RangeForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """Both ends of a plausible range."""

    class Meta:
        model = models.PlausibleRange
        fields = ("low", "high")
        localized_fields = "__all__"

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        low, high = data.get("low"), data.get("high")
        if low is not None and high is not None and not 0 < low <= high < validation.PRICE_LIMIT:
            self.add_error("high", "Przedział musi być dodatni, a jego początek nie większy od końca.")
        return data


@admin.register(models.PlausibleRange)
class PlausibleRangeAdmin(DraftedAdmin, HistoryAdmin):
    """Ranges change by drafts. Each fuel has at most one range; ranges cannot be deleted."""

    list_display = ("fuel", "low", "high")
    ordering = ("fuel",)
    form = RangeForm

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whether the user may change ranges and a fuel without a range exists."""
        return bool(self.has_change_permission(request)) and bool(queries.find_fuels_without_range())

    def get_fields(self, request: HttpRequest, obj: models.PlausibleRange | None = None) -> list[str]:
        return ["fuel", "low", "high"] if obj is None else ["low", "high"]

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer the fuels without a range."""
        missing = [(fuel.slug, fuel.name) for fuel in queries.find_fuels_without_range()]
        return super().formfield_for_choice_field(db_field, request, **kwargs, choices=missing)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def describe_draft(self, before: Any, after: Any, cleaned: Any) -> list[str]:
        return describe_range(after.pk, Range(after.low, after.high), timezone.localdate())

    def write_draft(self, request: HttpRequest, obj: models.PlausibleRange, form: Any, change: bool) -> None:
        services.change_range(
            fuel=obj.pk,
            low=obj.low,
            high=obj.high,
            by=current_editor(request),
            on=timezone.now(),
            reason=getattr(obj, "_change_reason", ""),
        )
