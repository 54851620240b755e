"""Depots at the editors' desk: find, check, edit, publish, remove, merge. Nothing is ever deleted here.

`change_list` and `work_queues`: the list, and the queues above it. `change_form`, `form`, `field_history` and
`position_map`: one depot, its form, history and position. `duplicates`: likely duplicates, merged or marked distinct.
"""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from catalog import models
from catalog.admin.depots import duplicates
from catalog.admin.depots.change_form import DepotChangeForm
from catalog.admin.depots.change_list import DepotListAdmin


@admin.register(models.Depot)
class DepotAdmin(DepotListAdmin, DepotChangeForm):
    """The list, the page of a depot, and the pages of likely duplicates."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        own = [
            path("powtorzenia/", self.admin_site.admin_view(self.pairs_view), name="catalog_depot_pairs"),
            path(
                "powtorzenia/<int:first>/<int:second>/",
                self.admin_site.admin_view(self.pair_view),
                name="catalog_depot_pair",
            ),
            path(
                "<int:depot_id>/decyzja/",
                self.admin_site.admin_view(require_POST(self.decision_view)),
                name="catalog_depot_decide",
            ),
            path(
                "<int:depot_id>/otwarty/",
                self.admin_site.admin_view(require_POST(self.viewing_view)),
                name="catalog_depot_viewing",
            ),
        ]
        return own + super().get_urls()

    def pairs_view(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return duplicates.answer_list(request, self)

    def pair_view(self, request: HttpRequest, first: int, second: int) -> HttpResponse:
        if request.method not in {"GET", "HEAD", "POST"}:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        if not self.has_change_permission(request):
            raise PermissionDenied
        return duplicates.answer_pair(request, self, first, second)
