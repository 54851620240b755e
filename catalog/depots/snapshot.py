"""All published depots in memory: near a point, in a unit, by their numbers. One way for the API and the pages.

Brute force over unit vectors takes some 20 µs for 6,586 depots and 0.1 ms for ten times as many. Beyond 100,000 depots
`Depots.near` is the one place where a spatial index or PostGIS would go in.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from catalog import fuels
from catalog.models import Dataset, Depot
from catalog.params import Point
from catalog.territory import great_circle
from fueldepot.data.snapshot import Snapshot

MAX_ID = 2**63 - 1
"""Largest identifier that the database can hold."""

UNIT_DIGITS = (2, 4, 7)
"""Lengths of the codes of voivodeships, counties and municipalities."""

FUEL_BITS = {fuel.slug: 1 << number for number, fuel in enumerate(fuels.FUELS)}

READ = """
    SELECT
        d.id, d.name, d.street, d.house_number, d.postcode, d.place, d.nip, d.phone, d.website, d.lat, d.lon,
        d.location_approximate, d.fuels, d.hours, d.opening_hours, d.featured, d.data_status, d.source,
        d.verified_at, d.updated_at, m.teryt, m.name, m.slug, v.slug
    FROM catalog_depot d
    JOIN catalog_municipality m ON m.teryt = d.municipality_id
    JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
    WHERE d.publication = 'published'
    ORDER BY d.name_key, d.id
"""


class UnknownDepot(Exception):
    """No depot is published under this identifier. `successor` is the one that it was merged into."""

    def __init__(self, depot_id: int, successor: int | None = None) -> None:
        self.successor = successor
        super().__init__(depot_id)


class DepotRow(NamedTuple):
    """A published depot. hours: JSON text or None."""

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


class DepotList(NamedTuple):
    """Depots in the order of the answer.

    total: how many there are without the limit. distances_m: of each depot, None where none was measured.
    """

    rows: list[DepotRow]
    total: int
    distances_m: list[float] | None = None

    def measured(self) -> list[tuple[DepotRow, float | None]]:
        """Return each depot with its distance."""
        if self.distances_m is None:
            return [(row, None) for row in self.rows]
        return list(zip(self.rows, self.distances_m, strict=True))


class Depots:
    """Published depots."""

    def __init__(self, rows: Sequence[DepotRow]) -> None:
        """rows: in the order in which a unit lists them."""
        self.rows = tuple(rows)
        self._vectors = great_circle.unit_vectors([row.lat for row in rows], [row.lon for row in rows])
        self._ids = np.array([row.id for row in rows], np.int64)
        self._fuels = np.array([fuel_mask(row.fuels) for row in rows], np.int64)
        self._positions = {row.id: position for position, row in enumerate(rows)}
        self._in_unit: dict[str, list[int]] = defaultdict(list)
        for position, row in enumerate(rows):
            for digits in UNIT_DIGITS:
                self._in_unit[row.teryt[:digits]].append(position)
        self._names = Counter((row.name, row.municipality) for row in rows)
        self.bodies: dict[int, dict[str, Any]] = {}
        """What serializers have made of depots, by identifier: kept as long as the rows."""
        self.demonstration = any(row.source == Depot.Source.DEMO for row in rows)
        self.updated_at: date | None = max((row.updated_at for row in rows), default=None)

    def find(self, depot_id: int) -> DepotRow | None:
        """Return a depot by its identifier, None where none is published under it."""
        position = self._positions.get(depot_id)
        return None if position is None else self.rows[position]

    def has_namesake(self, depot: DepotRow) -> bool:
        """Tell whether another depot of that name lies in a municipality of the same name."""
        return self._names[depot.name, depot.municipality] > 1

    def get(self, depot_id: int) -> DepotRow:
        """Return a depot by its identifier. Raises UnknownDepot, which costs a query to name the successor."""
        row = self.find(depot_id)
        if row is None:
            raise UnknownDepot(depot_id, successor=find_successor(depot_id))
        return row

    def near(self, point: Point, *, radius_km: float, fuel: str | None = None, limit: int) -> DepotList:
        """Return the nearest depots within a radius, by great-circle distance, then by identifier."""
        vector = great_circle.unit_vectors(point.lat, point.lon)
        farthest = great_circle.squared_chord(radius_km * 1000)
        found = great_circle.candidates(self._vectors, vector, farthest)
        if fuel is not None:
            found = found[self._offering(fuel)[found]]
        chords = great_circle.squared_chords(self._vectors[:, found], vector)
        inside = chords <= farthest
        total = int(inside.sum())
        if total > limit:
            # All that are as near as the last one that counts, so that equal distances are cut by identifier.
            inside = chords <= np.partition(chords, limit - 1)[limit - 1]
        found, chords = found[inside], chords[inside]
        order = np.lexsort((self._ids[found], chords))[:limit]
        metres = [great_circle.distance_of_chord_m(chord) for chord in chords[order].tolist()]
        return DepotList([self.rows[at] for at in found[order].tolist()], total, metres)

    def in_unit(self, teryt: str, *, fuel: str | None = None, limit: int | None = None) -> DepotList:
        """Return the depots assigned to a unit by name, then by identifier. limit: None for all of them."""
        positions = self._in_unit.get(teryt, [])
        if fuel is not None:
            offering = self._offering(fuel)
            positions = [position for position in positions if offering[position]]
        return DepotList([self.rows[position] for position in positions[:limit]], len(positions))

    def count_in(self, teryt: str) -> int:
        """Return how many depots are assigned to a unit."""
        return len(self._in_unit.get(teryt, ()))

    def _offering(self, fuel: str) -> NDArray[np.bool_]:
        """Tell of each depot whether it offers a fuel; `wegiel` takes in every assortment of coal."""
        found: NDArray[np.bool_] = self._fuels & fuel_mask(fuels.assortments(fuel)) != 0
        return found


def fuel_mask(slugs: Iterable[str]) -> int:
    """Return fuels as bits of one number."""
    return sum(FUEL_BITS[slug] for slug in set(slugs))


def find_successor(depot_id: int) -> int | None:
    """Return the published depot that absorbed another one, None where there is none. One query."""
    if depot_id > MAX_ID:
        return None
    merged = Depot.objects.filter(pk=depot_id, merged_into__publication=Depot.Publication.PUBLISHED)
    return merged.values_list("merged_into_id", flat=True).first()


def read_depots() -> Depots:
    """Read the present state. One query; 0.1 s for 6,586 depots."""
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return Depots([DepotRow._make(row) for row in cursor.fetchall()])


depots = Snapshot(read_depots, Dataset.Slug.UNITS, Dataset.Slug.DEPOTS)
