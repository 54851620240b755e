"""Editing and adding depots. Nothing of the database can refuse what these two let through."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from catalog import history
from catalog.actions.states import locked, save, verify_depot
from catalog.models import Depot
from catalog.reading.hours import weekly_hours

EDITABLE = (*(name for name in Depot.PUBLIC_FIELDS if name != "hours"), "featured")
"""What an editor sets. The week is read from `opening_hours`; `featured` is no statement about the depot."""


class NothingToChange(Exception):
    """Every given value is the stored one already."""


class DemonstrationWithContact(Exception):
    """An invented depot must have neither tax number nor telephone nor web site. `fields`: those that were given."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.fields = fields
        super().__init__(", ".join(fields))


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that somebody else changed meanwhile. opened: what the form showed; stored: what is there now."""

    field: str
    opened: Any
    stored: Any


class DepotChangedMeanwhile(Exception):
    """Somebody else changed the depot after it was opened. `clashes`: what is different now."""

    def __init__(self, clashes: tuple[Clash, ...]) -> None:
        self.clashes = clashes
        super().__init__(", ".join(clash.field for clash in clashes))


def opened_at(depot: Depot) -> int:
    """What a form remembers to learn later whether the depot has changed since. One query."""
    return history.newest(Depot.history.model, depot.pk)


def check_unchanged(depot: Depot, opened: int) -> None:
    """Raise DepotChangedMeanwhile when a locked depot is not as it was at `opened`. One query, two when it raises."""
    if opened_at(depot) == opened:
        return
    line = Depot.history.filter(history_id=opened, id=depot.pk).first()
    names = (*EDITABLE, "publication", "data_status")
    if line is None:
        raise DepotChangedMeanwhile(())
    raise DepotChangedMeanwhile(
        tuple(
            Clash(name, getattr(line, column), getattr(depot, column))
            for name, column in ((name, Depot.column(name)) for name in names)
            if getattr(line, column) != getattr(depot, column)
        )
    )


@transaction.atomic
def edit_depot(
    *,
    depot: Depot,
    values: Mapping[str, Any],
    by: AbstractBaseUser,
    on: date,
    opened: int | None = None,
    verify: bool = False,
    note: str = "",
) -> Depot:
    """Set fields of a depot. Those that change count as set by a person from then on; the status stays as it is.

    values: clean values by names of `EDITABLE`; `municipality` is a TERYT code. A new `opening_hours` makes the week
    anew. opened: from `opened_at`, when a form was open meanwhile. verify: check the whole depot as well, see
    `verify_depot`. note: for the history.
    Raises DepotChangedMeanwhile, NothingToChange unless `verify`, DemonstrationWithContact, DepotIsRemoved with
    `verify`, and ValueError for a name that is not in `EDITABLE`.
    """
    stored = locked(depot)
    if opened is not None:
        check_unchanged(stored, opened)
    changed = apply(stored, values)
    if not changed and not verify:
        raise NothingToChange(stored.pk)
    if changed:
        facts = set(changed) - {"featured"}
        stored.confirmed_fields = in_order({*stored.confirmed_fields, *Depot.stated(facts)})
        if facts:
            stored.updated_at = on
        labels = ", ".join(Depot.label(name) for name in changed)
        save(stored, by=by, reason=f"{note}: {labels}" if note else f"zmieniono: {labels}")
    return verify_depot(depot=stored, by=by, on=on) if verify else stored


@transaction.atomic
def add_depot(*, values: Mapping[str, Any], by: AbstractBaseUser, on: date, verify: bool = False) -> Depot:
    """Add a depot that an editor knows of. Public at once, unverified unless `verify`.

    values: as in `edit_depot`; name, lat, lon and municipality are required.
    """
    depot = Depot(source=Depot.Source.EDITOR, updated_at=on)
    apply(depot, values)
    depot.confirmed_fields = in_order(Depot.stated(name for name in values if name in Depot.PUBLIC_FIELDS))
    save(depot, by=by, reason="dodano")
    return verify_depot(depot=depot, by=by, on=on) if verify else depot


def apply(depot: Depot, values: Mapping[str, Any]) -> list[str]:
    """Put values into a depot that is not saved yet. Returns the names of those that differ, in the model's order.

    Raises ValueError for names that are not in `EDITABLE`.
    """
    refuse_unknown(values, EDITABLE)
    changed = []
    for name in EDITABLE:
        column = Depot.column(name)
        if name in values and getattr(depot, column) != values[name]:
            setattr(depot, column, values[name])
            changed.append(name)
    if "opening_hours" in changed:
        depot.hours = weekly_hours(depot.opening_hours)
    if depot.source == Depot.Source.DEMO:
        contacts = tuple(name for name in ("nip", "phone", "website") if getattr(depot, name))
        if contacts:
            raise DemonstrationWithContact(contacts)
    return changed


def refuse_unknown(names: Collection[str], known: Collection[str]) -> None:
    """Raise ValueError for names that are not known: a misspelt one must not be dropped in silence."""
    unknown = set(names) - set(known)
    if unknown:
        raise ValueError(f"unknown fields: {', '.join(sorted(unknown))}; use {', '.join(known)}")


def in_order(names: set[str]) -> list[str]:
    """Names of public fields in the order of the model."""
    return [name for name in Depot.PUBLIC_FIELDS if name in names]
