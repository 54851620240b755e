"""What the catalog calls when depots are merged, restored or erased, and when a bulk decision is undone."""

from collections.abc import Collection
from datetime import date, datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from catalog.importers.runner import record_change
from catalog.models import Dataset, DepotBatch, Submission
from catalog.services.batches import UNDONE, Undone
from fueldepot.data import history
from fueldepot.data.bulk import among
from prices.models import DepotPrice, DepotPriceQuerySet
from prices.offers import lock_depots_of, update_offers
from prices.services import PRICE_LIST, PUBLISHER, record_prices, withdraw_price_list


def move_prices(loser: int, survivor: int, by: AbstractBaseUser, on: date) -> list[int]:
    """Move the prices of a merged depot to the survivor. Returns their ids.

    A price stays where the survivor has one of the same fuel, day and origin. It no longer counts, since its depot is
    not published.
    """
    return _hand_over(DepotPrice.objects.filter(depot=loser), survivor, f"scalono skład {loser} z {survivor}", by, on)


def bring_prices_back(
    numbers: Collection[int], heirs: Collection[int], depot: int, by: AbstractBaseUser | None, on: date
) -> None:
    """Move prices back to a restored depot. numbers: ids of the prices. heirs: depots that may hold them now."""
    rows = DepotPrice.objects.filter(pk__in=numbers, depot__in=heirs)
    _hand_over(rows, depot, f"przywrócono skład {depot}", by, on)


def count_prices(depots: Collection[int]) -> int:
    """Return the number of approved and pending prices of some depots. One query."""
    return DepotPrice.objects.filter(depot__in=among(depots)).exclude(status=DepotPrice.Status.REJECTED).count()


def _hand_over(rows: QuerySet[DepotPrice], to: int, reason: str, by: AbstractBaseUser | None, on: date) -> list[int]:
    """Move prices to a depot, except those it has already, with a line of history each. Returns the ids of moved ones.

    Four statements, one of which bumps the version of the data set.
    """
    twin = DepotPrice.objects.filter(
        depot=to, fuel=OuterRef("fuel"), day=OuterRef("day"), origin=OuterRef("origin")
    ).exclude(status=DepotPrice.Status.REJECTED)
    found = rows.annotate(twin=Exists(twin)).values_list("pk", "status", "twin")
    moving = [pk for pk, status, has_twin in found if not has_twin or status == DepotPrice.Status.REJECTED]
    if moving:
        DepotPrice.objects.filter(pk__in=moving).update(depot=to)
        history.record_bulk(DepotPrice, moving, by=by, reason=reason)
        record_prices(on)
    return moving


def recount_prices() -> None:
    """Record the number of remaining prices, after demonstration depots were deleted with theirs. Two queries."""
    record_change(Dataset.Slug.PRICES, {PUBLISHER: None}, model=DepotPrice)


def prices_of(batch: DepotBatch) -> DepotPriceQuerySet:
    """Return the prices that a bulk decision changed."""
    keys = list(DepotPrice.history.filter(history_id__in=among(batch.lines)).values_list("id", flat=True))
    return DepotPrice.objects.filter(pk__in=among(keys))


def undo_prices(batch: DepotBatch, by: AbstractBaseUser, on: datetime) -> Undone:
    """Restore the state of the prices of a bulk decision; those of a price list are withdrawn. Ten statements.

    A price decided again since is left alone, as is a rejected one that another price has replaced. Submissions whose
    authors were notified wait for another decision, unless they were erased.
    """
    prices = prices_of(batch)
    if batch.label == PRICE_LIST:
        withdrawn = withdraw_price_list(batch=batch, by=by, on=on)
        left = tuple(prices.exclude(pk__in=among(withdrawn)).select_related("depot").order_by("pk"))
        return Undone(len(withdrawn), left, 0)
    lock_depots_of(prices.values_list("pk", flat=True))
    list(prices.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    barred = set(prices.filter(_has_successor()).values_list("pk", flat=True))
    lines = DepotPrice.history.filter(history_id__in=among(batch.lines)).exclude(id__in=among(barred))
    counted = prices.approved().count()
    restored = history.restore(DepotPrice, list(lines.values_list("history_id", flat=True)))
    history.record_bulk(DepotPrice, restored, by=by, reason=f"{UNDONE}: {batch.label}")
    record_prices(timezone.localdate(on), approved=prices.approved().count() - counted)
    update_offers(restored, by=by, on=on, reason=UNDONE)
    reopened = _reopen(batch.closed_submissions)
    left = tuple(prices.exclude(pk__in=among(restored)).select_related("depot").order_by("pk"))
    return Undone(len(restored), left, reopened)


def _has_successor() -> Q:
    """Match rejected prices with another of the same depot, fuel, day and origin that is not rejected."""
    place = {name: OuterRef(name) for name in ("depot", "fuel", "day", "origin")}
    return Q(
        Exists(DepotPrice.objects.filter(**place).exclude(status=DepotPrice.Status.REJECTED)),
        status=DepotPrice.Status.REJECTED,
    )


def _reopen(numbers: list[int]) -> int:
    """Reopen the submissions that have a pending price again. Returns their number. At most two statements."""
    if not numbers:
        return 0
    found = Submission.objects.filter(pk__in=numbers, erased_at__isnull=True, answered_at__isnull=False)
    pending = DepotPrice.objects.pending().values("submission")
    rows = list(found.filter(pk__in=pending).select_for_update(of=("self",)).order_by("pk"))
    for row in rows:
        row.answered_at, row.notification_pending = None, False
        row.proposed = {name: value for name, value in row.proposed.items() if name != "outcomes"}
    Submission.objects.bulk_update(rows, ["answered_at", "notification_pending", "proposed"], batch_size=500)
    return len(rows)
