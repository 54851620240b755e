"""Municipalities of the postcodes of the package. Used by `catalog.starter.build` only.

The package states place, voivodeship and point, so the municipality is determined by places: by name and distance, else
by distance alone.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely import Point, STRtree

from catalog.importers.records import PlaceRecord, PostcodeRecord, UnitRecord
from catalog.starter.matching import format_name, place_key
from catalog.territory.projection import project_array

TOWN_WEIGHT, TOWN_LEAST = 80, 5
"""Weight of a town in villages, in its only postcode and at least in any: addresses are unknown. See `_Weights`."""

VILLAGE_REACH_M = 4_000
TOWN_REACH_M = 9_000
CITY_REACH_M = 20_000
"""Distance to a village, town or city within which a postcode point of its name means it."""

CITY_CODES, LARGE_CITY_CODES = 3, 100
"""Least number of codes within `TOWN_REACH_M` of a city, known by its codes' first digits, and of a large one."""

SAME_CODE_PULL = 0.6
"""Factor on distances to municipalities that the postcode is known in, for points without a named place."""

STRAY_M, USUAL_CODES = 20_000, 3
"""Rows this far from the others of their postcode are errors.

Those of a municipality with fewer than `USUAL_CODES` codes of the same two digits, and more with others, are dropped
first.
"""


BORDER_M = 16_000
"""Maximum distance of points abroad from a place. They matter up to twice the reach of an approximate boundary."""

Abroad = tuple[str, float, float]
"""A point in another country: its code, lat, lon."""


@dataclass(frozen=True, slots=True)
class RawPostcode:
    """A postcode in one place. voivodeship: two digits of TERYT."""

    code: str
    place: str
    voivodeship: str
    lat: float
    lon: float


def missing_seats(
    units: Iterable[UnitRecord], places: Sequence[PlaceRecord], rows: Iterable[RawPostcode]
) -> list[PlaceRecord]:
    """Return missing places that municipalities are named after: the package has no settlements ("osada").

    Taken from postcode rows with that name and voivodeship, nearest to a place of that municipality.
    """
    named = {(place.unit, place_key(place.name)) for place in places}
    wanted = {
        (unit.teryt[:2], place_key(unit.name), unit.teryt): unit
        for unit in units
        if len(unit.teryt) == 7 and (unit.teryt, place_key(unit.name)) not in named
    }
    by_name: dict[tuple[str, str], list[RawPostcode]] = defaultdict(list)
    for row in rows:
        by_name[row.voivodeship, place_key(row.place)].append(row)
    matcher = PostcodeMatcher(places)
    found = []
    for (voivodeship, name, teryt), unit in sorted(wanted.items(), key=lambda item: item[1].teryt):
        for row in sorted(by_name[voivodeship, name], key=lambda row: (row.code, row.lat, row.lon)):
            if matcher.nearest(row) == teryt:
                kind = "osada" if unit.kind == 2 else "miasto"
                found.append(PlaceRecord(f"geonames:{teryt}", unit.name, kind, teryt, lat=row.lat, lon=row.lon))
                break
    return found


def near_border(rows: Sequence[Abroad], places: Sequence[PlaceRecord]) -> list[Abroad]:
    """Return the points abroad within `BORDER_M` of a place, in order."""
    home = STRtree([Point(x, y) for x, y in _project([(_known(p.lat), _known(p.lon)) for p in places])])
    plane = _project([(lat, lon) for _, lat, lon in rows])
    found = home.query([Point(x, y) for x, y in plane], predicate="dwithin", distance=BORDER_M)[0]
    near = {int(number) for number in found}
    return [row for number, row in enumerate(rows) if number in near]


@dataclass(frozen=True, slots=True)
class _Row:
    """A postcode row with its municipality. place: index of the named place, None if only the point counts."""

    code: str
    teryt: str
    name: str
    place: int | None
    lat: float
    lon: float
    plane: tuple[float, float]


class PostcodeMatcher:
    """Finds the municipalities of postcode rows among places with positions.

    `tally` counts the methods: "name" by a nearby place of that name, "city" by a more distant city of that name,
    "code" by a nearby place with the same postcode, "nearest" by the nearest place; "stray" are dropped rows.
    """

    def __init__(self, places: Sequence[PlaceRecord]) -> None:
        self.places = places
        self.tally: Counter[str] = Counter()
        self.plane = _project([(_known(place.lat), _known(place.lon)) for place in places])
        self.tree = STRtree([Point(x, y) for x, y in self.plane])
        self.by_name: dict[str, list[int]] = defaultdict(list)
        for number, place in enumerate(places):
            self.by_name[place_key(place.name)].append(number)

    def match(self, rows: Iterable[RawPostcode]) -> list[PostcodeRecord]:
        """Merge rows into postcodes, by code.

        The position is that of the row nearest to the weighted centre of the rows of the first municipality.

        Towns come first among the places, then by name.
        """
        ordered = sorted(set(rows), key=lambda row: (row.code, row.place, row.voivodeship, row.lat, row.lon))
        plane = _project([(row.lat, row.lon) for row in ordered])
        near = [self._by_name(row, plane[number]) for number, row in enumerate(ordered)]
        self.tally["name"] += sum(place is not None for place in near)
        cities = self._cities(ordered, near)
        named: dict[str, list[_Row]] = defaultdict(list)
        nameless: dict[str, list[int]] = defaultdict(list)
        for number, row in enumerate(ordered):
            place = near[number] if near[number] is not None else self._city(row, plane[number], cities)
            if place is None:
                nameless[row.code].append(number)
            else:
                named[row.code].append(self._named(row, place, plane[number]))
        weights = _Weights(self.places, [row for rows in named.values() for row in rows])
        result = []
        for code in sorted(named.keys() | nameless.keys()):
            kept = weights.without_strays(named[code])
            self.tally["stray"] += len(named[code]) - len(kept)
            known = {row.teryt for row in kept}
            for number in nameless[code]:
                raw = ordered[number]
                teryt = self._by_position(plane[number], known)
                position = (float(plane[number][0]), float(plane[number][1]))
                kept.append(_Row(code, teryt, format_name(raw.place), None, raw.lat, raw.lon, position))
            result.append(weights.merge(kept))
        return result

    def nearest(self, row: RawPostcode) -> str | None:
        """Return the municipality nearest to a row without a nearby place of its name; None for other rows."""
        (at,) = _project([(row.lat, row.lon)])
        return self._by_position(at, set()) if self._by_name(row, at) is None else None

    def _by_name(self, row: RawPostcode, at: NDArray[np.float64]) -> int | None:
        """Return the place of the row's name nearest to its point, weighted by size; None if none is in reach."""
        best: tuple[float, int] | None = None
        for number in self.by_name.get(place_key(row.place), ()):
            reach = TOWN_REACH_M if self.places[number].kind == "miasto" else VILLAGE_REACH_M
            share = math.dist(self.plane[number], at) / reach
            if share <= 1 and (best is None or share < best[0]):
                best = (share, number)
        return best[1] if best else None

    def _cities(
        self, rows: Sequence[RawPostcode], near: Sequence[int | None]
    ) -> dict[tuple[str, str], tuple[int, set[str]]]:
        """Return place and codes of cities, by folded name and voivodeship."""
        codes: dict[int, set[str]] = defaultdict(set)
        for row, number in zip(rows, near, strict=True):
            if number is not None and self.places[number].kind == "miasto":
                codes[number].add(row.code)
        return {
            (place_key(self.places[number].name), self.places[number].unit[:2]): (number, own)
            for number, own in sorted(codes.items())
            if len(own) >= CITY_CODES
        }

    def _city(
        self,
        row: RawPostcode,
        at: NDArray[np.float64],
        cities: dict[tuple[str, str], tuple[int, set[str]]],
    ) -> int | None:
        """Return the city of the row's name with similar codes, or a large one nearby."""
        number, codes = cities.get((place_key(row.place), row.voivodeship), (None, set()))
        if number is None:
            return None
        alike = row.code[:2] in {code[:2] for code in codes}
        large = len(codes) >= LARGE_CITY_CODES
        close = math.dist(self.plane[number], at) <= CITY_REACH_M
        if not (large and (alike or close)) and not (alike and close):
            return None
        self.tally["city"] += 1
        return number

    def _named(self, raw: RawPostcode, number: int, at: NDArray[np.float64]) -> _Row:
        place = self.places[number]
        lat, lon, position = raw.lat, raw.lon, at
        if math.dist(self.plane[number], at) > CITY_REACH_M:  # a wrong point: use the city's own
            lat, lon, position = _known(place.lat), _known(place.lon), self.plane[number]
        return _Row(raw.code, place.unit, place.name, number, lat, lon, (float(position[0]), float(position[1])))

    def _by_position(self, at: NDArray[np.float64], known: set[str]) -> str:
        """Return the municipality of the nearest place; places with the same postcode count as nearer."""
        point = Point(at[0], at[1])
        nearest = int(self.tree.query_nearest(point, all_matches=False)[0])
        limit = math.dist(self.plane[nearest], at) / SAME_CODE_PULL
        within = self.tree.query(point, predicate="dwithin", distance=limit)
        drawn = [int(number) for number in within if self.places[int(number)].unit in known]
        if not drawn:
            self.tally["nearest"] += 1
            return self.places[nearest].unit
        self.tally["code"] += 1
        return min((math.dist(self.plane[number], at), self.places[number].unit) for number in drawn)[1]


class _Weights:
    """Weights of rows in their postcode, and detection of stray rows.

    A village weighs 1. A town weighs `TOWN_WEIGHT` shared among its codes, but all of it in a code that ends in 00, the
    main one of a post town, unless another town there has more codes.
    """

    def __init__(self, places: Sequence[PlaceRecord], rows: Iterable[_Row]) -> None:
        self.places = places
        self.codes_of: dict[int, set[str]] = defaultdict(set)
        codes_in: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            codes_in[row.teryt].add(row.code)
            if row.place is not None:
                self.codes_of[row.place].add(row.code)
        self.digits = {teryt: Counter(code[:2] for code in codes) for teryt, codes in codes_in.items()}

    def without_strays(self, rows: Sequence[_Row]) -> list[_Row]:
        """Keep the rows that lie together: the groups with a usual code, of those the largest."""
        groups: list[list[_Row]] = []
        for row in rows:
            near = [group for group in groups if any(math.dist(row.plane, o.plane) <= STRAY_M for o in group)]
            groups = [group for group in groups if group not in near]
            groups.append([row, *(other for group in near for other in group)])
        best = max(map(self._rank, groups), default=None)
        return [row for group in groups if self._rank(group) == best for row in group]

    def _rank(self, rows: Sequence[_Row]) -> tuple[bool, int]:
        return any(self._usual(row) for row in rows), len(rows)

    def _usual(self, row: _Row) -> bool:
        digits = self.digits[row.teryt]
        return digits[row.code[:2]] >= min(USUAL_CODES, max(digits.values()))

    def merge(self, rows: Sequence[_Row]) -> PostcodeRecord:
        """Merge the rows of one postcode, at least one."""
        towns = [row for row in rows if self._town(row)]
        main = max(towns, key=lambda row: (self._codes(row), row.teryt), default=None)
        weighed = [(row, self._weight(row, main)) for row in rows]
        total: Counter[str] = Counter()
        names: dict[str, int] = {}
        for row, weight in weighed:
            total[row.teryt] += weight
            names[row.name] = max(names.get(row.name, 0), int(self._town(row)))
        municipalities = tuple(sorted(total.items(), key=lambda item: (-item[1], item[0])))
        first = [(row, weight) for row, weight in weighed if row.teryt == municipalities[0][0]]
        x = sum(row.plane[0] * weight for row, weight in first) / municipalities[0][1]
        y = sum(row.plane[1] * weight for row, weight in first) / municipalities[0][1]
        centre = min(first, key=lambda item: (round(math.dist(item[0].plane, (x, y))), item[0].name))[0]
        places = tuple(sorted(names, key=lambda name: (-names[name], name)))
        return PostcodeRecord(rows[0].code, municipalities, places, centre.lat, centre.lon, source="geonames")

    def _town(self, row: _Row) -> bool:
        return row.place is not None and self.places[row.place].kind == "miasto"

    def _weight(self, row: _Row, main: _Row | None) -> int:
        if row.place is None or not self._town(row):
            return 1
        if main is not None and row.place == main.place and row.code.endswith("00"):
            return TOWN_WEIGHT
        return max(TOWN_LEAST, round(TOWN_WEIGHT / self._codes(row)))

    def _codes(self, row: _Row) -> int:
        return 0 if row.place is None else len(self.codes_of[row.place])


def _project(positions: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
    array = np.array(positions, dtype=np.float64).reshape(-1, 2)
    return project_array(array[:, 0], array[:, 1])


def _known(value: float | None) -> float:
    if value is None:
        raise ValueError("a place without position cannot be matched; give only places with lat and lon")
    return value
