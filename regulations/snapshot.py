"""Snapshot of the legal states of the voivodeships: what binds which unit, and which states are stale or overdue."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q

from catalog.models import Dataset, Municipality
from catalog.text import group_by_unit
from fueldepot.data.snapshot import Snapshot
from regulations.models import STALE_AFTER, Amendment, Deadline, FuelBan, LegalState, Resolution, Scope


def year_after(day: date) -> date:
    """Return the same day a year later; 28 February for 29 February."""
    try:
        return day.replace(year=day.year + 1)
    except ValueError:
        return day.replace(year=day.year + 1, day=28)


def overdue_condition(today: date) -> Q:
    """Match the states with a deadline for which `Regulation.is_overdue` holds."""
    ahead = Deadline.objects.filter(
        Q(valid_from=None) | Q(valid_from__lte=today),
        Q(valid_to=None) | Q(valid_to__gt=today),
        state=OuterRef("pk"),
        date__gt=today,
        date__lte=year_after(today),
    )
    return Q(Exists(ahead), as_of__lt=today - STALE_AFTER)


Answers = Mapping[Scope, bool | None]
"""Whether each rule binds a place. True: everywhere in it. False: nowhere. None: in a part of it, or uncertain."""


class Reach(NamedTuple):
    """Which rules bind a unit. kinds: the answers of each kind of its municipalities that the rules distinguish."""

    binds: Answers
    kinds: tuple[Answers, ...]


NOWHERE = Reach({}, ())
"""Of a unit without municipalities: of no rule is it known whether it binds there."""


def reach_of_units(scopes: Sequence[Scope], units: Mapping[str, Iterable[str]]) -> dict[str, Reach]:
    """Return which rules bind each unit, by codes of its municipalities. Unnamed ones differ by kind alone."""
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
    """Whether a scope covers a municipality, None for a part, as of town and country in a mixed one."""
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
    """Return codes that represent every case: named municipalities, and invented ones of each kind and county."""
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


WITHOUT_UNIT = ""
"""Key of the reach in all kinds of places that the rules distinguish, whichever of them the register has."""


class LegalStateRecords(NamedTuple):
    """The rows of all days: oldest first, amendments by adoption. reach: what binds each unit, or WITHOUT_UNIT."""

    state: LegalState
    acts: tuple[Resolution, ...]
    amendments: tuple[Amendment, ...]
    deadlines: tuple[Deadline, ...]
    bans: tuple[FuelBan, ...]
    reach: Mapping[str, Reach]


def read_states() -> dict[str, LegalStateRecords]:
    """Read the legal states by the two digits of their voivodeship. Six queries."""
    acts = list(Resolution.objects.order_by("pk"))
    amendments = list(Amendment.objects.order_by("adopted", "pk"))
    deadlines, bans = list(Deadline.objects.order_by("pk")), list(FuelBan.objects.order_by("pk"))
    units = group_by_unit(Municipality.objects.order_by("teryt").values_list("pk", flat=True))
    records = {}
    for state in LegalState.objects.order_by("pk"):
        own_acts = {act.pk: act for act in acts if act.state_id == state.pk}
        own_deadlines = tuple(row for row in deadlines if row.state_id == state.pk)
        own_bans = tuple(row for row in bans if row.state_id == state.pk)
        rules: tuple[Scope, ...] = (*own_acts.values(), *own_deadlines, *own_bans)
        own_units: dict[str, Iterable[str]] = {WITHOUT_UNIT: kinds_of_places(state.pk, rules)}
        own_units |= {code: inside for code, inside in units.items() if code.startswith(state.pk)}
        records[state.pk] = LegalStateRecords(
            state,
            tuple(own_acts.values()),
            tuple(change for change in amendments if change.resolution_id in own_acts),
            own_deadlines,
            own_bans,
            reach_of_units(rules, own_units),
        )
    return records


states = Snapshot(read_states, Dataset.Slug.REGULATIONS, Dataset.Slug.UNITS)
