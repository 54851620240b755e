"""Likely duplicates at the editors' desk: their list, and the page where a pair is merged or marked distinct."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from catalog import links
from catalog.admin import evidence
from catalog.admin.bulk import undo_button
from catalog.admin.depot_form import field_in_words
from catalog.admin.desk import DeskMixin, current_editor, desk_page, desk_view
from catalog.admin.registers_and_history import NOTHING
from catalog.depots import duplicates, fuels
from catalog.models import Depot, Submission
from catalog.services import Refusal, merging
from catalog.submissions import field_groups
from catalog.submissions.field_groups import MERGED_GROUPS, FieldGroup

PAIRS_PER_PAGE = 50


class MergingMixin(DeskMixin):
    """Pages of likely duplicates, for the admin of depots."""

    @desk_view("powtorzenia/", "pairs", needs="view")
    def pairs_view(self, request: HttpRequest) -> HttpResponse:
        """Show the unresolved pairs, likeliest first. One query besides those of `duplicates`."""
        page = Paginator(duplicates.get_report().unresolved_pairs(), PAIRS_PER_PAGE).get_page(request.GET.get("p"))
        keys = {key for pair in page for key in (pair.first, pair.second)}
        depots = Depot.objects.select_related("municipality").in_bulk(keys)
        # A depot can be removed between the two queries.
        rows = [
            {"pair": pair, "depots": [(depots[key], depots[key].address) for key in (pair.first, pair.second)]}
            for pair in page
            if {pair.first, pair.second} <= depots.keys()
        ]
        context = {"title": "Możliwe powtórzenia", "rows": rows, "page": page, "near_m": duplicates.NEAR_M}
        return desk_page(self, request, "catalog/depot/pairs", context)

    @desk_view("powtorzenia/<int:first>/<int:second>/", "pair", needs="change", methods=["GET", "HEAD", "POST"])
    def pair_view(self, request: HttpRequest, first: int, second: int) -> HttpResponse:
        depots = Depot.objects.select_related("municipality__voivodeship").in_bulk([first, second])
        if first == second or len(depots) != 2:
            raise Http404
        one, other = depots[first], depots[second]
        pairs = [(pair.first, pair.second) for pair in duplicates.get_report().unresolved_pairs()]
        number = pairs.index((first, second)) + 1 if (first, second) in pairs else 0
        # After a pair that is resolved, the first one.
        others = [*pairs[number:], *pairs[:number]]
        following = next((pair for pair in others if pair != (first, second)), None)
        next_url = reverse("admin:catalog_depot_pair" if following else "admin:catalog_depot_pairs", args=following)
        if request.method == "POST" and self._decide_pair(request, one, other):
            return HttpResponseRedirect(next_url)
        context = {
            "title": "Dwa wpisy: jeden skład czy dwa?",
            "first": one,
            "second": other,
            "first_url": links.depot_url(one.pk, one.name),
            "second_url": links.depot_url(other.pk, other.name),
            "first_contacts": evidence.contacts_of(field_groups.values_of(one)),
            "second_contacts": evidence.contacts_of(field_groups.values_of(other)),
            "owners": [evidence.owners_of(depot) for depot in (one, other)],
            "waiting": [Submission.objects.waiting().filter(depot=depot).order_by("pk") for depot in (one, other)],
            "next_url": next_url,
            "place": {"number": number, "total": len(pairs)},
            "live": evidence.live_map(one.municipality, (one.lat, one.lon), (other.lat, other.lon)),
            "choices": [choice_of(group, one, other) for group in MERGED_GROUPS],
            "gone": [depot for depot in (one, other) if depot.publication == Depot.Publication.REMOVED],
        }
        return desk_page(self, request, "catalog/depot/pair", context)

    def _decide_pair(self, request: HttpRequest, one: Depot, other: Depot) -> bool:
        """Process the posted decision. Returns whether it was carried out; if not, a message gives the reason."""
        editor, now = current_editor(request), timezone.now()
        decision = request.POST.get("decision", "")
        sides = {"first": (one, other, "second"), "second": (other, one, "first")}
        if decision != "apart" and decision not in sides:
            self.message_user(request, "Nic nie zmieniono: wybierz, który wpis zostaje.", messages.ERROR)
            return False
        try:
            if decision == "apart":
                recorded = merging.mark_distinct(one=one, other=other, by=editor, at=now)
                text = f"Zapamiętano, że to dwa różne składy: {one}, {other}."
            else:
                survivor, loser, theirs = sides[decision]
                taken = (group for group in MERGED_GROUPS if request.POST.get(f"take_{group.name}") == theirs)
                take = [name for group in taken for name in group.fields]
                today, unite_fuels = timezone.localdate(now), request.POST.get("take_fuels") == "both"
                recorded = merging.merge_depots(
                    survivor=survivor, loser=loser, take=take, by=editor, on=today, unite_fuels=unite_fuels
                )
                text = f"Scalono: zostaje {survivor}, wpis {loser.pk} prowadzi do niego."
        except Refusal as refusal:
            self.message_user(request, f"Nic nie zmieniono: {refusal.reason}.", messages.WARNING)
            return False
        self.message_user(request, format_html("{} {}", text, undo_button(request, recorded)))
        return True


def choice_of(group: FieldGroup, one: Depot, other: Depot) -> dict[str, Any]:
    """A group with both values. Preselects the confirmed value, else the fuels of both, or the first not empty.

    both: what both state together, "" where that is one of the two or makes no sense.
    """
    first, second = words(group, one), words(group, other)
    first_sure, second_sure = group.name in one.confirmed_fields, group.name in other.confirmed_fields
    to_second = (second_sure and not first_sure) or (first == NOTHING and not first_sure)
    preferred, both = "second" if to_second else "first", ""
    if group.name == "fuels":
        union = {*one.fuels, *other.fuels}
        side = "first" if union == {*one.fuels} else "second" if union == {*other.fuels} else "both"
        both = field_in_words("fuels", fuels.in_order(union)) if side == "both" else ""
        preferred = preferred if first_sure != second_sure else side
    named = {"name": group.name, "label": group.label, "first": first, "second": second}
    return named | {"differs": first != second, "preferred": preferred, "both": both}


def words(group: FieldGroup, depot: Depot) -> str:
    own = {
        "municipality": str(depot.municipality),
        "location_approximate": "przybliżone" if depot.location_approximate else "dokładne",
        "hours": NOTHING,  # as its text says
    }
    parts = [own.get(name) or field_in_words(name, getattr(depot, name)) for name in group.fields]
    return ", ".join(part for part in parts if part != NOTHING) or NOTHING
