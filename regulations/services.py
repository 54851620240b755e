"""Writing of the legal state, for the admin and the import, and when codes leave the register.

A named municipality under another code stays bound. After its merger or division only the act tells which part is
bound, so the successors become `partly` bound and the report informs editors. A municipality that joins a named or
excluded one, or leaves a named county, counts from then on with the unit in which it is.
"""

import uuid
from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Model

from catalog.importers.records import Options
from catalog.importers.successions import Heirs
from catalog.models import Dataset, FormerMunicipality, Municipality
from catalog.services import journal
from fueldepot.data import history
from regulations.models import Amendment, Deadline, FuelBan, Resolution
from regulations.snapshot import names


class DeadlineNotMovable(Exception):
    """The amendment is of another voivodeship or of an unknown day, or `Deadline.can_move_on` says no."""


@transaction.atomic
def move_deadline(
    *, deadline: Deadline, to: date, amendment: Amendment, by: AbstractBaseUser, note: str = ""
) -> Deadline:
    """Move a deadline, effective from the adoption of an amendment. note: for the history.

    A copy of the row keeps the old day and ends then, so that responses for earlier days stay the same; the moved row
    keeps its UID. Raises DeadlineNotMovable, which the form prevents.
    """
    stored = Deadline.objects.select_for_update().get(pk=deadline.pk)
    adopted, is_own = amendment.adopted, amendment.resolution.state_id == stored.state_id
    if adopted is None or not is_own or not stored.can_move_on(adopted):
        raise DeadlineNotMovable(stored.pk, amendment.pk)
    reason = f"zmiana {amendment}: {note}" if note else f"zmiana {amendment}"
    old = Deadline.objects.get(pk=stored.pk)
    old.pk, old.key, old.uid, old._state.adding = None, "", uuid.uuid4(), True
    old.valid_to = adopted
    stored.date, stored.valid_from = to, adopted
    for row in (old, stored):
        history.save(row, by=by, reason=reason)
    record_change()
    return stored


def undo_rows(model: type[Model], undoing: journal.Undoing) -> None:
    journal.restore_rows(model, undoing)
    register = Register.load()
    for row in model._default_manager.filter(pk__in=undoing.spans(model)):
        if follow_row(row, register):  # it came back with the codes of its day
            history.save(row, by=None, reason=REASON)
    record_change()


def record_change() -> None:
    """Bump the version of the data set, in the transaction of the change. Imports do so by their runner."""
    Dataset.objects.bump_version(Dataset.Slug.REGULATIONS, row_count=Resolution.objects.count())


LISTS = ("units", "partly", "excluded")
REASON = "zmiana kodów w rejestrze TERYT"


class Register(NamedTuple):
    """The register of codes. heirs: successors by former code. municipalities: current codes."""

    heirs: Mapping[str, Heirs]
    municipalities: set[str]

    @classmethod
    def load(cls) -> "Register":
        """Read the register. Two queries."""
        rows = FormerMunicipality.objects.values_list("pk", "successor_id", "others", "whole")
        heirs = {code: Heirs(successor, tuple(others), whole) for code, successor, others, whole in rows}
        return cls(heirs, set(Municipality.objects.values_list("pk", flat=True)))

    def followed(self, code: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the current codes of a code: those that continue it whole, and those that continue a part."""
        if len(code) == 4:
            return self.followed_county(code)
        heirs = self.heirs.get(code)
        if heirs is None:
            # Six digits: scopes may name the code of an earlier kind.
            number = {old: after for old, after in self.heirs.items() if old[:6] == code[:6]}
            alive = any(current.startswith(code[:6]) for current in self.municipalities)
            # A former code in the register is another municipality's now.
            if not number or (alive and self.municipalities.isdisjoint(number)):
                return (code,), ()
            heirs = next(iter(number.values()))
        return ((heirs.successor,), ()) if heirs.whole else ((), heirs.all)

    def followed_county(self, code: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the same for a county. It continues as another one whose municipalities are exactly its own."""
        own = {old: after for old, after in self.heirs.items() if old.startswith(code)}
        if not own or any(current.startswith(code) for current in self.municipalities):
            return (code,), ()
        wholes = sorted({after.successor for after in own.values() if after.whole})
        parts = sorted({heir for after in own.values() if not after.whole for heir in after.all} - {*wholes})
        counties = {heir[:4] for heir in wholes}
        if not parts and len(counties) == 1:
            (county,) = counties
            if {current for current in self.municipalities if current.startswith(county)} == set(wholes):
                return (county,), ()
        return tuple(wholes), tuple(parts)


def follow_scope(values: Mapping[str, Any], register: Register) -> dict[str, list[str]]:
    """Return the lists of a scope with current codes; an empty dict when nothing changes."""
    if not all(name in values for name in LISTS):
        return {}
    lists: dict[str, dict[str, None]] = {name: {} for name in LISTS}
    partly: list[str] = []
    for name in LISTS:
        followed = [register.followed(code) for code in values[name]]
        bound = [whole for wholes, _ in followed for whole in wholes]
        for wholes, parts in followed:
            lists[name].update(dict.fromkeys(wholes))
            # A merger of municipalities that were all bound is bound whole.
            partly += [part for part in parts if not names(bound, part)]
            lists[name].update(dict.fromkeys(part for part in parts if names(bound, part)))
    lists["partly"].update(dict.fromkeys(partly))
    renewed = {name: list(codes) for name, codes in lists.items()}
    return {} if all(renewed[name] == list(values[name]) for name in LISTS) else renewed


def follow_row(row: Any, register: Register) -> dict[str, list[str]]:
    """Give a row current codes, not saved. Returns the changed lists; an empty dict when nothing changes."""
    after = follow_scope({name: getattr(row, name) for name in LISTS}, register)
    for name, codes in after.items():
        setattr(row, name, codes)
    return after


def follow_codes(heirs: Mapping[str, Heirs], options: Options) -> list[str]:
    """Update the codes of all rules. Returns a line for each changed rule. Four queries, and three per changed rule."""
    codes = set(Municipality.objects.values_list("pk", flat=True))
    if not options.write:
        codes = codes - heirs.keys() | {code for after in heirs.values() for code in after.all}
    register = Register(heirs, codes)
    lines = []
    for model in (Resolution, Deadline, FuelBan):
        rows = model._default_manager.order_by("pk")
        # A row is stored whole: what an editor changes meanwhile must not go back to what was read.
        for row in rows.select_for_update() if options.write else rows:
            before = {name: list(getattr(row, name)) for name in LISTS}
            after = follow_row(row, register)
            if not after:
                continue
            if options.write:
                history.save(row, by=None, reason=REASON)
            lines.append(
                f"regulations: {row._meta.model_name} {row.pk} ({row.scope}): {describe_scope_change(before, after)}"
            )
    if lines and options.write:
        Dataset.objects.bump_version(Dataset.Slug.REGULATIONS)
    return lines


def describe_scope_change(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> str:
    parts = []
    for name in LISTS:
        out = [code for code in before[name] if code not in after[name]]
        into = [code for code in after[name] if code not in before[name]]
        if out or into:
            parts.append(f"{name} {', '.join(out) or 'nothing'} → {', '.join(into) or 'nothing'}")
    check = "; read the act, which part is bound" if set(after["partly"]) - set(before["partly"]) else ""
    return "; ".join(parts) + check
