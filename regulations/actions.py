"""What editors do to deadlines. The admin calls these; each is one transaction and leaves its author in the history."""

import uuid
from datetime import date
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from catalog.models import Dataset
from fueldepot.data import versions
from regulations.models import Amendment, Deadline, Resolution


class AmendmentHasNoDay(Exception):
    """Without its day of adoption an amendment cannot move a deadline: nobody could say since when."""


class DeadlineNotInForce(Exception):
    """The deadline did not stand in the acts on the day the amendment was adopted."""


class AmendmentOfAnotherVoivodeship(Exception):
    """The amendment belongs to a resolution of another voivodeship."""


@transaction.atomic
def move_deadline(*, deadline: Deadline, to: date, amendment: Amendment, by: AbstractBaseUser) -> Deadline:
    """Move a deadline to another day, from the adoption of an amendment on.

    The old day stays as a row of its own that ends with the adoption, so answers for earlier days keep it. The moved
    row keeps its identity, and calendars move its event. Raises AmendmentHasNoDay, AmendmentOfAnotherVoivodeship and
    DeadlineNotInForce.
    """
    stored = Deadline.objects.select_for_update().get(pk=deadline.pk)
    adopted = amendment.adopted
    if adopted is None:
        raise AmendmentHasNoDay(amendment.pk)
    if amendment.resolution.state_id != stored.state_id:
        raise AmendmentOfAnotherVoivodeship(amendment.pk)
    if not stored.stands_on(adopted) or stored.valid_from == adopted:
        raise DeadlineNotInForce(stored.pk)
    reason = f"zmiana {amendment}"[:100]
    old = Deadline.objects.get(pk=stored.pk)
    old.pk, old.key, old.uid, old._state.adding = None, "", uuid.uuid4(), True
    old.valid_to = adopted
    stored.date, stored.valid_from = to, adopted
    for row in (old, stored):
        save_as(row, by=by, reason=reason)
    tell_of_change()
    return stored


def tell_of_change() -> None:
    """Tell caches that the legal state is another now. Part of the transaction of every change that no import made."""
    versions.bump_version(Dataset.Slug.REGULATIONS, row_count=Resolution.objects.count())


def save_as(row: Any, *, by: AbstractBaseUser | None, reason: str) -> None:
    """Write a row whose history says who did it and why. by: None for an import."""
    row._history_user = by
    row._change_reason = reason
    row.save()
