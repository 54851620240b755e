"""Editing and adding depots. Values that pass these functions satisfy every database constraint."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from catalog.models import Decision, Depot
from catalog.parsing.opening_hours import weekly_hours
from catalog.services import journal
from catalog.services.moderation import locked, save, verify_depot
from catalog.services.refusal import Refusal
from fueldepot.data import history

EDITABLE = (*(name for name in Depot.PUBLIC_FIELDS if name != "hours"), "featured")
"""Fields that editors set. `hours` is derived from `opening_hours`; `featured` is no public field."""

CONTACT = ("nip", "phone", "website")
"""Fields that a demonstration depot must not have."""

REPEAT = timedelta(minutes=10)
"""The same form sent again within this time is a repeated click; also of submissions."""


class NothingToChange(Refusal):
    """Every given value equals the stored one."""

    reason = "żadne pole nie zmieniło wartości"


class ValueRefused(Refusal):
    """A validator of the model refuses a value, for example a text longer than its column."""

    def __init__(self, name: str, messages: Collection[str]) -> None:
        text = " ".join(messages)
        self.reason = f"{Depot.label(name)}: {text[:1].lower()}{text[1:].removesuffix('.')}"
        super().__init__(name)


class DemonstrationWithContact(Exception):
    """Demonstration depots must not have contact data. The message names the fields that were given."""


@dataclass(frozen=True, slots=True)
class EditConflict:
    """A field that somebody else changed meanwhile. opened: value in the form; stored: present value."""

    field: str
    opened: Any
    stored: Any


class DepotEditConflict(Refusal):
    """Somebody else changed the depot after it was opened.

    clashes: fields that differ now. is_known: whether the opened version exists in the history of the depot.
    """

    reason = "ktoś zmienił wpis po otwarciu tej strony; obejrzyj go jeszcze raz"

    def __init__(self, clashes: tuple[EditConflict, ...], *, is_known: bool = True) -> None:
        self.clashes, self.is_known = clashes, is_known
        super().__init__(", ".join(clash.field for clash in clashes))


def edit_version(depot: Depot) -> int:
    """Version of a depot, stored in a form to detect later changes. One query."""
    return history.latest_id(Depot.history.model, depot.pk)


def check_edit_version(depot: Depot, opened: int) -> None:
    """Raise DepotEditConflict if a locked depot has another version than `opened`. One query, two when it raises."""
    if edit_version(depot) == opened:
        return
    line = Depot.history.filter(history_id=opened, id=depot.pk).first()
    names = (*EDITABLE, "publication", "data_status")
    if line is None:
        raise DepotEditConflict((), is_known=False)
    raise DepotEditConflict(
        tuple(
            EditConflict(name, getattr(line, column), getattr(depot, column))
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
    """Set fields of a depot. Changed fields count as confirmed by a person; the data status stays.

    values: clean values by names of `EDITABLE`; `municipality` is a TERYT code. A new `opening_hours` replaces the
    week. opened: from `edit_version`, if a form was open meanwhile. verify: also verify the whole depot, see
    `verify_depot`. note: for the history.

    Raises DepotEditConflict, NothingToChange unless `verify`, ValueRefused, DemonstrationWithContact, DepotIsRemoved
    with `verify`, and ValueError for a name that is not in `EDITABLE`.
    """
    stored = locked(depot)
    if opened is not None:
        check_edit_version(stored, opened)
    changed = apply(stored, values)
    if not changed:
        if verify:
            return verify_depot(depot=stored, by=by, on=on)
        raise NothingToChange(stored.pk)
    facts = set(changed) - {"featured"}
    stored.confirmed_fields = in_order({*stored.confirmed_fields, *Depot.stated(facts)})
    if facts:
        stored.updated_at = on
    labels = ", ".join(Depot.label(name) for name in changed)
    with journal.recording(Decision.Kind.EDIT, by=by, title=f"Zmieniono: {stored.name} – {labels}", reason=note):
        save(stored, by=by, reason=f"{note or 'zmieniono'}: {labels}")
        return verify_depot(depot=stored, by=by, on=on) if verify else stored


@transaction.atomic
def add_depot(*, values: Mapping[str, Any], by: AbstractBaseUser, on: date, verify: bool = False) -> Depot:
    """Add a depot. Published at once, unverified unless `verify`.

    values: as in `edit_depot`; name, lat, lon and municipality are required. If the same editor sends the same values
    again within `REPEAT`, the depot of the first call is returned. Raises ValueRefused.
    """
    refuse_unknown(values, EDITABLE)
    # Serialise concurrent clicks of an editor by their user row.
    get_user_model().objects.select_for_update(of=("self",)).get(pk=by.pk)
    if (repeated := find_repeated(values, by)) is not None:
        return repeated
    depot = Depot(source=Depot.Source.EDITOR, updated_at=on)
    apply(depot, values)
    depot.confirmed_fields = in_order(Depot.stated(name for name in values if name in Depot.PUBLIC_FIELDS))
    with journal.recording(Decision.Kind.ADD, by=by, title=f"Dodano: {depot.name}"):
        save(depot, by=by, reason="dodano")
        return verify_depot(depot=depot, by=by, on=on) if verify else depot


def find_repeated(values: Mapping[str, Any], by: AbstractBaseUser) -> Depot | None:
    """Return the depot that an editor has just added with these values, or None. One query."""
    added = Depot.history.filter(
        history_user=by.pk, history_type=history.CREATED, history_date__gt=timezone.now() - REPEAT
    ).values("id")
    columns = {Depot.column(name): value for name, value in values.items()}
    return Depot.objects.filter(pk__in=added, source=Depot.Source.EDITOR, **columns).order_by("pk").first()


def apply(depot: Depot, values: Mapping[str, Any]) -> list[str]:
    """Set values on a depot without saving it. Returns the names of changed fields, in the model's order.

    Raises ValueRefused with nothing set, and ValueError for names that are not in `EDITABLE`.
    """
    refuse_unknown(values, EDITABLE)
    changed = [name for name in EDITABLE if name in values and getattr(depot, Depot.column(name)) != values[name]]
    set_values(depot, values, changed)
    if "opening_hours" in changed:
        depot.hours = weekly_hours(depot.opening_hours)
    if depot.source == Depot.Source.DEMO:
        contacts = [name for name in CONTACT if getattr(depot, name)]
        if contacts:
            raise DemonstrationWithContact(", ".join(contacts))
    return changed


def set_values(depot: Depot, values: Mapping[str, Any], names: Collection[str]) -> None:
    """Set named values on a depot without saving it. Raises ValueRefused with nothing set."""
    for name in names:
        try:
            Depot.validate_value(name, values[name])
        except ValidationError as error:
            raise ValueRefused(name, error.messages) from error
    for name in names:
        setattr(depot, Depot.column(name), values[name])


def refuse_unknown(names: Collection[str], known: Collection[str]) -> None:
    """Raise ValueError for unknown names: a misspelt one must not be dropped silently."""
    unknown = set(names) - set(known)
    if unknown:
        raise ValueError(f"unknown fields: {', '.join(sorted(unknown))}; use {', '.join(known)}")


def in_order(names: set[str]) -> list[str]:
    """Return names of public fields in the order of the model."""
    return [name for name in Depot.PUBLIC_FIELDS if name in names]
