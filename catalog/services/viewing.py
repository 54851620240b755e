"""Marks of editors who have a depot open at the desk, to warn a second editor."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from catalog.models import Depot, DepotViewer

HOLDS = timedelta(seconds=90)
"""Lifetime of a mark: three signals of the page."""


@transaction.atomic
def mark_viewing(*, depot: Depot, by: AbstractBaseUser, on: datetime) -> list[str]:
    """Record that an editor has a depot open. Returns the names of the others. Deletes expired marks."""
    DepotViewer.objects.filter(seen_at__lt=on - HOLDS).delete()
    DepotViewer.objects.update_or_create(depot=depot, user_id=by.pk, defaults={"seen_at": on})
    return find_viewers(depot, besides=by, on=on)


def find_viewers(depot: Depot, *, besides: AbstractBaseUser, on: datetime) -> list[str]:
    """Return the names of other editors who have a depot open. One query."""
    rows = DepotViewer.objects.filter(depot=depot, seen_at__gte=on - HOLDS).exclude(user_id=besides.pk)
    return list(rows.order_by("user__username").values_list("user__username", flat=True))
