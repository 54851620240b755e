"""Snapshot of all published depots: near a point, in a unit, by words, by id.

Brute force over unit vectors takes 20 µs for 6,586 depots. Beyond 100,000, `Depots.near` is the one place to use a
spatial index or PostGIS.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property, lru_cache
from itertools import repeat, starmap
from typing import Any, NamedTuple

import numpy as np
import orjson
from django.db import connection
from numpy.typing import NDArray

from catalog.depots import fuels
from catalog.models import Dataset, Depot
from catalog.parsing.contacts_and_names import phone_links, typed_digits
from catalog.parsing.opening_hours import Week, ranges_of_week
from catalog.territory import coordinates
from catalog.territory.coordinates import Point
from catalog.text import fold, fold_company, format_address
from fueldepot.data.snapshot import Snapshot

FUEL_BITS = {fuel.slug: 1 << number for number, fuel in enumerate(fuels.FUELS)}

ASSORTMENT_BITS = {fuel.slug: sum(FUEL_BITS[slug] for slug in fuels.assortments(fuel.slug)) for fuel in fuels.FUELS}
"""Bit masks by fuel slug; `wegiel` includes every assortment of coal."""

MOST_MATCHES = 8
"""Depots that a search by words returns."""

FEWEST_DIGITS = 7
"""Digits of a telephone or tax number that finds depots; the end of a number may be typed, without the country code."""

FEWEST_LETTERS = 3

BATCH = 500
"""Rows that the driver makes at once, while which no other thread runs."""


@dataclass(eq=False, repr=False)
class DepotNotFound(Exception):
    """No depot is published under this id. removed: whether one was. successor: id of the one that has absorbed it."""

    id: int
    removed: bool = False
    successor: int | None = None


class DepotRow(NamedTuple):
    """A published depot. hours: JSON text. hours_ranges: by day of the week. Both None if unknown.

    fuels_in_name, fuels_priced: see `Depot`. fuels_confirmed: whether a person set or checked the fuels.
    """

    id: int
    name: str
    street: str
    house_number: str
    postcode: str
    place: str
    nip: str | None
    phone: str
    website: str
    lat: float
    lon: float
    location_approximate: bool
    fuels: list[str]
    hours: str | None
    opening_hours: str
    featured: bool
    data_status: str
    source: str
    verified_at: Any
    updated_at: Any
    teryt: str
    municipality: str
    municipality_slug: str
    voivodeship_slug: str
    fuels_in_name: Sequence[str] = ()
    fuels_confirmed: bool = False
    fuels_priced: Sequence[str] = ()
    hours_ranges: Week | None = None

    @property
    def demonstration(self) -> bool:
        return self.source == Depot.Source.DEMO

    @property
    def address(self) -> str:
        return format_address(self.street, self.house_number, self.postcode, self.place, self.municipality)

    @property
    def fuels_by_name(self) -> list[str]:
        return fuels.by_name_alone(self.fuels, self.fuels_in_name, confirmed=self.fuels_confirmed)

    @property
    def fuels_source(self) -> str | None:
        """Source of the fuels: a key of `FUELS_SOURCES`, the least reliable one; None without fuels."""
        if not self.fuels:
            return None
        if self.fuels_confirmed or self.source == Depot.Source.EDITOR:
            return "person"
        if self.fuels_by_name:
            return "name"
        return "person" if set(self.fuels) <= set(self.fuels_priced) else "source"


COMPUTED = {
    "teryt": "m.teryt",
    "municipality": "m.name",
    "municipality_slug": "m.slug",
    "voivodeship_slug": "v.slug",
    "fuels_confirmed": "'fuels' = ANY(d.confirmed_fields)",
}
"""Fields of `DepotRow` that are no columns of a depot."""

READ = f"""
    SELECT {", ".join(COMPUTED.get(name, f"d.{name}") for name in DepotRow._fields if name != "hours_ranges")}
    FROM catalog_depot d
    JOIN catalog_municipality m ON m.teryt = d.municipality_id
    JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
    WHERE d.publication = 'published'
    ORDER BY d.name_key, d.id
"""  # noqa: S608 - of names in this module


class DepotList(NamedTuple):
    """Depots in order. total: without limit and offset. distances_m: None without a reference point."""

    rows: list[DepotRow]
    total: int
    distances_m: list[float] | None = None

    def measured(self) -> list[tuple[DepotRow, float | None]]:
        if self.distances_m is None:
            return [(row, None) for row in self.rows]
        return list(zip(self.rows, self.distances_m, strict=True))


class Depots:
    def __init__(self, rows: Sequence[DepotRow]) -> None:
        """rows: ordered by name, then id."""
        self.rows = tuple(rows)
        self._vectors = coordinates.unit_vectors([row.lat for row in rows], [row.lon for row in rows])
        self._ids = np.array([row.id for row in rows], np.int64)
        self._fuels = np.array([sum(FUEL_BITS[slug] for slug in {*row.fuels}) for row in rows], np.int64)
        self._positions = {row.id: position for position, row in enumerate(rows)}
        self._in_unit: dict[str, list[int]] = defaultdict(list)
        for position, row in enumerate(rows):
            for digits in (2, 4, 7):
                self._in_unit[row.teryt[:digits]].append(position)
        self._names = Counter((row.name, row.municipality) for row in rows)
        self.encoded: dict[int, tuple[bytes, bytes]] = {}
        """JSON of depots by id before and after the distance, cached as long as the rows."""
        self.demonstration = any(row.demonstration for row in rows)
        self.updated_at: date | None = max((row.updated_at for row in rows), default=None)

    @cached_property
    def folded_names(self) -> list[str]:
        return [fold_company(row.name) for row in self.rows]

    @cached_property
    def folded_places(self) -> list[str]:
        """Street, place and municipality of each."""
        return [fold(f"{row.street} {row.place} {row.municipality}") for row in self.rows]

    @cached_property
    def dialled(self) -> list[tuple[str, ...]]:
        """URLs of the telephones of each, whose ends are the numbers without extensions."""
        return [tuple(url for _, url in phone_links(row.phone)) for row in self.rows]

    def find(self, depot_id: int) -> DepotRow | None:
        position = self._positions.get(depot_id)
        return None if position is None else self.rows[position]

    def has_namesake(self, depot: DepotRow) -> bool:
        """Whether another depot of the same name lies in a municipality of the same name."""
        return self._names[depot.name, depot.municipality] > 1

    def get(self, depot_id: int) -> DepotRow:
        """Return a depot by id. Raises DepotNotFound, at the cost of one query for the successor."""
        row = self.find(depot_id)
        if row is None:
            raise not_published(depot_id)
        return row

    def near(
        self, point: Point, *, radius_km: float, fuel: str | None = None, limit: int, offset: int = 0
    ) -> DepotList:
        """Return the nearest depots within a radius, by great-circle distance, then id."""
        vector = coordinates.unit_vectors(point.lat, point.lon)
        farthest = coordinates.squared_chord(radius_km * 1000)
        indexes = coordinates.candidates(self._vectors, vector, farthest)
        if fuel is not None:
            indexes = indexes[self._offering(fuel)[indexes]]
        chords = coordinates.squared_chords(self._vectors[:, indexes], vector)
        inside = chords <= farthest
        indexes, chords = indexes[inside], chords[inside]
        order = np.lexsort((self._ids[indexes], chords))[offset : offset + limit]
        rows = [self.rows[position] for position in indexes[order].tolist()]
        return DepotList(rows, len(indexes), coordinates.distances_of_chords_m(chords[order]))

    def in_unit(self, teryt: str, *, fuel: str | None = None, limit: int | None = None, offset: int = 0) -> DepotList:
        """Return the depots assigned to a unit by name, then id. limit: None for all."""
        positions = self._in_unit.get(teryt, [])
        if fuel is not None:
            offering = self._offering(fuel)
            positions = [position for position in positions if offering[position]]
        end = None if limit is None else offset + limit
        return DepotList([self.rows[position] for position in positions[offset:end]], len(positions))

    def matching(self, text: str, *, of_name: Collection[str] = ()) -> DepotList:
        """Return depots by name, telephone or tax number: equal names first, then beginnings, then shorter ones.

        of_name: folded words; if the name has one of them, others may be of the depot's place or municipality. total:
        without MOST_MATCHES.
        """
        if digits := typed_digits(text):
            if len(digits) < FEWEST_DIGITS:
                return DepotList([], 0)
            matches = [
                row
                for row, telephones in zip(self.rows, self.dialled, strict=True)
                if row.nip == digits or any(url.endswith(digits) for url in telephones)
            ]
            return DepotList(matches[:MOST_MATCHES], len(matches))
        key = fold_company(text)
        if len(key) < FEWEST_LETTERS:
            return DepotList([], 0)
        words = key.split()
        beside = self.folded_places if of_name else repeat("")
        named = [
            (name != key, not name.startswith(key), len(name), position)
            for position, (name, place) in enumerate(zip(self.folded_names, beside, strict=False))
            if any(word in name for word in of_name or words) and all(word in name or word in place for word in words)
        ]
        return DepotList([self.rows[position] for *_, position in sorted(named)[:MOST_MATCHES]], len(named))

    def count_in(self, teryt: str) -> int:
        return len(self._in_unit.get(teryt, ()))

    def distances_m(self, point: Point, rows: Iterable[DepotRow]) -> list[float]:
        positions = [self._positions[row.id] for row in rows]
        chords = coordinates.squared_chords(self._vectors[:, positions], coordinates.unit_vectors(point.lat, point.lon))
        return coordinates.distances_of_chords_m(chords)

    def offered_in(self, teryt: str) -> dict[str, int]:
        """Return the number of depots in a unit by fuel, in the order of the catalog; `wegiel` includes assortments."""
        offered = self._fuels[self._in_unit.get(teryt, [])].tolist()
        return {slug: sum(1 for mask in offered if mask & bits) for slug, bits in ASSORTMENT_BITS.items()}

    def _offering(self, fuel: str) -> NDArray[np.bool_]:
        """Return a mask of the depots that offer a fuel; `wegiel` includes every assortment of coal."""
        offers: NDArray[np.bool_] = self._fuels & ASSORTMENT_BITS[fuel] != 0
        return offers


def not_published(depot_id: int) -> DepotNotFound:
    """Return the error for an id without a published depot. One query, none for a number that no key can have."""
    removed = Depot.objects.filter(pk=depot_id, publication=Depot.Publication.REMOVED)
    row = removed.values_list("merged_into_id", "merged_into__publication").first()
    if row is None:
        return DepotNotFound(depot_id)
    successor, publication = row
    published = publication == Depot.Publication.PUBLISHED
    return DepotNotFound(depot_id, removed=True, successor=successor if published else None)


def read_depots() -> Depots:
    """Read the present state. One query; 0.1 s for 6,586 depots."""
    rows: list[DepotRow] = []

    @cache
    def share(slugs: tuple[str, ...]) -> list[str]:
        """Return one list for all depots with the same fuels: the collector of garbage has less to look through."""
        return list(slugs)

    with connection.cursor() as cursor:
        cursor.execute(READ)
        while batch := cursor.fetchmany(BATCH):
            for row in starmap(DepotRow, batch):
                ranges = parse_ranges(row.hours, row.opening_hours)
                sold, named, priced = (
                    share(tuple(slugs)) for slugs in (row.fuels, row.fuels_in_name, row.fuels_priced)
                )
                rows.append(row._replace(fuels=sold, fuels_in_name=named, fuels_priced=priced, hours_ranges=ranges))
    return Depots(rows)


@lru_cache(maxsize=4096)
def parse_ranges(hours: str | None, opening_hours: str) -> Week | None:
    """Return the ranges of a stored week; depots with the same hours share one object."""
    return None if hours is None else ranges_of_week(orjson.loads(hours), opening_hours)


depots = Snapshot(read_depots, Dataset.Slug.UNITS, Dataset.Slug.DEPOTS)
