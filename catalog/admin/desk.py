"""Shared parts of the editors' desk."""

from typing import Any, ClassVar, cast

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, ValidationError
from django.db.models import Model, QuerySet, TextChoices
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

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
            for given in request.POST.getlist(ACTION_CHECKBOX_NAME):
                key.to_python(given)
        except ValidationError as error:
            raise BadRequest("not the key of a row") from error
        answer: HttpResponse | None = super().response_action(request, queryset, *args)  # type: ignore[misc]
        return answer

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponseRedirect:
        messages.warning(request, f"Nie ma takiego wpisu: {opts.verbose_name} „{object_id[:40]}”.")
        return HttpResponseRedirect(page_url(opts, "changelist"))


class FixedRowsAdmin(MissingObjectMixin, admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """Rows that are neither added nor deleted at the desk."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def page_url(opts: Any, page: str, *keys: Any) -> str:
    """URL of a page of a model: "changelist", or "change" with the key of a row."""
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=keys)


def current_editor(request: HttpRequest) -> User:
    """The logged-in user; the admin admits no anonymous users."""
    return cast("User", request.user)


def read_text(request: HttpRequest, name: str) -> str:
    """Text of a POST parameter outside a Django form, "" if missing. Raises BadRequest if it contains NUL."""
    given = request.POST.get(name, "")
    if "\0" in given:
        raise BadRequest(f"NUL in {name}")
    return given


def read_number(given: str | None) -> int:
    """A number from a request, 0 for anything else."""
    return int(given) if given and given.isascii() and given.isdigit() and len(given) < 19 else 0
