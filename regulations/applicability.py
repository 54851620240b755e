"""Whether a rule binds a unit: pure functions over scopes and codes of municipalities."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from catalog.models import Municipality
from regulations.models import Scope

Answers = Mapping[Scope, bool | None]
"""Whether each rule binds a place. True: everywhere in it. False: nowhere. None: in a part of it, or uncertain."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Which rules bind a unit. kinds: the answers of each kind of its municipalities that the rules distinguish."""

    binds: Answers
    kinds: tuple[Answers, ...]


NOWHERE = Reach({}, ())
"""Of a unit without municipalities: of no rule is it known whether it binds there."""


def reach_of_units(scopes: Sequence[Scope], units: Mapping[str, Iterable[str]]) -> dict[str, Reach]:
    """Return which rules bind each unit. scopes: stored rows. units: codes of municipalities (7 digits) by unit.

    Rules name few municipalities. The others differ by their kind alone, so their answers are worked out once.
    """
    named = {code[:6] for code in named_codes(scopes)}
    examples: dict[tuple[str, ...], str] = {}

    @cache
    def kind_of(teryt: str) -> tuple[str, ...]:
        kind = (teryt[6], *(code for code in (teryt[:4], teryt[:6]) if code in named))
        examples.setdefault(kind, teryt)
        return kind

    @cache
    def answers_of(kind: tuple[str, ...]) -> Answers:
        return {scope: binds_municipality(scope, examples[kind]) for scope in scopes}

    @cache
    def reach_of(kinds: frozenset[tuple[str, ...]]) -> Reach:
        places = tuple(map(answers_of, kinds))
        if len(places) == 1:
            return Reach(places[0], places)
        return Reach({scope: agreed(place[scope] for place in places) for scope in scopes}, places)

    return {unit: reach_of(frozenset(map(kind_of, municipalities))) for unit, municipalities in units.items()}


def agreed(answers: Iterable[bool | None]) -> bool | None:
    """Return the answer that all have in common; None where they differ."""
    distinct = {*answers}
    return distinct.pop() if len(distinct) == 1 else None


def binds_municipality(scope: Scope, teryt: str) -> bool | None:
    """Return whether a rule binds a municipality: True, False, or None for a part of it or uncertain."""
    covered = covers(scope, teryt)
    return None if covered and scope.uncertain else covered


def covers(scope: Scope, teryt: str) -> bool | None:
    """Return whether a scope covers a municipality: True for the whole, False for nothing, None for a part.

    Rules for towns and rules for the country each cover a part of a town-and-country municipality.
    """
    if names(scope.partly, teryt):
        return None
    if names(scope.excluded, teryt):
        return False
    if scope.area == Scope.Area.LISTED:
        return names(scope.units, teryt)
    if scope.area == Scope.Area.VOIVODESHIP:
        return True
    kind = int(teryt[6])
    if kind == Municipality.Kind.MIXED:
        return None
    return (kind == Municipality.Kind.TOWN) == (scope.area == Scope.Area.TOWNS)


def kinds_of_places(voivodeship: str, scopes: Iterable[Scope]) -> set[str]:
    """Return codes of municipalities that represent every case distinguished by scopes of a voivodeship.

    The named municipalities, and an invented one of each kind in every named county and in the rest of the voivodeship.
    Needs no register.
    """
    named = named_codes(scopes)
    areas = {voivodeship + "00", *(code for code in named if len(code) == 4)}
    made_up = {f"{area}00{kind.value}" for area in areas for kind in Municipality.Kind}
    return made_up | {code for code in named if len(code) == 7}


def named_codes(scopes: Iterable[Scope]) -> set[str]:
    """Return the codes that scopes name, of counties (4 digits) and municipalities (7)."""
    return {code for scope in scopes for code in (*scope.units, *scope.partly, *scope.excluded)}


def names(codes: Collection[str], teryt: str) -> bool:
    """Whether a list of codes names a municipality: itself, by six digits, or its county."""
    # The seventh digit changes with the kind of the municipality.
    return any(teryt.startswith(code[:6]) for code in codes)
