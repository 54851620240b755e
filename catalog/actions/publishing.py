"""Publishing what was held back or removed; of a merged entry also what had followed it."""

from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from catalog import history
from catalog.actions.merging import FOLLOWERS, move_requests
from catalog.actions.states import (
    PUBLISHING,
    RESTORING,
    DepotIsPublished,
    RestoringNeedsReason,
    lock_depots,
    needs_reason,
    save,
)
from catalog.models import Depot, DepotMerge, DepotRequest


def lock_with_survivor(depot_id: int) -> tuple[Depot, int | None]:
    """Lock a depot, the one that it was merged into, and all that this one absorbed. Returns the first two."""
    while True:
        survivor = Depot.objects.values_list("merged_into", flat=True).get(pk=depot_id)
        family = Depot.objects.filter(merged_into=survivor) if survivor else Depot.objects.none()
        lock_depots(Depot.objects.filter(pk__in=[depot_id, *([survivor] if survivor else [])]) | family)
        stored = Depot.objects.get(pk=depot_id)
        # Another merge may have come before the lock.
        if stored.merged_into_id == survivor:
            return stored, survivor


@transaction.atomic
def publish_depot(*, depot: Depot, on: date, by: AbstractBaseUser | None = None, note: str = "") -> Depot:
    """Publish a depot that was held back, or restore a removed one.

    note: for the history; the reason where `needs_reason`. Raises DepotIsPublished and RestoringNeedsReason.
    Its name counts as confirmed from then on, so that the next import does not hold it back again. One that was merged
    into another stands on its own again, and what followed it then comes back: see `bring_back`.
    """
    stored, survivor = lock_with_survivor(depot.pk)
    if stored.publication == Depot.Publication.PUBLISHED:
        raise DepotIsPublished(stored.pk)
    if needs_reason(stored) and not note.strip():
        raise RestoringNeedsReason(stored.pk)
    said = RESTORING if stored.publication == Depot.Publication.REMOVED else PUBLISHING
    stored.publication = Depot.Publication.PUBLISHED
    stored.removed_at, stored.removal_reason = None, ""
    stored.merged_into = None
    stored.updated_at = on
    stored.review = ""
    stored.confirmed_fields = sorted({*stored.confirmed_fields, "name"})
    save(stored, by=by, reason=f"{said}: {note}" if note else said)
    if survivor:
        bring_back(stored, survivor, by, on)
    return stored


def bring_back(depot: Depot, survivor: int, by: AbstractBaseUser | None, on: date) -> None:
    """Give a depot that was merged what followed it into the survivor, as far as it is still there.

    Requests that an editor has decided since stay: what was decided went into the survivor. So do the values that the
    survivor took over, for a person chose them. Prices come back with what was decided about them, since they were
    paid at this depot. Of a merge that was not remembered nothing comes back.
    """
    merge = DepotMerge.objects.filter(loser=depot).first()
    if merge is None:
        return
    # Another may have absorbed the survivor since, and twins have stayed on the way.
    heirs = [survivor, *Depot.objects.filter(merged_into=survivor).values_list("pk", flat=True)]
    followed = DepotRequest.objects.filter(depot__in=heirs)
    undecided = followed.filter(pk__in=merge.open_requests).exclude(decided_by__isnull=False)
    move_requests(followed.filter(pk__in=merge.closed_requests) | undecided, depot)
    former = list(
        Depot.objects.filter(pk__in=merge.absorbed, merged_into=survivor).order_by("pk").values_list("pk", flat=True)
    )
    Depot.objects.filter(pk__in=former).update(merged_into=depot)
    history.record(Depot, former, by=by, reason=f"wrócono do wpisu {depot.pk}")
    for follower in FOLLOWERS:
        follower.bring_back(merge.followers.get(follower.name, []), heirs, depot.pk, by, on)
    merge.delete()
