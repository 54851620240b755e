"""Rows that the desk only shows: public registers, imports, history; and claims of voivodeships."""

from datetime import date, datetime
from decimal import Decimal
from functools import reduce
from operator import or_
from typing import Any, ClassVar, NamedTuple, cast

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseNotAllowed
from django.shortcuts import get_object_or_404
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import capfirst
from simple_history.admin import SimpleHistoryAdmin
from simple_history.models import DeletedObject
from simple_history.template_utils import HistoricalRecordContextHelper

from catalog import models
from catalog.admin.desk import DeskMixin, FixedRowsAdmin, OptionsFilter, current_editor, desk_view, done_options
from catalog.models import Voivodeship, VoivodeshipClaim
from catalog.services import Refusal, editing, editors
from catalog.services.editors import is_chief
from catalog.text import full_sentence
from fueldepot.data import history


class RegisterAdmin(FixedRowsAdmin):
    """Rows that the desk only shows: public registers, logs, records of decisions."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(models.Municipality)
class MunicipalityAdmin(RegisterAdmin):
    list_display = ("teryt", "name", "kind", "county", "voivodeship")
    list_filter = ("kind", "voivodeship")
    list_select_related = ("county", "voivodeship")
    search_fields = ("teryt", "name")


@admin.register(models.FormerMunicipality)
class FormerMunicipalityAdmin(RegisterAdmin):
    list_display = ("teryt", "name", "successor", "others", "left_on")
    list_select_related = ("successor",)
    search_fields = ("teryt", "name")


@admin.register(models.Postcode)
class PostcodeAdmin(RegisterAdmin):
    list_display = ("code", "places", "source")
    list_filter = ("source",)
    search_fields = ("code",)


@admin.register(models.Dataset)
class DatasetAdmin(RegisterAdmin):
    list_display = ("slug", "row_count", "as_of", "changed_at", "source", "version")


@admin.register(models.ImportRun)
class ImportRunAdmin(RegisterAdmin):
    """Log of imports and purges, to see which one is overdue."""

    list_display = ("started", "source", "dataset", "outcome", "rows", "added", "changed", "removed", "message")
    list_filter = ("outcome", "source", "dataset")
    search_fields = ("source", "message", "checksum")
    date_hierarchy = "started"
    ordering = ("-started", "-pk")


NOTHING = "–"


class FieldChange(NamedTuple):
    """A changed field in words. before: "" for a new row."""

    label: str
    before: str
    after: str


class OutdatedMixin:
    """Mixin of a form whose page is outdated: it refuses to change its row. What was typed stays in the fields."""

    def _post_clean(self: Any) -> None:
        super()._post_clean()  # type: ignore[misc] # of the form
        stored = type(self.instance)._default_manager.filter(pk=self.instance.pk).first()
        if editing.stored_values(stored) != editing.stored_values(self.instance):
            self.add_error(None, full_sentence(capfirst(editing.DepotEditConflict.reason)))


def refuse_outdated(request: HttpRequest, row: Any, form: Any) -> Any:
    """Return a class of forms; if the row of the page has changed since it was opened, with `OutdatedMixin`."""
    opened = getattr(row, "opened", "")
    return type(form.__name__, (OutdatedMixin, form), {}) if request.POST.get("opened", opened) != opened else form


class HistoryAdmin(DeskMixin, SimpleHistoryAdmin):  # type: ignore[misc] # the package has no types
    """Admin with history pages. revertible: whether saving an old version is offered."""

    revertible: ClassVar[bool] = True
    history_list_display = ("author",)

    def version_of(self, key: Any) -> str:
        """Version of a row, which each change of what its page shows changes. One query."""
        return str(history.latest_id(self.model.history.model, key))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the row with `opened`, its version: read before and so never newer than the row."""
        row = super().get_object(request, object_id, from_field)
        if row is not None:
            if request.method == "POST":
                self.lock(row)
            opened = self.version_of(row.pk)
            row = super().get_object(request, object_id, from_field)
        if row is not None:
            row.opened = opened
        return row

    def lock(self, row: Any) -> None:
        """Lock a row to be saved: of two saves at once the second waits, and sees what the first has left."""
        self.model._default_manager.select_for_update(of=("self",)).filter(pk=row.pk).first()

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return refuse_outdated(request, obj, super().get_form(request, obj, change, **kwargs))

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        opened = request.POST.get("opened", getattr(kwargs.get("obj"), "opened", ""))
        return cast("HttpResponse", super().render_change_form(request, {**context, "opened": opened}, *args, **kwargs))

    def author(self, row: Any) -> str:
        """Who made the change of a history row, a dash for a reader, an import or a command."""
        name = history.author(row.history_user and row.history_user.get_username(), row.history_change_reason)
        return NOTHING if name == history.IMPORTED else name

    def revert_disabled(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not self.revertible or bool(super().revert_disabled(request, obj))

    def history_view(self, request: HttpRequest, object_id: str, *args: Any) -> HttpResponse:
        self._check_key(object_id)
        return cast("HttpResponse", super().history_view(request, object_id, *args))

    def history_form_view(self, request: HttpRequest, object_id: str, version_id: str, *args: Any) -> HttpResponse:
        self._check_key(object_id)
        if not version_id.isdecimal():
            raise Http404
        if request.method == "POST" and not self.revertible:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        if request.method == "POST" and self.revert_disabled(request):  # the package asks for the right to view alone
            raise PermissionDenied
        return cast("HttpResponse", super().history_form_view(request, object_id, version_id, *args))

    def _check_key(self, object_id: str) -> None:
        """Raise Http404 for what is no key: the package asks the database for it."""
        try:
            self.opts.pk.to_python(unquote(object_id))
        except ValidationError:
            raise Http404 from None

    def history_view_title(self, request: HttpRequest, obj: Model) -> str:
        return f"Historia: {obj}"

    def history_form_view_title(self, request: HttpRequest, obj: Model) -> str:
        return f"Poprzedni stan: {obj}"

    def get_historical_record_context_helper(self, request: HttpRequest, historical_record: Any) -> Any:
        return HistoryChange(self.model, historical_record)


class HistoryChange(HistoricalRecordContextHelper):  # type: ignore[misc] # the package has no types
    """Changes from one version to the next, with formatted values."""

    def prepare_delta_change_value(self, change: Any, value: Any) -> str:
        return in_words(self.model._meta.get_field(change.field), value)


def in_words(field: Any, value: Any) -> str:
    """A stored value of a field in words: the label of a choice, and a dash for none."""
    choices = dict(getattr(field, "flatchoices", None) or ())
    return written(choices.get(value, value) if isinstance(value, str) else value)


def written(value: Any) -> str:
    """A stored value in words; a dash for none."""
    if value is None or value == "" or value == []:
        return NOTHING
    if isinstance(value, DeletedObject):
        return NOTHING if value.pk is None else f"usunięty wpis {value.pk}"
    if isinstance(value, bool):
        return "tak" if value else "nie"
    if isinstance(value, datetime):
        return date_format(timezone.localtime(value), "SHORT_DATETIME_FORMAT")
    if isinstance(value, date):
        return date_format(value, "SHORT_DATE_FORMAT")
    if isinstance(value, Decimal):
        return floatformat(value, "-2g")
    if isinstance(value, float):  # a coordinate
        return f"{round(value, 7)}°".replace(".", ",")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


MINE = "mine"
"""Value of a voivodeship filter for those that the editor has claimed."""


class UnitFilter(admin.SimpleListFilter):
    """Filter by the voivodeship of the depot. path: from a row to its depot."""

    title = "województwo"
    parameter_name = "unit"
    path: ClassVar[str] = "depot__"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(MINE, "moje województwa"), *Voivodeship.objects.order_by("teryt").values_list("teryt", "name")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not (unit := self.value()):
            return queryset
        codes = editors.claimed_codes(current_editor(request)) if unit == MINE else [unit]
        return queryset.filter(reduce(or_, map(self.within, codes), Q(pk__in=())))

    def within(self, code: str) -> Q:
        """Match the rows of a unit. code: its TERYT, or the beginning of it."""
        return Q(**{f"{self.path}municipality__teryt__startswith": code})


class ReleasedFilter(OptionsFilter):
    parameter_name = "released"
    options = done_options("released_at", "wzięte teraz", "oddane")


@admin.register(VoivodeshipClaim)
class VoivodeshipClaimAdmin(RegisterAdmin):
    """History of claims, newest first, for all who may view depots. Read-only except for two buttons."""

    list_display = ("voivodeship", "editor", "taken_at", "released_at", "released_by")
    list_display_links = None
    list_filter = (ReleasedFilter, "voivodeship", "editor")
    list_select_related = ("voivodeship", "editor", "released_by")
    ordering = ("-taken_at", "-pk")
    list_per_page = 50

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return current_editor(request).has_perm("catalog.view_depot")

    @desk_view("wez/<str:teryt>/", "take", methods=["POST"])
    def take_view(self, request: HttpRequest, teryt: str) -> HttpResponse:
        editor = current_editor(request)
        if not editor.has_perm("catalog.change_depot"):
            raise PermissionDenied
        voivodeship = get_object_or_404(Voivodeship, pk=teryt)
        try:
            editors.take_voivodeship(voivodeship=voivodeship, by=editor, on=timezone.now())
        except Refusal as refusal:
            self.message_user(request, refusal.reason, messages.WARNING)
        else:
            self.message_user(request, f"Województwo {voivodeship.name} jest Twoje. Inni widzą to na tej stronie.")
        return HttpResponseRedirect(reverse("admin:index"))

    @desk_view("oddaj/<int:claim_id>/", "release", methods=["POST"])
    def release_view(self, request: HttpRequest, claim_id: int) -> HttpResponse:
        claim = get_object_or_404(VoivodeshipClaim.objects.select_related("voivodeship"), pk=claim_id)
        editor = current_editor(request)
        if claim.editor_id != editor.pk and not is_chief(editor):
            raise PermissionDenied
        if editors.release_voivodeship(claim=claim, by=editor, on=timezone.now()):
            self.message_user(request, f"Oddano województwo {claim.voivodeship.name}.")
        else:
            self.message_user(request, "To województwo oddano już wcześniej.", messages.WARNING)
        return HttpResponseRedirect(reverse("admin:index"))
