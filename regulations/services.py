"""Write operations on the legal state, for the admin and the import."""

import uuid
from datetime import date
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Model

from catalog import versions
from catalog.models import Dataset
from catalog.services import journal
from catalog.services.journal import Undoing
from regulations.models import Amendment, Deadline, Resolution


class AmendmentHasNoDay(Exception):
    """The amendment has no day of adoption, from which the moved deadline would count."""


class DeadlineNotInForce(Exception):
    """The amendment cannot move the deadline, see `Deadline.can_move_on`."""


class AmendmentOfAnotherVoivodeship(Exception):
    """The amendment belongs to a resolution of another voivodeship."""


@transaction.atomic
def move_deadline(
    *, deadline: Deadline, to: date, amendment: Amendment, by: AbstractBaseUser, note: str = ""
) -> Deadline:
    """Move a deadline to another day, effective from the adoption of an amendment.

    A copy of the row keeps the old day and ends with the adoption, so that responses for earlier days stay the same.
    The moved row keeps its UID, so that calendars move its event. note: for the history, beside the amendment.
    Raises AmendmentHasNoDay, AmendmentOfAnotherVoivodeship and DeadlineNotInForce.
    """
    stored = Deadline.objects.select_for_update().get(pk=deadline.pk)
    adopted = amendment.adopted
    if adopted is None:
        raise AmendmentHasNoDay(amendment.pk)
    if amendment.resolution.state_id != stored.state_id:
        raise AmendmentOfAnotherVoivodeship(amendment.pk)
    if not stored.can_move_on(adopted):
        raise DeadlineNotInForce(stored.pk)
    reason = (f"zmiana {amendment}: {note}" if note else f"zmiana {amendment}")[:100]
    old = Deadline.objects.get(pk=stored.pk)
    old.pk, old.key, old.uid, old._state.adding = None, "", uuid.uuid4(), True
    old.valid_to = adopted
    stored.date, stored.valid_from = to, adopted
    for row in (old, stored):
        save_as(row, by=by, reason=reason)
    record_change()
    return stored


def undo_rows(model: type[Model], undoing: Undoing) -> None:
    """Bring the rows of a model back as they were before a decision."""
    journal.restore_rows(model, undoing)
    record_change()


def record_change() -> None:
    """Bump the version of the data set, in the transaction of the change. Imports do so by their runner."""
    versions.bump_version(Dataset.Slug.REGULATIONS, row_count=Resolution.objects.count())


def save_as(row: Any, *, by: AbstractBaseUser | None, reason: str) -> None:
    """Save a row with author and reason in its history. by: None for an import."""
    row._history_user = by
    row._change_reason = reason
    row.save()
