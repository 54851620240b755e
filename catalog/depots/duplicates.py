"""Likely duplicates among the depots, and other doubts about them, cached until depots or territory change."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
import shapely
from django.db import connection
from stdnum.pl import nip as nip_check

from catalog.models import Dataset, Depot, NotDuplicate
from catalog.territory import coordinates
from catalog.territory.boundaries import EDGE_TOLERANCE_M
from catalog.territory.snapshot import territory
from fueldepot.data import snapshot

NEAR_M = 150

PROPOSED_NEAR_M = 300
"""Radius around a proposed depot in which others may be the same, whatever their names; an editor looks at them."""

SIMILAR = 0.4

_NEAR = NEAR_M * coordinates.MAX_SCALE  # on the plane

# Same tax number, or near one another with similar names. The index over positions covers published depots; held ones
# are few, and are compared with published ones, and by tax number with all. Each pair once, lower id first.
FIND_PAIRS = f"""
    WITH alive AS (SELECT id, name, nip, publication, position FROM catalog_depot WHERE publication <> 'removed'),
    pairs AS (
        SELECT least(a.id, b.id) AS first, greatest(a.id, b.id) AS second
        FROM alive a
        JOIN alive b ON b.nip = a.nip AND a.id < b.id
        UNION
        SELECT least(a.id, b.id), greatest(a.id, b.id)
        FROM alive a
        CROSS JOIN LATERAL (
            SELECT d.id
            FROM catalog_depot d
            WHERE d.publication = 'published' AND d.id <> a.id
                AND d.position <@ circle(a.position, {_NEAR})
                AND similarity(lower(d.name), lower(a.name)) >= {SIMILAR}
        ) b
    )
    SELECT p.first, p.second, a.nip IS NOT NULL AND a.nip = b.nip, a.position <-> b.position,
        similarity(lower(a.name), lower(b.name))
    FROM pairs p
    JOIN alive a ON a.id = p.first
    JOIN alive b ON b.id = p.second
    ORDER BY a.position <-> b.position <= {_NEAR} DESC, 3 DESC, 5 DESC, 4, 1, 2
"""  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class Pair:
    """A likely duplicate. distance_m: on the plane. similarity: trigram similarity of the names, 0 to 1."""

    first: int
    second: int
    same_nip: bool
    distance_m: float
    similarity: float


def find_pairs() -> tuple[Pair, ...]:
    """Return likely duplicates, likeliest first, including those marked as distinct. One query.

    Near ones come before branches of one company, whose tax number is the same.
    """
    with connection.cursor() as cursor:
        cursor.execute(FIND_PAIRS)
        return tuple(Pair(*row) for row in cursor.fetchall())


def find_for(depot_id: int, pairs: tuple[Pair, ...]) -> Mapping[int, Pair]:
    return {
        pair.second if pair.first == depot_id else pair.first: pair
        for pair in pairs
        if depot_id in (pair.first, pair.second)
    }


@dataclass(frozen=True, slots=True)
class DataQualityReport:
    """Ids of depots, removed ones apart. outside: of another municipality. bad_nip: wrong check digit."""

    outside: frozenset[int]
    bad_nip: frozenset[int]
    pairs: tuple[Pair, ...]

    def unresolved_pairs(self) -> tuple[Pair, ...]:
        """Return likely duplicates that are not marked as distinct. One query; so in `with_duplicates`."""
        apart = set(NotDuplicate.objects.values_list("first_id", "second_id"))
        return tuple(pair for pair in self.pairs if (pair.first, pair.second) not in apart)

    def with_duplicates(self) -> frozenset[int]:
        return frozenset(key for pair in self.unresolved_pairs() for key in (pair.first, pair.second))


_looking = Lock()


def get_report() -> DataQualityReport:
    """Return the report of the present rows, not of the snapshot. One query if cached, else three."""
    territory_key = snapshot.current().key(Dataset.Slug.UNITS, Dataset.Slug.BOUNDARIES)
    key = f"{Dataset.objects.read_versions().get(Dataset.Slug.DEPOTS)} {territory_key}"
    with _looking:
        return find(key)


@lru_cache(maxsize=1)
def find(_key: str) -> DataQualityReport:
    """Report on all depots that are not removed. _key: versions of the data, for the cache. Two queries."""
    depots = Depot.objects.exclude(publication=Depot.Publication.REMOVED).order_by("pk")
    rows = list(depots.values_list("pk", "lat", "lon", "municipality_id", "nip"))
    bad_nip = frozenset(pk for pk, _, _, _, nip in rows if nip and not nip_check.is_valid(nip))
    return DataQualityReport(find_outside(rows), bad_nip, find_pairs())


def find_outside(rows: list[tuple[int, float, float, str, str | None]]) -> frozenset[int]:
    """Return the depots outside the boundary of their municipality: all tested at once, suspects one by one."""
    index = territory.get().boundaries
    if not rows or not len(index.areas):
        return frozenset()
    judged = [row for row in rows if row[3] in index.positions]
    lats, lons = (np.array([row[column] for row in judged]) for column in (1, 2))
    points = shapely.points(coordinates.project_array(lats, lons))
    areas = index.areas[[index.positions[row[3]] for row in judged]]
    inside = shapely.dwithin(areas, points, EDGE_TOLERANCE_M)
    suspects = (row for row, is_inside in zip(judged, inside, strict=True) if not is_inside)
    return frozenset(
        row[0] for row in suspects if (located := index.find(row[1], row[2])) is None or located.teryt != row[3]
    )
