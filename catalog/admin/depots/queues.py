"""What an editor may work through: named filters over the list of depots, each with its count."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from catalog import bulk, findings, fuels, models
from catalog.filters import DepotFilter

STALE_AFTER = timedelta(days=365)
"""A check older than this should be made again."""

ALIVE = ~Q(publication=models.Depot.Publication.REMOVED)


@dataclass(frozen=True, slots=True)
class Queue:
    """A reason to look at depots. slug: in the address. condition: which ones, on a day; removed ones never are."""

    slug: str
    label: str
    condition: Callable[[date], Q]


def among(keys: Collection[int]) -> Q:
    """Depots of these numbers."""
    return Q(pk__in=bulk.among(keys))


def waiting(_today: date) -> Q:
    """Depots with a request that waits for a decision."""
    return Q(Exists(models.DepotRequest.objects.waiting().filter(depot=OuterRef("pk"))))


QUEUES = (
    Queue("requests", "zgłoszenie czeka", waiting),
    Queue("held", "wstrzymane", lambda _today: Q(publication=models.Depot.Publication.HELD)),
    Queue("never", "nigdy niesprawdzone", lambda _today: Q(verified_at=None)),
    Queue("old", "sprawdzone ponad rok temu", lambda today: Q(verified_at__lt=today - STALE_AFTER)),
    Queue("duplicates", "możliwe powtórzenie", lambda _today: among(findings.duplicates())),
    Queue("outside", "poza swoją gminą", lambda _today: among(findings.current().outside)),
    Queue("nip", "błędny NIP", lambda _today: among(findings.current().bad_nip)),
    Queue("hours", "bez godzin", lambda _today: Q(hours__isnull=True)),
    Queue("review", "z uwagą importu", lambda _today: ~Q(review="")),
)

BY_SLUG = {queue.slug: queue for queue in QUEUES}


@dataclass(frozen=True, slots=True)
class Link:
    """A queue as the list shows it."""

    slug: str
    label: str
    count: int
    chosen: bool


def links(today: date, chosen: str | None) -> list[Link]:
    """Every queue with the number of its depots. One query, and those of `catalog.findings`."""
    counts = models.Depot.objects.filter(ALIVE).aggregate(
        **{queue.slug: Count("pk", filter=queue.condition(today)) for queue in QUEUES}
    )
    return [Link(queue.slug, queue.label, counts[queue.slug], queue.slug == chosen) for queue in QUEUES]


class QueueFilter(admin.SimpleListFilter):
    """The chosen queue. It stands above the list with counts, so the sidebar names it only."""

    title = "do zrobienia"
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(queue.slug, queue.label) for queue in QUEUES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        queue = BY_SLUG.get(self.value() or "")
        return queryset.filter(ALIVE, queue.condition(timezone.localdate())) if queue else queryset


class FuelFilter(admin.SimpleListFilter):
    title = "paliwo"
    parameter_name = "fuel"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return fuels.CHOICES

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        found: QuerySet[models.Depot] = DepotFilter({"fuel": self.value()}, queryset=queryset).qs
        return found


class VoivodeshipFilter(admin.SimpleListFilter):
    title = "województwo"
    parameter_name = "unit"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(models.Voivodeship.objects.order_by("teryt").values_list("teryt", "name"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[models.Depot]) -> QuerySet[models.Depot]:
        found: QuerySet[models.Depot] = DepotFilter({"unit": self.value()}, queryset=queryset).qs
        return found
