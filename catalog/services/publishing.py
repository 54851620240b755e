"""Publishing of held, removed and merged depots, and the fuels that prices add to their offers.

`Depot.fuels_priced` names those fuels: an import keeps them and still updates the others, and the last price that
stated one takes it back.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import CASCADE, CharField, Exists, ManyToOneRel, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from catalog.depots import fuels
from catalog.models import Dataset, Decision, DecisionLine, Depot, Submission
from catalog.services import journal, merging, moderation
from catalog.services.merging import FOLLOWERS
from fueldepot.data import history
from fueldepot.data.history import among, lock_rows, locking

ADDED = "paliwo z ceny"
TAKEN_BACK = "cofnięto paliwo z ceny"
"""Ends of reasons in the history."""

CLAIMED = f"{history.SUBMITTED}: {Submission.Kind.CLAIM.label}"
"""Beginning of the reason of an accepted claim in the history."""

CHECK = ("data_status", "verified_at", "verified_by")
"""What a check sets beside the fields."""

Lines = Sequence[Any]
"""Rows of the history of a depot, oldest first, with their `reason`.

`is_undone`: whether a decision wrote the row that was undone since, or that undid another. `named`: what its decision
says in `details["confirmed"]`.
"""


def add_fuels(stated: Mapping[int, Mapping[str, date]], *, by: AbstractBaseUser | None, on: date, reason: str) -> None:
    """Add the fuels of published prices to the offers of their depots. Seven statements at most.

    stated: by id of the depot, its fuels with the days of their newest prices. A fuel that a person removed after that
    day stays removed. A fuel that only the name stated no longer counts as such. reason: of the prices, for the
    history.
    """
    lacking = {
        depot: names
        for depot in _locked(stated)
        if (names := {f for f in stated[depot.pk] if f not in depot.fuels or f in depot.fuels_by_name})
    }
    lines = read_lines([depot.pk for depot in lacking if "fuels" in depot.confirmed_fields])
    changed = []
    for depot, names in lacking.items():
        removed = {name: _removed_at(name, lines.get(depot.pk, ())) for name in names}
        added = {name for name in names if (day := removed[name]) is None or day <= stated[depot.pk][name]}
        if added:
            depot.fuels = list(fuels.in_order({*depot.fuels, *added}))
            depot.fuels_priced = list(fuels.in_order({*depot.fuels_priced, *added}))
            depot.fuels_in_name = [name for name in depot.fuels_in_name if name not in added]
            changed.append(depot)
    _save(changed, by, on, f"{reason}: {ADDED}")


def take_fuels_back(
    unpriced: Mapping[int, Collection[str]], *, by: AbstractBaseUser | None, on: date, reason: str
) -> None:
    """Take back fuels that prices added and no published price states any more. Six statements at most.

    unpriced: fuels by id of the depot. A fuel that the name states stays, as such; so does one that a person has
    checked since.
    """
    added = {depot: names for depot in _locked(unpriced) if (names := {*unpriced[depot.pk]} & {*depot.fuels_priced})}
    lines = read_lines([depot.pk for depot in added])
    for depot, names in added.items():
        for name in names:
            before, since = _around_addition(name, lines.get(depot.pk, ()))
            depot.fuels_priced = [other for other in depot.fuels_priced if other != name]
            if before and name in before.fuels_in_name:
                depot.fuels_in_name = list(fuels.in_order({*depot.fuels_in_name, name}))
            elif "fuels" not in vouched_since(since):
                depot.fuels = [other for other in depot.fuels if other != name]
    _save(list(added), by, on, f"{reason}: {TAKEN_BACK}")


def _locked(keys: Collection[int]) -> list[Depot]:
    return list(locking(Depot.objects.filter(pk__in=among(keys))))


def _save(depots: list[Depot], by: AbstractBaseUser | None, on: date, reason: str) -> None:
    if not depots:
        return
    for depot in depots:
        depot.updated_at = on
    Depot.objects.bulk_update(depots, [*Depot.FUEL_FIELDS, "updated_at"], batch_size=1000)
    history.record_bulk(Depot, [depot.pk for depot in depots], by=by, reason=reason)
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)


def read_lines(keys: Collection[int]) -> Mapping[int, Lines]:
    """Return the history of the values of depots. One query, none without depots."""
    columns = ("id", *Depot.PUBLIC_FIELDS, *Depot.FUEL_FIELDS, *CHECK, "confirmed_fields", "history_date")
    rows = lines_of_depots().filter(id__in=among(keys)).order_by("history_id").only(*columns)
    lines = defaultdict(list)
    for row in rows if keys else ():
        lines[row.id].append(row)
    return lines


def lines_of_depots() -> QuerySet[Any]:
    """Return the history of all depots, as `Lines` have it."""
    of_row = Q(model=Depot._meta.label_lower, key=Cast(OuterRef("id"), CharField()))
    decisions = DecisionLine.objects.filter(of_row, first__lte=OuterRef("history_id"), last__gte=OuterRef("history_id"))
    # For what undoing a decision left as it was, or restoring a merged depot, the decision still vouches; of a depot
    # from which it only took fuels back, for all but these.
    restored = DecisionLine.objects.filter(
        decision=OuterRef("decision__undoing"), model=OuterRef("model"), key=OuterRef("key"), first__isnull=False
    )
    span = {"key": OuterRef("key"), "history_id__gte": OuterRef("first"), "history_id__lte": OuterRef("last")}
    of_depot = Depot.history.annotate(key=Cast("id", CharField())).filter(**span)
    as_a_whole = restored.filter(Exists(of_depot.exclude(history_change_reason__endswith=TAKEN_BACK)))
    of_earlier_release = Q(decision__undone_at__isnull=False, decision__undoing=None)
    whole = Q(Exists(as_a_whole)) | (of_earlier_release & ~Q(decision__kind=Decision.Kind.MERGE))
    undone = Q(Exists(decisions.filter(whole | Q(decision__kind=Decision.Kind.UNDO))))
    undone |= Q(Exists(decisions.filter(Exists(restored))), history_change_reason__endswith=ADDED)
    # The decision that undoes another stores its lines at its end.
    undoing = Q(history_change_reason__startswith=journal.UNDONE)
    annotations = {"reason": Coalesce("history_change_reason", Value("")), "is_undone": undoing | undone}
    annotations["named"] = Subquery(decisions.values("decision__details__confirmed")[:1])
    rows: QuerySet[Any] = Depot.history.annotate(**annotations)
    return rows


def _removed_at(fuel: str, lines: Lines) -> date | None:
    """Return the day on which a person removed a fuel, None if it was added again since or nobody did."""
    day = None
    for before, line in pairwise(lines):
        if line.is_undone:
            continue
        if fuel in line.fuels:
            day = None
        elif fuel in before.fuels and "fuels" in line.confirmed_fields and not line.reason.endswith(TAKEN_BACK):
            day = timezone.localdate(line.history_date)
    return day


def _around_addition(fuel: str, lines: Lines) -> tuple[Any, Lines]:
    """Return the row before a price added a fuel, None if it is unknown, and the rows from the addition on."""
    for number in range(len(lines) - 1, 0, -1):
        if fuel in lines[number].fuels_priced and fuel not in lines[number - 1].fuels_priced:
            return lines[number - 1], lines[number:]
    return None, ()


def is_kept_in_vain(fuel: str, lines: Lines) -> bool:
    """Whether a fuel that a price added has stayed without it, for a check that was undone since.

    Or comes back without it, by the undoing of its removal. lines: until then.
    """
    former, since = _around_addition(fuel, lines)
    ends = [line for before, line in pairwise(since) if fuel in {*before.fuels_priced}.difference(line.fuels_priced)]
    kept = (line for line in ends if fuel in {*line.fuels}.difference(line.fuels_in_name))
    is_kept = any(line.reason.endswith(TAKEN_BACK) for line in kept)
    comes_back = bool(ends) and fuel not in {*former.fuels, *since[-1].fuels}
    return (is_kept or comes_back) and "fuels" not in vouched_since(since)


def vouched_since(lines: Lines) -> set[str]:
    """Return the fields that a person set or checked after the first row, by decisions that stand."""
    return {name for before, line in pairwise(lines) if not line.is_undone for name in vouched(before, line)}


def vouched(before: Any, line: Any) -> set[str]:
    """Return the public fields that a person set or checked in a row of the history, the former one being `before`.

    A check of the whole entry, and an owner's claim, are about `CHECK`, too.
    """
    if line.reason.startswith((moderation.VERIFYING, CLAIMED)):
        return {*Depot.PUBLIC_FIELDS, *CHECK}
    if line.reason.startswith(history.IMPORTED) or line.reason.endswith((ADDED, TAKEN_BACK)):
        return set()
    confirmed = {*line.confirmed_fields}
    names = Depot.stated(confirmed - {*before.confirmed_fields} | confirmed & differing(before, line)) & confirmed
    names |= {"name"} if line.reason.startswith((moderation.PUBLISHING, moderation.RESTORING)) else set()
    return names.union((line.named or {}).get(str(line.id), ()))


def differing(before: Any, line: Any) -> set[str]:
    """Return the public fields, and those of `CHECK`, in which two rows of the history differ."""
    columns = ((name, Depot.column(name)) for name in (*Depot.PUBLIC_FIELDS, *CHECK))
    return {name for name, column in columns if getattr(before, column) != getattr(line, column)}


def lock_with_survivor(depot_id: int) -> tuple[Depot, int | None]:
    """Lock a depot, its survivor, and all depots that this one absorbed. Returns depot and id of the survivor."""
    while True:
        survivor = Depot.objects.filter(pk=depot_id).values_list("merged_into", flat=True).first()
        family = Depot.objects.filter(merged_into=survivor) if survivor else Depot.objects.none()
        lock_rows(Depot.objects.filter(pk__in=[depot_id, *([survivor] if survivor else [])]) | family)
        stored = moderation.locked(Depot(pk=depot_id))
        # It may have been merged before the lock was acquired.
        if stored.merged_into_id == survivor:
            return stored, survivor


@transaction.atomic
def publish_depot(*, depot: Depot, on: date, by: AbstractBaseUser | None = None, note: str = "") -> Depot:
    """Publish a held depot, or restore a removed one.

    note: for the history; the reason if `needs_reason`. Raises DepotIsPublished and RestoringNeedsReason.

    A merged depot becomes independent again; see `merging.bring_back` for its related rows.
    """
    if depot.merged_into_id is not None:
        # Undoing the merge locks the decision first, too.
        lock_rows(Decision.objects.filter(merging.is_merge_of(depot)))
    stored, survivor = lock_with_survivor(depot.pk)
    if stored.publication == Depot.Publication.PUBLISHED:
        raise moderation.DepotIsPublished(stored.pk)
    if moderation.needs_reason(stored) and not note.strip():
        raise moderation.RestoringNeedsReason(stored.pk)
    done = moderation.set_published(stored, on=on)
    stored.merged_into = None
    with journal.recording(Decision.Kind.PUBLISH, by=by, title=journal.titled(done, [stored.name]), reason=note):
        moderation.save(stored, by=by, reason=moderation.with_note(done, note))
        if survivor:
            merging.bring_back(stored, survivor, by, on)
    return stored


@transaction.atomic
def erase_demonstration() -> int:
    """Delete every demonstration depot with its history and all rows that refer to it. Returns their number.

    The tables are found by their relations, so that none is forgotten. Two dozen statements, however many depots: the
    ORM would load each depot and write a last history row. The caller bumps the version of the depots, `FOLLOWERS`
    those of other rows.
    """
    invented = Depot.objects.demonstration()
    lock_rows(invented)
    for relation in Depot._meta.get_fields(include_hidden=True):
        # A depot is merged with depots of its kind only; these are deleted together.
        if isinstance(relation, ManyToOneRel) and relation.related_model is not Depot:
            rows = relation.related_model._base_manager.filter(**{f"{relation.field.name}__in": invented})
            # Rows that refer to these rows are deleted with them, where the model says so.
            _ = rows.delete() if relation.on_delete is CASCADE else rows._raw_delete(rows.db)
    Depot.history.filter(id__in=invented.values("pk")).delete()
    count: int = invented._raw_delete(invented.db)
    if count:
        for follower in FOLLOWERS:
            follower.erased()
    return count
