"""Shared parts of the editors' desk: filters, messages, CSV of lists, the next row, closing letters."""

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import wraps
from operator import attrgetter, methodcaller
from typing import Any, ClassVar, cast
from urllib.parse import quote

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME, ActionForm
from django.contrib.admin.options import IS_POPUP_VAR, IncorrectLookupParameters
from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.admin.views.main import ERROR_FLAG, ChangeList
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db import DataError, ProgrammingError
from django.db.models import Model, QuerySet, TextChoices
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from catalog.models import Submission
from catalog.submissions import letters
from catalog.submissions.decisions import MAX_REASON
from catalog.text import counted
from fueldepot.data.history import among
from fueldepot.http.csv_table import write_table

AnyModelAdmin: Any = admin.ModelAdmin
"""Untyped base of admin mixins: its stubs would hold every page to the types of a plain ModelAdmin."""


class PendingByDefaultFilter(admin.SimpleListFilter):
    """Filter by the choices of the field `parameter_name`; without a value by the one that waits."""

    title = "stan"
    parameter_name = "state"
    waiting: ClassVar[TextChoices]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        others = (choice for choice in type(self.waiting).choices if choice[0] != self.waiting)
        return [*others, ("all", "wszystkie")]

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        return [{**first, "display": self.waiting.label}, *others]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "all":
            return queryset
        return queryset.filter(**{str(self.parameter_name): self.value() or self.waiting})


View = Callable[..., HttpResponse]

Options = Mapping[str, tuple[str, Callable[[Any], QuerySet[Any]]]]
"""Label and kept rows by the value of a filter in the query string."""


class OptionsFilter(admin.SimpleListFilter):
    """Filter by one of a few `options`. Other values keep all rows."""

    title = "stan"
    options: ClassVar[Options]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, label) for value, (label, _) in self.options.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        option = self.options.get(self.value() or "")
        return option[1](queryset) if option else queryset


def done_options(moment: str, undone: str, done: str) -> Options:
    """Return the options of a filter by whether a moment is known, with their labels."""
    return {
        "no": (undone, lambda rows: rows.filter(**{f"{moment}__isnull": True})),
        "yes": (done, lambda rows: rows.filter(**{f"{moment}__isnull": False})),
    }


def desk_view(route: str, name: str, *, needs: str = "", methods: Sequence[str] = ()) -> Callable[[View], View]:
    """Make a method of an admin a view below its list, `admin:<app>_<model>_<name>`.

    needs: the permission on the model, as in `has_…_permission`. methods: all without them.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(model_admin: Any, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if needs and not getattr(model_admin, f"has_{needs}_permission")(request):
                raise PermissionDenied
            return view(model_admin, request, *args, **kwargs)

        answer.desk_route = route, name, methods  # type: ignore[attr-defined] # for `DeskMixin`
        return answer

    return decorate


class DeskList(ChangeList):
    """Rows of a list. A value of a filter that only the query refuses is wrong like any other.

    Such as the year 0, or one value of a range, whose query Django then gives too few parameters or too many.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        try:
            super().__init__(*args, **kwargs)
        except (ValueError, IndexError, OverflowError, ValidationError, DataError, ProgrammingError) as error:
            raise IncorrectLookupParameters(error) from error


class DeskMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    """Mixin: the views made by `desk_view`, and messages that are clumsy in Django's Polish, which inflects by gender.

    An action on a malformed primary key is answered with 400. saved: what follows "Dodano" and "Zapisano" in the
    message about a row.
    """

    saved: ClassVar[str] = ": {}."

    def get_urls(self) -> list[URLPattern]:
        views = [view for owner in type(self).__mro__ for view in vars(owner).values() if hasattr(view, "desk_route")]
        urls = super().get_urls()
        for view in views:
            route, name, methods = view.desk_route
            bound = view.__get__(self)
            guarded = self.admin_site.admin_view(require_http_methods(methods)(bound) if methods else bound)
            urls.insert(0, path(route, guarded, name=f"{self.opts.app_label}_{self.opts.model_name}_{name}"))
        return cast("list[URLPattern]", urls)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return DeskList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Keep what was chosen and typed beside the actions when no row was ticked."""
        if request.POST.get("action") and not request.POST.getlist(ACTION_CHECKBOX_NAME):
            self.message_user(request, "Nic nie zmieniono: zaznacz wpisy na liście.", messages.WARNING)
            typed = {name: read_text(request, name) for name in ("action", "reason")}
            request.method = "GET"
            page: Any = super().changelist_view(request, extra_context)
            if form := (getattr(page, "context_data", None) or {}).get("action_form"):
                form.initial |= typed
            return cast("HttpResponse", page)
        return cast("HttpResponse", super().changelist_view(request, extra_context))

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any) -> HttpResponse | None:
        key = queryset.model._meta.pk
        try:
            for number in request.POST.getlist(ACTION_CHECKBOX_NAME):
                key.to_python(number)
        except ValidationError as error:
            raise BadRequest("not the key of a row") from error
        return cast("HttpResponse | None", super().response_action(request, queryset, *args))

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        return self._report_saved(request, obj, "Dodano", super().response_add, self.response_post_save_add)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return self._report_saved(request, obj, "Zapisano", super().response_change, self.response_post_save_change)

    def _report_saved(self, request: HttpRequest, obj: Any, done: str, in_popup: View, leave: View) -> HttpResponse:
        """Say what a form has saved, and go on as Django does."""
        if IS_POPUP_VAR in request.POST:
            return in_popup(request, obj)
        self.message_user(request, f"{done}{self.saved.format(obj)}")
        if "_addanother" in request.POST:
            url = page_url(self.opts, "add")
        elif "_continue" in request.POST:
            url = page_url(self.opts, "change", obj.pk)
        else:
            return leave(request, obj)
        return HttpResponseRedirect(self.with_filters(request, url))

    def with_filters(self, request: HttpRequest, url: str) -> str:
        filters = {"opts": self.opts, "preserved_filters": self.get_preserved_filters(request)}
        return add_preserved_filters(filters, url)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        named = {"object_name": "wpis"} | (extra_context or {})
        return cast("HttpResponse", super().delete_view(request, object_id, named))

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: Any) -> HttpResponse:
        if IS_POPUP_VAR in request.POST:
            return cast("HttpResponse", super().response_delete(request, obj_display, obj_id))
        self.message_user(request, f"Usunięto: {obj_display}.")
        return cast("HttpResponse", self.response_post_save_change(request, None))

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponseRedirect:
        messages.warning(request, f"Nie ma takiego wpisu: {opts.verbose_name} „{object_id[:40]}”.")
        return HttpResponseRedirect(page_url(opts, "changelist"))


class ReasonForm(ActionForm):
    reason = forms.CharField(label="Powód odrzucenia", max_length=MAX_REASON, required=False)


class KeptRowsMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class UnloggedMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    """Mixin: no entries in Django's log."""

    def log_addition(self, *_args: Any) -> Any:
        pass

    log_change = log_deletions = log_addition


class FixedRowsAdmin(KeptRowsMixin, DeskMixin, admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


def desk_page(model_admin: Any, request: HttpRequest, template: str, context: Mapping[str, Any]) -> TemplateResponse:
    shared = {**model_admin.admin_site.each_context(request), "opts": model_admin.opts}
    return TemplateResponse(request, f"admin/{template}.html", {**shared, **context})


def page_url(opts: Any, page: str, *keys: Any) -> str:
    """URL of a page of a model: "changelist", "add", or "change" with the key of a row."""
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=keys)


def days_since(moment: datetime) -> str:
    """ "dziś", "1 dzień", "12 dni": days of the calendar from a moment until today."""
    days = (timezone.localdate() - timezone.localdate(moment)).days
    return counted(days, "dzień", "dni", "dni") if days else "dziś"


def current_editor(request: HttpRequest) -> User:
    """The logged-in user; the admin admits no anonymous users."""
    return cast("User", request.user)


def read_text(request: HttpRequest, name: str) -> str:
    """Text of a POST parameter outside a Django form, "" if missing. Raises BadRequest if it contains NUL.

    A line break is one character, as browsers count it, which send two.
    """
    text = request.POST.get(name, "").replace("\r\n", "\n")
    if "\0" in text:
        raise BadRequest(f"NUL in {name}")
    return text


def read_number(given: str | None) -> int:
    """A number from a request, 0 for anything else."""
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else 0


def read_numbers(request: HttpRequest, name: str) -> set[int]:
    return {read_number(value) for value in request.POST.getlist(name)}


def columns_of(model: Any, *names: str) -> dict[str, Callable[[Any], Any]]:
    """Return `csv_columns` of fields, headed by their verbose names; choices in words."""
    fields = [model._meta.get_field(name) for name in names]
    return {
        field.verbose_name: methodcaller(f"get_{field.name}_display") if field.choices else attrgetter(field.name)
        for field in fields
    }


class CsvMixin(AnyModelAdmin):  # type: ignore[misc] # see there
    """Mixin: exports a list with its filters, search and order.

    csv_columns: value of each column by its Polish header. Personal data of people outside the desk have no column.
    """

    csv_columns: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    @desk_view("csv/", "csv", needs="view")
    def csv_view(self, request: HttpRequest) -> HttpResponse:
        """Return every row of the list, not only one page, in the CSV dialect of Polish Excel."""
        try:
            rows = self.get_changelist_instance(request).queryset
        except IncorrectLookupParameters:  # as in Django's list
            return HttpResponseRedirect(f"{page_url(self.opts, 'changelist')}?{ERROR_FLAG}=1")
        table = ([read(row) for read in self.csv_columns.values()] for row in rows.iterator(chunk_size=1000))
        text = write_table(list(self.csv_columns), table, excel=True)
        name = f"{self.opts.verbose_name_plural}.csv".replace(" ", "-")
        response = HttpResponse(text, content_type="text/csv; charset=utf-8")
        response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
        return response


class NextRowMixin(DeskMixin):
    """Mixin: finds the next row of the list from which a page was opened, and redirects to it."""

    @desk_view("<int:row_id>/nastepny/", "next", needs="view")
    def next_view(self, request: HttpRequest, row_id: int) -> HttpResponse:
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

    def find_next(self, request: HttpRequest, row_id: int, besides: Collection[int] = ()) -> int | None:
        """Return the key of the next row in the list of `_changelist_filters`, without `besides`; None at its end.

        For a row outside the list, the first one. Call it before saving: saving may take the row off the list.
        """
        keys = self.keys_in_list(request)
        following = keys[keys.index(row_id) + 1 :] if row_id in keys else keys
        return next((key for key in following if key not in besides), None)

    def place_in_list(self, request: HttpRequest, row_id: int) -> dict[str, int] | None:
        """Return the `number` of a row in the list from which its page was opened, 0 outside it, and the `total`.

        A list without filters leaves no trace in the address: None for a row outside it.
        """
        keys = self.keys_in_list(request)
        if "_changelist_filters" not in request.GET and row_id not in keys:
            return None
        return {"number": keys.index(row_id) + 1 if row_id in keys else 0, "total": len(keys)}

    def list_context(self, request: HttpRequest, row_id: int) -> dict[str, Any]:
        """Template context of `catalog/case.html`: key of a row, its place in the list, and filters of the way back."""
        filters = self.get_preserved_filters(request)
        return {"number": row_id, "place": self.place_in_list(request, row_id), "preserved_filters": filters}

    def to_row(self, request: HttpRequest, key: int | None) -> HttpResponse:
        """Redirect to a row, or for None to the list; both keep the filters."""
        if key is None:
            self.message_user(request, "To był ostatni wpis na tej liście.", messages.INFO)
        url = page_url(self.opts, "changelist") if key is None else page_url(self.opts, "change", key)
        return HttpResponseRedirect(self.with_filters(request, url))

    def leave(self, request: HttpRequest, following: int | None, *, goes_on: bool) -> HttpResponse:
        """Redirect from a decided row to the following one, or without `goes_on` to the list."""
        if goes_on:
            return self.to_row(request, following)
        return HttpResponseRedirect(self.with_filters(request, page_url(self.opts, "changelist")))


def send_closing_letters(model_admin: Any, request: HttpRequest, depots: Collection[int]) -> None:
    """Have the authors of submissions closed by the removal of depots told, and report how many there are."""
    closed = Submission.objects.unnotified().filter(depot__in=among(depots), state=Submission.State.SUPERSEDED)
    if count := closed.count():
        letters.send_soon()
        model_admin.message_user(request, f"Zamknięte zgłoszenia: {count}. Autor każdego dostanie list.")
