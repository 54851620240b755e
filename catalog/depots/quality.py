"""Data quality of all depots, cached per process until depots or territory change."""

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
import shapely
from stdnum.pl import nip as nip_check

from catalog.depots.duplicates import Pair, find_pairs
from catalog.models import Dataset, Depot, NotDuplicate
from catalog.territory import projection
from catalog.territory.boundaries import EDGE_TOLERANCE_M
from catalog.territory.snapshot import territory
from catalog.versions import read_versions
from fueldepot.data import snapshot


@dataclass(frozen=True, slots=True)
class DataQualityReport:
    """Ids of depots that are not removed.

    outside: depots whose position lies in another municipality than theirs, by the rule of
    `catalog.territory.boundaries`. bad_nip: wrong check digit of the tax number. pairs: likely duplicates, likeliest
    first.
    """

    outside: frozenset[int]
    bad_nip: frozenset[int]
    pairs: tuple[Pair, ...]

    def unresolved_pairs(self) -> tuple[Pair, ...]:
        """Return likely duplicates that are not marked as distinct. One query."""
        apart = set(NotDuplicate.objects.values_list("first_id", "second_id"))
        return tuple(pair for pair in self.pairs if (pair.first, pair.second) not in apart)

    def with_duplicates(self) -> frozenset[int]:
        """Return the depots of `unresolved_pairs`. One query."""
        return frozenset(key for pair in self.unresolved_pairs() for key in (pair.first, pair.second))


_looking = Lock()


def get_report() -> DataQualityReport:
    """Return the report of the present rows. One query if cached, else three.

    The desk asks for it after every save, so it does not wait for the snapshots of depots and prices.
    """
    territory_key = snapshot.current().key(Dataset.Slug.UNITS, Dataset.Slug.BOUNDARIES)
    key = f"{read_versions().get(Dataset.Slug.DEPOTS)} {territory_key}"
    with _looking:
        return find(key)


@lru_cache(maxsize=1)
def find(_key: str) -> DataQualityReport:
    """Build a report over all depots that are not removed. Two queries; boundaries come from the territory snapshot.

    _key: versions of the data, for the cache.
    """
    rows = list(
        Depot.objects.exclude(publication=Depot.Publication.REMOVED)
        .order_by("pk")
        .values_list("pk", "lat", "lon", "municipality_id", "nip")
    )
    return DataQualityReport(
        outside=find_outside(rows),
        bad_nip=frozenset(pk for pk, _, _, _, nip in rows if nip and not nip_check.is_valid(nip)),
        pairs=find_pairs(),
    )


def find_outside(rows: list[tuple[int, float, float, str, str | None]]) -> frozenset[int]:
    """Return the depots outside the boundary of their municipality, if it has one.

    All points are tested at once. Only the failing ones are located one by one: on a shared border, and just outside
    the country, another rule than the nearest area applies.
    """
    index = territory.get().boundaries
    if not rows or not len(index.areas):
        return frozenset()
    judged = [row for row in rows if row[3] in index.positions]
    points = shapely.points(
        projection.project_array(np.array([row[1] for row in judged]), np.array([row[2] for row in judged]))
    )
    areas = index.areas[[index.positions[row[3]] for row in judged]]
    inside = shapely.dwithin(areas, points, EDGE_TOLERANCE_M)
    suspects = (row for row, is_inside in zip(judged, inside, strict=True) if not is_inside)
    return frozenset(
        row[0] for row in suspects if (located := index.find(row[1], row[2])) is None or located.teryt != row[3]
    )
