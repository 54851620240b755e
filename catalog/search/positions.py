"""Positions of municipalities and places; postcodes of the districts of large cities, which no register states.

`districts.csv` has the first digits of the postcodes of each district of Warszawa, Kraków and its parts: three fifths
of the codes with these lie within it. Source: centres of the PRG (April 2023); outlines as the cities publish them.

The middle of a municipality is the medoid of its postcodes that lies inside, else the place of its name, else any point
inside. A place has its own position, else that of its postcodes, its district, its municipality.
"""

import csv
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.models import Municipality, SearchEntry
from catalog.territory.boundaries import BoundaryIndex
from catalog.territory.coordinates import medoid, project, project_array
from catalog.text import fold

FILE = Path(__file__).parent / "districts.csv"


class DistrictPart(NamedTuple):
    """A district, or a part of it. district: its TERC code. place: folded name of the part, "" for the whole."""

    district: str
    place: str


@cache
def postcode_prefixes() -> dict[DistrictPart, tuple[str, ...]]:
    """Return the first digits of the postcodes of each district and part."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            DistrictPart(row["district"], fold(row["place"])): tuple(row["postcodes"].split())
            for row in csv.DictReader(file, delimiter=";")
        }


Place = tuple[str, str]
"""The folded name of a locality and the code of its municipality."""


class PlaceRow(NamedTuple):
    """A locality. municipality: its code. lat, lon: None if its source has no positions. district: see `Place`."""

    name: str
    kind: str
    main: bool
    municipality: str
    lat: float | None
    lon: float | None
    district: str


class PostcodeRow(NamedTuple):
    """A postcode. municipalities: (code, number of addresses), main one first; 0 if unknown."""

    code: str
    places: tuple[str, ...]
    lat: float
    lon: float
    municipalities: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class PlaceRegister:
    """Input of the index. municipalities: by code, with county and voivodeship."""

    municipalities: Mapping[str, Municipality]
    places: Sequence[PlaceRow]
    postcodes: Sequence[PostcodeRow]
    boundaries: BoundaryIndex


class Position(NamedTuple):
    """A WGS84 point. source: a `SearchEntry.Position`."""

    lat: float
    lon: float
    source: str


class Positions:
    """Best known positions of places and municipalities. Half a second for the whole country."""

    def __init__(self, register: PlaceRegister) -> None:
        self._register = register
        self._points = project_array(*np.array([(row.lat, row.lon) for row in register.postcodes]).reshape(-1, 2).T)
        self._own: dict[Place, tuple[bool, float, float]] = {}
        districts: defaultdict[Place, set[tuple[bool, str]]] = defaultdict(set)
        for row in register.places:
            if row.lat is not None and row.lon is not None:
                place = fold(row.name), row.municipality
                if place not in self._own or (row.main and not self._own[place][0]):
                    self._own[place] = row.main, row.lat, row.lon
            elif row.district:
                districts[fold(row.name), row.municipality].add((row.main, row.district))
        # Of a name in several districts only one that is a district itself is meant.
        self._districts = {place: max(rows)[1] for place, rows in districts.items() if len(rows) == 1 or max(rows)[0]}
        self._addresses: defaultdict[str, dict[int, int]] = defaultdict(dict)
        """Addresses by postcode, as an index into those of the register, of each municipality."""
        self._named: dict[Place, list[int]] = {}
        """Postcodes with the name of a place; of several those with the fewest places, which are nearest to each."""
        fewest: dict[Place, int] = {}
        for number, code in enumerate(register.postcodes):
            names = {fold(name) for name in code.places}
            for municipality, addresses in code.municipalities:
                # A postcode without known addresses has some.
                self._addresses[municipality][number] = max(addresses, 1)
                for place in ((name, municipality) for name in names):
                    if len(code.places) < fewest.get(place, len(code.places) + 1):
                        fewest[place], self._named[place] = len(code.places), []
                    if len(code.places) == fewest[place]:
                        self._named[place].append(number)
        self._parts: dict[tuple[DistrictPart, str], int | None] = {}
        self._middles = {code: self._middle(code) for code in register.municipalities}

    def of_place(self, name: str, municipality: str) -> Position | None:
        """Return the position of a folded name in a municipality; None if not even the municipality has one."""
        place = name, municipality
        if place in self._own:
            _, lat, lon = self._own[place]
            return Position(lat, lon, SearchEntry.Position.PLACE)
        if place in self._named:
            number: int | None = self._amid(self._named[place], municipality)
        else:
            number = self._amid_district(place)
        if number is None:
            return self.of_municipality(municipality)
        return Position(*self._register.postcodes[number][2:4], SearchEntry.Position.POSTCODE)

    def of_municipality(self, code: str) -> Position | None:
        """Return the middle of a municipality; None if nothing of it has a position."""
        middle = self._middles[code]
        return Position(*middle, SearchEntry.Position.MUNICIPALITY) if middle else None

    def _middle(self, code: str) -> tuple[float, float] | None:
        boundaries, numbers = self._register.boundaries, list(self._addresses[code])
        inside = boundaries.covers(code, self._points[numbers])
        if inside.any():
            row = self._register.postcodes[self._amid(numbers, code, inside)]
            return row.lat, row.lon
        _, lat, lon = self._own.get((fold(self._register.municipalities[code].name), code), (False, None, None))
        if lat is not None and lon is not None and boundaries.covers(code, np.array([project(lat, lon)])).all():
            return lat, lon
        return boundaries.representative_point(code)

    def _amid(self, numbers: Sequence[int], municipality: str, allowed: NDArray[np.bool_] | None = None) -> int:
        """Return the medoid of postcodes by their addresses in a municipality. All are indexes into the register's."""
        weights = np.array([self._addresses[municipality][number] for number in numbers])
        return numbers[medoid(self._points[numbers], weights, allowed)]

    def _amid_district(self, place: Place) -> int | None:
        """Return the medoid of the postcodes of a part of a district, else of the district; None without either."""
        name, municipality = place
        district = self._districts.get(place, "")
        for part in (DistrictPart(district, name), DistrictPart(district, "")):
            prefixes = postcode_prefixes().get(part)
            if prefixes is None:
                continue
            if (part, municipality) not in self._parts:
                codes = self._register.postcodes
                numbers = [n for n in self._addresses[municipality] if codes[n].code.startswith(prefixes)]
                self._parts[part, municipality] = self._amid(numbers, municipality) if numbers else None
            return self._parts[part, municipality]
        return None
