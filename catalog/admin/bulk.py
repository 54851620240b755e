"""Bulk actions of the desk: each shows its effect and asks for confirmation; editors have a row limit.

And the button that undoes what was decided.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import Any, cast

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin import actions as builtin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import quote
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.admin.desk import current_editor, desk_page, page_url, read_text
from catalog.models import Decision
from catalog.services.editors import is_chief
from fueldepot.data.history import latest_id, lock_rows

SAMPLE = 10
"""Rows listed on the confirmation page, of those that change and for each reason not to; then only the count."""

CHANGED_MEANWHILE = "Nic nie zmieniono: wpisy zmieniły się, gdy strona była otwarta. Obejrzyj je jeszcze raz."

REASON_MISSING = "Nic nie zmieniono: ta decyzja wymaga podania powodu."

Action = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]
Obstacles = Callable[[Sequence[Any]], Sequence[str]]


def each(obstacle: Callable[[Any], str]) -> Obstacles:
    """Turn the obstacle of one row into the obstacles of many."""
    return lambda rows: [obstacle(row) for row in rows]


def bulk_action(
    *,
    description: str,
    obstacles: Obstacles,
    attached: Callable[[Collection[Any]], Mapping[str, int]] | None = None,
    named: Callable[[Any], str] = str,
    reason_length: int = 0,
    versioned: bool = False,
) -> Callable[[Callable[[Any, HttpRequest, list[int]], None]], Action]:
    """Make a list action that asks for confirmation before it changes anything.

    The decorated method gets the primary keys of the rows that the confirmed page listed as changing. If that set, or
    what belongs to it, has changed meanwhile, the page is shown again.

    obstacles: for each row the reason in Polish why it stays as it is, "" where it changes. attached: counts of related
    rows by their Polish name. named: label of a row in the sample. reason_length: maximum length of `reason`, which
    must not be blank; 0 for no reason. versioned: whether it is shown again as well if one of the rows was changed.
    """

    def decorate(act: Callable[[Any, HttpRequest, list[int]], None]) -> Action:
        @admin.action(description=description, permissions=["change"])
        @wraps(act)
        @transaction.atomic
        def ask(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
            if versioned and request.POST.get("shown"):  # what is compared stays so until it is decided
                lock_rows(queryset.model._default_manager.filter(pk__in=queryset.values("pk")))
            if refuse_too_many(model_admin, request, queryset.count()):
                return None
            changing: list[Model] = []
            staying: dict[str, list[Model]] = {}
            rows = list(queryset)
            for row, why in zip(rows, obstacles(rows), strict=True):
                (staying.setdefault(why, []) if why else changing).append(row)
            keys = sorted(row.pk for row in changing)
            counts = attached(changing) if attached else {}
            version = latest_id(queryset.model.history.model, *keys) if versioned else 0
            signed = signature(request, keys, version, counts)
            confirmed = request.POST.get("shown")
            if keys and confirmed and constant_time_compare(confirmed, signed):
                if not reason_length or read_text(request, "reason").strip():
                    act(model_admin, request, keys)
                    return None
                model_admin.message_user(request, REASON_MISSING, messages.ERROR)
            elif confirmed:
                model_admin.message_user(request, CHANGED_MEANWHILE, messages.WARNING)
            context = {
                "title": description,
                "count": len(changing),
                "chosen": len(rows),
                "sample": linked(changing, named),
                "attached": {label: number for label, number in counts.items() if number},
                "staying": [(why, len(some), linked(some, named)) for why, some in staying.items()],
                "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
                "reason_length": reason_length,
                "shown": signed,
            }
            return desk_page(model_admin, request, "confirm", context)

        ask.asks = True  # type: ignore[attr-defined] # for the test that every action does
        return ask

    return decorate


def refuse_too_many(model_admin: Any, request: HttpRequest, count: int) -> bool:
    """Whether an editor selected more than `EDITOR_BULK_LIMIT` rows; tells them so. Chief editors have no limit."""
    limit = exceeded_limit(current_editor(request), count)
    if limit is None:
        return False
    model_admin.message_user(
        request,
        f"Nic nie zmieniono: zaznaczono {count}, a redaktor może zmienić naraz najwyżej {limit}. "
        "Zaznacz mniej albo poproś redaktora naczelnego.",
        messages.ERROR,
    )
    return True


def exceeded_limit(user: Any, count: int) -> int | None:
    """Return how many rows a user may change at once if `count` is more, else None. At most one query."""
    limit: int = settings.EDITOR_BULK_LIMIT
    return limit if count > limit and not is_chief(user) else None


def signature(request: HttpRequest, keys: Collection[Any], version: int, counts: Mapping[str, int]) -> str:
    text = f"{current_editor(request).pk} {request.POST['action']} {keys} {version} {sorted(counts.items())}"
    return salted_hmac("catalog.admin.bulk", text).hexdigest()


def linked(rows: Collection[Model], named: Callable[[Any], str]) -> list[tuple[str, str]]:
    return [(page_url(row._meta, "change", quote(row.pk)), named(row)) for row in list(rows)[:SAMPLE]]


@wraps(builtin.delete_selected)
def delete_selected(model_admin: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
    """Django's own action, which has its own confirmation page; refused if one of the listed rows is gone."""
    count = queryset.count()
    if refuse_too_many(model_admin, request, count):
        return None
    if request.POST.get("post") and count != len(set(request.POST.getlist(ACTION_CHECKBOX_NAME))):
        model_admin.message_user(request, CHANGED_MEANWHILE, messages.WARNING)
        return None
    return cast("HttpResponse | None", builtin.delete_selected(model_admin, request, queryset))


delete_selected.asks = True  # type: ignore[attr-defined]
delete_selected.short_description = "Usuń zaznaczone"  # type: ignore[attr-defined]


def undo_button(request: HttpRequest, decision: Decision | None) -> SafeString:
    """Return a form with one button that undoes a decision, for use in a message; "" without one."""
    return render_to_string("admin/catalog/decision/_undo.html", {"decision": decision}, request)


def report_decision(model_admin: Any, request: HttpRequest, count: int, decision: Decision | None) -> None:
    title = decision.title if decision else ""
    text = format_html("Zdecydowano: {}. {} {}", count, title, undo_button(request, decision))
    model_admin.message_user(request, text)
