"""Entries of `/locations` in order of importance, each with a position.

Rebuilt after every change of the register, in its transaction; processes read them into `catalog.search.index`.

`districts.csv` has the first digits of the postcodes of each district of the five largest cities, and of parts of
Kraków, Wrocław and Poznań: three fifths of the codes with these lie within it. Sources: centres of the PRG (April
2023); outlines as the cities publish them, of Łódź those of cadastral units in the PRG. Districts of Wrocław and Poznań
consist of housing estates (outlines of 2016 and 2013), as SIMC and Wikipedia say, but for Ławica, which is divided.

The middle of a municipality is the medoid of its postcodes that lies inside, else the place of its name, else any point
inside. A place has its own position, else that of its postcodes near its municipality, its district, its municipality.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from catalog.models import Municipality, Place, Postcode, PostcodeMunicipality, SearchEntry
from catalog.search.ranking import kind_tier
from catalog.territory.boundaries import BoundaryIndex
from catalog.territory.coordinates import medoid, project, project_array
from catalog.text import fold, is_city_with_county_rights
from fueldepot.data.history import insert

LABEL_LENGTH = 80
"""Maximum length of a postcode's label; further places become an ellipsis."""

COLUMNS = ("rank", "kind", "fold", "label", "description", "municipality_id", "lat", "lon", "position")

DECIMALS = 5

FARTHEST_M = 5_000
"""Farthest outside a municipality that the centre of a postcode stands for a place in it.

Of the places of the starter data, whose positions are known, nine in ten with a postcode beyond it are nearer to the
middle of their municipality; of those with one outside but closer, four in ten.
"""

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


PlaceKey = tuple[str, str]
"""The folded name of a locality and the code of its municipality."""


class PlaceRow(NamedTuple):
    """A locality. municipality: its code. lat, lon: None if its source has no positions. district: see `PlaceKey`."""

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
        self._own: dict[PlaceKey, tuple[bool, float, float]] = {}
        districts: defaultdict[PlaceKey, set[tuple[bool, str]]] = defaultdict(set)
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
        for number, code in enumerate(register.postcodes):
            for municipality, addresses in code.municipalities:
                # A postcode without known addresses has some.
                self._addresses[municipality][number] = max(addresses, 1)
        self._named: defaultdict[PlaceKey, list[int]] = defaultdict(list)
        """Postcodes near its municipality with the name of a place.

        Of several those with the fewest places, which are nearest to each.
        """
        near = {municipality: self._near(municipality) for municipality in self._addresses}
        sizes = [len(code.places) for code in register.postcodes]
        for number in sorted(range(len(sizes)), key=sizes.__getitem__):
            code = register.postcodes[number]
            names = {fold(name) for name in code.places}
            for municipality in (teryt for teryt, _ in code.municipalities if number in near[teryt]):
                for named in (self._named[name, municipality] for name in names):
                    if not named or sizes[named[0]] == sizes[number]:
                        named.append(number)
        self._parts: dict[tuple[DistrictPart, str], int | None] = {}
        self._middles = {code: self._middle(code) for code in register.municipalities}

    def of_place(self, name: str, municipality: str) -> Position | None:
        """Return the position of a folded name in a municipality; None if not even the municipality has one."""
        place = name, municipality
        if place in self._own:
            _, lat, lon = self._own[place]
            return Position(lat, lon, SearchEntry.Position.PLACE)
        named = self._named.get(place)
        number = self._amid(named, municipality) if named else self._amid_district(place)
        if number is None:
            return self.of_municipality(municipality)
        return Position(*self._register.postcodes[number][2:4], SearchEntry.Position.POSTCODE)

    def of_municipality(self, code: str) -> Position | None:
        """Return the middle of a municipality, None where none is known."""
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

    def _near(self, municipality: str) -> set[int]:
        """Return the postcodes of a municipality whose centre lies within FARTHEST_M of it."""
        numbers = list(self._addresses[municipality])
        is_near = self._register.boundaries.covers(municipality, self._points[numbers], within_m=FARTHEST_M)
        return {number for number, near in zip(numbers, is_near.tolist(), strict=True) if near}

    def _amid(self, numbers: Sequence[int], municipality: str, allowed: NDArray[np.bool_] | None = None) -> int:
        """Return the medoid of postcodes by their addresses in a municipality. All are indexes into the register's."""
        weights = np.array([self._addresses[municipality][number] for number in numbers])
        return numbers[medoid(self._points[numbers], weights, allowed)]

    def _amid_district(self, place: PlaceKey) -> int | None:
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


class Sizes:
    """Sizes of municipalities and places, in addresses or in weights of a source without numbers."""

    def __init__(self, register: PlaceRegister) -> None:
        self.places: dict[tuple[str, str], float] = defaultdict(float)
        """By folded name and municipality: an equal share of the addresses of each postcode."""
        counted: dict[str, int] = defaultdict(int)
        codes: dict[str, list[bool]] = defaultdict(list)
        for row in register.postcodes:
            names = {fold(place) for place in row.places}
            for code, addresses in row.municipalities:
                counted[code] += addresses
                codes[code].append(addresses > 0)
                for name in names:
                    self.places[name, code] += addresses / len(names)
        # Without numbers for most of its postcodes, a municipality gets the usual size of its kind: the address
        # register lacks whole cities; for Radom it has 20 addresses.
        with_numbers = {code for code, kinds in codes.items() if 2 * sum(kinds) > len(kinds)}
        alike: dict[tuple[bool, int], list[int]] = defaultdict(list)
        for code in with_numbers:
            unit = register.municipalities[code]
            alike[_likeness(unit)].append(counted[code])
        usual = {likeness: median(sizes) for likeness, sizes in alike.items()}
        self.municipalities: dict[str, float] = {
            code: counted[code] if code in with_numbers else max(counted[code], usual.get(_likeness(unit), 0))
            for code, unit in register.municipalities.items()
        }


def _likeness(unit: Municipality) -> tuple[bool, int]:
    return is_city_with_county_rights(unit.teryt), unit.kind


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A row of the index without its rank. municipality: its code. position: None if unknown."""

    kind: str
    fold: str
    label: str
    description: str
    municipality: str
    position: Position | None


def rebuild_index() -> None:
    """Rebuild the index. Six queries."""
    register = read_register()
    with connection.cursor() as cursor:
        # TRUNCATE would block readers until the import commits.
        cursor.execute("DELETE FROM catalog_searchentry")
    insert(SearchEntry, COLUMNS, (_row(rank, entry) for rank, entry in enumerate(iter_entries(register))))


def _row(rank: int, entry: IndexEntry) -> tuple[object, ...]:
    at = entry.position
    lat, lon, source = (round(at.lat, DECIMALS), round(at.lon, DECIMALS), at.source) if at else (None, None, "")
    return (rank, entry.kind, entry.fold, entry.label, entry.description, entry.municipality, lat, lon, source)


def read_register() -> PlaceRegister:
    """Read units, places, postcodes and boundaries. Five queries."""
    units = Municipality.objects.select_related("county", "voivodeship").order_by("teryt")
    municipalities = {unit.teryt: unit for unit in units}
    shares = PostcodeMunicipality.objects.main_first().by_postcode()
    boundaries = BoundaryIndex.load(municipalities)
    places = [PlaceRow(*row) for row in Place.objects.order_by("id").values_list(*PlaceRow._fields)]
    postcodes = [
        PostcodeRow(code, tuple(names), lat, lon, tuple(boundaries.main_first(shares[code], lat, lon)))
        for code, names, lat, lon in Postcode.objects.order_by("code").values_list("code", "places", "lat", "lon")
        if code in shares
    ]
    return PlaceRegister(municipalities, places, postcodes, boundaries)


def iter_entries(register: PlaceRegister) -> Iterator[IndexEntry]:
    """Yield all entries, most important first: municipalities, postcodes, localities."""
    positions = Positions(register)
    sizes = Sizes(register)
    yield from municipality_entries(register, sizes, positions)
    yield from postcode_entries(register)
    yield from locality_entries(register, sizes, positions)


def municipality_entries(register: PlaceRegister, sizes: Sizes, positions: Positions) -> Iterator[IndexEntry]:
    """Yield municipalities by size, cities with county rights first: these have few addresses for their inhabitants.

    A town directly precedes the rural one named after it, in whatever county.
    """
    shared: dict[tuple[str, str], tuple[bool, float]] = {}
    for unit in register.municipalities.values():
        name, size = (unit.voivodeship_id, unit.name), sizes.municipalities[unit.teryt]
        shared[name] = max(shared.get(name, (False, 0)), (is_city_with_county_rights(unit.teryt), size))
    order = sorted(register.municipalities.values(), key=lambda m: (m.voivodeship_id, m.name, m.kind, m.teryt))
    order.sort(key=lambda m: shared[m.voivodeship_id, m.name], reverse=True)
    for m in order:
        position = positions.of_municipality(m.teryt)
        yield IndexEntry(SearchEntry.Kind.MUNICIPALITY, fold(m.name), m.name, m.description, m.teryt, position)


def postcode_entries(register: PlaceRegister) -> Iterator[IndexEntry]:
    """Yield postcodes in order, those without known addresses last, each with its main municipality."""
    for row in sorted(register.postcodes, key=lambda row: (row.municipalities[0][1] == 0, row.code)):
        m = register.municipalities[row.municipalities[0][0]]
        yield IndexEntry(
            SearchEntry.Kind.POSTCODE,
            row.code.replace("-", ""),
            postcode_label(row.code, row.places),
            f"kod pocztowy, {within(m)}",
            m.teryt,
            Position(row.lat, row.lon, SearchEntry.Position.POSTCODE),
        )


def postcode_label(code: str, places: Sequence[str]) -> str:
    label = f"{code} {', '.join(places)}".strip()
    if len(label) <= LABEL_LENGTH:
        return label
    return label[:LABEL_LENGTH].rpartition(", ")[0] + ", …"


def within(m: Municipality) -> str:
    """ "gmina wiejska Kościelisko, powiat tatrzański, województwo małopolskie"."""
    return f"{m.kind_name} {m.name}, {m.county.title}, województwo {m.voivodeship.name}"


def locality_entries(register: PlaceRegister, sizes: Sizes, positions: Positions) -> Iterator[IndexEntry]:
    """Yield localities: towns, districts, villages, then the rest; within these by size.

    A name occurs once per municipality, and not at all if it is the municipality's: the suggestions would be equal.
    """
    best: dict[tuple[str, str], tuple[tuple[int, int], str, str]] = {}
    for row in register.places:
        key = fold(row.name), row.municipality
        candidate = (kind_tier(row.kind, row.municipality), not row.main), row.name, row.kind
        best[key] = min(best.get(key, candidate), candidate)
    own = {(fold(m.name), m.teryt) for m in register.municipalities.values()}
    order = sorted(
        (tier, -sizes.places.get((folded, code), 0), -sizes.municipalities[code], code, folded, name, kind)
        for (folded, code), ((tier, _), name, kind) in best.items()
    )
    for _, _, _, code, folded, name, kind in order:
        if folded and (folded, code) not in own:
            description = f"{kind}, {within(register.municipalities[code])}"
            position = positions.of_place(folded, code)
            yield IndexEntry(SearchEntry.Kind.LOCALITY, folded, name, description, code, position)
