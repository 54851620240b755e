"""Great-circle distances by the chord between unit vectors.

The arc cosine of the dot product is nan for some points against themselves, and too coarse for near ones; the chord is
neither, and needs no trigonometry for all but the points themselves.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

EARTH_RADIUS_M = 6_371_008.8
"""Mean radius R1 of the Earth (IUGG), in metres."""

COARSENESS = 1e-12
"""More than rounding takes from a dot product of unit vectors."""

Vectors = NDArray[np.float64]


def unit_vectors(lat: ArrayLike, lon: ArrayLike) -> Vectors:
    """Return WGS84 points in degrees, of shape (n,) or (), as vectors of length 1, of shape (3, n) or (3,)."""
    phi, lam = np.radians(lat), np.radians(lon)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])


def candidates(vectors: Vectors, vector: Vectors, squared: float) -> NDArray[np.int64]:
    """Return the positions of all vectors within a squared chord of one, and perhaps of some a hair beyond.

    The dot product is quick but coarse; the caller measures what is left.
    """
    found: NDArray[np.int64] = np.flatnonzero(vector @ vectors >= 1 - squared / 2 - COARSENESS)
    return found


def squared_chords(vectors: Vectors, vector: Vectors) -> NDArray[np.float64]:
    """Return the squared chords from one unit vector to n, of shape (n,); they order points as distances do."""
    apart = vectors - vector[:, np.newaxis]
    apart *= apart
    found: NDArray[np.float64] = apart.sum(axis=0)
    return found


def squared_chord(distance_m: float) -> float:
    """Return the squared chord of a great-circle distance in metres."""
    return (2 * math.sin(distance_m / (2 * EARTH_RADIUS_M))) ** 2


def distance_of_chord_m(squared: float) -> float:
    """Return the great-circle distance in metres that a squared chord spans."""
    return 2 * EARTH_RADIUS_M * math.asin(min(1.0, math.sqrt(squared) / 2))


def distance_m(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Return the great-circle distance of two WGS84 points in metres."""
    (squared,) = squared_chords(unit_vectors([lat1], [lon1]), unit_vectors(lat2, lon2))
    return distance_of_chord_m(float(squared))
