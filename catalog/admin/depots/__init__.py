"""Depots at the editors' desk: find, check, edit, publish, remove, merge. Nothing is ever deleted here.

`listing` and `queues`: the list and what waits above it. `page`, `form`, `story` and `position_map`: one depot, its
form, its history and where it lies. `pairs`: likely duplicates, merged or kept apart.
"""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST

from catalog import models
from catalog.admin.depots import pairs
from catalog.admin.depots.listing import DepotList
from catalog.admin.depots.page import DepotPage


@admin.register(models.Depot)
class DepotAdmin(DepotList, DepotPage):
    """The list, the page, and beside them the likely duplicates."""

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
        ]
        return own + super().get_urls()

    def pairs_view(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        return pairs.answer_list(request, self)

    def pair_view(self, request: HttpRequest, first: int, second: int) -> HttpResponse:
        if request.method not in {"GET", "HEAD", "POST"}:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        if not self.has_change_permission(request):
            raise PermissionDenied
        return pairs.answer_pair(request, self, first, second)
