"""Depots at the editors' desk: find, check, edit, publish, remove, merge. Nothing is ever deleted here.

`depot_list`: the list with the queues above it. `depot_form`: the form of one depot, and its history. `merging`: the
pages of likely duplicates. Here: the page of a depot, with the moderation buttons.
"""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from catalog.admin import evidence
from catalog.admin.depot_form import VERIFYING, DepotAdminForm, read_history
from catalog.admin.depot_list import DepotListAdmin
from catalog.admin.desk import (
    KeptRowsMixin,
    NextRowMixin,
    UnloggedMixin,
    current_editor,
    desk_page,
    desk_view,
    read_number,
    read_text,
    send_closing_letters,
)
from catalog.admin.merging import MergingMixin
from catalog.depots import duplicates
from catalog.models import Depot
from catalog.services import Refusal, editing, editors, merging, moderation, publishing
from catalog.services.merging import FOLLOWERS
from catalog.submissions import field_groups
from catalog.submissions.gone_reports_and_subscriptions import find_evidence
from catalog.territory.snapshot import territory
from catalog.text import one_line

FIELDSETS = (
    (None, {"fields": ("name", "fuels", "opening_hours")}),
    ("Adres i kontakt", {"fields": ("street", "house_number", ("postcode", "place"), *editing.CONTACT)}),
    ("Położenie", {"fields": (("lat", "lon"), "location_approximate", "other_municipality", "municipality")}),
    ("Wyświetlanie", {"fields": ("featured",)}),
)
STATE_FIELDS = (
    *("data_status", "verified_at", "verified_by", "publication", "removed_at", "removal_reason"),
    *("merged_into", "review", "updated_at", "source", "source_id"),
)
STATE = ("Stan wpisu", {"fields": STATE_FIELDS})

Reason = Depot.RemovalReason
REASONS = (Reason.CLOSED, Reason.DUPLICATE, Reason.NOT_A_DEPOT, Reason.PRIVATE_PERSON)
"""Reasons of editors. The others are set by imports, when a deletion is accepted, and when an addition is undone."""

NOTE_LENGTH = 80
"""Maximum length of a note to a decision on a depot, in characters."""

NEXT = {"_save_next", "_verify_next"}
"""Submit buttons that continue with the next row of the list."""


@admin.register(Depot)
class DepotAdmin(KeptRowsMixin, UnloggedMixin, NextRowMixin, MergingMixin, DepotListAdmin):
    """Depots. The number of queries of each page is constant. Their history says more than Django's log."""

    save_on_top = True
    form = DepotAdminForm
    autocomplete_fields = ("municipality",)
    readonly_fields = STATE_FIELDS
    change_form_template = "admin/catalog/depot/page.html"

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Depot | None:
        """Return the depot with its history and `opened`, its version, read first and so never newer than the row."""
        opened = editing.edit_version(Depot(pk=read_number(object_id)))
        depot: Depot | None = super().get_object(request, object_id, from_field)
        if depot is not None:
            depot.opened = opened  # type: ignore[attr-defined] # for the form
            depot.lines, depot.sources = read_history(depot)  # type: ignore[attr-defined]
        return depot

    def get_fieldsets(self, request: HttpRequest, obj: Depot | None = None) -> Any:
        if obj is None:
            return FIELDSETS
        if not self.has_change_permission(request, obj):
            # Read-only pages omit the fields of the form that are not columns.
            position = ("Położenie", {"fields": (("lat", "lon"), "location_approximate", "municipality")})
            return (*FIELDSETS[:2], position, FIELDSETS[3], STATE)
        return ((None, {"fields": ("opened",), "classes": ("hidden",)}), *FIELDSETS, STATE)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.editor = current_editor(request)
        may_edit = obj is not None and self.has_change_permission(request, obj)
        form.sources = obj.sources if may_edit else {}
        return form

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        depot = kwargs.get("obj")
        if depot is not None:
            context.update(self._about(depot))
            context["place"] = self.place_in_list(request, depot.pk)
            context["viewers"] = editors.find_viewers(depot, besides=current_editor(request), on=timezone.now())
        return super().render_change_form(request, context, *args, **kwargs)

    def _about(self, depot: Any) -> dict[str, Any]:
        values, place = field_groups.values_of(depot), (depot.lat, depot.lon)
        return evidence.evidence_of(values, depot) | {
            "lines": depot.lines[:20],
            "in_municipality": territory.get().boundaries.contains(depot.municipality_id, depot.lat, depot.lon),
            "live": evidence.live_map(depot.municipality, before=place, others=evidence.find_neighbours(depot)),
            "submissions": depot.submissions.select_related("decided_by").order_by("-created_at", "-pk")[:50],
            "absorbed": depot.merged.order_by("pk"),
            "followed": what_followed(depot) if depot.merged_into_id else None,
            "twins": duplicates.find_for(depot.pk, duplicates.get_report().unresolved_pairs()),
            "same_contact": evidence.find_same_contact(values, besides=depot.pk),
            "evidence": find_evidence(depot),
            "reasons": REASONS,
            "removed": depot.publication == Depot.Publication.REMOVED,
            "needs_reason": moderation.needs_reason(depot),
            "max_note": NOTE_LENGTH,
        }

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().change_view(request, object_id, *args, **kwargs)
        except moderation.DepotIsErased:  # while its form was checked
            gone: HttpResponse = self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
            return gone

    def save_model(self, request: HttpRequest, obj: Depot, form: Any, change: bool) -> None:
        """Save through `catalog.services`, which record author and history."""
        editor, today = current_editor(request), timezone.localdate()
        verify = bool(VERIFYING & request.POST.keys())
        if change and NEXT & request.POST.keys():
            # Find the next row first: saving may take this one off the list.
            obj.following = self.find_next(request, obj.pk)  # type: ignore[attr-defined] # for response_change
        if not change:
            added = editing.add_depot(values=form.values(), by=editor, on=today, verify=verify)
            obj.__dict__.update(added.__dict__)
            return
        try:
            editing.edit_depot(depot=obj, values=form.values(), by=editor, on=today, verify=verify)
            if form.merged:
                kept = ", ".join(Depot.label(name) for name in form.merged)
                self.message_user(request, f"Zachowano też to, co ktoś zmienił w tym czasie: {kept}.")
        except Refusal as refusal:
            obj.refusal = refusal  # type: ignore[attr-defined] # for response_change

    def response_change(self, request: HttpRequest, obj: Depot) -> HttpResponse:
        refusal = getattr(obj, "refusal", None)
        if NEXT & request.POST.keys() and (not refusal or isinstance(refusal, editing.NothingToChange)):
            self.message_user(request, f"{'Sprawdzono' if '_verify_next' in request.POST else 'Zapisano'}: {obj}.")
            return self.to_row(request, obj.following)  # type: ignore[attr-defined]
        if refusal:
            self.message_user(request, f"Nic nie zapisano: {refusal.reason}.", messages.WARNING)
            return HttpResponseRedirect(request.get_full_path())
        if {"_verify", "_continue"} & request.POST.keys():
            done = "Zapisano i oznaczono jako sprawdzone" if "_verify" in request.POST else "Zapisano"
            self.message_user(request, f"{done}: {obj}.")
            return HttpResponseRedirect(request.get_full_path())
        return super().response_change(request, obj)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        depot = get_object_or_404(Depot, pk=read_number(object_id))
        if not self.has_view_permission(request, depot):
            raise PermissionDenied
        context = {"title": f"Historia: {depot}", "original": depot, "lines": read_history(depot)[0]}
        return desk_page(self, request, "catalog/depot/history", context)

    @desk_view("<int:depot_id>/otwarty/", "viewing", needs="change", methods=["POST"])
    def viewing_view(self, request: HttpRequest, depot_id: int) -> HttpResponse:
        """Record that the page is open. Answers with the names of other editors who have it open."""
        depot = get_object_or_404(Depot, pk=depot_id)
        try:
            others = editors.mark_viewing(depot=depot, by=current_editor(request), on=timezone.now())
        except moderation.DepotIsErased:
            raise Http404 from None
        return JsonResponse({"others": others})

    @desk_view("<int:depot_id>/decyzja/", "decide", needs="change", methods=["POST"])
    def decision_view(self, request: HttpRequest, depot_id: int) -> HttpResponse:
        depot = get_object_or_404(Depot, pk=depot_id)
        editor, today = current_editor(request), timezone.localdate()
        note = one_line(read_text(request, "note"), NOTE_LENGTH)
        reason = request.POST.get("reason", "")
        url = self.with_filters(request, reverse("admin:catalog_depot_change", args=[depot.pk]))
        decision, opened = request.POST.get("decision"), read_number(request.POST.get("opened"))
        try:
            with transaction.atomic():
                if decision in {"verify", "reset", "remove"}:  # of the values shown
                    editing.check_edit_version(moderation.locked(depot), opened)
                match decision:
                    case "verify":
                        moderation.verify_depot(depot=depot, by=editor, on=today)
                    case "reset":
                        moderation.revoke_verification(depot=depot, by=editor)
                    case "publish":
                        publishing.publish_depot(depot=depot, by=editor, on=today, note=note)
                    case "remove" if reason in REASONS:
                        removal = Reason(reason)
                        moderation.remove_depot(depot=depot, reason=removal, by=editor, on=today, note=note)
                    case _:
                        self.message_user(request, "Nic nie zmieniono: wybierz powód usunięcia.", messages.ERROR)
                        return HttpResponseRedirect(url)
        except Refusal as refusal:
            self.message_user(request, f"Nic nie zmieniono: {refusal.reason}.", messages.WARNING)
        else:
            self.message_user(request, f"Zapisano decyzję: {depot}.")
            send_closing_letters(self, request, [depot.pk])
        return HttpResponseRedirect(url)


def what_followed(depot: Depot) -> list[str] | None:
    """Counts of the rows that moved to the survivor of a merge; None if they were not recorded. One query."""
    merge = merging.find_merge(depot)
    if merge is None:
        return None
    moved = merge.details
    counts = {"zgłoszenia": len(moved["open_submissions"]) + len(moved["closed_submissions"])}
    counts |= {follower.label: len(moved["followers"].get(follower.name, [])) for follower in FOLLOWERS}
    return [f"{label}: {number}" for label, number in counts.items()]
