"""The editors' desk for prices: the queue of moderation, price lists, plausible ranges; all by `prices.actions`."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import floatformat
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from catalog.admin import RegisterAdmin
from catalog.admin.bulk import bulk_action, each
from catalog.admin.desk import WaitingFilter, editor_of, read_text
from catalog.admin.history import HistoryAdmin
from catalog.bulk import among
from prices import actions, models, queries
from prices.actions import Decided, why_not_rejected
from prices.import_admin import PriceListImport
from prices.series import BY_SLUG

UNKNOWN = "–"
LONGEST_REASON = 300


def amount(value: Decimal | None) -> str:
    """A number as Polish writes it, with grosze where there are any."""
    return floatformat(value, "-2g")


def in_lines(first: str, second: str) -> SafeString:
    """Two lines of one cell, the second of them quiet."""
    return format_html('{}<br><span class="quiet">{}</span>', first, second) if second else format_html("{}", first)


def obstacles_to_approval(prices: Sequence[models.DepotPrice]) -> list[str]:
    """Why each of the prices would not be approved today."""
    return actions.find_approval_obstacles(prices, timezone.localdate())


def named(price: models.DepotPrice) -> str:
    """A price with the name of its depot."""
    return f"{price.depot.name}: {price}"


@admin.register(models.Series)
class SeriesAdmin(RegisterAdmin):
    empty_value_display = "jeszcze nieznane"
    list_display = ("slug", "variable_id", "variable_name")


@admin.register(models.Observation)
class ObservationAdmin(RegisterAdmin):
    empty_value_display = "Polska"
    list_display = ("series", "voivodeship", "year", "price", "read_in")
    list_filter = ("series", "voivodeship")
    list_select_related = ("series", "voivodeship")
    ordering = ("series", "voivodeship", "year", "pk")

    @admin.display(description="cena", ordering="value")
    def price(self, row: models.Observation) -> str:
        return f"{floatformat(row.value, '2g')} {BY_SLUG[row.series_id].unit}"

    @admin.display(description="źródło")
    def read_in(self, row: models.Observation) -> str:
        return Truncator(row.source).chars(60)


class StatusFilter(WaitingFilter):
    parameter_name = "status"
    states, waiting = models.DepotPrice.Status, models.DepotPrice.Status.PENDING


class PriceChangeList(ChangeList):
    """The list with the present median of each row's fuel."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        medians = {fuel: answer["median"] for fuel, answer in queries.all_fuel_prices(timezone.localdate()).items()}
        for row in self.result_list:
            median = medians.get(row.fuel)
            row.present_median = None if median is None else Decimal(str(median))


class DecisionForm(ActionForm):
    """The choice of an action, and the reason that a rejection needs."""

    reason = forms.CharField(label="Powód odrzucenia", max_length=LONGEST_REASON, required=False)


class PriceForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """A price entered by an editor; it waits in the queue like any other."""

    price = forms.DecimalField(
        label="Cena za jednostkę (zł)", max_digits=8, decimal_places=2, required=False, localize=True
    )

    class Meta:
        model = models.DepotPrice
        fields = ("depot", "fuel", "unit", "price", "bag_price", "bag_kg", "day", "origin")
        localized_fields = ("bag_price", "bag_kg")

    def quote(self) -> actions.Quote:
        """What was entered."""
        data: dict[str, Any] = self.cleaned_data
        return actions.Quote(
            fuel=data["fuel"],
            day=data["day"],
            unit=data["unit"],
            price=data.get("price"),
            bag_price=data.get("bag_price"),
            bag_kg=data.get("bag_kg"),
        )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.errors:
            return data
        try:
            self.instance.price = actions.price_of(self.quote(), timezone.localdate())
        except actions.PriceRefused as error:
            raise forms.ValidationError(str(error)) from error
        standing = models.DepotPrice.objects.standing(data["depot"], data["fuel"], data["day"], data["origin"])
        if standing.exists():
            raise forms.ValidationError("Skład ma już cenę tego paliwa z tego dnia i pochodzenia.")
        return data

    def _post_clean(self) -> None:
        """Nothing: what was entered is not the row, which `submit_price` makes and checks."""


@admin.register(models.DepotPrice)
class DepotPriceAdmin(PriceListImport, HistoryAdmin):
    """The queue, oldest first, with the present median beside each price. Nothing is edited or deleted here."""

    revertible = False  # decisions are taken anew instead: they count from the day they are taken
    # What is said together stands in one column: more columns do not fit beside menu and filters.
    list_display = ("depot", "fuel", "shown_price", "shown_median", "shown_day", "sent", "decision")
    list_display_links = ("shown_price",)
    list_filter = (StatusFilter, "fuel", "origin")
    list_select_related = ("depot",)
    list_per_page = 50
    search_fields = ("depot__name", "depot__place", "depot__municipality__name")
    search_help_text = "skład, miejscowość, gmina"
    autocomplete_fields = ("depot",)
    actions = ("approve", "reject")
    action_form = DecisionForm
    form = PriceForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.DepotPrice]:
        return models.DepotPrice.objects.oldest_waiting_first()

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return PriceChangeList

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: models.DepotPrice | None = None) -> list[str]:
        return [] if obj is None else [field.name for field in models.DepotPrice._meta.fields]

    def get_fields(self, request: HttpRequest, obj: models.DepotPrice | None = None) -> list[str]:
        if obj is None:
            return list(PriceForm.Meta.fields)
        return [field.name for field in models.DepotPrice._meta.fields if field.name != "id"]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of a price, which has nothing to save."""
        nothing = {"show_save": False, "show_save_and_continue": False, "show_save_and_add_another": False}
        return super().change_view(request, object_id, form_url, {**nothing, **(extra_context or {})})  # type: ignore[no-any-return]

    def get_form(self, request: HttpRequest, obj: models.DepotPrice | None = None, **kwargs: Any) -> Any:
        # A price that exists is only looked at, so the form for a new one does not apply.
        return super().get_form(request, obj, **(kwargs if obj is None else {**kwargs, "form": forms.ModelForm}))

    @admin.display(description="cena")
    def shown_price(self, row: models.DepotPrice) -> str | SafeString:
        shown = f"{amount(row.price)} zł/{row.unit}"
        if row.bag_price is None:
            return shown
        return in_lines(shown, f"worek {amount(row.bag_kg)} kg: {amount(row.bag_price)} zł")

    @admin.display(description="obecna mediana i odchylenie")
    def shown_median(self, row: Any) -> str | SafeString:
        if row.present_median is None:
            return UNKNOWN
        deviation = f"{(row.price / row.present_median - 1) * 100:+.1f}".replace(".", ",").replace("-", "−")
        return in_lines(f"{amount(row.present_median)} zł", f"{deviation} %")

    @admin.display(description="dzień ceny", ordering="day")
    def shown_day(self, row: models.DepotPrice) -> str:
        return date_format(row.day, "d.m.Y")

    @admin.display(description="pochodzenie", ordering="submitted_at")
    def sent(self, row: models.DepotPrice) -> SafeString:
        return in_lines(row.get_origin_display(), date_format(timezone.localtime(row.submitted_at), "d.m.Y H:i"))

    @admin.display(description="stan", ordering="status")
    def decision(self, row: models.DepotPrice) -> SafeString:
        return in_lines(row.get_status_display(), row.reason)

    @bulk_action(description="Zatwierdź", obstacles=obstacles_to_approval, named=named)
    def approve(self, request: HttpRequest, keys: list[int]) -> None:
        prices = models.DepotPrice.objects.filter(pk__in=among(keys))
        try:
            decided = actions.approve_prices(prices=prices, by=editor_of(request), on=timezone.now())
        except actions.DuplicatePrice as error:
            self.message_user(request, f"Nic nie zmieniono: {error}.", messages.ERROR)
            return
        self._report(request, decided)

    @bulk_action(
        description="Odrzuć (podaj powód)",
        obstacles=each(why_not_rejected),
        named=named,
        reason_length=LONGEST_REASON,
    )
    def reject(self, request: HttpRequest, keys: list[int]) -> None:
        prices = models.DepotPrice.objects.filter(pk__in=among(keys))
        reason = read_text(request, "reason")[:LONGEST_REASON]
        try:
            decided = actions.reject_prices(prices=prices, reason=reason, by=editor_of(request), on=timezone.now())
        except actions.ReasonMissing:
            self.message_user(request, "Nic nie zmieniono: odrzucenie wymaga podania powodu.", messages.ERROR)
            return
        self._report(request, decided)

    def _report(self, request: HttpRequest, decided: Decided) -> None:
        self.message_user(request, f"Zmieniono: {len(decided.changed)}.")
        if decided.unchanged:
            named = "; ".join(f"{price}: {reason}" for price, reason in decided.unchanged)
            self.message_user(request, f"Bez zmian: {named}", messages.WARNING)

    def save_model(self, request: HttpRequest, obj: models.DepotPrice, form: Any, change: bool) -> None:
        """Submit a new price. One that exists has nothing to save: its fields cannot be edited."""
        if change:
            return
        taken = actions.submit_price(
            depot=form.cleaned_data["depot"],
            quote=form.quote(),
            origin=models.DepotPrice.Origin(form.cleaned_data["origin"]),
            by=editor_of(request),
            on=timezone.now(),
        )
        obj.__dict__.update(taken.__dict__)


class RangeForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """Both ends of a plausible range."""

    class Meta:
        model = models.PlausibleRange
        fields = ("low", "high")
        localized_fields = "__all__"

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        low, high = data.get("low"), data.get("high")
        if low is not None and high is not None and not 0 < low <= high < actions.LARGEST:
            self.add_error("high", "Przedział musi być dodatni, a jego początek nie większy od końca.")
        return data


@admin.register(models.PlausibleRange)
class PlausibleRangeAdmin(HistoryAdmin):
    """Ranges change; a fuel without one gets it; none gets a second one or loses its own."""

    list_display = ("fuel", "low", "high")
    ordering = ("fuel",)
    form = RangeForm

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever may change ranges, while a fuel has none."""
        return bool(self.has_change_permission(request)) and bool(queries.find_fuels_without_range())

    def get_fields(self, request: HttpRequest, obj: models.PlausibleRange | None = None) -> list[str]:
        return ["fuel", "low", "high"] if obj is None else ["low", "high"]

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Only fuels without a range can be chosen."""
        missing = [(fuel.slug, fuel.name) for fuel in queries.find_fuels_without_range()]
        return super().formfield_for_choice_field(db_field, request, **kwargs, choices=missing)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: models.PlausibleRange, form: Any, change: bool) -> None:
        stored = models.PlausibleRange.objects.filter(pk=obj.pk).values_list("low", "high").first()
        # What the form was filled with is no measure: an earlier state that is put back is sent as it was shown.
        if stored != (obj.low, obj.high):
            actions.change_range(fuel=obj.pk, low=obj.low, high=obj.high, by=editor_of(request), on=timezone.now())
