"""Great-circle distances by the chord between unit vectors.

The arc cosine of the dot product is nan for some equal points, and imprecise for near ones. The chord is neither, and
needs trigonometry only for the conversion to unit vectors.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

EARTH_RADIUS_M = 6_371_008.8
"""Mean radius R1 of the Earth (IUGG), in metres."""

COARSENESS = 1e-12
"""Upper bound of the rounding error of a dot product of unit vectors."""

Vectors = NDArray[np.float64]


def unit_vectors(lat: ArrayLike, lon: ArrayLike) -> Vectors:
    """Return WGS84 points in degrees, of shape (n,) or (), as vectors of length 1, of shape (3, n) or (3,)."""
    phi, lam = np.radians(lat), np.radians(lon)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])


def candidates(vectors: Vectors, vector: Vectors, squared: float) -> NDArray[np.int64]:
    """Return the indexes of all vectors within a squared chord of one, and perhaps some just beyond.

    A fast dot product; the caller measures the candidates exactly.
    """
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


def distance_of_chord_m(squared: float) -> float:
    """Return the great-circle distance in metres of a squared chord."""
    return 2 * EARTH_RADIUS_M * math.asin(min(1.0, math.sqrt(squared) / 2))


def distance_m(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Return the great-circle distance of two WGS84 points in metres."""
    (squared,) = squared_chords(unit_vectors([lat1], [lon1]), unit_vectors(lat2, lon2))
    return distance_of_chord_m(float(squared))
