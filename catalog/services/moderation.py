"""Verification and publication of depots: of one, or of many in a constant number of statements."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Case, CharField, F, Func, Value, When
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
PUBLISHING = "opublikowano"
RESTORING = "przywrócono"


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
    depot._history_user = by  # type: ignore[attr-defined] # both are read by simple-history
    depot._change_reason = reason[:100]  # type: ignore[attr-defined]
    depot.save()
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
    return Depot.objects.get(pk=depot.pk)


def set_verified(depot: Depot, *, by: AbstractBaseUser, on: date) -> None:
    """Set what `verify_depots` sets, without saving."""
    if depot.data_status != Depot.DataStatus.OWNER:
        depot.data_status = Depot.DataStatus.VERIFIED
    for name, value in _verification(by, on).items():
        setattr(depot, name, value)


def _verification(by: AbstractBaseUser, on: date) -> dict[str, Any]:
    """Return the columns of a verified depot besides `data_status`."""
    return {
        "publication": Depot.Publication.PUBLISHED,
        "verified_at": on,
        "verified_by_id": by.pk,
        "confirmed_fields": list(Depot.PUBLIC_FIELDS),
        "review": "",
    }


def verify_depots(*, keys: Collection[int], by: AbstractBaseUser, on: date) -> Outcome[Depot]:
    """Record that an editor verified every public field of depots.

    Removed depots stay as they are, as do held ones that need a reason to be published.

    The status of an owner's confirmation is kept. Imports do not change verified fields. A withheld one is published
    thereby. The number of statements is constant.
    """
    status = Case(
        When(data_status=Depot.DataStatus.OWNER, then=F("data_status")), default=Value(Depot.DataStatus.VERIFIED.value)
    )
    day = Case(When(publication=Depot.Publication.HELD, then=Value(on)), default=F("updated_at"))
    values = {"data_status": status, "updated_at": day} | _verification(by, on)
    return _decide(Decision.Kind.VERIFY, keys, why_not_verified, values, by, VERIFYING)


def remove_depots(
    *, keys: Collection[int], reason: Depot.RemovalReason, by: AbstractBaseUser | None, on: date, note: str = ""
) -> Outcome[Depot]:
    """Remove depots permanently: imports do not restore them. Depots that are already removed stay as they are.

    Closes open submissions; the caller has the authors of waiting ones told. note: the reason, for the history and the
    journal; so in the functions below.
    """
    removed = Depot.Publication.REMOVED
    values = {"publication": removed, "removed_at": on, "updated_at": on, "removal_reason": reason}
    label = f"usunięto: {Depot.RemovalReason(reason).label}"
    return _decide(Decision.Kind.REMOVE, keys, why_not_removed, values, by, label, note, closing=True)


def reset_depots(*, keys: Collection[int], by: AbstractBaseUser | None, note: str = "") -> Outcome[Depot]:
    """Revoke the verification of depots; imports may then change them. Unverified depots stay as they are."""
    status = Depot.DataStatus.UNVERIFIED
    values: dict[str, Any] = {"data_status": status, "verified_at": None, "verified_by": None, "confirmed_fields": []}
    return _decide(Decision.Kind.VERIFY, keys, why_not_reset, values, by, "cofnięto do nieweryfikowanych", note)


def publish_depots(*, keys: Collection[int], by: AbstractBaseUser, on: date, note: str = "") -> Outcome[Depot]:
    """Bulk `publish_depot`. Depots that need a reason stay as they are."""
    published = {"publication": Depot.Publication.PUBLISHED, "removed_at": None, "removal_reason": ""}
    values = published | {"updated_at": on, "review": "", "confirmed_fields": confirmed_with("name")}
    label = "opublikowano lub przywrócono"
    return _decide(Decision.Kind.PUBLISH, keys, why_not_published, values, by, label, note, words_of=publishing_word)


def publishing_word(depot: Depot) -> str:
    return RESTORING if depot.publication == Depot.Publication.REMOVED else PUBLISHING


def confirm_fuels(*, keys: Collection[int], by: AbstractBaseUser) -> Outcome[Depot]:
    """Confirm the fuels of depots as shown, including those that only the name states.

    They count as set by a person from then on; the data status stays. Depots without fuels by name stay as they are.
    """
    values = {"confirmed_fields": confirmed_with("fuels")}
    label, words = "potwierdzono paliwa", "potwierdzono paliwa według nazwy"
    return _decide(Decision.Kind.VERIFY, keys, why_fuels_not_confirmed, values, by, label, words_of=lambda _: words)


def confirmed_with(field: str) -> Case:
    name = Value(field, output_field=CharField(max_length=30))
    names = Depot._meta.get_field("confirmed_fields")
    added = Func(F("confirmed_fields"), name, function="array_append", output_field=names)
    return Case(When(confirmed_fields__contains=[field], then=F("confirmed_fields")), default=added)


@transaction.atomic
def _decide(
    kind: Decision.Kind,
    keys: Collection[int],
    obstacle: Callable[[Depot], str],
    values: Mapping[str, Any],
    by: AbstractBaseUser | None,
    label: str,
    note: str = "",
    *,
    words_of: Callable[[Depot], str] | None = None,
    closing: bool = False,
) -> Outcome[Depot]:
    """Set the same values on all depots without an obstacle: lock, update, history, journal, version.

    label: of the decision. words_of: reason for the history by the former state of a depot, if it is not the label.
    closing: whether to close open submissions, see `close_submissions`.
    """
    changing: defaultdict[str, list[int]] = defaultdict(list)
    changed, unchanged = [], []
    for depot in locking(Depot.objects.filter(pk__in=among(keys))):
        if why := obstacle(depot):
            unchanged.append((depot, why))
        else:
            changed.append(depot)
            changing[words_of(depot) if words_of else label].append(depot.pk)
    if not changed:
        return Outcome((), unchanged)
    now, numbers = timezone.now(), [depot.pk for depot in changed]
    title = journal.titled(label, [depot.name for depot in changed])
    with journal.recording(kind, by=by, on=now, title=title, reason=note) as record:
        Depot.objects.filter(pk__in=among(numbers)).update(**values)
        for words, some in changing.items():
            history.record_bulk(Depot, some, by=by, reason=with_note(words, note))
        if closing:
            close_submissions(numbers, record, now)
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
