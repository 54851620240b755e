"""Depots as the API writes them, held by the process: everything but the distance is written once for each state.

A depot costs as much to write as to find. What is held is of one state of the data, that of `circles.positions`; rows
that turn out to be of another are not mixed with it.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import orjson

from catalog import circles, plane, queries, serializers
from catalog.kept import Memory
from catalog.params import Point
from catalog.queries import StoreRow

MAX_BYTES = 8 * 1024 * 1024
"""What all depots held by a process may take: some eight thousand."""

OVERHEAD_BYTES = 500
"""Roughly what holding one costs beside its texts: numbers, key and the order."""

DISTANCE = b'"distance_km":'
UNKNOWN = DISTANCE + b"null"
SOURCE = b',"source":'


class Written(NamedTuple):
    """A depot of `/stores` as JSON, but for its distance.

    phi, lam: latitude and longitude in radians. source: the last field, which many have in common.
    """

    id: int
    phi: float
    cos_phi: float
    lam: float
    before: bytes
    after: bytes
    source: bytes

    def at(self, distance_m: float) -> bytes:
        """The whole depot, so far from the point that was asked for."""
        return b"%b%a%b%b" % (self.before, serializers.kilometres(distance_m), self.after, self.source)

    def with_more(self, name: str, value: object) -> bytes:
        """The whole depot, without a distance and with another field at its end."""
        whole = b"%bnull%b%b" % (self.before, self.after, self.source)
        return b'%b,"%b":%b}' % (whole[:-1], name.encode(), orjson.dumps(value))


class Near(NamedTuple):
    """Depots near a point, JSON each, nearest first; and how many there are without the limit."""

    depots: list[bytes]
    total: int


def write(row: StoreRow) -> Written:
    """A row that has no distance."""
    # Quotes within texts are escaped, so these can only be the fields themselves.
    before, _, rest = orjson.dumps(serializers.store(row)).partition(UNKNOWN)
    after, field, source = rest.partition(SOURCE)
    phi = math.radians(row.lat)
    numbers = phi, math.cos(phi), math.radians(row.lon)
    return Written(row.id, *numbers, before + DISTANCE, after, shared(field + source))


@lru_cache(maxsize=1000)
def shared(source: bytes) -> bytes:
    """The same text for all that have it in common."""
    return source


def size_of_written(depot: Written) -> int:
    """What holding a depot takes."""
    return len(depot.before) + len(depot.after) + OVERHEAD_BYTES


depots: Memory[Written] = Memory(size_of_written, MAX_BYTES)
"""By state of the data and id, those of this process."""


def read(stamp: str, ids: list[int]) -> list[Written] | None:
    """Depots of a state by id, in no order; None where the database has another state.

    One query where any is not held.
    """
    found = depots.get_each((stamp, one) for one in ids)
    missing = [one for one, depot in zip(ids, found, strict=True) if depot is None]
    have = [depot for depot in found if depot is not None]
    if missing:
        rows, state = queries.find_stores_by_id(missing)
        if state != stamp or len(rows) != len(missing):
            return None
        for row in rows:
            depot = write(row)
            depots.keep((stamp, row.id), depot)
            have.append(depot)
    return have


def find_near(point: Point, *, radius_km: float, limit: int) -> Near | None:
    """The answer of `queries.find_stores_near`; None where it has to be asked. At most one query.

    The distance is worked out as in its statement, step by step, so that the order is the same to the last bit.
    """
    known = circles.positions.lasting()
    if known is None:
        return None
    radius_m = radius_km * 1000.0
    ids = known.nearest(point.lat, point.lon, radius_m, limit)
    found = read(known.stamp, ids)
    if found is None:
        return None
    phi, lam = math.radians(point.lat), math.radians(point.lon)
    cos_phi, diameter = math.cos(phi), 2 * plane.EARTH_RADIUS_M
    sin, asin, sqrt = math.sin, math.asin, math.sqrt
    reached = []
    for depot in found:
        haversine = sin((depot.phi - phi) / 2) ** 2 + cos_phi * depot.cos_phi * sin((depot.lam - lam) / 2) ** 2
        distance_m = diameter * asin(min(1.0, sqrt(haversine)))
        if distance_m <= radius_m:
            reached.append((distance_m, depot))
    # No two have the same id, so nothing behind it is ever compared.
    reached.sort()
    total = len(reached) if len(reached) < limit else known.count(point.lat, point.lon, radius_m)
    return Near([depot.at(distance_m) for distance_m, depot in reached[:limit]], total)


def find(depot_id: int) -> Written:
    """A published depot. One query where it is not held.

    Raises UnknownDepot, which costs another query to name the successor.
    """
    known = circles.positions.lasting()
    stamp = known.stamp if known else ""
    held = depots.get((stamp, depot_id))
    if held is not None:
        return held
    row, state = queries.get_store(depot_id)
    depot = write(row)
    if stamp and state == stamp:
        depots.keep((stamp, depot_id), depot)
    return depot
