"""Prices follow a depot into the one that absorbs it."""

from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef

from catalog import history
from prices import figures
from prices.models import DepotPrice


def move_prices(loser: int, survivor: int, by: AbstractBaseUser, on: date) -> None:
    """Hand over the prices of a depot, with a line of history each. Four statements, and the figures.

    Where the survivor has a price of the same fuel, day and origin, the loser's stays where it is and does not count:
    its depot is not published any more.
    """
    twin = DepotPrice.objects.filter(
        depot=survivor, fuel=OuterRef("fuel"), day=OuterRef("day"), origin=OuterRef("origin")
    ).exclude(status=DepotPrice.Status.REJECTED)
    rows = (
        DepotPrice.objects.filter(depot=loser).annotate(twin=Exists(twin)).values_list("pk", "fuel", "status", "twin")
    )
    moving = {pk: fuel for pk, fuel, status, has_twin in rows if not has_twin or status == DepotPrice.Status.REJECTED}
    if not moving:
        return
    DepotPrice.objects.filter(pk__in=moving).update(depot=survivor)
    history.record(DepotPrice, moving.keys(), by=by, reason=f"scalono skład {loser} z {survivor}")
    figures.record_prices(set(moving.values()), today=on)
