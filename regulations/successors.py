"""Codes in scopes follow municipalities and counties that leave the register.

A municipality that goes on under another code is bound as before. Where one was merged or divided, its rule binds a
part of each that took it over: which part, only the act tells, so these are named among the partly bound ones and
editors read of it in the report.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.importers.sync import Options
from catalog.importers.sync.successions import Heirs
from catalog.models import Dataset, FormerMunicipality, Municipality
from fueldepot.data import versions
from regulations.actions import save_as
from regulations.models import Deadline, FuelBan, Resolution

LISTS = ("units", "partly", "excluded")
REASON = "zmiana kodów w rejestrze TERYT"


@dataclass(frozen=True, slots=True)
class Register:
    """What is known of codes. heirs: code that left → who follows it. municipalities: the codes of today."""

    heirs: Mapping[str, Heirs]
    municipalities: Collection[str]

    @classmethod
    def load(cls) -> "Register":
        """As the database has it: two queries."""
        rows = FormerMunicipality.objects.values_list("pk", "successor_id", "others", "whole")
        heirs = {code: Heirs(successor, tuple(others), whole) for code, successor, others, whole in rows}
        return cls(heirs, set(Municipality.objects.values_list("pk", flat=True)))

    def followed(self, code: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Codes that take the place of one: those that do so as a whole, and those that do in part."""
        if len(code) == 4:
            return self.followed_county(code)
        heirs = self.heirs.get(code)
        if heirs is None or code in self.municipalities:
            # Scopes compare six digits, so they may still name an earlier kind.
            number = {old: after for old, after in self.heirs.items() if old[:6] == code[:6]}
            alive = any(known.startswith(code[:6]) for known in self.municipalities)
            if not number or alive:
                return (code,), ()
            heirs = next(iter(number.values()))
        return ((heirs.successor,), ()) if heirs.whole else ((), heirs.all)

    def followed_county(self, code: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The same of a county. It goes on as another one if all its municipalities do, and no others are there."""
        own = {old: after for old, after in self.heirs.items() if old.startswith(code)}
        if not own or any(known.startswith(code) for known in self.municipalities):
            return (code,), ()
        wholes = sorted({after.successor for after in own.values() if after.whole})
        parts = sorted({heir for after in own.values() if not after.whole for heir in after.all} - {*wholes})
        counties = {heir[:4] for heir in wholes}
        if not parts and len(counties) == 1:
            (county,) = counties
            if {known for known in self.municipalities if known.startswith(county)} == set(wholes):
                return (county,), ()
        return tuple(wholes), tuple(parts)


def follow_scope(values: Mapping[str, Any], register: Register) -> dict[str, list[str]]:
    """The three lists of a scope with the codes of today; empty when nothing changes.

    values: with the keys `units`, `partly` and `excluded`, or without them.
    """
    if not all(name in values for name in LISTS):
        return {}
    lists: dict[str, dict[str, None]] = {name: {} for name in LISTS}
    partly: list[str] = []
    for name in LISTS:
        for code in values[name]:
            wholes, parts = register.followed(code)
            lists[name].update(dict.fromkeys(wholes))
            # Both were bound before they were merged, so all of it is.
            partly += [part for part in parts if not named(part, values[name])]
            lists[name].update(dict.fromkeys(part for part in parts if named(part, values[name])))
    lists["partly"].update(dict.fromkeys(partly))
    found = {name: list(codes) for name, codes in lists.items()}
    return {} if all(found[name] == list(values[name]) for name in LISTS) else found


def named(code: str, codes: Collection[str]) -> bool:
    """Whether a list names a municipality, by its number or its county."""
    return any(code.startswith(other[:6]) for other in codes)


def follow_codes(heirs: Mapping[str, Heirs], options: Options) -> list[str]:
    """Bring the codes of every rule up to date. Returns a line for each rule. Four queries, and three for each rule."""
    codes = set(Municipality.objects.values_list("pk", flat=True))
    if not options.write:
        codes = codes - heirs.keys() | {code for after in heirs.values() for code in after.all}
    register = Register(heirs, codes)
    lines = []
    for model in (Resolution, Deadline, FuelBan):
        for row in model._default_manager.order_by("pk"):
            before = {name: list(getattr(row, name)) for name in LISTS}
            after = follow_scope(before, register)
            if not after:
                continue
            for name, value in after.items():
                setattr(row, name, value)
            if options.write:
                save_as(row, by=None, reason=REASON)
            lines.append(f"regulations: {row._meta.model_name} {row.pk} ({row.scope}): {describe(before, after)}")
    if lines and options.write:
        versions.bump_version(Dataset.Slug.REGULATIONS)
    return lines


def describe(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> str:
    """What changes in a scope, and what an editor has to do."""
    parts = []
    for name in LISTS:
        out = [code for code in before[name] if code not in after[name]]
        into = [code for code in after[name] if code not in before[name]]
        if out or into:
            parts.append(f"{name} {', '.join(out) or 'nothing'} → {', '.join(into) or 'nothing'}")
    check = "; read the act, which part is bound" if set(after["partly"]) - set(before["partly"]) else ""
    return "; ".join(parts) + check
