"""Shared parts of the editors' desk: filters, messages, CSV of lists, the next row, closing letters."""

import copy
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, ClassVar, cast
from urllib.parse import quote

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME, ActionForm
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db.models import Model, QuerySet, TextChoices
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from catalog.submissions import letters
from catalog.submissions.decisions import MAX_REASON
from fueldepot.http.csv_table import write_table

AnyModelAdmin: Any = admin.ModelAdmin
"""Untyped base of admin mixins: its stubs would hold every page to the types of a plain ModelAdmin."""


class PendingByDefaultFilter(admin.SimpleListFilter):
    """Filter on `parameter_name` that shows pending rows by default.

    states: the choices of the field. waiting: the default choice.
    """

    title = "stan"
    everything = "all"
    states: ClassVar[type[TextChoices]]
    waiting: ClassVar[TextChoices]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        others = [state for state in self.states if state != self.waiting]
        return [*((state.value, str(state.label)) for state in others), (self.everything, "wszystkie")]

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        return [{**first, "display": self.waiting.label}, *others]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == self.everything:
            return queryset
        return queryset.filter(**{str(self.parameter_name): self.value() or self.waiting})


class DoneFilter(admin.SimpleListFilter):
    """Filter by whether the moment of `field` is known. undone, done: labels of the two choices."""

    title = "stan"
    field: ClassVar[str]
    undone: ClassVar[str]
    done: ClassVar[str]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", self.undone), ("yes", self.done)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in {"no", "yes"}:
            return queryset
        return queryset.filter(**{f"{self.field}__isnull": self.value() == "no"})


class MissingObjectMixin:
    """Mixin: a Polish message for a missing row; Django's own message is clumsy in Polish.

    An action on a malformed primary key is answered with 400.
    """

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any) -> HttpResponse | None:
        key = queryset.model._meta.pk
        try:
            for number in request.POST.getlist(ACTION_CHECKBOX_NAME):
                key.to_python(number)
        except ValidationError as error:
            raise BadRequest("not the key of a row") from error
        answer: HttpResponse | None = super().response_action(request, queryset, *args)  # type: ignore[misc]
        return answer

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponseRedirect:
        messages.warning(request, f"Nie ma takiego wpisu: {opts.verbose_name} „{object_id[:40]}”.")
        return HttpResponseRedirect(page_url(opts, "changelist"))


class ReasonForm(ActionForm):
    reason = forms.CharField(label="Powód odrzucenia", max_length=MAX_REASON, required=False)


class ReasonMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    """Mixin: a list with a reason beside the actions, which stays there when no row was ticked."""

    action_form = ReasonForm

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if request.POST.get("action") and not request.POST.getlist(ACTION_CHECKBOX_NAME):
            self.message_user(request, "Nic nie zmieniono: zaznacz wpisy na liście.", messages.WARNING)
            typed = {name: read_text(request, name) for name in ("action", "reason")}
            request.method = "GET"
            page: Any = super().changelist_view(request, extra_context)
            if form := (getattr(page, "context_data", None) or {}).get("action_form"):
                form.initial |= typed
            return cast("HttpResponse", page)
        return cast("HttpResponse", super().changelist_view(request, extra_context))


class FixedRowsAdmin(MissingObjectMixin, admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """Rows that are neither added nor deleted at the desk."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def desk_page(model_admin: Any, request: HttpRequest, template: str, context: Mapping[str, Any]) -> TemplateResponse:
    """Return a page of the desk about a model."""
    shared = {**model_admin.admin_site.each_context(request), "opts": model_admin.opts}
    return TemplateResponse(request, f"admin/{template}.html", {**shared, **context})


def page_url(opts: Any, page: str, *keys: Any) -> str:
    """URL of a page of a model: "changelist", or "change" with the key of a row."""
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=keys)


def current_editor(request: HttpRequest) -> User:
    """The logged-in user; the admin admits no anonymous users."""
    return cast("User", request.user)


def read_text(request: HttpRequest, name: str) -> str:
    """Text of a POST parameter outside a Django form, "" if missing. Raises BadRequest if it contains NUL."""
    text = request.POST.get(name, "")
    if "\0" in text:
        raise BadRequest(f"NUL in {name}")
    return text


def read_number(given: str | None) -> int:
    """A number from a request, 0 for anything else."""
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else 0


BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


def excel_value(value: Any) -> Any:
    """Return a value of a cell: fractions with a decimal comma, which Polish Excel reads as numbers."""
    return str(value).replace(".", ",") if isinstance(value, float | Decimal) else value


class CsvMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    """Mixin: exports a list with its filters, search and order.

    csv_columns: value of each column by its Polish header. Personal data of people outside the desk have no column.
    """

    csv_columns: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.csv_view)
        return [path("csv/", view, name=f"{self.opts.app_label}_{self.opts.model_name}_csv"), *super().get_urls()]

    def csv_view(self, request: HttpRequest) -> HttpResponse:
        """Return every row of the list, not only one page, in the CSV dialect of Polish Excel."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        rows = self.get_changelist_instance(request).queryset
        table = (
            [excel_value(read(row)) for read in self.csv_columns.values()] for row in rows.iterator(chunk_size=1000)
        )
        text = write_table(list(self.csv_columns), table, separator=";")
        name = f"{self.opts.verbose_name_plural}.csv".replace(" ", "-")
        response = HttpResponse(BYTE_ORDER_MARK + text, content_type="text/csv; charset=utf-8")
        response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
        return response


END_OF_LIST = "To był ostatni wpis na tej liście."


class NextRowMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    """Mixin: finds the next row of the list from which a page was opened, and redirects to it."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.next_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_next"
        return [path("<int:row_id>/nastepny/", view, name=name), *super().get_urls()]

    def next_view(self, request: HttpRequest, row_id: int) -> HttpResponse:
        """Go to the next row without changing this one."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        return self.to_row(request, self.find_next(request, row_id))

    def keys_in_list(self, request: HttpRequest) -> list[int]:
        """Return the keys of the list of `_changelist_filters`, in its order."""
        inner = copy.copy(request)
        filters = QueryDict(request.GET.get("_changelist_filters", ""), mutable=True)
        filters.pop("p", None)
        inner.GET = filters  # type: ignore[assignment] # a QueryDict as well
        try:
            rows = self.get_changelist_instance(inner).queryset
        except IncorrectLookupParameters:
            rows = self.get_queryset(request)
        return list(rows.values_list("pk", flat=True))

    def find_next(self, request: HttpRequest, row_id: int) -> int | None:
        """Return the key of the next row in the list of `_changelist_filters`; None at its end.

        For a row outside the list, the first one. Call it before saving: saving may take the row off the list.
        """
        keys = self.keys_in_list(request)
        place = keys.index(row_id) + 1 if row_id in keys else 0
        return keys[place] if place < len(keys) else None

    def place_in_list(self, request: HttpRequest, row_id: int) -> dict[str, int] | None:
        """Return the `number` of a row in the list from which its page was opened, 0 outside it, and the `total`.

        A list without filters leaves no trace in the address: None for a row outside it.
        """
        keys = self.keys_in_list(request)
        if "_changelist_filters" not in request.GET and row_id not in keys:
            return None
        return {"number": keys.index(row_id) + 1 if row_id in keys else 0, "total": len(keys)}

    def to_row(self, request: HttpRequest, key: int | None) -> HttpResponse:
        """Redirect to a row, or for None to the list; both keep the filters."""
        if key is None:
            self.message_user(request, END_OF_LIST, messages.INFO)
            url = page_url(self.opts, "changelist")
        else:
            url = page_url(self.opts, "change", key)
        return HttpResponseRedirect(self.with_filters(request, url))

    def with_filters(self, request: HttpRequest, url: str) -> str:
        address: str = add_preserved_filters(
            {"opts": self.opts, "preserved_filters": self.get_preserved_filters(request)}, url
        )
        return address


def send_closing_letters(model_admin: Any, request: HttpRequest, count: int) -> None:
    """Have the authors of submissions closed by a removal told, and report how many there are."""
    if count:
        letters.send_soon()
        model_admin.message_user(request, f"Zamknięte zgłoszenia: {count}. Ich autorzy dostaną listy.")
