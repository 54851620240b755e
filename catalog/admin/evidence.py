"""What stands beside a decision about a depot.

Ways to check it, map, owner, earlier decisions, depots with the same contact, comments of editors.
"""

import json
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any
from urllib.parse import quote_plus, urlsplit

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from catalog import links
from catalog.admin.desk import current_editor, desk_view, page_url, read_text
from catalog.admin.registers_and_history import RegisterAdmin
from catalog.depots.attribution import tiles_credit
from catalog.models import CaseComment, Decision, Depot, Draft, Municipality, OwnerLink, Submission, max_length
from catalog.parsing.contacts_and_names import clean_phone, phone_links
from catalog.services import Refusal, editors
from catalog.territory.coordinates import distance_m

NEIGHBOURS_M = 2000
"""Entries within this distance are drawn on the map of a depot."""

MOST_NEIGHBOURS, MOST_DECISIONS, MOST_COMMENTS = 30, 3, 50
"""Neighbours on a map, latest decisions and latest comments beside a form."""

SHARED_HOSTS = (
    *("facebook.com", "m.facebook.com", "pl-pl.facebook.com", "fb.com", "instagram.com", "linktr.ee"),
    *("olx.pl", "allegro.pl", "allegrolokalnie.pl", "google.com", "sites.google.com", "goo.gl"),
    *("panoramafirm.pl", "pkt.pl", "oferteo.pl", "business.site", "gowork.pl"),
)
"""Hosts shared by many firms: not a sign of a duplicate."""

Position = tuple[float, float]


def live_map(
    municipality: Municipality | None,
    before: Position | None = None,
    after: Position | None = None,
    others: Iterable[tuple[Depot, int]] = (),
) -> dict[str, str]:
    """Return the data of the map of a position; "" for what is missing. Reads the voivodeship of the municipality.

    before, after: stored and proposed position as "lat,lon". outlines: URL of the outlines around the municipality.
    others: further depots with their distances in metres; as JSON, each `[lat, lon, label, URL]`.
    """
    tiles, outlines = settings.MAP_TILES_URL, ""
    if municipality:
        unit = (municipality.voivodeship.slug, municipality.slug, municipality.teryt)
        outlines = reverse("surroundings", args=unit)
    places = [place_of(depot, metres) for depot, metres in others]
    return {
        "before": "{:.6f},{:.6f}".format(*before) if before else "",
        "after": "{:.6f},{:.6f}".format(*after) if after else "",
        "outlines": outlines,
        "tiles": tiles,
        "credit": tiles_credit(tiles) if tiles else "",
        "others": json.dumps(places, ensure_ascii=False) if places else "",
    }


def find_near(lat: float, lon: float, metres: float, *, besides: int | None = None) -> list[tuple[Depot, int]]:
    """Return the nearest depots with their distance in metres, removed ones included. One query.

    At most `MOST_NEIGHBOURS` of the first hundred by number.
    """
    north, east = metres / 110_000, metres / 63_000  # a degree of longitude is 63 km at 55° N, more further south
    box = Depot.objects.filter(lat__range=(lat - north, lat + north), lon__range=(lon - east, lon + east))
    rows = (
        (depot, round(distance_m(lat, lon, depot.lat, depot.lon)))
        for depot in box.exclude(pk=besides or 0).order_by("pk")[:100]
    )
    return sorted((row for row in rows if row[1] <= metres), key=itemgetter(1))[:MOST_NEIGHBOURS]


def place_of(depot: Depot, metres: int) -> tuple[float, float, str, str]:
    label = f"{depot.name}, {metres} m"
    if depot.publication != Depot.Publication.PUBLISHED:
        label += f", {depot.get_publication_display()}"
    return round(depot.lat, 6), round(depot.lon, 6), label, page_url(depot._meta, "change", quote(depot.pk))


def find_neighbours(depot: Depot) -> list[tuple[Depot, int]]:
    return find_near(depot.lat, depot.lon, NEIGHBOURS_M, besides=depot.pk)


def contacts_of(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return labels and URLs by which an editor checks the values of a depot: its site, telephones, map and the web.

    Of proposed values too: what is missing is left out.
    """
    website = values.get("website")
    rows = [(host_of(website) or website, website)] if website else []
    rows += phone_links(values.get("phone") or "")
    if "lat" in values:
        lat, lon = values["lat"], values["lon"]
        rows.append(("OpenStreetMap", f"https://www.openstreetmap.org/?mlat={lat}&mlon={lon}#map=18/{lat}/{lon}"))
    words = " ".join(filter(None, (values.get("name"), values.get("street"), values.get("place"))))
    return [*rows, ("szukaj w sieci", f"https://duckduckgo.com/?q={quote_plus(words)}")] if words else rows


def evidence_of(
    values: Mapping[str, Any], depot: Depot | None, case: Submission | Draft | None = None
) -> dict[str, Any]:
    """Return the context of `_evidence.html`: of a depot three queries, of a proposed one one.

    values: public fields of the depot, or the proposed ones. case: what the comments belong to where there is no depot.
    """
    about: Any = depot or case
    context = {
        "contacts": contacts_of(values),
        "comments": about.comments.select_related("written_by").order_by("-pk")[:MOST_COMMENTS][::-1],
        "comment_url": reverse("admin:catalog_casecomment_write", args=[about._meta.model_name, about.pk]),
        "most_in_comment": max_length(CaseComment, "text"),
    }
    if depot is not None:
        is_public = depot.publication == Depot.Publication.PUBLISHED
        context |= {
            "present_owners": owners_of(depot),
            "earlier": Decision.objects.about(depot).select_related("decided_by").order_by("-pk")[:MOST_DECISIONS],
            "public_url": links.depot_url(depot.pk, depot.name) if is_public else "",
        }
    return context


def owners_of(depot: Depot) -> QuerySet[OwnerLink]:
    """Return the working links of a depot's owners, newest first."""
    return OwnerLink.objects.working().filter(depot=depot).order_by("-granted_at")


def having_address(typed: str) -> Q:
    """Match depots by a part of the e-mail address of their owner, or of an author of a submission about them.

    Nothing without "@": the address would be searched for every word.
    """
    email = typed.strip()
    if "@" not in email:
        return Q()
    owners, authors = (rows.objects.filter(email__icontains=email).values("depot") for rows in (OwnerLink, Submission))
    return Q(pk__in=owners) | Q(pk__in=authors)


MOST_SAME = 20


def find_same_contact(values: Mapping[str, Any], *, besides: int | None) -> list[tuple[Depot, str]]:
    """Return depots with the same `nip`, `phone` or `website` and what they share in Polish. At most one query.

    Removed ones last. besides: id of the depot that the values belong to, left out.
    """
    nip = values.get("nip") or ""
    phones = split_phones(values.get("phone") or "")
    host = site_of(values.get("website") or "")
    condition = Q()
    if nip:
        condition |= Q(nip=nip)
    for number in phones:
        condition |= Q(phone__contains=number)
    if host:
        condition |= Q(website__icontains=host)
    if not condition:
        return []
    rows = Depot.objects.filter(condition).exclude(pk=besides or 0).select_related("municipality").order_by("pk")
    alike = []
    for depot in rows[: 10 * MOST_SAME]:
        same = {
            "NIP": bool(nip) and depot.nip == nip,
            "telefon": bool(phones & split_phones(depot.phone)),
            "strona": bool(host) and site_of(depot.website) == host,
        }
        if any(same.values()):
            alike.append((depot, ", ".join(word for word, is_same in same.items() if is_same)))
    return sorted(alike, key=lambda row: row[0].publication == Depot.Publication.REMOVED)[:MOST_SAME]


def split_phones(text: str) -> set[str]:
    """Return the telephone numbers in a text, in the stored format."""
    value, _ = clean_phone(text)
    return set(value.split(", ")) if value else set()


def host_of(website: str) -> str:
    """Return the host of an address without "www.", "" without an address."""
    return (urlsplit(website if "//" in website else f"//{website}").hostname or "").removeprefix("www.")


def site_of(website: str) -> str:
    """Return the host of a website that belongs to one firm, else ""."""
    host = host_of(website)
    return "" if host in SHARED_HOSTS else host


CASES: dict[str, Any] = {str(model._meta.model_name): model for model in (Depot, Submission, Draft)}


@admin.register(CaseComment)
class CaseCommentAdmin(RegisterAdmin):
    """Comments are written and read beside the case: here is only the view that stores one."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    @desk_view("<slug:kind>/<int:key>/", "write", methods=["POST"])
    def write_view(self, request: HttpRequest, kind: str, key: int) -> HttpResponse:
        model = CASES.get(kind, Depot)
        case = get_object_or_404(model, pk=key)
        if not current_editor(request).has_perm(f"catalog.view_{model._meta.model_name}"):
            raise PermissionDenied
        text, editor = read_text(request, "comment"), current_editor(request)
        try:
            editors.write_comment(case=case, text=text, by=editor, on=timezone.now())
        except Refusal as refusal:
            self.message_user(request, f"Nic nie zapisano: {refusal.reason}.", messages.WARNING)
        back = read_text(request, "back")
        is_own = url_has_allowed_host_and_scheme(back, allowed_hosts=None)
        return HttpResponseRedirect(back if is_own else page_url(model._meta, "change", key))
