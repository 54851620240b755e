"""Whether a rule binds a unit: plain functions over a scope and the unit's municipalities."""

from collections.abc import Collection, Iterable

from catalog.models import Municipality
from regulations.models import Scope


def binds(scope: Scope, municipalities: Iterable[str]) -> bool | None:
    """Whether a rule binds a unit made up of these municipalities (codes of 7 digits).

    True: everywhere in the unit. False: nowhere. None: in a part of it, in an area smaller than a municipality, or
    uncertain.
    """
    answers = {binds_municipality(scope, teryt) for teryt in municipalities}
    return answers.pop() if len(answers) == 1 else None


def binds_municipality(scope: Scope, teryt: str) -> bool | None:
    """Whether a rule binds a municipality.

    A municipality keeps its first six digits when its kind changes, so codes are compared by these.
    A town-and-country municipality is bound in part by rules for towns and by rules for the country.
    """
    covered = covers(scope, teryt)
    return None if covered and scope.uncertain else covered


def covers(scope: Scope, teryt: str) -> bool | None:
    """Whether an area covers a municipality: wholly, not at all, or (None) in part."""
    if _named(teryt, scope.partly):
        return None
    if _named(teryt, scope.excluded):
        return False
    if scope.area == Scope.Area.LISTED:
        return _named(teryt, scope.units)
    if scope.area == Scope.Area.VOIVODESHIP:
        return True
    kind = int(teryt[6])
    if kind == Municipality.Kind.MIXED:
        return None
    return (kind == Municipality.Kind.TOWN) == (scope.area == Scope.Area.TOWNS)


def kinds_of_places(voivodeship: str, scopes: Iterable[Scope]) -> set[str]:
    """Codes of municipalities, one or more for each kind of place that scopes of a voivodeship tell apart.

    They are those that the scopes name, and in the rest of every named county and of the voivodeship made-up ones of
    each kind. So no register is needed.
    """
    named = {code for scope in scopes for code in (*scope.units, *scope.partly, *scope.excluded)}
    areas = {voivodeship + "00", *(code for code in named if len(code) == 4)}
    made_up = {f"{area}00{kind.value}" for area in areas for kind in Municipality.Kind}
    return made_up | {code for code in named if len(code) == 7}


def _named(teryt: str, codes: Collection[str]) -> bool:
    return any(teryt.startswith(code[:6]) for code in codes)
