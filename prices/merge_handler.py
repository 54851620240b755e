"""Moves the prices of merged depots to the survivor, and back."""

from collections.abc import Collection
from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, QuerySet

from fueldepot.data import history
from fueldepot.data.bulk import among
from prices.models import DepotPrice
from prices.services import record_prices


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
    found = rows.annotate(twin=Exists(twin)).values_list("pk", "fuel", "status", "twin")
    moving = {pk: fuel for pk, fuel, status, has_twin in found if not has_twin or status == DepotPrice.Status.REJECTED}
    if moving:
        DepotPrice.objects.filter(pk__in=moving).update(depot=to)
        history.record_bulk(DepotPrice, moving.keys(), by=by, reason=reason)
        record_prices(on)
    return list(moving)
