"""The state of an entry, checked or not, published or removed: of one depot, or of many in as many statements."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Case, CharField, F, Func, Q, QuerySet, Value, When

from catalog import history
from catalog.bulk import among
from catalog.models import Dataset, Depot, DepotMerge, DepotRequest, DistinctPair
from fueldepot.data import versions


class DepotIsRemoved(Exception):
    """A removed depot cannot be verified or removed again; restore it first."""


class DepotIsPublished(Exception):
    """The depot is public already."""


class DepotIsUnverified(Exception):
    """There is no status to take back."""


class RestoringNeedsReason(Exception):
    """A depot removed at its owner's request, merged, closed or a private person's comes back with a reason only."""


RESTORED_WITH_REASON = frozenset(
    {Depot.RemovalReason.OWNER, Depot.RemovalReason.CLOSED, Depot.RemovalReason.PRIVATE_PERSON}
)
"""Somebody's wish, the end of the depot, personal data: what was removed for these is restored one by one."""

VERIFYING = "sprawdzono"
RESETTING = "cofnięto do nieweryfikowanych"
PUBLISHING = "opublikowano"
RESTORING = "przywrócono"


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of many depots at once: how many were changed, and those whose state did not allow it."""

    count: int
    unchanged: tuple[Depot, ...]


def needs_reason(depot: Depot) -> bool:
    """Whether a removed depot is restored with a reason only, and never in bulk."""
    return depot.merged_into_id is not None or depot.removal_reason in RESTORED_WITH_REASON


def why_not_removed(depot: Depot) -> str:
    """Why a depot can be neither removed nor verified, in Polish; "" where it can."""
    return "usunięte już wcześniej" if depot.publication == Depot.Publication.REMOVED else ""


def why_not_reset(depot: Depot) -> str:
    """Why the status of a depot cannot be taken back, in Polish; "" where it can."""
    return "nieweryfikowane już wcześniej" if depot.data_status == Depot.DataStatus.UNVERIFIED else ""


def why_not_published(depot: Depot) -> str:
    """Why a depot cannot be published or restored in bulk, in Polish; "" where it can."""
    if depot.publication == Depot.Publication.PUBLISHED:
        return "opublikowane już wcześniej"
    if not needs_reason(depot):
        return ""
    reason = "scalony z innym wpisem" if depot.merged_into_id else depot.get_removal_reason_display()
    return f"{reason} (przywróć pojedynczo, z powodem)"


def locked(depot: Depot) -> Depot:
    """The depot as it is now; nobody else changes it before this transaction ends."""
    return Depot.objects.select_for_update(of=("self",)).get(pk=depot.pk)


def lock_depots(depots: QuerySet[Depot]) -> None:
    """Lock depots in the order of their numbers, as everybody does who locks more than one. One query."""
    list(depots.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))


def save(depot: Depot, *, by: AbstractBaseUser | None, reason: str) -> Depot:
    """The depot after saving it with a line of history, and telling caches that the catalog has changed.

    by: None when a command decides. reason: in Polish, for the history; cut to 100 characters.
    """
    depot._history_user = by  # type: ignore[attr-defined] # both are read by simple-history
    depot._change_reason = reason[:100]  # type: ignore[attr-defined]
    depot.save()
    versions.bump_version(Dataset.Slug.DEPOTS)
    return depot


@transaction.atomic
def verify_depot(*, depot: Depot, by: AbstractBaseUser, on: date) -> Depot:
    """Record that an editor has checked every public field of a depot.

    An owner's confirmation stays the owner's. Imports leave verified fields alone. Raises DepotIsRemoved.
    """
    stored = locked(depot)
    if stored.publication == Depot.Publication.REMOVED:
        raise DepotIsRemoved(stored.pk)
    if stored.data_status != Depot.DataStatus.OWNER:
        stored.data_status = Depot.DataStatus.VERIFIED
    stored.publication = Depot.Publication.PUBLISHED
    stored.verified_at = on
    stored.verified_by_id = by.pk
    stored.confirmed_fields = list(Depot.PUBLIC_FIELDS)
    stored.review = ""
    return save(stored, by=by, reason=VERIFYING)


@transaction.atomic
def verify_depots(*, keys: Collection[int], by: AbstractBaseUser, on: date) -> Decided:
    """`verify_depot` for many: as many statements for five hundred as for one. Removed ones stay as they are."""
    status = Case(
        When(data_status=Depot.DataStatus.OWNER, then=F("data_status")),
        default=Value(Depot.DataStatus.VERIFIED.value),
    )
    values: dict[str, Any] = {
        "data_status": status,
        "publication": Depot.Publication.PUBLISHED,
        "verified_at": on,
        "verified_by": by.pk,
        "confirmed_fields": list(Depot.PUBLIC_FIELDS),
        "review": "",
    }
    return _decide(keys, why_not_removed, values, by, lambda _: VERIFYING)


@transaction.atomic
def remove_depots(*, keys: Collection[int], reason: Depot.RemovalReason, by: AbstractBaseUser, on: date) -> Decided:
    """`remove_depot` for many, in as many statements as for one. Those that are removed already stay as they are."""
    values: dict[str, Any] = {
        "publication": Depot.Publication.REMOVED,
        "removed_at": on,
        "updated_at": on,
        "removal_reason": reason,
    }
    said = f"usunięto: {Depot.RemovalReason(reason).label}"
    return _decide(keys, why_not_removed, values, by, lambda _: said)


@transaction.atomic
def reset_depots(*, keys: Collection[int], by: AbstractBaseUser) -> Decided:
    """`reset_depot` for many, in as many statements as for one. Unverified ones stay as they are."""
    values: dict[str, Any] = {
        "data_status": Depot.DataStatus.UNVERIFIED,
        "verified_at": None,
        "verified_by": None,
        "confirmed_fields": [],
    }
    return _decide(keys, why_not_reset, values, by, lambda _: RESETTING)


@transaction.atomic
def publish_depots(*, keys: Collection[int], by: AbstractBaseUser, on: date) -> Decided:
    """`publish_depot` for many, in as many statements as for one. Those that need a reason stay as they are."""
    name = Value("name", output_field=CharField(max_length=30))
    names = Depot._meta.get_field("confirmed_fields")
    named = Func(F("confirmed_fields"), name, function="array_append", output_field=names)
    values: dict[str, Any] = {
        "publication": Depot.Publication.PUBLISHED,
        "removed_at": None,
        "removal_reason": "",
        "updated_at": on,
        "review": "",
        "confirmed_fields": Case(When(confirmed_fields__contains=["name"], then=F("confirmed_fields")), default=named),
    }

    def said(depot: Depot) -> str:
        return RESTORING if depot.publication == Depot.Publication.REMOVED else PUBLISHING

    return _decide(keys, why_not_published, values, by, said)


def _decide(
    keys: Collection[int],
    obstacle: Callable[[Depot], str],
    values: Mapping[str, Any],
    by: AbstractBaseUser,
    reason: Callable[[Depot], str],
) -> Decided:
    """Set the same values on all of the depots that have no obstacle: lock, update, history, version.

    reason: for the history, from the state before.
    """
    # Locked in one order, so that two editors with overlapping choices wait for one another instead of failing.
    chosen = Depot.objects.select_for_update(of=("self",)).filter(pk__in=among(keys)).order_by("pk")
    depots = list(chosen.only("pk", "name", "publication", "data_status", "removal_reason", "merged_into"))
    wanted: defaultdict[str, list[int]] = defaultdict(list)
    unchanged = []
    for depot in depots:
        if obstacle(depot):
            unchanged.append(depot)
        else:
            wanted[reason(depot)].append(depot.pk)
    if wanted:
        Depot.objects.filter(pk__in=among([key for some in wanted.values() for key in some])).update(**values)
        for said, some in wanted.items():
            history.record(Depot, some, by=by, reason=said)
        versions.bump_version(Dataset.Slug.DEPOTS)
    return Decided(len(depots) - len(unchanged), tuple(unchanged))


@transaction.atomic
def remove_depot(
    *, depot: Depot, reason: Depot.RemovalReason, on: date, by: AbstractBaseUser | None = None, note: str = ""
) -> Depot:
    """Take a depot off the catalog for good: imports do not bring it back. Raises DepotIsRemoved.

    note: for the history, beside the reason.
    """
    stored = locked(depot)
    if stored.publication == Depot.Publication.REMOVED:
        raise DepotIsRemoved(stored.pk)
    stored.publication = Depot.Publication.REMOVED
    stored.removed_at = stored.updated_at = on
    stored.removal_reason = reason
    said = f"usunięto: {Depot.RemovalReason(reason).label}"
    return save(stored, by=by, reason=f"{said}: {note}" if note else said)


@transaction.atomic
def reset_depot(*, depot: Depot, by: AbstractBaseUser | None = None) -> Depot:
    """Take back the status of a depot: nobody vouches for it, and imports may change it. Raises DepotIsUnverified."""
    stored = locked(depot)
    if stored.data_status == Depot.DataStatus.UNVERIFIED:
        raise DepotIsUnverified(stored.pk)
    stored.data_status = Depot.DataStatus.UNVERIFIED
    stored.verified_at = stored.verified_by = None
    stored.confirmed_fields = []
    return save(stored, by=by, reason=RESETTING)


@transaction.atomic
def erase_demonstration() -> int:
    """Delete every invented depot with its history and requests. Returns how many there were. Seven statements.

    Set by set, because deleting through the ORM would load each depot and write a last line of history for it.
    Prices go with their depots. The caller raises the versions.
    """
    invented = Depot.objects.demonstration()
    lock_depots(invented)
    DistinctPair.objects.filter(Q(first__in=invented) | Q(second__in=invented)).delete()
    DepotMerge.objects.filter(loser__in=invented).delete()
    DepotRequest.objects.filter(depot__in=invented).delete()
    Depot.history.filter(id__in=invented.values("pk")).delete()
    count: int = invented._raw_delete(invented.db)
    return count
