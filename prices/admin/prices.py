"""Admin of prices (moderation queue, price lists) and, read-only, of official averages."""

from collections.abc import Sequence
from dataclasses import fields
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.db.models import Case, DecimalField, F, QuerySet, Value, When
from django.db.models.functions import Abs, Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.defaultfilters import floatformat
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

from catalog.admin import depot_list
from catalog.admin.bulk import bulk_action, each, exceeded_limit, undo_button
from catalog.admin.desk import (
    CsvMixin,
    KeptRowsMixin,
    PendingByDefaultFilter,
    ReasonForm,
    columns_of,
    current_editor,
    desk_page,
    desk_view,
    read_text,
)
from catalog.admin.registers_and_history import NOTHING, HistoryAdmin, RegisterAdmin, UnitFilter, written
from catalog.admin.submission_queue import AWAITS_AUTHOR
from catalog.depots import fuels
from catalog.models import Decision
from catalog.services.journal import Outcome
from catalog.services.moderation import DepotIsErased
from catalog.submissions.questions import with_questions
from catalog.text import counted
from fueldepot.data.history import among
from prices import models, services, validation
from prices.admin.decision_pages import PricePageMixin, describe_prices
from prices.models import LONGEST_REASON
from prices.official_series import BY_SLUG
from prices.price_list_files import POLISH
from prices.price_list_preview import EXPIRED, ConfirmForm, Preview, UploadForm, preview_price_list
from prices.services import why_not_rejected
from prices.snapshot import current_medians, read_ranges
from prices.validation import deviation

PENDING = models.DepotPrice.Status.PENDING


def in_lines(first: str, second: str) -> SafeString:
    """Return two lines of one cell, the second in small print."""
    return format_html('{}<br><span class="quiet">{}</span>', first, second) if second else format_html("{}", first)


def obstacles_to_approval(prices: Sequence[Any]) -> list[str]:
    """Return for each price why it cannot be approved today, "" where it can. prices: with `awaits_author`."""
    obstacles = services.find_approval_obstacles(prices, timezone.localdate())
    return [why or (AWAITS_AUTHOR if price.awaits_author else "") for price, why in zip(prices, obstacles, strict=True)]


def named(price: models.DepotPrice) -> str:
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


class StatusFilter(PendingByDefaultFilter):
    parameter_name = "status"
    waiting = PENDING

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[Any]:
        return super().queryset(request, queryset) if self.value() else queryset.waiting()


PRICE_FIELDS = ("depot", "fuel", "unit", "price", "bag_price", "bag_kg", "day", "origin")


class PriceAdminForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """A price entered by an editor; it joins the moderation queue."""

    price = forms.DecimalField(
        label="Cena za jednostkę (zł)", max_digits=8, decimal_places=2, required=False, localize=True
    )

    class Meta:
        model = models.DepotPrice
        fields = PRICE_FIELDS
        localized_fields = ("bag_price", "bag_kg")

    def quote(self) -> validation.PriceInput:
        values: dict[str, Any] = {row.name: self.cleaned_data.get(row.name) for row in fields(validation.PriceInput)}
        return validation.PriceInput(**values)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.errors:
            return data
        try:
            origin = models.DepotPrice.Origin(data["origin"])
            self.instance.price = services.row_of(data["depot"], self.quote(), origin, timezone.now()).price
        except validation.InvalidPrice as error:
            raise forms.ValidationError(str(error)) from error
        standing = models.DepotPrice.objects.standing().filter(
            depot=data["depot"], fuel=data["fuel"], day=data["day"], origin=data["origin"]
        )
        if standing.exists():
            raise forms.ValidationError("Skład ma już cenę tego paliwa z tego dnia i pochodzenia.")
        return data

    def _post_clean(self) -> None:
        """Do nothing: `submit_price` builds and checks the row."""


def describe_excess(preview: Preview, editor: User) -> str:
    """Return the message about more prices than an editor may write at once, "" for fewer."""
    count = len(preview.quotes)
    limit = exceeded_limit(editor, count)
    if limit is None:
        return ""
    quotes = counted(count, "cenę", "ceny", "cen")
    return (
        f"Niczego nie wczytano: plik ma {quotes} do wczytania, a redaktor może wczytać naraz najwyżej {limit}. "
        "Podziel plik albo poproś redaktora naczelnego."
    )


MOST_NUMBERS = 50
"""Numbers of faulty rows in the message after an import."""


class PriceListImport(admin.ModelAdmin):  # type: ignore[type-arg] # a mixin for the admin of prices
    """Mixin for the admin of prices: upload and preview of a price list, and its confirmation."""

    change_list_template = "admin/prices/depotprice/change_list.html"

    def has_import_permission(self, request: HttpRequest) -> bool:
        return bool(self.has_change_permission(request) and self.has_add_permission(request))

    @desk_view("import/", "import", needs="import")
    def import_view(self, request: HttpRequest) -> HttpResponse:
        form = UploadForm(request.POST or None, request.FILES or None)
        if not form.is_valid():
            return self.show_price_list(request, form)
        preview = preview_price_list(form.table, today=timezone.localdate())
        if too_many := describe_excess(preview, current_editor(request)):
            messages.error(request, too_many)
        return self.show_price_list(request, form, preview, "" if too_many else form.cleaned_data["packed"])

    @desk_view("process_import/", "process_import", needs="import")
    def confirm_view(self, request: HttpRequest) -> HttpResponse:
        """Publish the previewed prices, unless other rows are left out now; an expired preview leads to the upload."""
        form = ConfirmForm(request.POST)
        if not form.is_valid():
            messages.error(request, EXPIRED)
            return HttpResponseRedirect(reverse("admin:prices_depotprice_import"))
        moment, editor = timezone.now(), current_editor(request)
        today, ticked = timezone.localdate(moment), form.cleaned_data["ticked"] or ()
        preview = preview_price_list(form.table, today=today, ticked=ticked)
        too_many = describe_excess(preview, editor)
        if not (preview.is_refused or too_many) and preview.seen == form.cleaned_data["seen"]:
            try:
                decision = services.publish_price_list(quotes=preview.quotes, by=editor, on=moment)
            except validation.InvalidPrice as error:
                preview.error = str(error)
            else:
                self.tell(request, preview, decision)
                return HttpResponseRedirect(reverse("admin:prices_depotprice_changelist"))
        messages.error(request, too_many or "Niczego nie wczytano: od czasu podglądu coś się zmieniło.")
        # The same file again: other rows are left out now, or fewer have to be ticked.
        return self.show_price_list(request, UploadForm(), preview, form.cleaned_data["packed"])

    def tell(self, request: HttpRequest, preview: Preview, decision: Decision | None) -> None:
        undo = undo_button(request, decision)
        messages.success(request, format_html("Wczytano i zatwierdzono ceny: {}. {}", len(preview.quotes), undo))
        left_out = len(preview.ordinary) + len(preview.doubtful) - len(preview.quotes)
        if left_out:
            messages.warning(request, f"Pominięto wątpliwe wiersze, których nie zaznaczono: {left_out}.")
        if preview.faulty:
            numbers = ", ".join(str(row.number) for row in preview.faulty[:MOST_NUMBERS])
            more = ", …" if len(preview.faulty) > MOST_NUMBERS else ""
            messages.warning(request, f"Pominięto błędne wiersze: {len(preview.faulty)} (w pliku: {numbers}{more}).")

    def show_price_list(
        self, request: HttpRequest, form: UploadForm, preview: Preview | None = None, packed: str = ""
    ) -> TemplateResponse:
        """Show the form of a file, or the preview of one. packed: that file, "" if it is not to be confirmed."""
        context = {"title": "Cennik z pliku", "form": form, "preview": preview}
        context |= {"fuels": fuels.choices(), "units": list(fuels.UNIT_NAMES.items()), "columns": POLISH}
        if packed and preview and not preview.is_refused:
            context["confirm_form"] = ConfirmForm(initial={"packed": packed, "seen": preview.seen})
        return desk_page(self, request, "prices/depotprice/price_list", context)


@admin.register(models.DepotPrice)
class DepotPriceAdmin(KeptRowsMixin, PriceListImport, CsvMixin, PricePageMixin, HistoryAdmin):
    """The moderation queue with the current median beside each price, those farthest from it first. No deleting."""

    saved = ": {}. Czeka na zatwierdzenie."
    revertible = False  # a new decision replaces an old one, from its own day on
    # Cells combine two values: more columns do not fit beside menu and filters.
    list_display = ("shown_depot", "fuel", "shown_price", "shown_median", "shown_day", "sent", "decision")
    list_display_links = ("shown_price",)
    list_filter = (StatusFilter, "fuel", "origin", UnitFilter)
    list_select_related = ("depot",)
    list_per_page = 50
    search_fields = ("depot__name",)  # shows the search box; `get_search_results` searches more fields
    search_help_text = depot_list.HELP
    csv_columns = {
        "numer": lambda row: row.pk,
        "skład": lambda row: row.depot.name,
        "numer składu": lambda row: row.depot_id,
        **columns_of(models.DepotPrice, "fuel", "price"),
        "jednostka": lambda row: row.unit,
        **columns_of(models.DepotPrice, "bag_price"),
        "waga worka": lambda row: row.bag_kg,
        "dzień": lambda row: row.day,
        **columns_of(models.DepotPrice, "origin", "status", "reason"),
    }
    autocomplete_fields = ("depot",)
    actions = ("approve", "reject")
    action_form = ReasonForm
    form = PriceAdminForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.DepotPrice]:
        medians = current_medians(timezone.localdate())
        cases = [When(fuel=fuel, then=Value(median)) for fuel, median in medians.items()]
        rows = models.DepotPrice.objects.annotate(present_median=Case(*cases, output_field=DecimalField()))
        rows = rows.annotate(distance=Coalesce(Abs(F("price") / F("present_median") - 1), Decimal()))
        waiting = Case(When(status=PENDING, then=Value(0)), default=Value(1))
        return with_questions(rows, "submission").order_by(waiting, "-distance", "submitted_at", "pk")

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[QuerySet[Any], bool]:
        return depot_list.search_depots(queryset, search_term, "depot__"), False

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        changelist: ChangeList = super().get_changelist_instance(request)
        describe_prices(changelist.result_list, read_ranges())
        return changelist

    def get_fields(self, request: HttpRequest, obj: models.DepotPrice | None = None) -> Any:
        return [field.name for field in models.DepotPrice._meta.fields if field.name != "id"] if obj else PRICE_FIELDS

    def get_readonly_fields(self, request: HttpRequest, obj: models.DepotPrice | None = None) -> list[str]:
        return [] if obj is None else [field.name for field in models.DepotPrice._meta.fields]

    @admin.display(description="skład", ordering="depot")
    def shown_depot(self, row: models.DepotPrice) -> SafeString:
        return format_html('<a href="{}">{}</a>', reverse("admin:catalog_depot_change", args=[row.depot_id]), row.depot)

    @admin.display(description="cena")
    def shown_price(self, row: models.DepotPrice) -> str | SafeString:
        price = f"{written(row.price)} zł/{row.unit}"
        if row.bag_price is None:
            return price
        return in_lines(price, f"worek {written(row.bag_kg)} kg: {written(row.bag_price)} zł")

    @admin.display(description="obecna mediana i odchylenie", ordering="distance")
    def shown_median(self, row: Any) -> str | SafeString:
        if row.present_median is None:
            return NOTHING
        return in_lines(f"{written(row.present_median)} zł", f"{deviation(row.price, row.present_median)}%")

    @admin.display(description="dzień ceny", ordering="day")
    def shown_day(self, row: models.DepotPrice) -> str:
        return written(row.day)

    @admin.display(description="pochodzenie", ordering="submitted_at")
    def sent(self, row: models.DepotPrice) -> SafeString:
        return in_lines(row.get_origin_display(), written(row.submitted_at))

    @admin.display(description="stan", ordering="status")
    def decision(self, row: Any) -> SafeString:
        return in_lines(row.get_status_display(), row.reason or (row.doubts if row.status == PENDING else ""))

    @bulk_action(description="Zatwierdź", obstacles=obstacles_to_approval, named=named)
    def approve(self, request: HttpRequest, keys: list[int]) -> None:
        prices = models.DepotPrice.objects.filter(pk__in=among(keys))
        self._report(request, services.approve_prices(prices=prices, by=current_editor(request), on=timezone.now()))

    @bulk_action(
        description="Odrzuć (podaj powód)", obstacles=each(why_not_rejected), named=named, reason_length=LONGEST_REASON
    )
    def reject(self, request: HttpRequest, keys: list[int]) -> None:
        prices = models.DepotPrice.objects.filter(pk__in=among(keys))
        editor, reason = current_editor(request), read_text(request, "reason")
        self._report(request, services.reject_prices(prices=prices, reason=reason, by=editor, on=timezone.now()))

    def _report(self, request: HttpRequest, decided: Outcome[models.DepotPrice]) -> None:
        undo = undo_button(request, decided.decision)
        self.message_user(request, format_html("Zmieniono: {}. {}", len(decided.changed), undo))
        if decided.unchanged:
            named = "; ".join(f"{price}: {reason}" for price, reason in decided.unchanged)
            self.message_user(request, f"Bez zmian: {named}", messages.WARNING)

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Tell what happened between the check of the form and the saving."""
        try:
            return super().add_view(request, *args, **kwargs)
        except (validation.InvalidPrice, DepotIsErased) as error:
            self.message_user(request, f"Nic nie zapisano: {getattr(error, 'reason', error)}.", messages.WARNING)
            return HttpResponseRedirect(request.get_full_path())

    def save_model(self, request: HttpRequest, obj: models.DepotPrice, form: Any, change: bool) -> None:
        """Submit a new price; a stored one has a page of its own, on which it is decided."""
        depot, origin = form.cleaned_data["depot"], models.DepotPrice.Origin(form.cleaned_data["origin"])
        editor, now = current_editor(request), timezone.now()
        taken = services.submit_price(depot=depot, quote=form.quote(), origin=origin, by=editor, on=now)
        obj.__dict__.update(taken.__dict__)
