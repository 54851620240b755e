"""Two entries of one depot: merging them, or remembering that they are two."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Q, QuerySet

from catalog import history
from catalog.actions.editing import in_order, refuse_unknown
from catalog.actions.states import DepotIsRemoved, lock_depots
from catalog.models import Dataset, Depot, DepotMerge, DepotRequest, DistinctPair
from fueldepot.data import versions


class MergeRefused(Exception):
    """The two cannot be one depot; the message says why, in Polish."""


@dataclass(frozen=True, slots=True)
class Follower:
    """Rows of a layer above that follow a depot into the one that absorbs it.

    name: in the record of the merge. label: what editors call the rows. move: gets the loser, the survivor, the editor
    and the day; returns the numbers of the rows that followed. bring_back: gets such numbers, the depots that may have
    the rows now, the one that gets them again, the editor and the day. count: gets numbers of depots; how many rows
    hang on them.
    """

    name: str
    label: str
    move: Callable[[int, int, AbstractBaseUser, date], list[int]]
    bring_back: Callable[[Collection[int], Collection[int], int, AbstractBaseUser | None, date], None]
    count: Callable[[Collection[int]], int]


FOLLOWERS: list[Follower] = []
"""Registered once per process, by `AppConfig.ready` of the apps above."""


@transaction.atomic
def merge_depots(*, survivor: Depot, loser: Depot, take: Collection[str], by: AbstractBaseUser, on: date) -> Depot:
    """Make one entry of two. Returns the survivor.

    take: names of `Depot.PUBLIC_FIELDS` whose values the survivor takes from the loser; they count as set by a person.
    The loser becomes a removed duplicate that names the survivor, so its identifier in the source stays known and no
    import brings it back. Requests and prices follow the survivor; one that would stand beside its own twin there stays
    with the loser, where it does not count. What followed is remembered, and comes back when the loser is published
    again. Histories stay where they were written.
    Raises DepotIsRemoved when either is removed, MergeRefused for an entry and itself, or an invented and a real one,
    ValueError for a name that is not in `Depot.PUBLIC_FIELDS`.
    """
    refuse_unknown(take, Depot.PUBLIC_FIELDS)
    stored = {row.pk: row for row in locked_pair(survivor, loser)}
    kept, gone = stored[survivor.pk], stored[loser.pk]
    taken = in_order(Depot.stated(take))
    for name in taken:
        column = Depot.column(name)
        setattr(kept, column, getattr(gone, column))
    if taken:
        kept.confirmed_fields = in_order({*kept.confirmed_fields, *taken})
        kept.updated_at = on
        kept.save_without_historical_record()  # type: ignore[attr-defined] # of simple-history
    gone.publication = Depot.Publication.REMOVED
    gone.removed_at = gone.updated_at = on
    gone.removal_reason = Depot.RemovalReason.DUPLICATE
    gone.merged_into = kept
    gone.save_without_historical_record()  # type: ignore[attr-defined]
    former = list(Depot.objects.filter(merged_into=gone).values_list("pk", flat=True))
    Depot.objects.filter(pk__in=former).update(merged_into=kept)
    history.record(Depot, [gone.pk, *former], by=by, reason=f"scalono z wpisem {kept.pk}")
    labels = ", ".join(Depot.label(name) for name in taken)
    history.record(Depot, [kept.pk], by=by, reason=f"wchłonięto wpis {gone.pk}" + (f": {labels}" if labels else ""))
    opened, closed = move_requests(DepotRequest.objects.filter(depot=gone), kept)
    DepotMerge.objects.create(
        loser=gone,
        absorbed=former,
        open_requests=opened,
        closed_requests=closed,
        followers={follower.name: follower.move(gone.pk, kept.pk, by, on) for follower in FOLLOWERS},
    )
    versions.bump_version(Dataset.Slug.DEPOTS)
    return kept


def locked_pair(survivor: Depot, loser: Depot) -> tuple[Depot, ...]:
    """Both rows, locked, and those that the loser absorbed before. Raises DepotIsRemoved and MergeRefused."""
    if survivor.pk == loser.pk:
        raise MergeRefused("wpisu nie można scalić z nim samym")
    pair = Q(pk__in=[survivor.pk, loser.pk])
    lock_depots(Depot.objects.filter(pair | Q(merged_into=loser)))
    rows = tuple(Depot.objects.filter(pair).order_by("pk"))
    for row in rows:
        if row.publication == Depot.Publication.REMOVED:
            raise DepotIsRemoved(row.pk)
    if len({row.source == Depot.Source.DEMO for row in rows}) > 1:
        raise MergeRefused("wpisu demonstracyjnego nie można scalić z prawdziwym")
    return rows


def move_requests(requests: QuerySet[DepotRequest], kept: Depot) -> tuple[list[int], list[int]]:
    """Hand requests over, closed ones too, except one that waits and whose author has an equal one waiting there.

    Corrections add up: none is equal to another.

    Returns the numbers of those that were handed over: the open ones, and the closed ones.
    """
    key = ("kind", "subject", "email_hash", "state")
    unique = DepotRequest.objects.waiting().exclude(kind=DepotRequest.Kind.CORRECT)
    standing = set(unique.filter(depot=kept).values_list(*key))
    rows = requests.select_for_update(of=("self",)).order_by("pk").values_list("pk", *key)
    moving = {pk: state for pk, *named, state in rows if (*named, state) not in standing}
    DepotRequest.objects.filter(pk__in=moving).update(depot=kept)
    opened = [pk for pk, state in moving.items() if state in DepotRequest.OPEN]
    return opened, [pk for pk in moving if pk not in opened]


@transaction.atomic
def keep_apart(*, one: Depot, other: Depot, by: AbstractBaseUser, at: datetime) -> DistinctPair:
    """Remember that two entries that look alike are two depots. Saying it again changes nothing."""
    if one.pk == other.pk:
        raise MergeRefused("to jeden i ten sam wpis")
    first, second = sorted((one.pk, other.pk))
    pair, _ = DistinctPair.objects.get_or_create(
        first_id=first, second_id=second, defaults={"decided_by_id": by.pk, "decided_at": at}
    )
    return pair
