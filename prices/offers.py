"""The offers of depots follow the published prices: a price adds its fuel, its last withdrawal takes it back."""

from collections import defaultdict
from collections.abc import Collection
from datetime import date, datetime

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from catalog.models import Depot
from catalog.services.moderation import lock_depots
from catalog.services.publishing import add_fuels, take_fuels_back
from fueldepot.data.bulk import among
from prices.models import DepotPrice


def lock_depots_of(keys: Collection[int]) -> None:
    """Lock the depots of prices, by their ids. Everything that locks both locks the depots first. One query."""
    lock_depots(Depot.objects.filter(pk__in=DepotPrice.objects.filter(pk__in=among(keys)).values("depot")))


def update_offers(keys: Collection[int], *, by: AbstractBaseUser | None, on: datetime, reason: str = "") -> None:
    """Bring the offers in line with prices that have just been decided. keys: ids of the prices.

    The number of statements does not depend on that of prices. reason: for the history.
    """
    stated: defaultdict[int, dict[str, date]] = defaultdict(dict)
    unpriced: defaultdict[int, set[str]] = defaultdict(set)
    columns = ("depot", "fuel", "status", "day")
    for depot, fuel, status, day in DepotPrice.objects.filter(pk__in=among(keys)).values_list(*columns):
        if status == DepotPrice.Status.APPROVED:
            stated[depot][fuel] = max(day, stated[depot].get(fuel, day))
        else:
            unpriced[depot].add(fuel)
    if unpriced:
        approved = DepotPrice.objects.approved().filter(depot__in=among(unpriced))
        for depot, fuel in approved.values_list("depot", "fuel").distinct():
            unpriced[depot].discard(fuel)
    day = timezone.localdate(on)
    if stated:
        add_fuels(stated, by=by, on=day, reason=reason)
    if unpriced:
        take_fuels_back(unpriced, by=by, on=day, reason=reason)
