"""Verification and publication of depots: of one, or of many in a few statements."""

from collections import defaultdict
from collections.abc import Callable, Collection
from datetime import date, datetime
from functools import partial

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from catalog.models import Dataset, Decision, Depot, Submission
from catalog.services import Refusal, journal
from catalog.services.journal import Outcome
from fueldepot.data import history
from fueldepot.data.history import among, lock_rows, locking


class DepotIsErased(Refusal):
    """The row is gone: invented depots are deleted once real ones come, or by a command.

    Forms of the public say so of a held depot, too.
    """

    reason = "tego wpisu już nie ma"


class DepotIsRemoved(Refusal):
    reason = "wpis jest usunięty; najpierw go przywróć"


class DepotIsPublished(Refusal):
    reason = "wpis jest już opublikowany"


class DepotIsUnverified(Refusal):
    reason = "wpis nie ma statusu, który można cofnąć"


class RestoringNeedsReason(Refusal):
    reason = "podaj powód przywrócenia"


class PublishingNeedsReason(Refusal):
    reason = "najpierw opublikuj wpis, z powodem"


RESTORED_WITH_REASON = (Depot.RemovalReason.OWNER, Depot.RemovalReason.CLOSED, Depot.RemovalReason.PRIVATE_PERSON)
"""Removal reasons after which a depot is restored one by one only: an owner's wish, closure, personal data."""

REDRAWN = "przypomina wpis"
"""Begins the remark of an import on an entry that stands where one removed for such a reason stood."""

VERIFYING = "sprawdzono"


def needs_reason(depot: Depot) -> bool:
    """Whether a removed or redrawn depot needs a reason to be published, which excludes it from bulk actions."""
    redrawn = depot.review.startswith(REDRAWN)
    return depot.merged_into_id is not None or depot.removal_reason in RESTORED_WITH_REASON or redrawn


# Why a depot stays as it is, in Polish; "" if it can change. A removed one can be neither removed nor verified.


def why_not_removed(depot: Depot) -> str:
    return "usunięte już wcześniej" if depot.publication == Depot.Publication.REMOVED else ""


def why_not_reset(depot: Depot) -> str:
    return "nieweryfikowane już wcześniej" if depot.data_status == Depot.DataStatus.UNVERIFIED else ""


def why_not_published(depot: Depot) -> str:
    if depot.publication == Depot.Publication.PUBLISHED:
        return "opublikowane już wcześniej"
    if not needs_reason(depot):
        return ""
    removal = depot.get_removal_reason_display() or depot.review
    reason = "scalony z innym wpisem" if depot.merged_into_id else removal
    return f"{reason} (przywróć pojedynczo, z powodem)"


def why_not_verified(depot: Depot) -> str:
    """A withheld one is published thereby."""
    is_published = depot.publication == Depot.Publication.PUBLISHED
    return why_not_removed(depot) or ("" if is_published else why_not_published(depot))


def why_fuels_not_confirmed(depot: Depot) -> str:
    return why_not_removed(depot) or ("" if depot.fuels_by_name else "nie ma paliw według nazwy")


def locked(depot: Depot) -> Depot:
    """Return the stored depot, locked. Raises DepotIsErased."""
    stored = Depot.objects.select_for_update(of=("self",)).filter(pk=depot.pk).first()
    if stored is None:
        raise DepotIsErased(depot.pk)
    return stored


def save(depot: Depot, *, by: AbstractBaseUser | None, reason: str) -> Depot:
    """Save a depot with a history row and bump the version of the data set. Returns it.

    by: None for a command. reason: in Polish, for the history; cut to 100 characters.
    """
    history.save(depot, by=by, reason=reason)
    journal.vouch([depot])
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    return depot


def verify_depot(*, depot: Depot, by: AbstractBaseUser, on: date) -> Depot:
    """Record that an editor verified every public field of a depot, see `verify_depots`.

    Raises DepotIsRemoved, and PublishingNeedsReason for a held one that needs a reason to be published.
    """
    outcome = verify_depots(keys=[depot.pk], by=by, on=on)
    is_held = any(row.publication == Depot.Publication.HELD for row, _ in outcome.unchanged)
    return _changed(depot, outcome, PublishingNeedsReason if is_held else DepotIsRemoved)


def _changed(depot: Depot, outcome: Outcome[Depot], refusal: type[Refusal]) -> Depot:
    """Return a depot as a decision about it alone has left it. Raises the refusal if it did not change."""
    if not outcome.changed:
        raise refusal(depot.pk)
    return outcome.changed[0]


STATUS_COLUMNS = (
    *("data_status", "verified_at", "verified_by", "confirmed_fields", "updated_at"),
    *("publication", "removed_at", "removal_reason", "review"),
)
"""Columns that the functions of this module set, besides the history."""


def set_verified(depot: Depot, *, by: AbstractBaseUser, on: date) -> None:
    """Set what says that an editor verified every public field, without saving. An owner's status stays."""
    if depot.data_status != Depot.DataStatus.OWNER:
        depot.data_status = Depot.DataStatus.VERIFIED
    depot.verified_at, depot.verified_by_id = on, by.pk
    depot.confirm(Depot.CHECKED)
    depot.publication, depot.review = Depot.Publication.PUBLISHED, ""


def set_removed(depot: Depot, reason: Depot.RemovalReason, *, on: date) -> None:
    """Set what says that a depot is removed permanently, without saving."""
    depot.publication, depot.removal_reason = Depot.Publication.REMOVED, reason
    depot.removed_at = depot.updated_at = on


def set_published(depot: Depot, *, on: date) -> str:
    """Publish a held or removed depot without saving it. Returns what was done, in Polish.

    The name counts as confirmed, so the next import does not hold the depot again.
    """
    done = "przywrócono" if depot.publication == Depot.Publication.REMOVED else "opublikowano"
    depot.publication, depot.removed_at, depot.removal_reason = Depot.Publication.PUBLISHED, None, ""
    depot.updated_at, depot.review = on, ""
    depot.confirm(["name"])
    return done


def verify_depots(*, keys: Collection[int], by: AbstractBaseUser, on: date) -> Outcome[Depot]:
    """Record that an editor verified every public field of depots.

    Removed depots stay as they are, as do held ones that need a reason to be published.

    The status of an owner's confirmation is kept. Imports do not change verified fields. A withheld one is published
    thereby.
    """

    def verify(depot: Depot) -> None:
        if depot.publication == Depot.Publication.HELD:
            depot.updated_at = on
        set_verified(depot, by=by, on=on)

    return _decide(Decision.Kind.VERIFY, keys, why_not_verified, verify, by, VERIFYING)


def remove_depots(
    *, keys: Collection[int], reason: Depot.RemovalReason, by: AbstractBaseUser | None, on: date, note: str = ""
) -> Outcome[Depot]:
    """Remove depots permanently: imports do not restore them. Depots that are already removed stay as they are.

    Closes open submissions; the caller has the authors of waiting ones told. note: the reason, for the history and the
    journal; so in the functions below.
    """
    remove, label = partial(set_removed, reason=reason, on=on), f"usunięto: {Depot.RemovalReason(reason).label}"
    return _decide(Decision.Kind.REMOVE, keys, why_not_removed, remove, by, label, note, closing=True)


def reset_depots(*, keys: Collection[int], by: AbstractBaseUser | None, note: str = "") -> Outcome[Depot]:
    """Revoke the verification of depots; imports may then change them. Unverified depots stay as they are."""

    def reset(depot: Depot) -> None:
        depot.data_status, depot.confirmed_fields = Depot.DataStatus.UNVERIFIED, []
        depot.verified_at = depot.verified_by = None
        depot.vouches = frozenset({Depot.NOBODY})

    return _decide(Decision.Kind.VERIFY, keys, why_not_reset, reset, by, "cofnięto do nieweryfikowanych", note)


def publish_depots(*, keys: Collection[int], by: AbstractBaseUser, on: date, note: str = "") -> Outcome[Depot]:
    """Bulk `publish_depot`. Depots that need a reason stay as they are."""
    publish, label = partial(set_published, on=on), "opublikowano lub przywrócono"
    return _decide(Decision.Kind.PUBLISH, keys, why_not_published, publish, by, label, note)


def confirm_fuels(*, keys: Collection[int], by: AbstractBaseUser) -> Outcome[Depot]:
    """Confirm the fuels of depots as shown, including those that only the name states.

    They count as set by a person from then on; the data status stays. Depots without fuels by name stay as they are.
    """

    def confirm(depot: Depot) -> str:
        depot.confirm(["fuels"])
        return "potwierdzono paliwa według nazwy"

    return _decide(Decision.Kind.VERIFY, keys, why_fuels_not_confirmed, confirm, by, "potwierdzono paliwa")


@transaction.atomic
def _decide(
    kind: Decision.Kind,
    keys: Collection[int],
    obstacle: Callable[[Depot], str],
    change: Callable[[Depot], str | None],
    by: AbstractBaseUser | None,
    label: str,
    note: str = "",
    *,
    closing: bool = False,
) -> Outcome[Depot]:
    """Change all depots without an obstacle: lock, update, history, journal, version.

    One statement for 1000 depots, else their number is constant. change: sets `STATUS_COLUMNS`, and returns the
    reason for the history, None for the label. label: of the decision. closing: whether to close open submissions, see
    `close_submissions`.
    """
    changing: defaultdict[str, list[int]] = defaultdict(list)
    changed, unchanged = [], []
    for depot in locking(Depot.objects.filter(pk__in=among(keys))):
        if why := obstacle(depot):
            unchanged.append((depot, why))
        else:
            changing[change(depot) or label].append(depot.pk)
            changed.append(depot)
    if not changed:
        return Outcome((), unchanged)
    now = timezone.now()
    title = journal.titled(label, [depot.name for depot in changed])
    with journal.recording(kind, by=by, on=now, title=title, reason=note) as record:
        history.upsert(changed, STATUS_COLUMNS)
        journal.vouch(changed)
        for reason, some in changing.items():
            history.record_bulk(Depot, some, by=by, reason=with_note(reason, note))
        if closing:
            close_submissions([depot.pk for depot in changed], record, now)
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    return Outcome(changed, unchanged, record.decision)


def with_note(words: str, note: str) -> str:
    return f"{words}: {note}" if note else words


def close_submissions(depots: Collection[int], record: journal.Recording, on: datetime) -> None:
    """Close open submissions about removed depots. Authors of waiting ones are to be told, which the caller starts.

    record: of the decision, which concerns all of them. Two statements. The depots are locked already.
    """
    keys = lock_rows(Submission.objects.open().filter(depot__in=among(depots)))
    pending = Case(When(state=Submission.State.WAITING, then=Value(True)), default=F("notification_pending"))
    Submission.objects.filter(pk__in=keys).update(
        state=Submission.State.SUPERSEDED, decided_at=on, notification_pending=pending
    )
    record.concern(Submission, keys)


def remove_depot(
    *, depot: Depot, reason: Depot.RemovalReason, on: date, by: AbstractBaseUser | None = None, note: str = ""
) -> Depot:
    """Remove a depot permanently, see `remove_depots`. Raises DepotIsRemoved."""
    return _changed(depot, remove_depots(keys=[depot.pk], reason=reason, by=by, on=on, note=note), DepotIsRemoved)


def revoke_verification(*, depot: Depot, by: AbstractBaseUser | None = None) -> Depot:
    """Revoke the verification of a depot, see `reset_depots`. Raises DepotIsUnverified."""
    return _changed(depot, reset_depots(keys=[depot.pk], by=by), DepotIsUnverified)
