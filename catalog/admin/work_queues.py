"""Work queues: named filters over the list of depots, each with a count; and depots that share a contact."""

from collections.abc import Callable, Collection, Mapping
from datetime import date, timedelta
from typing import Any, cast
from urllib.parse import urlsplit

import django_filters
from django.contrib import admin
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from catalog import models
from catalog.admin.desk import OptionsFilter
from catalog.admin.registers import UnitFilter
from catalog.depots import fuels, quality
from catalog.depots.quality import DataQualityReport
from catalog.models import Depot
from catalog.parsing import contacts
from fueldepot.data import history

STALE_AFTER = timedelta(days=365)
"""A verification older than this is due again."""

ALIVE = ~Q(publication=models.Depot.Publication.REMOVED)


Condition = Callable[[date, DataQualityReport], Q]


def ids_in(keys: Collection[int]) -> Q:
    return Q(pk__in=history.among(keys))


def having(rows: QuerySet[Any]) -> Q:
    """Depots to which some rows belong."""
    return Q(Exists(rows.filter(depot=OuterRef("pk"))))


def by_name(_today: date, _report: DataQualityReport) -> Q:
    """Depots with unconfirmed fuels that only the name states."""
    return Q(fuels__overlap=F("fuels_in_name")) & ~Q(confirmed_fields__contains=["fuels"])


QUEUES: Mapping[str, tuple[str, Condition]] = {
    "requests": ("zgłoszenie czeka", lambda _today, _report: having(models.Submission.objects.waiting())),
    "gone": ("podobno już ich nie ma", lambda _today, _report: having(models.GoneReport.objects.open())),
    "held": ("wstrzymane", lambda _today, _report: Q(publication=models.Depot.Publication.HELD)),
    "never": ("nigdy niesprawdzone", lambda _today, _report: Q(verified_at=None)),
    "old": ("sprawdzone ponad rok temu", lambda today, _report: Q(verified_at__lt=today - STALE_AFTER)),
    "duplicates": ("możliwe powtórzenie", lambda _today, report: ids_in(report.with_duplicates())),
    "outside": ("poza swoją gminą", lambda _today, report: ids_in(report.outside)),
    "nip": ("błędny NIP", lambda _today, report: ids_in(report.bad_nip)),
    "fuels": ("paliwa według nazwy", by_name),
    "hours": ("bez godzin", lambda _today, _report: Q(hours__isnull=True)),
    "review": ("z uwagą importu", lambda _today, _report: ~Q(review="")),
}
"""Label and condition by the value in the query string. Removed depots are in none."""


def count_queues(today: date, report: DataQualityReport) -> list[tuple[str, str, int]]:
    """Return every queue with its label and its number of depots. Two queries."""
    counts = models.Depot.objects.filter(ALIVE).aggregate(
        **{slug: Count("pk", filter=condition(today, report)) for slug, (_, condition) in QUEUES.items()}
    )
    return [(slug, label, counts[slug]) for slug, (label, _) in QUEUES.items()]


def in_queue(condition: Condition) -> Callable[[Any], QuerySet[Any]]:
    return lambda depots: depots.filter(ALIVE, condition(timezone.localdate(), quality.get_report()))


class QueueFilter(OptionsFilter):
    """The chosen queue. The list shows all queues with counts above it, so the sidebar only names the chosen one."""

    title = "do zrobienia"
    parameter_name = "queue"
    options = {slug: (label, in_queue(condition)) for slug, (label, condition) in QUEUES.items()}


class DepotFilter(django_filters.FilterSet):  # type: ignore[misc] # the library has no types
    """Depots with a fuel; coal stands for its assortments too."""

    fuel = django_filters.ChoiceFilter(choices=fuels.CHOICES, method="filter_fuel")

    def filter_fuel(self, depots: models.DepotQuerySet, name: str, value: str) -> models.DepotQuerySet:
        return depots.offering(value)


class FuelFilter(admin.SimpleListFilter):
    title = "paliwo"
    parameter_name = "fuel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return fuels.CHOICES

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        return cast("models.DepotQuerySet", DepotFilter({"fuel": self.value()}, queryset=queryset).qs)


class VoivodeshipFilter(UnitFilter):
    path = ""


MOST = 20

SHARED_HOSTS = frozenset(
    {
        *("facebook.com", "m.facebook.com", "pl-pl.facebook.com", "fb.com", "instagram.com", "linktr.ee"),
        *("olx.pl", "allegro.pl", "allegrolokalnie.pl", "google.com", "sites.google.com", "goo.gl"),
        *("panoramafirm.pl", "pkt.pl", "oferteo.pl", "business.site", "gowork.pl"),
    }
)
"""Hosts shared by many firms: not a sign of a duplicate."""


def find_same_contact(values: Mapping[str, Any], *, besides: int | None = None) -> list[tuple[Depot, str]]:
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
    found = []
    for depot in rows[: 10 * MOST]:
        same = {
            "NIP": bool(nip) and depot.nip == nip,
            "telefon": bool(phones & split_phones(depot.phone)),
            "strona": bool(host) and site_of(depot.website) == host,
        }
        if any(same.values()):
            found.append((depot, ", ".join(word for word, is_same in same.items() if is_same)))
    return sorted(found, key=lambda row: row[0].publication == Depot.Publication.REMOVED)[:MOST]


def split_phones(text: str) -> set[str]:
    """Return the telephone numbers in a text, in the stored format."""
    value, _ = contacts.clean_phone(text)
    return set(value.split(", ")) if value else set()


def site_of(address: str) -> str:
    """Return the host of a website that belongs to one firm, else ""."""
    host = (urlsplit(address if "//" in address else f"//{address}").hostname or "").removeprefix("www.")
    return "" if host in SHARED_HOSTS else host
