"""Questions about the legal state: plain values in, the state as of a day out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from catalog.models import Municipality, Voivodeship
from catalog.query_string import InvalidParameters, ParameterError
from catalog.territory.snapshot import UnknownPostcode, territory
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Provision, Resolution, Scope
from regulations.params import CalendarQuery, RegulationsQuery
from regulations.scopes import binds, kinds_of_places
from regulations.snapshot import WholeState, states

WIDEST_FIRST = (Scope.Area.VOIVODESHIP, Scope.Area.OUTSIDE_TOWNS, Scope.Area.TOWNS, Scope.Area.LISTED)


class UnknownLegalState(Exception):
    """No legal state of the voivodeship was ever imported."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit somebody asks for. level: voivodeship, county or municipality.

    municipalities: the codes it is made up of. slug: of a municipality, "" for others.
    """

    level: str
    teryt: str
    name: str
    voivodeship: Voivodeship
    municipalities: tuple[str, ...]
    slug: str = ""


@dataclass(frozen=True, slots=True)
class Law:
    """One act as it stood on a day, with the amendments adopted by then."""

    resolution: Resolution
    amendments: tuple[Amendment, ...]


@dataclass(frozen=True, slots=True)
class Regulation:
    """The legal state of one voivodeship as of a day. state: None where nothing is known of it.

    laws: the acts adopted by then, oldest record first; none means no resolution. deadlines: ascending by date, on one
    day those that cover most first. unit: the one asked for. changed_since: acts or rules became others after the
    day, so the words of the state, which are of its newest form, do not describe it.
    """

    voivodeship: Voivodeship
    state: LegalState | None
    on: date
    unit: Unit | None
    laws: tuple[Law, ...]
    deadlines: tuple[Deadline, ...]
    bans: tuple[FuelBan, ...]
    changed_since: bool = False

    @property
    def has_resolution(self) -> bool | None:
        """Whether there is an act on the day; None where no legal state was ever imported."""
        return bool(self.laws) if self.state else None

    @property
    def main(self) -> Resolution | None:
        """The act that covers most: the voivodeship-wide one, else the one outside towns."""
        acts = [law.resolution for law in self.laws]
        return min(acts, key=width, default=None)

    @property
    def next_deadline(self) -> Deadline | None:
        """The nearest deadline on the day or after it, anywhere in the voivodeship."""
        return next((deadline for deadline in self.deadlines if deadline.date >= self.on), None)

    @property
    def next_deadline_of_unit(self) -> Deadline | None:
        """The nearest deadline, on the day or after it, that binds the unit or a part of it."""
        return next((d for d in self.deadlines if d.date >= self.on and self.binds(d) is not False), None)

    @property
    def has_undated_acts(self) -> bool:
        """Whether an act binds somewhere in the unit, or in the voivodeship, where no deadline of it is known.

        Deadlines for new installations do not count: an act has others for what is already there.
        """
        acts = [law.resolution for law in self.laws]
        dated = [row for row in self.deadlines if row.kind != Deadline.Kind.NEW_INSTALLATIONS]
        places = self.unit.municipalities if self.unit else kinds_of_places(self.voivodeship.pk, [*acts, *dated])
        return any(
            any(binds(act, [place]) is not False for act in acts) and all(binds(row, [place]) is False for row in dated)
            for place in places
        )

    def binds(self, scope: Scope) -> bool | None:
        """Whether a rule binds the unit asked for: see `scopes.binds`. Ask only where there is one."""
        assert self.unit is not None  # noqa: S101 - callers look first
        return binds(scope, self.unit.municipalities)


def find_regulations(query: RegulationsQuery) -> list[Regulation]:
    """The legal state of every voivodeship a question concerns, by TERYT.

    Raises UnknownUnit, UnknownPostcode and UnknownVoivodeship.
    """
    if query.teryt is not None:
        units = [get_unit(query.teryt)]
    elif query.postcode is not None:
        units = units_of_postcode(query.postcode)
    elif query.voivodeship is not None:
        return regulations_of([territory.get().voivodeship(query.voivodeship)], on=query.on)
    else:
        return regulations_of(list(territory.get().voivodeships.values()), on=query.on)
    return regulations_of([unit.voivodeship for unit in units], on=query.on, units=units)


def get_calendar(query: CalendarQuery) -> Regulation:
    """The legal state whose deadlines a calendar shows.

    Raises UnknownVoivodeship, UnknownUnit and UnknownLegalState, and InvalidParameters for a unit that lies elsewhere.
    """
    voivodeship = territory.get().voivodeship(query.voivodeship)
    unit = None if query.teryt is None else get_unit(query.teryt)
    if unit and unit.voivodeship != voivodeship:
        reason = (
            f"teryt {query.teryt} lies in {unit.voivodeship.slug}, not in {voivodeship.slug}; "
            f"give a code that begins with {voivodeship.teryt}"
        )
        raise InvalidParameters([ParameterError("teryt", "out_of_range", reason)])
    (entry,) = regulations_of([voivodeship], on=query.on, units=[unit] if unit else [])
    if entry.state is None:
        raise UnknownLegalState(voivodeship.slug)
    return entry


def regulations_of(areas: Sequence[Voivodeship], *, on: date, units: Iterable[Unit] = ()) -> list[Regulation]:
    """The legal state of voivodeships, in their order."""
    known = states.get()
    asked = {unit.voivodeship.pk: unit for unit in units}
    return [as_of_day(area, known.get(area.pk), on=on, unit=asked.get(area.pk)) for area in areas]


def as_of_day(voivodeship: Voivodeship, whole: WholeState | None, *, on: date, unit: Unit | None) -> Regulation:
    """What of a whole state stood on a day. An act whose day of adoption is unknown stands as long as any other."""
    if whole is None:
        return Regulation(voivodeship, None, on, unit, (), (), ())
    begins = min((act.adopted for act in whole.acts if act.adopted), default=date.min)
    laws = tuple(
        Law(act, tuple(a for a in whole.amendments_of(act) if a.adopted is None or a.adopted <= on))
        for act in whole.acts
        if begins <= on and (act.adopted is None or act.adopted <= on)
    )
    return Regulation(
        voivodeship,
        whole.state,
        on,
        unit,
        laws,
        tuple(sorted((row for row in whole.deadlines if laws and row.stands_on(on)), key=deadline_order)),
        tuple(ban for ban in whole.bans if laws and ban.stands_on(on)),
        changed_since=any(day > on for day in days_of_change(whole)),
    )


def days_of_change(whole: WholeState) -> Iterator[date]:
    """The days on which acts were adopted or amended and rules began or ended to stand in them, as far as known."""
    adopted = (*(act.adopted for act in whole.acts), *(change.adopted for change in whole.amendments))
    provisions: tuple[Provision, ...] = (*whole.deadlines, *whole.bans)
    stood = (day for row in provisions for day in (row.valid_from, row.valid_to))
    return (day for day in (*adopted, *stood) if day is not None)


def width(scope: Scope) -> int:
    """0 for the area that covers most."""
    return WIDEST_FIRST.index(Scope.Area(scope.area))


def deadline_order(deadline: Deadline) -> tuple[date, int, int]:
    """Sorts deadlines by day, then the wider first, then the older row."""
    return deadline.date, width(deadline), deadline.pk


def get_unit(teryt: str) -> Unit:
    """Return a unit of any level by its code. Raises UnknownUnit."""
    units = territory.get()
    units.check_unit(teryt)
    if len(teryt) == 7:
        return unit_of(units.municipalities[teryt])
    inside = tuple(unit.teryt for unit in units.municipalities_in(teryt))
    if len(teryt) == 4:
        county = units.counties[teryt]
        return Unit("county", teryt, county.name, county.voivodeship, inside)
    voivodeship = units.voivodeships[teryt]
    return Unit("voivodeship", teryt, voivodeship.name, voivodeship, inside)


def unit_of(municipality: Municipality) -> Unit:
    """Return a municipality as the unit asked for."""
    teryt = municipality.teryt
    return Unit("municipality", teryt, municipality.name, municipality.voivodeship, (teryt,), municipality.slug)


def units_of_postcode(code: str) -> list[Unit]:
    """Return in every voivodeship of a postcode its municipality with most addresses, by TERYT of the voivodeship.

    Raises UnknownPostcode.
    """
    units = territory.get()
    found: dict[str, Municipality] = {}
    for teryt in units.postcode(code).municipalities:
        municipality = units.municipalities[teryt]
        found.setdefault(municipality.voivodeship_id, municipality)
    if not found:
        raise UnknownPostcode(code)
    return [unit_of(found[teryt]) for teryt in sorted(found)]
