"""The editors' desk for the legal state. Every change, also of a row within another's page, leaves who and when."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminDateWidget
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from catalog.admin.desk import editor_of
from catalog.admin.history import HistoryAdmin
from catalog.models import County, Municipality
from regulations import actions
from regulations.freshness import STALE_AFTER, is_stale
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Resolution

SCOPE_FIELDS = ("scope", "area", "units", "partly", "excluded", "uncertain", "caveat")
WHERE = ("Gdzie obowiązuje", {"fields": SCOPE_FIELDS})


class ScopeForm(forms.ModelForm):  # type: ignore[type-arg] # not subscriptable at run time
    """Refuses codes that the register does not know."""

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        for field in ("units", "partly", "excluded"):
            unknown = [code for code in given.get(field) or [] if not is_known(code)]
            if unknown:
                self.add_error(field, f"W rejestrze TERYT nie ma: {', '.join(unknown)}.")
        return given


def is_known(code: str) -> bool:
    """Whether a county or municipality has this code."""
    model = County if len(code) == 4 else Municipality
    return model._default_manager.filter(pk=code).exists()


class DeadlineForm(ScopeForm):
    """A deadline, with the two fields that move it."""

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
        given = super().clean()
        moved_to, amendment = given.get("moved_to"), given.get("moved_by")
        if bool(moved_to) != bool(amendment):
            self.add_error("moved_to" if amendment else "moved_by", "Podaj i dzień, i zmianę uchwały.")
        elif amendment and amendment.adopted is None:
            self.add_error("moved_by", "Ta zmiana nie ma dnia podjęcia; uzupełnij go na stronie uchwały.")
        elif amendment and (
            not self.instance.stands_on(amendment.adopted) or self.instance.valid_from == amendment.adopted
        ):
            self.add_error("moved_by", "W dniu podjęcia tej zmiany termin nie stał w przepisach.")
        return given


class StaleFilter(admin.SimpleListFilter):
    title = "stan na"
    parameter_name = "stale"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", f"starszy niż {STALE_AFTER.days} dni")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[LegalState]) -> QuerySet[LegalState]:
        if self.value() == "yes":
            return queryset.filter(as_of__lt=timezone.localdate() - STALE_AFTER)
        return queryset


class KeptAdmin(HistoryAdmin):
    """A page with history. Lists are ordered and select what they show."""

    list_per_page = 200
    readonly_fields = ("key",)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            actions.tell_of_change()

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        with transaction.atomic():
            super().save_formset(request, form, formset, change)
            actions.tell_of_change()

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        with transaction.atomic():
            super().delete_model(request, obj)
            actions.tell_of_change()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        with transaction.atomic():
            super().delete_queryset(request, queryset)
            actions.tell_of_change()


@admin.register(LegalState)
class LegalStateAdmin(KeptAdmin):
    """The sixteen voivodeships. An import brings them; nobody adds or deletes one."""

    list_display = ("voivodeship", "as_of_marked", "summary")
    list_filter = (StaleFilter,)
    list_select_related = ("voivodeship",)
    search_fields = ("voivodeship__name",)
    ordering = ("voivodeship__teryt",)
    readonly_fields = ("voivodeship",)
    fields = ("voivodeship", "as_of", "summary", "note", "sources")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description="stan na", ordering="as_of")
    def as_of_marked(self, state: LegalState) -> str:
        """The day, marked when it is older than 180 days."""
        day = date_format(state.as_of)
        if not is_stale(state.as_of, timezone.localdate()):
            return day
        return format_html('{} <strong class="stale">sprawdź ponownie</strong>', day)


class AmendmentInline(admin.StackedInline):  # type: ignore[type-arg] # not subscriptable at run time
    model = Amendment
    extra = 0
    exclude = ("key",)


@admin.register(Resolution)
class ResolutionAdmin(KeptAdmin):
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


@admin.register(Amendment)
class AmendmentAdmin(KeptAdmin):
    list_display = ("number", "resolution", "adopted", "publication")
    list_select_related = ("resolution",)
    search_fields = ("number", "changes", "resolution__number")
    ordering = ("resolution", "pk")


class ProvisionAdmin(KeptAdmin):
    """Deadlines and bans."""

    form = ScopeForm
    list_filter = ("state__voivodeship", "area")
    list_select_related = ("state__voivodeship",)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"valid_from": timezone.localdate(), **super().get_changeform_initial_data(request)}


@admin.register(Deadline)
class DeadlineAdmin(ProvisionAdmin):
    form = DeadlineForm
    list_display = ("date", "state", "applies_to", "scope", "valid_to")
    search_fields = ("applies_to", "description", "scope", "state__voivodeship__name")
    ordering = ("state", "date", "pk")
    fieldsets = (
        (None, {"fields": ("state", "date", "kind", "applies_to", "description")}),
        ("Przesunięcie terminu", {"fields": ("moved_to", "moved_by")}),
        WHERE,
        ("Kiedy stoi w przepisach", {"fields": ("valid_from", "valid_to")}),
        ("Źródła", {"fields": ("sources", "key")}),
    )

    def save_model(self, request: HttpRequest, obj: Deadline, form: Any, change: bool) -> None:
        """Move when the form says so, then save: what else the form changes is not said of the days before."""
        moved_to, amendment = form.cleaned_data.get("moved_to"), form.cleaned_data.get("moved_by")
        if moved_to and amendment:
            moved = actions.move_deadline(deadline=obj, to=moved_to, amendment=amendment, by=editor_of(request))
            obj.date, obj.valid_from = moved.date, moved.valid_from
            told = f"Przesunięto na {moved_to} na mocy zmiany {amendment}. Sprawdź też opis, streszczenie i „stan na”."
            self.message_user(request, told, messages.SUCCESS)
            if set(form.changed_data) == {"moved_to", "moved_by"}:
                return
        super().save_model(request, obj, form, change)


@admin.register(FuelBan)
class FuelBanAdmin(ProvisionAdmin):
    list_display = ("fuel", "state", "from_date", "scope", "valid_to")
    search_fields = ("fuel", "detail", "scope", "state__voivodeship__name")
    ordering = ("state", "pk")
    fieldsets = (
        (None, {"fields": ("state", "fuel", "detail", "from_date")}),
        WHERE,
        ("Kiedy stoi w przepisach", {"fields": ("valid_from", "valid_to")}),
        ("Źródła", {"fields": ("sources", "key")}),
    )
