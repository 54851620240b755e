"""Points, distances, middles, and the projection of boundaries and of distances in the database.

Great-circle distances by the chord between unit vectors: an arc cosine is nan for some equal points. The medoid is a
point of the set, so a middle is inhabited. Source: Kaufman, Rousseeuw, Finding Groups in Data (1990), chapter 2.

The projection: spherical transverse Mercator in metres, centred on 19° E. Source: J. P. Snyder, Map Projections: A
Working Manual (1987), equations 8-1 and 8-3. The database computes the same for `Depot.position`.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

LAT_RANGE = (48.8, 55.1)
LON_RANGE = (13.9, 24.3)


def in_poland(lat: float, lon: float) -> bool:
    """Whether a WGS84 point is within the ranges of the API, inclusive. False for NaN and infinities."""
    return LAT_RANGE[0] <= lat <= LAT_RANGE[1] and LON_RANGE[0] <= lon <= LON_RANGE[1]


@dataclass(frozen=True, slots=True)
class Point:
    """A WGS84 point within LAT_RANGE and LON_RANGE."""

    lat: float
    lon: float


EARTH_RADIUS_M = 6_371_008.8
"""Mean radius R1 of the Earth (IUGG), in metres."""

COARSENESS = 1e-12
"""Upper bound of the rounding error of a dot product of unit vectors."""

Vectors = NDArray[np.float64]


def unit_vectors(lat: ArrayLike, lon: ArrayLike) -> Vectors:
    """Return WGS84 points in degrees, of shape (n,) or (), as vectors of length 1, of shape (3, n) or (3,)."""
    phi, lam = np.radians(lat), np.radians(lon)
    across = np.cos(phi)
    return np.array([across * np.cos(lam), across * np.sin(lam), np.sin(phi)])


def candidates(vectors: Vectors, vector: Vectors, squared: float) -> NDArray[np.int64]:
    """Return the indexes of all vectors within a squared chord of one, and perhaps some just beyond. Fast."""
    indexes: NDArray[np.int64] = np.flatnonzero(vector @ vectors >= 1 - squared / 2 - COARSENESS)
    return indexes


def squared_chords(vectors: Vectors, vector: Vectors) -> NDArray[np.float64]:
    """Return the squared chords from one unit vector to n, of shape (n,). They have the same order as distances."""
    apart = vectors - vector[:, np.newaxis]
    apart *= apart
    chords: NDArray[np.float64] = apart.sum(axis=0)
    return chords


def squared_chord(distance_m: float) -> float:
    """Return the squared chord of a great-circle distance in metres."""
    return (2 * math.sin(distance_m / (2 * EARTH_RADIUS_M))) ** 2


def distances_of_chords_m(squared: NDArray[np.float64]) -> list[float]:
    """Return the great-circle distances in metres of squared chords."""
    metres: list[float] = (2 * EARTH_RADIUS_M * np.arcsin(np.minimum(np.sqrt(squared) / 2, 1))).tolist()
    return metres


def distance_m(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Return the great-circle distance of two WGS84 points in metres."""
    (metres,) = distances_of_chords_m(squared_chords(unit_vectors([lat1], [lon1]), unit_vectors(lat2, lon2)))
    return metres


BLOCK = 256
"""Points whose distances to all others are in memory at once."""


def medoid(points: NDArray[np.float64], weights: NDArray[np.int64], allowed: NDArray[np.bool_] | None = None) -> int:
    """Return the number of the point with the least weighted sum of distances to all others; of several the heaviest.

    points: n on a plane, an array of shape (n, 2), in units of which sums are compared whole. allowed: which may be
    returned, default all. Compares every pair: 4,000 points take a fifth of a second, and eight megabytes.
    """
    numbers = np.arange(len(points)) if allowed is None else np.flatnonzero(allowed)
    if len(numbers) == 1:
        return int(numbers[0])
    sums = np.empty(len(numbers))
    for start in range(0, len(numbers), BLOCK):
        across, along = (points[numbers[start : start + BLOCK], axis, None] - points[:, axis] for axis in (0, 1))
        # Rounded, so that equal sums stay equal despite rounding errors. Five times as fast as `np.hypot`.
        sums[start : start + BLOCK] = np.round(np.sqrt(across * across + along * along) @ weights)
    return int(numbers[np.lexsort((-weights[numbers], sums))[0]])


CENTRAL_MERIDIAN = 19.0
SCALE = 0.9992

MIN_SCALE = 0.9991
MAX_SCALE = 1.0013
"""Range of the ratio of plane to great-circle distance within the supported latitudes and longitudes."""


def project(lat: float, lon: float) -> tuple[float, float]:
    """Project one WGS84 point. Returns (x, y) in metres, x to the east, y to the north."""
    phi = math.radians(lat)
    delta = math.radians(lon - CENTRAL_MERIDIAN)
    x = EARTH_RADIUS_M * SCALE * math.atanh(math.cos(phi) * math.sin(delta))
    y = EARTH_RADIUS_M * SCALE * math.atan2(math.tan(phi), math.cos(delta))
    return x, y


def project_array(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project n points at once. Returns an array of shape (n, 2): x and y in metres."""
    phi = np.radians(lat)
    delta = np.radians(lon - CENTRAL_MERIDIAN)
    x = EARTH_RADIUS_M * SCALE * np.arctanh(np.cos(phi) * np.sin(delta))
    y = EARTH_RADIUS_M * SCALE * np.arctan2(np.tan(phi), np.cos(delta))
    return np.column_stack([x, y])


def unproject_array(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Undo `project_array` for an array of shape (n, 2). Returns longitude and latitude in degrees, as in GeoJSON."""
    across, along = points.T / (EARTH_RADIUS_M * SCALE)
    lat = np.arcsin(np.sin(along) / np.cosh(across))
    lon = np.arctan2(np.sinh(across), np.cos(along))
    return np.column_stack([CENTRAL_MERIDIAN + np.degrees(lon), np.degrees(lat)])
