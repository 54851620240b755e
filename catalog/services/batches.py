"""Undo of bulk decisions, except for rows that were changed again since."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Model

from catalog import versions
from catalog.models import Dataset, Depot, DepotBatch, Submission
from catalog.services.moderation import lock_depots
from fueldepot.data import history
from fueldepot.data.bulk import among

UNDONE = "cofnięto decyzję"
"""Prefix of the reason in history rows that undo a bulk decision."""

FOLLOWING = ("updated_at", "confirmed_fields")
"""Columns that are restored where they are unchanged since, and never prevent restoring the others."""


class BatchAlreadyUndone(Exception):
    """The bulk decision was undone before."""


@dataclass(frozen=True, slots=True)
class Undone:
    """Result of undoing a bulk decision.

    restored: number of restored rows. changed_since: rows that were changed again since and stay as they are.
    reopened: number of submissions that wait again.
    """

    restored: int
    changed_since: tuple[Model, ...]
    reopened: int


@transaction.atomic
def undo_batch(*, batch: DepotBatch, by: AbstractBaseUser, on: datetime) -> Undone:
    """Undo a bulk decision with the handler of its subject. Raises BatchAlreadyUndone."""
    stored = DepotBatch.objects.select_for_update(of=("self",)).get(pk=batch.pk)
    if stored.undone_at is not None:
        raise BatchAlreadyUndone(stored.pk)
    undone = BATCH_HANDLERS[stored.about](stored, by, on)
    stored.undone_at, stored.undone_by_id = on, by.pk
    stored.save(update_fields=["undone_at", "undone_by"])
    return undone


def undo_depots(batch: DepotBatch, by: AbstractBaseUser, on: datetime) -> Undone:
    """Restore the values that a bulk decision changed. Seven statements, however many depots.

    A depot whose changed values were changed again since is left alone. Submissions closed by the decision wait again,
    unless their author has sent the same anew or was erased.
    """
    keys = list(Depot.history.filter(history_id__in=among(batch.lines)).values_list("id", flat=True))
    depots = Depot.objects.filter(pk__in=among(keys))
    lock_depots(depots)
    restored = history.restore(Depot, batch.lines, following=FOLLOWING)
    history.record_bulk(Depot, restored, by=by, reason=f"{UNDONE}: {batch.label}")
    reopened = reopen_submissions(batch.closed_submissions, restored)
    versions.bump_version(Dataset.Slug.DEPOTS)
    left = tuple(depots.exclude(pk__in=among(restored)).order_by("pk").only("name", "publication"))
    return Undone(len(restored), left, reopened)


def reopen_submissions(numbers: list[int], depots: list[int]) -> int:
    """Reopen submissions about restored depots. Returns their number. Two statements, none without submissions."""
    if not numbers:
        return 0
    rows = Submission.objects.filter(
        pk__in=numbers, depot__in=among(depots), state=Submission.State.SUPERSEDED, erased_at__isnull=True
    )
    key = ("depot", "kind", "subject", "email_hash")
    waiting = Submission.objects.waiting().exclude(kind=Submission.Kind.CORRECT)
    standing = set(waiting.filter(depot__in=among(depots)).values_list(*key))
    found = rows.select_for_update(of=("self",)).order_by("pk").values_list("pk", *key)
    again = [pk for pk, *said in found if tuple(said) not in standing]
    return Submission.objects.filter(pk__in=again).update(
        state=Submission.State.WAITING, decided_at=None, notification_pending=False
    )


BATCH_HANDLERS: dict[str, Callable[[DepotBatch, AbstractBaseUser, datetime], Undone]] = {
    DepotBatch.About.DEPOTS: undo_depots
}
"""Undo handlers by the subject of a bulk decision; other apps register theirs in `AppConfig.ready`."""
