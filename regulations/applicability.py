"""Whether a rule binds a unit: pure functions over a scope and the unit's municipalities."""

from collections.abc import Collection, Iterable

from catalog.models import Municipality
from regulations.models import Scope


def applies_to(scope: Scope, municipalities: Iterable[str]) -> bool | None:
    """Return whether a rule binds a unit. municipalities: of the unit, codes of 7 digits.

    True: everywhere in the unit. False: nowhere. None: in a part of it, or uncertain.
    """
    answers = {binds_municipality(scope, teryt) for teryt in municipalities}
    return answers.pop() if len(answers) == 1 else None


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
    named = {code for scope in scopes for code in (*scope.units, *scope.partly, *scope.excluded)}
    areas = {voivodeship + "00", *(code for code in named if len(code) == 4)}
    made_up = {f"{area}00{kind.value}" for area in areas for kind in Municipality.Kind}
    return made_up | {code for code in named if len(code) == 7}


def names(codes: Collection[str], teryt: str) -> bool:
    """Whether a list of codes names a municipality: itself, by six digits, or its county."""
    # The seventh digit changes with the kind of the municipality.
    return any(teryt.startswith(code[:6]) for code in codes)
