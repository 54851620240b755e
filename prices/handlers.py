"""What the catalog calls when depots are merged, restored or erased, and when a decision is undone."""

from collections.abc import Collection
from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from catalog.importers.runner import record_change
from catalog.models import Dataset, Decision, Submission
from catalog.services import journal
from catalog.services.journal import UNDONE, Undoing
from catalog.services.undoing import reopen, store_reopened
from fueldepot.data import history
from fueldepot.data.bulk import among
from prices.models import DepotPrice, PlausibleRange
from prices.offers import lock_depots_of, update_offers
from prices.services import PUBLISHER, WITHDRAWN, record_prices, withdraw_added


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


def undo_prices(undoing: Undoing) -> None:
    """Restore the state of the prices of a decision; those that it added are withdrawn. A dozen statements.

    A price decided again since is left alone, as is a rejected one that another price has replaced. Submissions whose
    authors were notified wait for another decision, unless they were erased.
    """
    by, on = undoing.by, undoing.on
    spans = undoing.spans(DepotPrice)
    prices = DepotPrice.objects.filter(pk__in=among(spans))
    lock_depots_of(prices.values_list("pk", flat=True))
    list(prices.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    firsts = DepotPrice.history.filter(
        history_id__in=among([span.first for span in spans.values()]), history_type=history.CREATED
    )
    added = set(firsts.values_list("id", flat=True))
    reason = WITHDRAWN if undoing.decision.kind == Decision.Kind.PRICE_LIST else UNDONE
    lines = {key: spans[key].last for key in added}
    restored = withdraw_added(lines=lines, reason=reason, by=by, on=on) if added else []
    undoing.restored += len(restored)
    if len(added) < len(spans):
        barred = set(prices.filter(_has_successor()).values_list("pk", flat=True))
        changed = [span for key, span in spans.items() if key not in barred and key not in added]
        counted = prices.approved().count()
        again = history.restore(DepotPrice, changed)
        history.record_bulk(DepotPrice, again, by=by, reason=undoing.reason)
        record_prices(timezone.localdate(on), approved=prices.approved().count() - counted)
        update_offers(again, by=by, on=on, reason=UNDONE)
        undoing.restored += len(again)
        restored += again
        _reopen(undoing)
    undoing.left += prices.exclude(pk__in=among(restored)).select_related("depot").order_by("pk")


def _has_successor() -> Q:
    """Match rejected prices with another of the same depot, fuel, day and origin that is not rejected."""
    place = {name: OuterRef(name) for name in ("depot", "fuel", "day", "origin")}
    return Q(
        Exists(DepotPrice.objects.filter(**place).exclude(status=DepotPrice.Status.REJECTED)),
        status=DepotPrice.Status.REJECTED,
    )


def _reopen(undoing: Undoing) -> None:
    """Reopen the submissions that have a pending price again. At most three statements."""
    answered = Submission.objects.filter(erased_at__isnull=True, answered_at__isnull=False)
    pending = DepotPrice.objects.pending().values("submission")
    found = answered.filter(pk__in=undoing.keys(Submission)).filter(pk__in=pending)
    rows = list(found.select_for_update(of=("self",)).order_by("pk"))
    for row in rows:
        reopen(row)
        row.answered_at = None
        row.proposed = {name: value for name, value in row.proposed.items() if name != "outcomes"}
    store_reopened(rows, undoing)


def undo_ranges(undoing: Undoing) -> None:
    """Restore plausible ranges."""
    journal.restore_rows(PlausibleRange, undoing)
    record_prices(timezone.localdate(undoing.on))
