"""Claims of voivodeships: taken and released on the start page, filters of the queues, and their history."""

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from catalog.admin.desk import DoneFilter, current_editor
from catalog.admin.registers import RegisterAdmin
from catalog.models import Voivodeship, VoivodeshipClaim
from catalog.roles import is_chief
from catalog.services import coordination

MINE = "mine"
"""Value of a voivodeship filter for those that the editor has claimed."""


def voivodeship_choices() -> list[tuple[str, str]]:
    """Return the choices of a voivodeship filter. One query."""
    return [(MINE, "moje województwa"), *Voivodeship.objects.order_by("teryt").values_list("teryt", "name")]


def chosen_codes(request: HttpRequest, value: str) -> list[str]:
    """Return the codes selected by a value of a voivodeship filter. At most one query."""
    return coordination.claimed_codes(current_editor(request)) if value == MINE else [value]


def may_release(user: User, claim: VoivodeshipClaim) -> bool:
    """Whether a user may release a claim: their own, or any as a chief editor."""
    return bool(claim.editor_id == user.pk or is_chief(user))


class ReleasedFilter(DoneFilter):
    parameter_name = "released"
    field, undone, done = "released_at", "wzięte teraz", "oddane"


@admin.register(VoivodeshipClaim)
class VoivodeshipClaimAdmin(RegisterAdmin):
    """History of claims, newest first, for all who may view depots. Read-only except for two buttons."""

    list_display = ("voivodeship", "editor", "taken_at", "released_at", "released_by")
    list_display_links = None
    list_filter = (ReleasedFilter, "voivodeship", "editor")
    list_select_related = ("voivodeship", "editor", "released_by")
    ordering = ("-taken_at", "-pk")
    list_per_page = 50

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return current_editor(request).has_perm("catalog.view_depot")

    def get_urls(self) -> list[URLPattern]:
        taking = self.admin_site.admin_view(require_POST(self.take_view))
        releasing = self.admin_site.admin_view(require_POST(self.release_view))
        return [
            path("wez/<str:teryt>/", taking, name="catalog_voivodeshipclaim_take"),
            path("oddaj/<int:claim_id>/", releasing, name="catalog_voivodeshipclaim_release"),
            *super().get_urls(),
        ]

    def take_view(self, request: HttpRequest, teryt: str) -> HttpResponse:
        """Claim a voivodeship, then redirect to the start page."""
        editor = current_editor(request)
        if not editor.has_perm("catalog.change_depot"):
            raise PermissionDenied
        voivodeship = get_object_or_404(Voivodeship, pk=teryt)
        try:
            coordination.take_voivodeship(voivodeship=voivodeship, by=editor, on=timezone.now())
        except coordination.VoivodeshipTaken as refusal:
            self.message_user(request, refusal.reason, messages.WARNING)
        else:
            self.message_user(request, f"Województwo {voivodeship.name} jest Twoje. Inni widzą to na tej stronie.")
        return HttpResponseRedirect(reverse("admin:index"))

    def release_view(self, request: HttpRequest, claim_id: int) -> HttpResponse:
        """Release a claim, then redirect to the start page."""
        claim = get_object_or_404(VoivodeshipClaim.objects.select_related("voivodeship"), pk=claim_id)
        editor = current_editor(request)
        if not may_release(editor, claim):
            raise PermissionDenied
        if coordination.release_voivodeship(claim=claim, by=editor, on=timezone.now()):
            self.message_user(request, f"Oddano województwo {claim.voivodeship.name}.")
        else:
            self.message_user(request, "To województwo oddano już wcześniej.", messages.WARNING)
        return HttpResponseRedirect(reverse("admin:index"))
