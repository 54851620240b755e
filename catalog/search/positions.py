"""Positions of places: their own, else of a postcode of theirs, else of their municipality."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from catalog.models import Municipality, SearchEntry
from catalog.text import fold

Place = tuple[str, str]
"""The folded name of a locality and the code of its municipality."""


class PlaceRow(NamedTuple):
    """A locality. municipality: its code. lat, lon: None if its source has no positions."""

    name: str
    kind: str
    main: bool
    municipality: str
    lat: float | None
    lon: float | None


class PostcodeRow(NamedTuple):
    """A postcode. municipalities: (code, number of addresses), main one first; 0 if unknown."""

    code: str
    places: tuple[str, ...]
    lat: float
    lon: float
    municipalities: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class PlaceRegister:
    """Input of the index. municipalities: by code, with county and voivodeship.

    midpoints: a point inside each municipality with a known boundary, by code.
    """

    municipalities: Mapping[str, Municipality]
    places: Sequence[PlaceRow]
    postcodes: Sequence[PostcodeRow]
    midpoints: Mapping[str, tuple[float, float]]


class Position(NamedTuple):
    """A WGS84 point. source: a `SearchEntry.Position`."""

    lat: float
    lon: float
    source: str


class Positions:
    """Best known positions of places and municipalities."""

    def __init__(self, register: PlaceRegister) -> None:
        self._seats = {unit.teryt: (fold(unit.name), unit.teryt) for unit in register.municipalities.values()}
        self._midpoints = register.midpoints
        self._own: dict[Place, tuple[bool, float, float]] = {}
        for row in register.places:
            if row.lat is not None and row.lon is not None:
                place = fold(row.name), row.municipality
                if place not in self._own or (row.main and not self._own[place][0]):
                    self._own[place] = row.main, row.lat, row.lon
        # The postcode with the fewest places is nearest to each of them.
        self._postcodes: dict[Place, tuple[int, int, float, float]] = {}
        for code in register.postcodes:
            for municipality, addresses in code.municipalities:
                offered = len(code.places), -addresses, code.lat, code.lon
                for name in code.places:
                    place = fold(name), municipality
                    self._postcodes[place] = min(self._postcodes.get(place, offered), offered)

    def of_place(self, name: str, municipality: str) -> Position | None:
        """Return the position of a folded name in a municipality; None if not even the municipality has one."""
        return self._known((name, municipality)) or self.of_municipality(municipality)

    def of_municipality(self, code: str) -> Position | None:
        """Return the position of the place that a municipality is named after, else a point inside it."""
        seat = self._known(self._seats[code])
        point = (seat.lat, seat.lon) if seat else self._midpoints.get(code)
        return Position(*point, SearchEntry.Position.MUNICIPALITY) if point else None

    def municipalities_without(self) -> list[str]:
        """Return the codes of municipalities without a known position."""
        return [code for code in self._seats if self.of_municipality(code) is None]

    def _known(self, place: Place) -> Position | None:
        """Return the position of a place itself, else of a postcode of it."""
        if place in self._own:
            _, lat, lon = self._own[place]
            return Position(lat, lon, SearchEntry.Position.PLACE)
        if place in self._postcodes:
            _, _, lat, lon = self._postcodes[place]
            return Position(lat, lon, SearchEntry.Position.POSTCODE)
        return None
