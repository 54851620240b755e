"""Bulk decisions about depots and prices at the desk, and the button that undoes one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from catalog.admin.desk import DoneFilter, current_editor, read_number
from catalog.admin.registers import RegisterAdmin
from catalog.models import Depot, DepotBatch
from catalog.roles import is_chief
from catalog.services.batches import BatchAlreadyUndone, undo_batch
from fueldepot.data.bulk import among

MOST_SHOWN = 100
"""Rows listed on the page of a decision; of further ones only the count."""


@dataclass(frozen=True, slots=True)
class UndoWords:
    """Polish words for the undoing of a decision: its button, its effect, and what the result counts."""

    button: str = "Cofnij całość"
    effect: str = "Każdy wpis wróci do stanu sprzed tej decyzji, poza tymi, które ktoś od tego czasu zmienił."
    counted: str = "Przywrócone wpisy"


@dataclass(frozen=True, slots=True)
class BatchTable:
    """Table of the rows of a decision. permission: needed to undo it. words: of its undoing.

    find_rows: takes the decision and the greatest number of rows; returns the URL and the cells of each row.
    """

    permission: str
    headers: tuple[str, ...]
    find_rows: Callable[[DepotBatch, int], Sequence[tuple[str, Sequence[Any]]]]
    words: Callable[[DepotBatch], UndoWords] = lambda batch: UndoWords()


def find_depots(batch: DepotBatch, most: int) -> list[tuple[str, Sequence[Any]]]:
    """Return the first depots of a decision. One query."""
    keys = Depot.history.filter(history_id__in=among(batch.lines)).values("id")
    depots = Depot.objects.filter(pk__in=keys).select_related("municipality").order_by("pk")[:most]
    return [
        (
            reverse("admin:catalog_depot_change", args=[depot.pk]),
            (depot, depot.municipality, depot.get_publication_display(), depot.get_data_status_display()),
        )
        for depot in depots
    ]


BATCH_TABLES = {
    DepotBatch.About.DEPOTS.value: BatchTable(
        "catalog.change_depot", ("Skład", "Gmina", "Publikacja", "Status danych"), find_depots
    )
}
"""Tables by the subject of decisions; other admin modules register their own."""


class UndoneFilter(DoneFilter):
    parameter_name = "undone"
    field, undone, done = "undone_at", "obowiązuje", "cofnięta"


@admin.register(DepotBatch)
class DepotBatchAdmin(RegisterAdmin):
    """Bulk decisions, newest first. A decision is undone as a whole, never edited."""

    list_display = ("decided_at", "decided_by", "label", "count", "reason", "state")
    list_filter = (UndoneFilter, "about", "decided_by")
    list_select_related = ("decided_by", "undone_by")
    search_fields = ("label", "reason")
    ordering = ("-decided_at", "-pk")
    list_per_page = 50

    def get_urls(self) -> list[URLPattern]:
        undo = self.admin_site.admin_view(require_POST(self.undo_view))
        return [path("<int:batch_id>/cofnij/", undo, name="catalog_depotbatch_undo"), *super().get_urls()]

    @admin.display(description="wpisy")
    def count(self, batch: DepotBatch) -> int:
        return len(batch.lines)

    @admin.display(description="stan")
    def state(self, batch: DepotBatch) -> str:
        return f"cofnięta ({batch.undone_by})" if batch.undone_at else "obowiązuje"

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a decision: what changed, for which depots, and the button that undoes it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        batches = DepotBatch.objects.select_related("decided_by", "undone_by")
        batch = batches.filter(pk=read_number(object_id)).first()
        if batch is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        table = BATCH_TABLES[batch.about]
        context = {
            **self.admin_site.each_context(request),
            "title": f"Decyzja zbiorcza nr {batch.pk}",
            "opts": self.opts,
            "batch": batch,
            "headers": table.headers,
            "rows": table.find_rows(batch, MOST_SHOWN),
            "count": len(batch.lines),
            "may_undo": may_undo(request, batch),
            "words": table.words(batch),
        }
        return TemplateResponse(request, "admin/catalog/depotbatch/page.html", context)

    def undo_view(self, request: HttpRequest, batch_id: int) -> HttpResponse:
        """Undo a bulk decision, then show its page."""
        batch = DepotBatch.objects.filter(pk=batch_id).first()
        if batch is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, str(batch_id))
        if batch.undone_at is None and not may_undo(request, batch):
            raise PermissionDenied
        try:
            undone = undo_batch(batch=batch, by=current_editor(request), on=timezone.now())
        except BatchAlreadyUndone:
            self.message_user(request, "Tę decyzję cofnięto już wcześniej.", messages.WARNING)
        else:
            said = f"Cofnięto. {BATCH_TABLES[batch.about].words(batch).counted}: {undone.restored}."
            if undone.reopened:
                said += f" Zgłoszenia, które znów czekają: {undone.reopened}."
            self.message_user(request, said)
            if undone.changed_since:
                named = ", ".join(map(str, undone.changed_since[:MOST_SHOWN]))
                self.message_user(
                    request,
                    f"Bez zmian, bo od tamtej decyzji ktoś je zmienił: {len(undone.changed_since)}. {named}",
                    messages.WARNING,
                )
        return HttpResponseRedirect(reverse("admin:catalog_depotbatch_change", args=[batch.pk]))


def may_undo(request: HttpRequest, batch: DepotBatch) -> bool:
    """Whether the user may undo a decision: their own, or any as a chief editor."""
    editor = current_editor(request)
    if batch.undone_at is not None or not editor.has_perm(BATCH_TABLES[batch.about].permission):
        return False
    return batch.decided_by_id == editor.pk or is_chief(editor)


def undo_button(request: HttpRequest, batch: DepotBatch) -> SafeString:
    """Return a form with one button that undoes a decision, for use in a message."""
    return format_html(
        '<form method="post" action="{}" class="undo"><input type="hidden" name="csrfmiddlewaretoken" value="{}">'
        '<button class="button">{}</button> <a href="{}">Zobacz decyzję</a></form>',
        reverse("admin:catalog_depotbatch_undo", args=[batch.pk]),
        get_token(request),
        BATCH_TABLES[batch.about].words(batch).button,
        reverse("admin:catalog_depotbatch_change", args=[batch.pk]),
    )
