"""Undo of bulk decisions about prices, except for prices that were changed again since."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from catalog.models import DepotBatch, Submission
from catalog.services.batches import UNDONE, Undone
from fueldepot.data import history
from fueldepot.data.bulk import among
from prices.models import DepotPrice
from prices.models.depot_prices import DepotPriceQuerySet
from prices.services import record_prices

REJECTED = DepotPrice.Status.REJECTED


def prices_of(batch: DepotBatch) -> DepotPriceQuerySet:
    """Return the prices that a bulk decision changed."""
    keys = list(DepotPrice.history.filter(history_id__in=among(batch.lines)).values_list("id", flat=True))
    return DepotPrice.objects.filter(pk__in=among(keys))


def undo_prices(batch: DepotBatch, by: AbstractBaseUser, on: datetime) -> Undone:
    """Restore the state of the prices of a bulk decision; those of a price list become pending. Ten statements.

    A price decided again since is left alone, as is a rejected one that another price has replaced. Submissions whose
    authors were notified wait for another decision, unless they were erased.
    """
    prices = prices_of(batch)
    list(prices.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    barred = set(prices.filter(_has_successor()).values_list("pk", flat=True))
    lines = DepotPrice.history.filter(history_id__in=among(batch.lines)).exclude(id__in=among(barred))
    counted = prices.approved().count()
    restored = history.restore(DepotPrice, list(lines.values_list("history_id", flat=True)))
    history.record_bulk(DepotPrice, restored, by=by, reason=f"{UNDONE}: {batch.label}")
    record_prices(timezone.localdate(on), approved=prices.approved().count() - counted)
    reopened = _reopen(batch.closed_submissions)
    left = tuple(prices.exclude(pk__in=among(restored)).select_related("depot").order_by("pk"))
    return Undone(len(restored), left, reopened)


def _has_successor() -> Q:
    """Match rejected prices with another of the same depot, fuel, day and origin that is not rejected."""
    place = {name: OuterRef(name) for name in ("depot", "fuel", "day", "origin")}
    return Q(Exists(DepotPrice.objects.filter(**place).exclude(status=REJECTED)), status=REJECTED)


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
