"""A point on the map, and the ranges in which the service knows any."""

from dataclasses import dataclass

LAT_RANGE = (48.8, 55.1)
LON_RANGE = (13.9, 24.3)


@dataclass(frozen=True, slots=True)
class Point:
    """A WGS84 point within LAT_RANGE and LON_RANGE."""

    lat: float
    lon: float
