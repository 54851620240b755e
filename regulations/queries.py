"""Reading of the legal state as of a day, from the snapshots."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from catalog.models import County, Municipality, Voivodeship
from catalog.territory.snapshot import Unit, territory
from fueldepot.http.params import InvalidParameters, ParameterError
from regulations.api.params import CalendarQuery, DeadlinesQuery, RegulationsQuery
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Provision, Resolution, Scope, is_stale
from regulations.snapshot import NOWHERE, WITHOUT_UNIT, LegalStateRecords, Reach, states, year_after

WIDEST_FIRST = (Scope.Area.VOIVODESHIP, Scope.Area.OUTSIDE_TOWNS, Scope.Area.TOWNS, Scope.Area.LISTED)


class DeadlineStatus(StrEnum):
    """Whether a next deadline exists; if not, all known ones are past, or what is not known.

    DATES_UNKNOWN: an act of unknown deadlines binds. NO_RESOLUTION: no act binds. STATE_UNKNOWN: no legal state was
    imported.
    """

    UPCOMING = "upcoming"
    PASSED = "passed"
    DATES_UNKNOWN = "dates_unknown"
    NO_RESOLUTION = "no_resolution"
    STATE_UNKNOWN = "state_unknown"


class LegalStateNotFound(Exception):
    """No legal state of the voivodeship was imported."""


class DeadlinesNotFound(Exception):
    """A voivodeship, or a unit in it, has no known deadline. The message is its name or slug."""


class Law(NamedTuple):
    """One act as it stood on a day, with the amendments adopted by then."""

    resolution: Resolution
    amendments: tuple[Amendment, ...]


@dataclass(frozen=True, slots=True)
class Regulation:
    """The legal state of one voivodeship as of a day; None where none was imported. unit: the requested one.

    laws: adopted by then, oldest record first. deadlines: by date, then the widest first. changed_since: later changes,
    which the texts of the state describe. reach: what binds each unit, see `LegalStateRecords`.
    """

    voivodeship: Voivodeship
    state: LegalState | None
    on: date
    unit: Unit | None
    laws: tuple[Law, ...]
    deadlines: tuple[Deadline, ...]
    bans: tuple[FuelBan, ...]
    changed_since: bool = False
    reach: Mapping[str, Reach] = field(default_factory=dict, compare=False, repr=False)

    @property
    def place(self) -> str:
        """The unit, or else the voivodeship: "Zakopane", "powiat tatrzański", "województwo małopolskie"."""
        if isinstance(self.unit, County):
            return self.unit.place
        return self.unit.name if isinstance(self.unit, Municipality) else f"województwo {self.voivodeship.name}"

    @property
    def teryt(self) -> str:
        """The code of the unit, or else of the voivodeship."""
        return self.unit.teryt if self.unit else self.voivodeship.teryt

    @property
    def full_place(self) -> str:
        """The same, with the voivodeship behind a smaller unit."""
        voivodeship = f"województwo {self.voivodeship.name}"
        return voivodeship if self.place == voivodeship else f"{self.place}, {voivodeship}"

    @property
    def has_resolution(self) -> bool | None:
        """Whether an act exists on the day; None where no legal state was imported."""
        return bool(self.laws) if self.state else None

    @property
    def is_stale(self) -> bool:
        return self.state is not None and is_stale(self.state.as_of, self.on)

    @property
    def main(self) -> Resolution | None:
        """The act with the widest scope, None without acts."""
        return min((law.resolution for law in self.laws), key=scope_size, default=None)

    @property
    def next_deadline(self) -> Deadline | None:
        return next((deadline for deadline in self.deadlines if not deadline.holds_on(self.on)), None)

    @property
    def deadlines_of_unit(self) -> tuple[Deadline, ...]:
        """The deadlines that bind the unit or a part of it; without a unit all of them."""
        return tuple(filter(self.may_bind, self.deadlines))

    @property
    def next_deadlines_of_unit(self) -> tuple[Deadline, ...]:
        """All deadlines of the nearest day that bind the unit or a part of it; without a unit those of all places."""
        ahead = [row for row in self.deadlines if not row.holds_on(self.on) and self.may_bind(row)]
        return tuple(row for row in ahead if row.date == ahead[0].date)

    @property
    def deadline_status(self) -> DeadlineStatus:
        return self._status(None)

    @property
    def deadline_status_of_unit(self) -> DeadlineStatus:
        if self.precedes_own_act:
            return DeadlineStatus.DATES_UNKNOWN
        return self.of_unit._status(self.unit)

    @property
    def precedes_own_act(self) -> bool:
        """Whether only acts that leave out the unit are known of the day, one of them for the whole voivodeship.

        It leaves the unit out for an act adopted later; what it said of the unit until then is not known.
        """
        acts = [law.resolution for law in self.laws]
        return any(act.area == Scope.Area.VOIVODESHIP for act in acts) and not any(map(self.may_bind, acts))

    @property
    def overdue(self) -> tuple[Deadline, ...]:
        return tuple(row for row in self.deadlines if self.is_overdue(row))

    def is_overdue(self, deadline: Deadline) -> bool:
        """Whether the state is stale and the deadline comes within a year, its last day included."""
        return self.is_stale and not deadline.holds_on(self.on) and deadline.date <= year_after(self.on)

    def _status(self, unit: Unit | None) -> DeadlineStatus:
        if self.state is None:
            return DeadlineStatus.STATE_UNKNOWN
        if not self.laws:
            return DeadlineStatus.NO_RESOLUTION
        if self.next_deadline:
            return DeadlineStatus.UPCOMING
        return DeadlineStatus.DATES_UNKNOWN if self.has_undated_acts(unit) else DeadlineStatus.PASSED

    def has_undated_acts(self, unit: Unit | None) -> bool:
        """Whether an act binds a place in a unit, or else the voivodeship, that no known deadline covers."""
        # Deadlines of new installations do not count: an act has others for existing ones.
        acts = [law.resolution for law in self.laws]
        dated = [row for row in self.deadlines if row.kind != Deadline.Kind.NEW_INSTALLATIONS]
        return any(
            any(binds[act] is not False for act in acts) and all(binds[row] is False for row in dated)
            for binds in self.reach_of(unit).kinds
        )

    @property
    def of_unit(self) -> "Regulation":
        return replace(
            self,
            laws=tuple(law for law in self.laws if self.may_bind(law.resolution)),
            deadlines=self.deadlines_of_unit,
            bans=tuple(filter(self.may_bind, self.bans)),
        )

    def may_bind(self, scope: Scope) -> bool:
        """Whether a rule binds, or may bind, the unit or a part of it; without a unit every rule does."""
        return self.unit is None or self.binds(scope) is not False

    def binds(self, rule: Scope) -> bool | None:
        """Return whether a rule of the state binds the unit, which must not be None; see `Answers`."""
        assert self.unit is not None  # noqa: S101 - checked by callers
        return self.reach_of(self.unit).binds.get(rule)

    def caveat_of(self, rule: Scope) -> str:
        """Return the caveats of a rule that concern the unit, or without one any place; "" for none."""
        in_part = self.unit is None or self.binds(rule) is None
        part_caveat = rule.part_caveat_in(self.unit.teryt if self.unit else "") if in_part else ""
        return " ".join(filter(None, (rule.caveat, part_caveat)))

    def reach_of(self, unit: Unit | None) -> Reach:
        return self.reach.get(unit.teryt if unit else WITHOUT_UNIT, NOWHERE)


def find_regulations(query: RegulationsQuery) -> list[Regulation]:
    """Return the states asked for, by TERYT. Raises UnitNotFound, PostcodeNotFound and VoivodeshipNotFound."""
    areas, units = territory.get(), list[Unit]()
    if query.teryt is not None:
        units = [areas.unit(query.teryt)]
    elif query.postcode is not None:
        units = units_of_postcode(query.postcode)
    elif query.voivodeship is not None:
        return regulations_of([areas.voivodeship(query.voivodeship)], on=query.on)
    else:
        return regulations_of(list(areas.voivodeships.values()), on=query.on)
    return regulations_of([areas.voivodeships[unit.teryt[:2]] for unit in units], on=query.on, units=units)


def find_deadlines(query: DeadlinesQuery, *, today: date) -> tuple[list[tuple[Regulation, Deadline]], int]:
    """Return deadlines by date, then TERYT of the voivodeship, and their total. Raises VoivodeshipNotFound."""
    units = territory.get()
    areas = [units.voivodeship(query.voivodeship)] if query.voivodeship else list(units.voivodeships.values())
    deadlines = [
        (entry, row)
        for entry in regulations_of(areas, on=today)
        for row in entry.deadlines
        if query.first <= row.date
        and (query.last is None or row.date <= query.last)
        and (query.appliance is None or query.appliance in {*row.appliances, *row.unclear_appliances})
    ]
    deadlines.sort(key=lambda item: item[1].date)
    return deadlines[query.offset : query.offset + query.limit], len(deadlines)


def get_calendar(query: CalendarQuery) -> Regulation:
    """Return the state for a calendar. Raises VoivodeshipNotFound, UnitNotFound, LegalStateNotFound.

    Raises DeadlinesNotFound for an empty calendar, InvalidParameters for a unit of another voivodeship.
    """
    units = territory.get()
    voivodeship = units.voivodeship(query.voivodeship)
    unit = None if query.teryt is None else units.unit(query.teryt)
    if unit and not unit.teryt.startswith(voivodeship.teryt):
        other = units.voivodeships[unit.teryt[:2]]
        reason = f"teryt {query.teryt} lies in {other.slug}, not in {voivodeship.slug}"
        advice = f"give a code that begins with {voivodeship.teryt}"
        raise InvalidParameters([ParameterError("teryt", "out_of_range", f"{reason}; {advice}")])
    (entry,) = regulations_of([voivodeship], on=query.on, units=[unit] if unit else [])
    if entry.state is None:
        raise LegalStateNotFound(voivodeship.slug)
    if not entry.deadlines_of_unit:
        raise DeadlinesNotFound(f"{unit.name} ({unit.teryt})" if unit else voivodeship.slug)
    return entry


def regulations_of(areas: Sequence[Voivodeship], *, on: date, units: Iterable[Unit] = ()) -> list[Regulation]:
    """Return the legal states of voivodeships, in their order. units: at most one per voivodeship."""
    records = states.get()
    unit_in = {unit.teryt[:2]: unit for unit in units}
    return [as_of_day(area, records.get(area.pk), on=on, unit=unit_in.get(area.pk)) for area in areas]


def as_of_day(
    voivodeship: Voivodeship, records: LegalStateRecords | None, *, on: date, unit: Unit | None
) -> Regulation:
    """Return the part of a state in force on a day. An act of unknown adoption counts from the first known one."""
    if records is None:
        return Regulation(voivodeship, None, on, unit, (), (), ())

    def is_adopted(act: Resolution | Amendment) -> bool:
        return act.adopted is None or act.adopted <= on

    begins = min((act.adopted for act in records.acts if act.adopted), default=date.min)
    laws = tuple(
        Law(act, tuple(row for row in records.amendments if row.resolution_id == act.pk and is_adopted(row)))
        for act in records.acts
        if begins <= on and is_adopted(act)
    )
    deadlines = [row for row in records.deadlines if laws and row.stands_on(on)]
    return Regulation(
        voivodeship,
        records.state,
        on,
        unit,
        laws,
        tuple(sorted(deadlines, key=lambda row: (row.date, scope_size(row), row.pk))),
        tuple(ban for ban in records.bans if laws and ban.stands_on(on)),
        changed_since=any(day > on for day in days_of_change(records)),
        reach=records.reach,
    )


def days_of_change(records: LegalStateRecords) -> Iterator[date]:
    """Return the known days of adoption of acts and amendments, and the first and last days of rules."""
    adopted = (*(act.adopted for act in records.acts), *(change.adopted for change in records.amendments))
    provisions: tuple[Provision, ...] = (*records.deadlines, *records.bans)
    stood = (day for row in provisions for day in (row.valid_from, row.valid_to))
    return (day for day in (*adopted, *stood) if day is not None)


def scope_size(scope: Scope) -> int:
    """Return the rank of a scope by its area, 0 for the widest."""
    return WIDEST_FIRST.index(Scope.Area(scope.area))


def units_of_postcode(code: str) -> list[Unit]:
    """Return the main municipality of a postcode in each voivodeship, by TERYT. Raises PostcodeNotFound."""
    main: dict[str, Municipality] = {}
    for unit in territory.get().municipalities_of_postcode(code):
        main.setdefault(unit.voivodeship_id, unit)
    return [main[teryt] for teryt in sorted(main)]
