"""Admin of the legal state. The history records who changed what, for inlines too."""

import json
from datetime import date
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.views.main import ORDER_VAR, ChangeList
from django.contrib.admin.widgets import AdminDateWidget
from django.db import models, transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from catalog.admin.desk import CsvMixin, DeskList, KeptRowsMixin, OptionsFilter, columns_of, current_editor
from catalog.admin.drafts import DraftedAdmin
from catalog.admin.registers_and_history import HistoryAdmin, refuse_outdated
from catalog.models import County, Municipality
from fueldepot.data.history import latest_id, lock_rows
from regulations import services
from regulations.models import (
    STALE_AFTER,
    Amendment,
    Deadline,
    FuelBan,
    LegalState,
    Provision,
    Resolution,
    Scope,
    is_stale,
)
from regulations.snapshot import binds_municipality, overdue_condition


def describe_change(before: Provision | None, after: Provision | None, moved: dict[str, Any], today: date) -> list[str]:
    """Return where the rule would bind, and since when; before or after is None if new or deleted. Three queries."""
    rule = after or before
    assert rule is not None  # noqa: S101 - a change has at least one of them
    codes = list(Municipality.objects.filter(voivodeship=rule.state_id).values_list("pk", flat=True))
    effects = [f"Dotyczy: {where(rule, codes)}."]
    if before is not None and after is not None and where(before, codes) != where(after, codes):
        effects[0] = f"Dotyczy: {where(after, codes)}. Dotychczas: {where(before, codes)}."
    to, amendment = moved.get("moved_to"), moved.get("moved_by")
    if to and amendment and isinstance(before, Deadline):
        effects.append(
            f"Odpowiedzi na dni od {format_day(amendment.adopted)} podadzą termin {format_day(to)}, "
            f"na dni wcześniejsze nadal {format_day(before.date)}."
        )
    effects.extend(next_deadlines(before, after, to, today))
    return effects


def where(rule: Provision, codes: list[str]) -> str:
    """Return the number of municipalities that a rule binds, in words. codes: of the voivodeship."""
    answers = [binds_municipality(rule, code) for code in codes]
    whole, partly = answers.count(True), answers.count(None)
    text = f"gminy województwa w całości: {whole} z {len(codes)}"
    return f"{text}, w części albo niepewnie: {partly}" if partly else text


def next_deadlines(before: Provision | None, after: Provision | None, to: date | None, today: date) -> list[str]:
    """Return a sentence if the next deadline of the voivodeship changes. One query for a deadline, none for a ban."""
    rule = after or before
    if not isinstance(rule, Deadline):
        return []
    standing = [row for row in Deadline.objects.filter(state=rule.state_id) if row.stands_on(today)]
    others = [row.date for row in standing if before is None or row.pk != before.pk]
    own = [after] if isinstance(after, Deadline) and after.stands_on(today) else []
    now = min((row.date for row in standing if not row.holds_on(today)), default=None)
    then = min((day for day in [*others, *(to or row.date for row in own)] if day > today), default=None)
    if now == then:
        return []
    return [f"Najbliższy termin województwa: teraz {format_day(now)}, po zmianie {format_day(then)}."]


def format_day(day: date | None) -> str:
    """Return a day in words, "brak" for None."""
    return "brak" if day is None else date_format(day, "SHORT_DATE_FORMAT")


WHERE = ("Gdzie obowiązuje", {"fields": [field.name for field in Scope._meta.fields]})
PLACE_AND_TIME = (
    WHERE,
    ("Kiedy stoi w przepisach", {"fields": ("valid_from", "valid_to")}),
    ("Źródła", {"fields": ("sources", "key")}),
)
CODES = ("appliances", "unclear_appliances", "fuels", "conditions", "exemptions", "started_before", "spared")
CODES_HELP = "Z kodów powstają odpowiedzi „Sprawdź swój piec”. Muszą mówić to samo co opis."

CSV_SCOPE = {
    "gdzie obowiązuje": lambda row: row.scope,
    **columns_of(Provision, "valid_from", "valid_to", "sources"),
}


class ScopeForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    class Meta:
        help_texts = {
            "part_caveat": f"{Scope._meta.get_field('part_caveat').help_text}; wiersz o jednej z gmin objętych w "
            "części zacznij od jej kodu: 1211011 | W Nowym Targu…"
        }

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        for field in ("units", "partly", "excluded"):
            unknown = [code for code in data.get(field) or [] if not is_known(code)]
            if unknown:
                self.add_error(field, f"W rejestrze TERYT nie ma: {', '.join(unknown)}.")
        for line in (data.get("part_caveat") or "").splitlines():
            code, bar, _ = line.partition("|")
            if bar and code.strip() not in (data.get("partly") or []):
                self.add_error("part_caveat", f"Kodu „{code.strip()}” nie ma wśród gmin objętych w części.")
        return data


def is_known(code: str) -> bool:
    """Whether a county (4 digits) or municipality has this code. One query."""
    model = County if len(code) == 4 else Municipality
    return model._default_manager.filter(pk=code).exists()


class DeadlineForm(ScopeForm):
    moved_to = forms.DateField(
        label="przesuń na dzień",
        required=False,
        widget=AdminDateWidget,
        help_text="Zmiana uchwały przesuwa termin. Poprzedni dzień zostaje w historii odpowiedzi.",
    )
    moved_by = forms.ModelChoiceField(
        label="na mocy zmiany",
        required=False,
        queryset=Amendment.objects.none(),
        help_text="Najpierw dodaj zmianę na stronie uchwały, z dniem jej podjęcia.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            field = cast("forms.ModelChoiceField[Amendment]", self.fields["moved_by"])
            field.queryset = Amendment.objects.filter(resolution__state=self.instance.state_id).order_by("-adopted")

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        moved_to, amendment = data.get("moved_to"), data.get("moved_by")
        if bool(moved_to) != bool(amendment):
            self.add_error("moved_to" if amendment else "moved_by", "Podaj i dzień, i zmianę uchwały.")
        elif amendment and amendment.adopted is None:
            self.add_error("moved_by", "Ta zmiana nie ma dnia podjęcia; uzupełnij go na stronie uchwały.")
        elif amendment and not self.instance.can_move_on(amendment.adopted):
            self.add_error("moved_by", "W dniu podjęcia tej zmiany tego terminu nie było w przepisach.")
        return data


class MultilineField(forms.CharField):
    """Text with `\n` at line ends: browsers send `\r\n`, which would count as a change of every such field."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text


MULTILINE: Any = {models.TextField: {"form_class": MultilineField}}
"""`formfield_overrides` of pages and their inlines, which do not share them."""


class StaleFilter(OptionsFilter):
    title = "stan na"
    parameter_name = "stale"
    options = {
        "overdue": (
            f"starszy niż {STALE_AFTER.days} dni, a termin mija w ciągu roku",
            lambda states: states.filter(overdue_condition(timezone.localdate())),
        ),
        "yes": (f"starszy niż {STALE_AFTER.days} dni", lambda states: states.stale(timezone.localdate())),
    }


class LegalStateForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """Refuses to confirm a state as of a day to come: it would be called current until half a year after that day."""

    def clean_as_of(self) -> date:
        day: date = self.cleaned_data["as_of"]
        if "as_of" in self.changed_data and day > timezone.localdate():
            raise forms.ValidationError("Ten dzień jeszcze nie nadszedł.")
        return day


class RecordedAdmin(HistoryAdmin):
    """Rows whose changes raise the version of the data set, in the transaction of the page, or one of their own."""

    list_per_page = 200
    readonly_fields = ("key",)
    formfield_overrides = MULTILINE

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            services.record_change()

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        services.record_change()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        with transaction.atomic():
            super().delete_queryset(request, queryset)
            services.record_change()


class OverdueFirst(DeskList):
    """Overdue states first, unless a column is chosen. `ModelAdmin.ordering` also orders choices in other forms."""

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        ordering = super().get_ordering(request, queryset)
        return ordering if ORDER_VAR in self.params else [F("overdue").desc(), *ordering]


@admin.register(LegalState)
class LegalStateAdmin(KeptRowsMixin, RecordedAdmin):
    """The sixteen legal states, overdue ones first. Only an import adds them; none is deleted."""

    form = LegalStateForm
    list_display = ("voivodeship", "as_of_marked", "summary")
    list_filter = (StaleFilter,)
    list_select_related = ("voivodeship",)
    search_fields = ("voivodeship__name",)
    ordering = ("voivodeship__teryt",)
    readonly_fields = ("voivodeship",)
    fields = ("voivodeship", "as_of", "summary", "note", "sources")

    def get_queryset(self, request: HttpRequest) -> QuerySet[LegalState]:
        states: QuerySet[LegalState] = super().get_queryset(request)
        return states.annotate(overdue=overdue_condition(timezone.localdate()))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return OverdueFirst

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display(description="stan na", ordering="as_of")
    def as_of_marked(self, state: Any) -> str:
        """The day, marked when stale, more so when overdue. state: annotated with `overdue`."""
        day = date_format(state.as_of)
        if not is_stale(state.as_of, timezone.localdate()):
            return day
        word = "pilnie sprawdź: termin mija w ciągu roku" if state.overdue else "sprawdź ponownie"
        return format_html('{} <strong class="stale">{}</strong>', day, word)


class AmendmentInline(admin.StackedInline):  # type: ignore[type-arg] # not subscriptable at run time
    model = Amendment
    formfield_overrides = MULTILINE
    extra = 0
    exclude = ("key",)

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        formset.form = refuse_outdated(request, obj, formset.form)
        return formset


@admin.register(Resolution)
class ResolutionAdmin(RecordedAdmin):
    form = ScopeForm
    list_display = ("number", "state", "scope", "adopted", "publication")
    list_filter = ("state__voivodeship",)
    list_select_related = ("state__voivodeship",)
    search_fields = ("number", "title", "scope", "state__voivodeship__name")
    ordering = ("state", "pk")
    inlines = (AmendmentInline,)
    fieldsets = (
        (None, {"fields": ("state", "title", "number", "adopted", "publication", "text_url", "in_force_from")}),
        WHERE,
        ("Uwagi i źródła", {"fields": ("note", "sources", "key")}),
    )

    def version_of(self, key: Any) -> str:
        amendments = Amendment.objects.filter(resolution=key).values_list("pk", flat=True)
        return f"{super().version_of(key)} {latest_id(Amendment.history.model, *amendments)}"

    def get_inline_formsets(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Name the button without Django's endings for each gender."""
        formsets: list[Any] = super().get_inline_formsets(*args, **kwargs)
        for formset in formsets:
            data = json.loads(formset.inline_formset_data())
            data["options"]["addText"] = "Dodaj zmianę uchwały"
            formset.inline_formset_data = json.dumps(data)
        return formsets


@admin.register(Amendment)
class AmendmentAdmin(RecordedAdmin):
    list_display = ("number", "resolution", "adopted", "publication")
    list_select_related = ("resolution",)
    search_fields = ("number", "changes", "resolution__number")
    ordering = ("resolution", "pk")

    def lock(self, row: Amendment) -> None:
        """Lock the resolution first: its page saves amendments, too, as they were when it was opened."""
        lock_rows(Resolution.objects.filter(pk=row.resolution_id))
        super().lock(row)


class ProvisionAdmin(CsvMixin, DraftedAdmin, RecordedAdmin):
    """Deadlines and bans. A change is a draft until another editor approves it."""

    form = ScopeForm
    list_filter = ("state__voivodeship", "area")
    list_select_related = ("state__voivodeship",)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"valid_from": timezone.localdate(), **super().get_changeform_initial_data(request)}

    def describe_draft(self, before: Any, after: Any, cleaned: Any) -> list[str]:
        return describe_change(before, after, cleaned, timezone.localdate())


@admin.register(Deadline)
class DeadlineAdmin(ProvisionAdmin):
    form = DeadlineForm
    list_display = ("date", "state", "applies_to", "scope", "valid_to")
    csv_columns = {
        "województwo": lambda row: row.state.voivodeship.name,
        "termin": lambda row: row.date,
        **columns_of(Deadline, "kind", "applies_to", "description"),
    } | CSV_SCOPE
    search_fields = ("applies_to", "description", "scope", "state__voivodeship__name")
    ordering = ("state", "date", "pk")
    fieldsets = (
        (None, {"fields": ("state", "date", "kind", "applies_to", "description")}),
        ("Kody: czego dotyczy", {"fields": CODES, "description": CODES_HELP}),
        ("Przesunięcie terminu", {"fields": ("moved_to", "moved_by")}),
        *PLACE_AND_TIME,
    )

    def write_draft(self, request: HttpRequest, obj: Deadline, form: Any, change: bool) -> None:
        """Move the deadline if the form says so, then save. Other changes take effect from the new `valid_from`."""
        moved_to, amendment = form.cleaned_data.get("moved_to"), form.cleaned_data.get("moved_by")
        if moved_to and amendment:
            editor, note = current_editor(request), getattr(obj, "_change_reason", "")
            moved = services.move_deadline(deadline=obj, to=moved_to, amendment=amendment, by=editor, note=note)
            obj.date, obj.valid_from = moved.date, moved.valid_from
            text = f"Przesunięto na {moved_to} na mocy zmiany {amendment}."
            self.message_user(request, f"{text} Sprawdź też opis, streszczenie i „stan na”.", messages.SUCCESS)
            if set(form.changed_data) == {"moved_to", "moved_by"}:
                return
        super().write_draft(request, obj, form, change)


@admin.register(FuelBan)
class FuelBanAdmin(ProvisionAdmin):
    list_display = ("fuel", "state", "from_date", "scope", "valid_to")
    csv_columns = {
        "województwo": lambda row: row.state.voivodeship.name,
        **columns_of(FuelBan, "fuel", "detail", "from_date"),
    } | CSV_SCOPE
    search_fields = ("fuel", "detail", "scope", "state__voivodeship__name")
    ordering = ("state", "pk")
    fieldsets = ((None, {"fields": ("state", "fuel", "fuels", "detail", "from_date")}), *PLACE_AND_TIME)
