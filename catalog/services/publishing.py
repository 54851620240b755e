"""Publishing of held or removed depots; for a merged one also the return of its related rows."""

from datetime import date

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from catalog.models import Decision, Depot, Submission
from catalog.services import journal
from catalog.services.followers import FOLLOWERS
from catalog.services.merging import move_submissions
from catalog.services.moderation import (
    PUBLISHING,
    RESTORING,
    DepotIsPublished,
    RestoringNeedsReason,
    lock_depots,
    needs_reason,
    save,
    with_note,
)
from fueldepot.data import history


def lock_with_survivor(depot_id: int) -> tuple[Depot, int | None]:
    """Lock a depot, its survivor, and all depots that this one absorbed. Returns depot and id of the survivor."""
    while True:
        survivor = Depot.objects.values_list("merged_into", flat=True).get(pk=depot_id)
        family = Depot.objects.filter(merged_into=survivor) if survivor else Depot.objects.none()
        lock_depots(Depot.objects.filter(pk__in=[depot_id, *([survivor] if survivor else [])]) | family)
        stored = Depot.objects.get(pk=depot_id)
        # It may have been merged before the lock was acquired.
        if stored.merged_into_id == survivor:
            return stored, survivor


@transaction.atomic
def publish_depot(*, depot: Depot, on: date, by: AbstractBaseUser | None = None, note: str = "") -> Depot:
    """Publish a held depot, or restore a removed one.

    note: for the history; the reason if `needs_reason`. Raises DepotIsPublished and RestoringNeedsReason.

    The name counts as confirmed, so the next import does not hold the depot again. A merged depot becomes independent
    again; see `bring_back` for its related rows.
    """
    if depot.merged_into_id is not None:
        # Undoing the merge locks the decision first, too.
        list(Decision.objects.select_for_update(of=("self",)).filter(_is_merge_of(depot)).values_list("pk"))
    stored, survivor = lock_with_survivor(depot.pk)
    if stored.publication == Depot.Publication.PUBLISHED:
        raise DepotIsPublished(stored.pk)
    if needs_reason(stored) and not note.strip():
        raise RestoringNeedsReason(stored.pk)
    done = RESTORING if stored.publication == Depot.Publication.REMOVED else PUBLISHING
    stored.publication = Depot.Publication.PUBLISHED
    stored.removed_at, stored.removal_reason = None, ""
    stored.merged_into = None
    stored.updated_at = on
    stored.review = ""
    stored.confirmed_fields = sorted({*stored.confirmed_fields, "name"})
    with journal.recording(Decision.Kind.PUBLISH, by=by, title=journal.titled(done, [stored.name]), reason=note):
        save(stored, by=by, reason=with_note(done, note))
        if survivor:
            bring_back(stored, survivor, by, on)
    return stored


def find_merge(depot: Depot) -> Decision | None:
    """Return the decision that merged a depot into another, None if it was not recorded. One query."""
    return Decision.objects.filter(_is_merge_of(depot)).order_by("-pk").first()


def _is_merge_of(depot: Depot) -> Q:
    return Q(kind=Decision.Kind.MERGE, undone_at=None, details__loser=depot.pk)


def bring_back(depot: Depot, survivor: int, by: AbstractBaseUser | None, on: date) -> None:
    """Move back the rows that moved to the survivor of a merge, as far as they still exist.

    Submissions that an editor has decided since stay with the survivor, as do field values that it took over. Prices
    move back with their decisions, since they were paid at this depot. Nothing moves back if the merge was not
    recorded.
    """
    merge = find_merge(depot)
    if merge is None:
        return
    moved = merge.details
    # The survivor may have been merged itself since; equal rows stayed at depots in between.
    heirs = [survivor, *Depot.objects.filter(merged_into=survivor).values_list("pk", flat=True)]
    followed = Submission.objects.filter(depot__in=heirs)
    undecided = followed.filter(pk__in=moved["open_submissions"]).exclude(decided_by__isnull=False)
    move_submissions(followed.filter(pk__in=moved["closed_submissions"]) | undecided, depot)
    former = list(
        Depot.objects.filter(pk__in=moved["absorbed"], merged_into=survivor).order_by("pk").values_list("pk", flat=True)
    )
    Depot.objects.filter(pk__in=former).update(merged_into=depot)
    history.record_bulk(Depot, former, by=by, reason=f"wrócono do wpisu {depot.pk}")
    for follower in FOLLOWERS:
        follower.bring_back(moved["followers"].get(follower.name, []), heirs, depot.pk, by, on)
    Decision.objects.filter(pk=merge.pk).update(undone_at=timezone.now(), undone_by=by)
