"""Publishing of held, removed and merged depots, and the fuels that prices add to their offers.

`Depot.fuels_priced` names those fuels: an import keeps them and still updates the others, and the last price that
stated one takes it back.
"""

from collections.abc import Collection, Mapping
from datetime import date
from itertools import pairwise
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import CASCADE, ManyToOneRel
from django.utils import timezone

from catalog.depots import fuels
from catalog.models import Dataset, Decision, Depot
from catalog.services import journal, merging, moderation
from catalog.services.journal import Lines, read_lines
from catalog.services.merging import FOLLOWERS
from catalog.submissions import limits
from fueldepot.data import history
from fueldepot.data.history import among, lock_rows, locking


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
    _save(changed, by, on, f"{reason}: paliwo z ceny")


def take_fuels_back(
    unpriced: Mapping[int, Collection[str]], *, by: AbstractBaseUser | None, on: date, reason: str
) -> None:
    """Take back fuels that prices added and no published price states any more. Six statements at most.

    unpriced: fuels by id of the depot. A fuel that the name states stays, as such; so does one that a person has
    checked since, and not removed.
    """
    added = {depot: names for depot in _locked(unpriced) if (names := {*unpriced[depot.pk]} & {*depot.fuels_priced})}
    lines = read_lines([depot.pk for depot in added])
    for depot, names in added.items():
        for name in names:
            before, since = _around_addition(name, lines.get(depot.pk, ()))
            depot.fuels_priced = [other for other in depot.fuels_priced if other != name]
            if before and name in before.fuels_in_name:
                depot.fuels_in_name = list(fuels.in_order({*depot.fuels_in_name, name}))
            elif "fuels" not in vouched_since(since) or _removed_at(name, since):
                depot.fuels = [other for other in depot.fuels if other != name]
    _save(list(added), by, on, f"{reason}: cofnięto paliwo z ceny")


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


def _removed_at(fuel: str, lines: Lines) -> date | None:
    """Return the day on which a person last removed a fuel, None if no person did or one has stated it again."""
    day = None
    for before, line in pairwise(lines):
        if "fuels" in line.vouches and fuel in {*before.fuels, *line.fuels}:
            day = None if fuel in line.fuels else timezone.localdate(line.history_date)
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
    end = next((line for line in since if fuel not in line.fuels_priced), None)
    if end is None or "fuels" in vouched_since(since):
        return False
    return fuel in {*end.fuels}.difference(end.fuels_in_name) or fuel not in {*former.fuels, *since[-1].fuels}


def vouched_since(lines: Lines) -> set[str]:
    """Return the fields that a person set or checked after the first row, by decisions that stand."""
    return {name for line in lines[1:] for name in line.vouches}


def lock_with_survivor(depot_id: int) -> tuple[Depot, int | None]:
    """Lock a depot, its survivor, and all that the survivor absorbed, in the turn `limits.MERGING`.

    Returns depot and id of the survivor.
    """
    survivor = Depot.objects.filter(pk=depot_id).values_list("merged_into", flat=True).first()
    family = Depot.objects.filter(merged_into=survivor) if survivor else Depot.objects.none()
    lock_rows(Depot.objects.filter(pk__in=[depot_id, *([survivor] if survivor else [])]) | family)
    return moderation.locked(Depot(pk=depot_id)), survivor


@transaction.atomic
def publish_depot(*, depot: Depot, on: date, by: AbstractBaseUser | None = None, note: str = "") -> Depot:
    """Publish a held depot, or restore a removed one.

    note: for the history; the reason if `needs_reason`. Raises DepotIsPublished and RestoringNeedsReason.

    A merged depot becomes independent again; see `merging.bring_back` for its related rows.
    """
    limits.wait_for_turn(limits.MERGING)
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
