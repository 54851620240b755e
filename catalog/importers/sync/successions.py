"""Successors of municipalities that leave the register: by number, by name, or by position.

The register states no successors. A change of kind keeps the first six digits of a code; a move to another county keeps
the name; a merger or division keeps only the position.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from catalog.importers.records import UnitRecord
from catalog.territory.teryt import is_city_with_county_rights

Units = Mapping[str, UnitRecord]

LIKENESSES = (("kind", "county", "voivodeship"), ("kind", "voivodeship"), ("voivodeship",), ("kind", "county"))
"""What two municipalities with one name must have in common to be the same, strictest first."""


@dataclass(frozen=True, slots=True)
class Succession:
    """Succession of a code.

    heir: the same municipality under another code; "" if it was merged or divided. reused: whether the old code now
    belongs to another municipality. candidates: municipalities that took over a merged or divided one, likeliest first;
    empty if only the map can tell.
    """

    unit: UnitRecord
    heir: str = ""
    reused: bool = False
    candidates: tuple[str, ...] = ()


def municipalities(units: Iterable[UnitRecord]) -> dict[str, UnitRecord]:
    """Return the municipalities among units, by code."""
    return {unit.teryt: unit for unit in units if len(unit.teryt) == 7}


def find_successions(stored: Units, incoming: Units) -> list[Succession]:
    """Return the succession of every code that leaves the register or changes its owner, by code.

    stored, incoming: all units of both states, by code.
    """
    old, new = municipalities(stored.values()), municipalities(incoming.values())
    gone = without(old, new)
    heirs = same_number(gone, new)
    free = without(without(new, old), heirs.values())
    moved = same_name(without(gone, heirs), free, stored, incoming)
    heirs |= moved
    free = without(free, moved.values())
    renamed = {code: unit for code, unit in old.items() if code in new and new[code].name != unit.name}
    reused = same_name(renamed, free, stored, incoming)
    free = without(free, reused.values())
    found = [Succession(gone[code], heir) for code, heir in heirs.items()]
    found += [Succession(old[code], heir, reused=True) for code, heir in reused.items()]
    found += [Succession(unit, candidates=likely_candidates(unit, free, new)) for unit in without(gone, heirs).values()]
    return sorted(found, key=lambda succession: succession.unit.teryt)


def without(units: Units, codes: Iterable[str]) -> dict[str, UnitRecord]:
    """Return the units with other codes."""
    taken = set(codes)
    return {code: unit for code, unit in units.items() if code not in taken}


def same_number(gone: Units, new: Units) -> dict[str, str]:
    """Return codes that only changed their kind, with their heirs."""
    by_number = {code[:6]: code for code in new}
    return {code: by_number[code[:6]] for code in gone if code[:6] in by_number}


def same_name(gone: Units, free: Units, stored: Units, incoming: Units) -> dict[str, str]:
    """Return codes with a new municipality of the same name as heir, each heir once.

    A town and its rural municipality share a name, and a voivodeship may have several equal names, so the closest
    matches go first, and ambiguous ones are skipped.
    """
    heirs: dict[str, str] = {}
    for likeness in LIKENESSES:
        old_by: dict[object, list[str]] = defaultdict(list)
        new_by: dict[object, list[str]] = defaultdict(list)
        for code, unit in gone.items():
            if code not in heirs:
                old_by[properties(unit, stored, likeness)].append(code)
        for code, unit in free.items():
            if code not in heirs.values():
                new_by[properties(unit, incoming, likeness)].append(code)
        for key, codes in old_by.items():
            if len(codes) == 1 and len(new_by[key]) == 1:
                heirs[codes[0]] = new_by[key][0]
    return heirs


def properties(unit: UnitRecord, units: Units, names: Iterable[str]) -> tuple[object, ...]:
    """Return the name of a municipality and some of its properties. units: with its county."""
    known = {"kind": unit.kind, "county": units[unit.teryt[:4]].name, "voivodeship": unit.teryt[:2]}
    return (unit.name, *(known[name] for name in names))


def likely_candidates(unit: UnitRecord, free: Units, new: Units) -> tuple[str, ...]:
    """Return likely successors of a merged or divided municipality, by codes and names.

    New municipalities of its county that follow no other; else a town of its name, which absorbs the surrounding area,
    in the county or with county rights.
    """
    fresh = tuple(sorted(code for code in free if code[:4] == unit.teryt[:4]))
    if fresh:
        return fresh
    namesakes = [
        code
        for code, other in new.items()
        if other.name == unit.name
        and code[:2] == unit.teryt[:2]
        and (code[:4] == unit.teryt[:4] or is_city_with_county_rights(code))
    ]
    return tuple(namesakes) if len(namesakes) == 1 else ()


@dataclass(frozen=True, slots=True)
class SuccessorVotes:
    """Successors of a code. successor: redirect target. others: all that received parts, by code.

    whole: whether the successor is the same municipality under another code.
    """

    successor: str
    others: tuple[str, ...] = ()
    whole: bool = True

    @property
    def all(self) -> tuple[str, ...]:
        """All that received a part, the successor first."""
        return (self.successor, *self.others)

    def followed_by(self, later: Mapping[str, "SuccessorVotes"]) -> "SuccessorVotes":
        """Return the successors after some of them left the register too."""
        chain = [after for code in self.all for after in (later[code].all if code in later else (code,))]
        successor, *others = dict.fromkeys(chain)
        whole = self.whole and (self.successor not in later or later[self.successor].whole)
        return SuccessorVotes(successor, tuple(sorted(others)), whole)


def county_heirs(codes: Collection[str], heirs: Mapping[str, str]) -> dict[str, str]:
    """Map former counties or voivodeships to the unit that most of their municipalities moved to.

    codes: of one length. heirs: municipality → its successor. Units without known municipalities are omitted.
    """
    found: dict[str, str] = {}
    for code in codes:
        followers = Counter(heir[: len(code)] for old, heir in heirs.items() if old.startswith(code))
        if followers:
            found[code] = min(followers, key=lambda unit: (-followers[unit], unit))
    return found
