"""Which depots lie near a point, and how many in a circle, by positions that the process holds.

An answer cut by its limit says how many there were. The index counts a circle in a third of a microsecond per depot,
which is nothing for a hundred and too much for ten thousand. Here the depots that surely lie inside are counted by
where they stand in an order, and only those near the edge are looked at.

The positions are those of one state of the data; `Positions.stamp` says which. Whoever asks the database for depots
lets it compare the stamp with its own in the same statement, and count itself where they differ.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog import databases, plane, versions
from catalog.held import Held
from catalog.models import Dataset

BAND_M = 2000.0
"""Positions are kept in bands from west to east, each this high and in the order of x."""

STRIDE_M = 4_000_000.0
"""From band to band in the one order of all; more than the plane is wide."""

RESTS_ON = (Dataset.Slug.UNITS, Dataset.Slug.DEPOTS)

STAMP = versions.stamp_sql(*RESTS_ON)
"""The state of the depots, names of their units included, that a statement sees."""

READ = f"""
    SELECT
        {STAMP}, string_agg(int8send(id), ''),
        string_agg(float8send(position[0]), ''), string_agg(float8send(position[1]), '')
    FROM catalog_depot
    WHERE publication = 'published'
"""  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions on the plane of all published depots of one state, by band and x.

    keys: the order, one number for each depot. x, y: metres.
    """

    stamp: str
    ids: NDArray[np.int64]
    keys: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]

    def nearest(self, lat: float, lon: float, radius_m: float, limit: int) -> list[int]:
        """Ids in no order, among which are the nearest of a circle, at most `limit`: the plane alone cannot tell more.

        As in the statement for them, a neighbour that belongs among the first n lies on the plane no farther than the
        n-th one there times STRETCH / SHRINK.
        """
        x, y = plane.to_plane(lat, lon)
        reach = radius_m * plane.STRETCH
        bands = np.arange(np.floor((y - reach) / BAND_M), np.floor((y + reach) / BAND_M) + 1) * STRIDE_M
        within = _ranges(
            self.keys.searchsorted(bands + (x - reach)), self.keys.searchsorted(bands + (x + reach), "right")
        )
        squares = (self.x[within] - x) ** 2 + (self.y[within] - y) ** 2
        bound = reach**2
        if len(squares) > limit:
            bound = min(bound, float(np.partition(squares, limit - 1)[limit - 1]) * (plane.STRETCH / plane.SHRINK) ** 2)
        found: list[int] = self.ids[within[squares <= bound]].tolist()
        return found

    def count(self, lat: float, lon: float, radius_m: float) -> int:
        """How many lie within a great-circle distance of a WGS84 point."""
        x, y = plane.to_plane(lat, lon)
        surely, at_most = radius_m * plane.SHRINK, radius_m * plane.STRETCH
        bands = np.arange(np.floor((y - at_most) / BAND_M), np.floor((y + at_most) / BAND_M) + 1)
        low, high = bands * BAND_M - y, (bands + 1) * BAND_M - y
        # Half a chord of the larger circle where the band comes nearest to its middle, of the smaller where it is
        # farthest from it.
        nearest = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
        farthest = np.maximum(np.abs(low), np.abs(high))
        wide = np.sqrt(np.maximum(at_most**2 - nearest**2, 0.0))
        narrow = np.sqrt(np.maximum(surely**2 - farthest**2, 0.0))
        middles = bands * STRIDE_M + x
        begin, end = self.keys.searchsorted(middles - wide), self.keys.searchsorted(middles + wide, side="right")
        inner_begin = np.where(narrow > 0, self.keys.searchsorted(middles - narrow), begin)
        inner_end = np.where(narrow > 0, self.keys.searchsorted(middles + narrow, side="right"), begin)
        edge = np.concatenate([_ranges(begin, inner_begin), _ranges(inner_end, end)])
        near = _distances_m(lat, lon, self.x[edge], self.y[edge]) <= radius_m
        return int((inner_end - inner_begin).sum()) + int(near.sum())


def _ranges(begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """All whole numbers of several ranges, the ends not included."""
    lengths = ends - begins
    total = int(lengths.sum())
    found: NDArray[np.int64] = np.arange(total) + np.repeat(begins - (np.cumsum(lengths) - lengths), lengths)
    return found


def _distances_m(lat: float, lon: float, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Great-circle distances in metres of a WGS84 point from positions on the plane."""
    lats, lons = plane.from_plane_array(x, y)
    phi, phis = np.radians(lat), np.radians(lats)
    half_lat = np.sin((phis - phi) / 2)
    half_lon = np.sin(np.radians(lons - lon) / 2)
    haversine = half_lat**2 + np.cos(phi) * np.cos(phis) * half_lon**2
    found: NDArray[np.float64] = 2 * plane.EARTH_RADIUS_M * np.arcsin(np.minimum(1.0, np.sqrt(haversine)))
    return found


def arranged(stamp: str, ids: NDArray[np.int64], x: NDArray[np.float64], y: NDArray[np.float64]) -> Positions:
    """Positions in their order."""
    keys = np.floor(y / BAND_M) * STRIDE_M + x
    order = np.argsort(keys)
    return Positions(stamp, ids[order], keys[order], x[order], y[order])


def read_positions() -> Positions:
    """The positions of the present state. One query."""
    with databases.connection().cursor() as cursor:
        cursor.execute(READ)
        stamp, ids, *sent = cursor.fetchone()
    x, y = (np.frombuffer(numbers or b"", ">f8").astype(float) for numbers in sent)
    return arranged(stamp, np.frombuffer(ids or b"", ">i8").astype(np.int64), x, y)


positions = Held(read_positions, *RESTS_ON)
