"""The editors' desk for requests of owners and readers: the queue, and the page on which one is decided."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from catalog import models, plane, requests
from catalog.actions import DepotChangedMeanwhile, DepotIsRemoved, opened_at
from catalog.admin.bulk import bulk_action, each
from catalog.admin.desk import MissedMixin, WaitingFilter, editor_of, read_text
from catalog.models import Depot, DepotRequest
from catalog.reading.people import is_private_person
from catalog.requests import Decided, Told, claimants, proposals
from catalog.requests.deciding import MAX_REASON, WHY_UNCHANGED

NEAR_M = 300
"""Depots this near to a proposed one may be the same."""

Kind = DepotRequest.Kind
State = DepotRequest.State


class StateFilter(WaitingFilter):
    parameter_name = "state"
    states, waiting = State, State.WAITING


class LetterFilter(admin.SimpleListFilter):
    """What was decided and its author was not told."""

    title = "list o decyzji"
    parameter_name = "letter"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("owed", "nie wyszedł")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.untold() if self.value() else queryset


class RequestVoivodeshipFilter(admin.SimpleListFilter):
    """Where the entry lies, or the proposed one."""

    title = "województwo"
    parameter_name = "unit"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(models.Voivodeship.objects.order_by("teryt").values_list("teryt", "name"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[DepotRequest]) -> QuerySet[DepotRequest]:
        unit = self.value()
        if not unit:
            return queryset
        return queryset.filter(
            Q(depot__municipality__teryt__startswith=unit) | Q(depot=None, proposed__municipality__startswith=unit)
        )


class RequestChangeList(ChangeList):
    """The list, with the names of the municipalities of proposed depots: one query for all."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        names = proposals.municipalities(*(row.proposed for row in self.result_list if row.depot_id is None))
        for row in self.result_list:
            row.proposed_municipality = names.get(row.proposed.get("municipality", ""), "")


class RejectionForm(ActionForm):
    """The choice of an action, and the reason that a rejection needs."""

    reason = forms.CharField(label="Powód odrzucenia", max_length=MAX_REASON, required=False)


def why_not_decided(request: DepotRequest) -> str:
    """Why a request cannot be turned down, in Polish; "" where it can."""
    return "" if request.state == State.WAITING else request.get_state_display()


def why_not_accepted(request: DepotRequest) -> str:
    """Why a request cannot be accepted, as far as the list shows it, in Polish; "" where it can."""
    if request.depot is not None and request.depot.publication == Depot.Publication.REMOVED:
        return why_not_decided(request) or WHY_UNCHANGED[DepotIsRemoved]
    return why_not_decided(request)


def why_not_told(request: DepotRequest) -> str:
    """Why no letter is sent again, in Polish; "" where one is."""
    return "" if request.letter_owed and request.erased_at is None else "list nie czeka na wysłanie"


def kinds(rows: Collection[DepotRequest]) -> dict[str, int]:
    """How many requests ask for what."""
    return Counter(row.get_kind_display() for row in rows)


def named(row: DepotRequest) -> str:
    """A request with the name of its entry, or of the proposed one."""
    name = row.depot.name if row.depot else row.proposed.get("name", "(usunięte)")
    return f"nr {row.pk}, {row.get_kind_display()}: {name}"


@admin.register(DepotRequest)
class DepotRequestAdmin(MissedMixin, admin.ModelAdmin):  # type: ignore[type-arg] # not subscriptable at run time
    """The queue, longest waiting first. Requests are decided here, never edited, added or deleted."""

    list_display = ("number", "kind", "entry", "municipality", "asked", "email", "waits_since", "state")
    list_display_links = ("number", "entry")
    list_filter = (StateFilter, "kind", LetterFilter, RequestVoivodeshipFilter)
    list_select_related = ("depot__municipality",)
    list_per_page = 200
    search_fields = ("=id", "depot__name", "depot__nip", "depot__municipality__name", "email")
    search_help_text = "numer, skład, NIP, gmina, e-mail"
    show_full_result_count = False
    actions = ("accept", "reject", "tell")
    action_form = RejectionForm
    change_list_template = "admin/catalog/depotrequest/list.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[DepotRequest]:
        return DepotRequest.objects.oldest_waiting_first()

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return RequestChangeList

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description="nr", ordering="pk")
    def number(self, row: DepotRequest) -> str:
        return f"nr {row.pk}"

    @admin.display(description="skład")
    def entry(self, row: DepotRequest) -> str:
        return row.depot.name if row.depot else row.proposed.get("name", "(usunięte)")

    @admin.display(description="gmina")
    def municipality(self, row: Any) -> str:
        name: str = row.depot.municipality.name if row.depot else row.proposed_municipality
        return name

    @admin.display(description="co")
    def asked(self, row: DepotRequest) -> str:
        if row.kind != Kind.CORRECT:
            return row.get_claimant_role_display()
        return ", ".join(group.label.lower() for group in proposals.groups_in(row.proposed))

    @admin.display(description="czeka od", ordering="confirmed_at")
    def waits_since(self, row: DepotRequest) -> str:
        if row.confirmed_at is None:
            return "–"
        days = (timezone.now() - row.confirmed_at).days
        return "dziś" if not days else f"{days} dni" if days != 1 else "1 dzień"

    @bulk_action(description="Przyjmij w całości", obstacles=each(why_not_accepted), attached=kinds, named=named)
    def accept(self, request: HttpRequest, keys: list[int]) -> None:
        self._report(request, requests.accept_requests(requests=keys, by=editor_of(request), on=timezone.now()))

    @bulk_action(
        description="Odrzuć (podaj powód)",
        obstacles=each(why_not_decided),
        attached=kinds,
        named=named,
        reason_length=MAX_REASON,
    )
    def reject(self, request: HttpRequest, keys: list[int]) -> None:
        reason = read_text(request, "reason")
        try:
            decided = requests.reject_requests(requests=keys, reason=reason, by=editor_of(request), on=timezone.now())
        except requests.ReasonMissing:
            self.message_user(request, "Nic nie zmieniono: odrzucenie wymaga podania powodu.", messages.ERROR)
            return
        self._report(request, decided)

    @bulk_action(description="Wyślij jeszcze raz list o decyzji", obstacles=each(why_not_told), named=named)
    def tell(self, request: HttpRequest, keys: list[int]) -> None:
        self._report_letters(request, requests.resend_letters(requests=keys))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        context = {
            "title": "Zgłoszenia właścicieli i czytelników",
            "untold": DepotRequest.objects.untold().count(),
            **(extra_context or {}),
        }
        return super().changelist_view(request, context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Mapping[str, Any] | None = None
    ) -> HttpResponse:
        """The page of a request: what is asked, beside what the entry says; and its decision."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        rows = DepotRequest.objects.select_related("depot__municipality", "decided_by")
        found = rows.filter(pk=object_id).first() if object_id.isdecimal() else None
        if found is None:
            self.message_user(request, "Nie ma takiego zgłoszenia.", messages.WARNING)
            return HttpResponseRedirect(reverse("admin:catalog_depotrequest_changelist"))
        if request.method == "POST":
            if not self.has_change_permission(request):
                raise PermissionDenied
            if request.POST.get("decision") == "tell":
                self._report_letters(request, requests.resend_letters(requests=[found.pk]))
                return HttpResponseRedirect(request.path)
            return self._decide(request, found)
        return TemplateResponse(
            request,
            "admin/catalog/depotrequest/decide.html",
            {**self.admin_site.each_context(request), **describe(found), "opts": self.opts, **(extra_context or {})}
            | {
                "may_decide": found.state == State.WAITING and self.has_change_permission(request),
                "may_tell": found.letter_owed and self.has_change_permission(request),
            },
        )

    def _decide(self, request: HttpRequest, found: DepotRequest) -> HttpResponse:
        """Accept or reject, then back to the queue; or to the page, with what stands in the way."""
        here = HttpResponseRedirect(request.path)
        editor, now = editor_of(request), timezone.now()
        typed = request.POST.get("opened", "")
        opened = int(typed) if re.fullmatch(r"[0-9]{1,18}", typed) else 0
        try:
            if request.POST.get("decision") == "accept":
                groups = request.POST.getlist("groups") if found.kind == Kind.CORRECT else None
                decided = requests.accept_request(request=found, groups=groups, opened=opened, by=editor, on=now)
            else:
                decided = requests.reject_request(request=found, reason=read_text(request, "reason"), by=editor, on=now)
        except requests.RequestAlreadyDecided:
            found.refresh_from_db()
            by = f" ({found.decided_by})" if found.decided_by else ""
            self.message_user(
                request,
                f"O zgłoszeniu nr {found.pk} zdecydował już ktoś inny{by}: {found.get_state_display()}. "
                "Twoja decyzja nic nie zmieniła.",
                messages.WARNING,
            )
            return here
        except DepotChangedMeanwhile:
            self.message_user(
                request, "Wpis zmienił się, gdy strona była otwarta. Obejrzyj go jeszcze raz.", messages.WARNING
            )
            return here
        except DepotIsRemoved:
            self.message_user(request, "Wpis jest usunięty; zgłoszenie można tylko odrzucić.", messages.ERROR)
            return here
        except requests.NothingAccepted:
            self.message_user(request, "Zaznacz co najmniej jedno pole albo odrzuć zgłoszenie.", messages.ERROR)
            return here
        except requests.PlaceUnknown:
            self.message_user(request, "Położenie nie leży w żadnej gminie.", messages.ERROR)
            return here
        except requests.ReasonMissing:
            self.message_user(request, "Odrzucenie wymaga podania powodu.", messages.ERROR)
            return here
        self._report(request, decided)
        return HttpResponseRedirect(reverse("admin:catalog_depotrequest_changelist"))

    def _report(self, request: HttpRequest, decided: Decided) -> None:
        """Say what was decided, what could not be, and whom no letter has reached."""
        self.message_user(request, f"Zdecydowano: {len(decided.changed)}.")
        if decided.unchanged:
            named = "; ".join(f"nr {row.pk}: {reason}" for row, reason in decided.unchanged)
            self.message_user(request, f"Bez zmian: {named}", messages.WARNING)
        if decided.unsent:
            named = ", ".join(f"nr {number}" for number in decided.unsent)
            self.message_user(
                request,
                f"Decyzja zapisana, ale list do zgłaszającego nie wyszedł: {named}. "
                "Można go wysłać jeszcze raz ze strony zgłoszenia.",
                messages.WARNING,
            )

    def _report_letters(self, request: HttpRequest, told: Told) -> None:
        """Say which letters have left now."""
        if told.sent:
            self.message_user(request, f"Wysłano listy: {', '.join(f'nr {number}' for number in told.sent)}.")
        if told.unsent:
            named = ", ".join(f"nr {number}" for number in told.unsent)
            self.message_user(request, f"List nadal nie wyszedł: {named}. Spróbuj później.", messages.WARNING)
        if not told.sent and not told.unsent:
            self.message_user(request, "Żaden z tych listów nie czeka na wysłanie.", messages.WARNING)


def describe(request: DepotRequest) -> dict[str, Any]:
    """What the page of a request shows. At most four queries beside the request and its depot."""
    depot = request.depot
    now = {} if depot is None else proposals.values_of(depot)
    names = proposals.municipalities(now, request.stored, request.proposed)
    rows = [
        {
            "group": group,
            "now": proposals.shown(group, now, names),
            "then": proposals.shown(group, request.stored, names),
            "proposed": proposals.shown(group, request.proposed, names),
            "changed": depot is not None
            and request.kind == Kind.CORRECT
            and any(now[name] != request.stored.get(name) for name in group.fields),
            "accepted": group.name in request.accepted_fields,
        }
        for group in proposals.groups_in(request.proposed)
        if request.kind in {Kind.CORRECT, Kind.ADD}
    ]
    return {
        "title": f"Zgłoszenie nr {request.pk}: {request.get_kind_display()}",
        "request_row": request,
        "depot": depot,
        "rows": rows,
        "changed": any(row["changed"] for row in rows),
        "correction": request.kind == Kind.CORRECT,
        "comparisons": claimants.compare(request),
        "others": others(request),
        "near": near(request.proposed) if request.kind == Kind.ADD else [],
        "private": is_private_person(str(request.proposed.get("name", ""))),
        "opened": opened_at(depot) if depot else 0,
        "max_reason": MAX_REASON,
    }


def others(request: DepotRequest) -> list[dict[str, Any]]:
    """What else is open about the entry, and what the same author had confirmed before and took the place of.

    What waits comes first, so that no flood of unconfirmed ones hides it. One query.
    """
    if request.depot_id is None:
        return []
    replaced = Q(state=State.SUPERSEDED, confirmed_at__isnull=False, email_hash=request.email_hash, erased_at=None)
    rows = DepotRequest.objects.filter(Q(state__in=DepotRequest.OPEN) | replaced, depot=request.depot_id)
    return [
        {
            "row": row,
            "fields": ", ".join(group.label.lower() for group in proposals.groups_in(row.proposed)),
            "same_author": row.email_hash == request.email_hash,
        }
        for row in rows.exclude(pk=request.pk).oldest_waiting_first()[:20]
    ]


def near(proposed: Mapping[str, Any]) -> list[tuple[Depot, int]]:
    """Depots around a proposed one with their distance in metres, nearest first; removed ones too. One query."""
    if "lat" not in proposed:
        return []
    lat, lon = proposed["lat"], proposed["lon"]
    box = Depot.objects.filter(lat__range=(lat - 0.005, lat + 0.005), lon__range=(lon - 0.008, lon + 0.008))
    x, y = plane.to_plane(lat, lon)
    found = []
    for depot in box.order_by("pk")[:100]:
        depot_x, depot_y = plane.to_plane(depot.lat, depot.lon)
        found.append((depot, round(((x - depot_x) ** 2 + (y - depot_y) ** 2) ** 0.5)))
    return sorted((pair for pair in found if pair[1] <= NEAR_M), key=lambda pair: pair[1])
