"""Prices follow a depot into the one that absorbs it, and back."""

from collections.abc import Collection
from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, QuerySet

from catalog import history
from catalog.bulk import among
from prices.actions import record_prices
from prices.models import DepotPrice


def move_prices(loser: int, survivor: int, by: AbstractBaseUser, on: date) -> list[int]:
    """Hand over the prices of a depot. Returns their numbers.

    Where the survivor has a price of the same fuel, day and origin, the loser's stays where it is and does not count:
    its depot is not published any more.
    """
    return _hand_over(DepotPrice.objects.filter(depot=loser), survivor, f"scalono skład {loser} z {survivor}", by, on)


def bring_prices_back(
    numbers: Collection[int], heirs: Collection[int], depot: int, by: AbstractBaseUser | None, on: date
) -> None:
    """Give a depot its prices back, whichever of the heirs has them."""
    rows = DepotPrice.objects.filter(pk__in=numbers, depot__in=heirs)
    _hand_over(rows, depot, f"przywrócono skład {depot}", by, on)


def count_prices(depots: Collection[int]) -> int:
    """How many prices of some depots count or wait for a decision. One query."""
    return DepotPrice.objects.filter(depot__in=among(depots)).exclude(status=DepotPrice.Status.REJECTED).count()


def _hand_over(rows: QuerySet[DepotPrice], to: int, reason: str, by: AbstractBaseUser | None, on: date) -> list[int]:
    """Give prices to a depot, with a line of history each, but for those whose like it has. Returns their numbers.

    Four statements, and the version of the data set.
    """
    twin = DepotPrice.objects.filter(
        depot=to, fuel=OuterRef("fuel"), day=OuterRef("day"), origin=OuterRef("origin")
    ).exclude(status=DepotPrice.Status.REJECTED)
    found = rows.annotate(twin=Exists(twin)).values_list("pk", "fuel", "status", "twin")
    moving = {pk: fuel for pk, fuel, status, has_twin in found if not has_twin or status == DepotPrice.Status.REJECTED}
    if moving:
        DepotPrice.objects.filter(pk__in=moving).update(depot=to)
        history.record(DepotPrice, moving.keys(), by=by, reason=reason)
        record_prices(on)
    return list(moving)
