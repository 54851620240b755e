"""Depots that share a tax number, telephone or website with given values, at any distance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Q

from catalog.models import Depot
from catalog.parsing import contacts

MOST = 20

SHARED_HOSTS = frozenset(
    {
        *("facebook.com", "m.facebook.com", "pl-pl.facebook.com", "fb.com", "instagram.com", "linktr.ee"),
        *("olx.pl", "allegro.pl", "allegrolokalnie.pl", "google.com", "sites.google.com", "goo.gl"),
        *("panoramafirm.pl", "pkt.pl", "oferteo.pl", "business.site", "gowork.pl"),
    }
)
"""Hosts shared by many firms: not a sign of a duplicate."""


@dataclass(frozen=True, slots=True)
class SameContact:
    """A depot with the values it shares, in Polish."""

    depot: Depot
    shared: str


def find_same_contact(values: Mapping[str, Any], *, besides: int | None = None) -> list[SameContact]:
    """Return depots with the same `nip`, `phone` or `website`, removed ones last. At most one query.

    besides: id of the depot that the values belong to, left out.
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
    found = []
    for depot in rows[: 10 * MOST]:
        shared = [
            word
            for word, same in (
                ("NIP", bool(nip) and depot.nip == nip),
                ("telefon", bool(phones & split_phones(depot.phone))),
                ("strona", bool(host) and site_of(depot.website) == host),
            )
            if same
        ]
        if shared:
            found.append(SameContact(depot, ", ".join(shared)))
    found.sort(key=lambda row: row.depot.publication == Depot.Publication.REMOVED)
    return found[:MOST]


def split_phones(text: str) -> set[str]:
    """Return the telephone numbers in a text, in the stored format."""
    value, _ = contacts.clean_phone(text)
    return set(value.split(", ")) if value else set()


def site_of(address: str) -> str:
    """Return the host of a website that belongs to one firm, else ""."""
    host = (urlsplit(address if "//" in address else f"//{address}").hostname or "").removeprefix("www.")
    return "" if host in SHARED_HOSTS else host
