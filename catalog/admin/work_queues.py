"""Work queues: named filters over the list of depots, each with a count; and depots that share a contact."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlsplit

import django_filters
from django.contrib import admin
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from catalog import models
from catalog.admin.registers import MINE, UnitFilter, chosen_codes
from catalog.depots import fuels, quality
from catalog.depots.quality import DataQualityReport
from catalog.models import Depot
from catalog.parsing import contacts
from fueldepot.data import history

STALE_AFTER = timedelta(days=365)
"""A verification older than this is due again."""

ALIVE = ~Q(publication=models.Depot.Publication.REMOVED)


@dataclass(frozen=True, slots=True)
class Queue:
    """A work queue. slug: in the query string. condition: for a day and a report; removed depots are never included."""

    slug: str
    label: str
    condition: Callable[[date, DataQualityReport], Q]


def ids_in(keys: Collection[int]) -> Q:
    return Q(pk__in=history.among(keys))


def having(rows: QuerySet[Any]) -> Q:
    """Depots to which some rows belong."""
    return Q(Exists(rows.filter(depot=OuterRef("pk"))))


def by_name(_today: date, _report: DataQualityReport) -> Q:
    """Depots with unconfirmed fuels that only the name states."""
    return Q(fuels__overlap=F("fuels_in_name")) & ~Q(confirmed_fields__contains=["fuels"])


QUEUES = (
    Queue("requests", "zgłoszenie czeka", lambda _today, _report: having(models.Submission.objects.waiting())),
    Queue("gone", "podobno już ich nie ma", lambda _today, _report: having(models.GoneReport.objects.open())),
    Queue("held", "wstrzymane", lambda _today, _report: Q(publication=models.Depot.Publication.HELD)),
    Queue("never", "nigdy niesprawdzone", lambda _today, _report: Q(verified_at=None)),
    Queue("old", "sprawdzone ponad rok temu", lambda today, _report: Q(verified_at__lt=today - STALE_AFTER)),
    Queue("duplicates", "możliwe powtórzenie", lambda _today, report: ids_in(report.with_duplicates())),
    Queue("outside", "poza swoją gminą", lambda _today, report: ids_in(report.outside)),
    Queue("nip", "błędny NIP", lambda _today, report: ids_in(report.bad_nip)),
    Queue("fuels", "paliwa według nazwy", by_name),
    Queue("hours", "bez godzin", lambda _today, _report: Q(hours__isnull=True)),
    Queue("review", "z uwagą importu", lambda _today, _report: ~Q(review="")),
)

BY_SLUG = {queue.slug: queue for queue in QUEUES}


def count_queues(today: date, report: DataQualityReport) -> list[tuple[Queue, int]]:
    """Return every queue with its number of depots. Two queries."""
    counts = models.Depot.objects.filter(ALIVE).aggregate(
        **{queue.slug: Count("pk", filter=queue.condition(today, report)) for queue in QUEUES}
    )
    return [(queue, counts[queue.slug]) for queue in QUEUES]


class QueueFilter(admin.SimpleListFilter):
    """The chosen queue. The list shows all queues with counts above it, so the sidebar only names the chosen one."""

    title = "do zrobienia"
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(queue.slug, queue.label) for queue in QUEUES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        queue = BY_SLUG.get(self.value() or "")
        if queue is None:
            return queryset
        return queryset.filter(ALIVE, queue.condition(timezone.localdate(), quality.get_report()))


class DepotFilter(django_filters.FilterSet):  # type: ignore[misc] # the library has no types
    """Depots of a unit (2, 4 or 7 digits of TERYT), or with a fuel."""

    unit = django_filters.CharFilter(method="filter_unit")
    fuel = django_filters.ChoiceFilter(choices=fuels.CHOICES, method="filter_fuel")

    def filter_unit(self, depots: models.DepotQuerySet, name: str, value: str) -> models.DepotQuerySet:
        return depots.in_unit(value)

    def filter_fuel(self, depots: models.DepotQuerySet, name: str, value: str) -> models.DepotQuerySet:
        return depots.offering(value)


class FuelFilter(admin.SimpleListFilter):
    title = "paliwo"
    parameter_name = "fuel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return fuels.CHOICES

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        rows: QuerySet[models.Depot] = DepotFilter({"fuel": self.value()}, queryset=queryset).qs
        return rows


class VoivodeshipFilter(UnitFilter):
    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        if self.value() == MINE:
            return queryset.filter(municipality__voivodeship__in=chosen_codes(request, MINE))
        rows: QuerySet[models.Depot] = DepotFilter({"unit": self.value()}, queryset=queryset).qs
        return rows


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
