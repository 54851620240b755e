"""The projection in which boundaries are stored and distances in the database are measured.

Spherical transverse Mercator in metres, centred on 19° E. Over Poland, the plane distance of two points up to 50 km
apart is between `MIN_SCALE` and `MAX_SCALE` times their great-circle distance. The database computes the same formula
for `Depot.position`, whose index finds likely duplicates (`catalog.depots.duplicates`); `/stores` measures great
circles (`catalog.territory.great_circle`).

Source of the formula: J. P. Snyder, Map Projections: A Working Manual (1987), section 8, equations 8-1 and 8-3.
"""

import math

import numpy as np
from numpy.typing import NDArray

from catalog.territory.great_circle import EARTH_RADIUS_M

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
    across, along = points[:, 0] / (EARTH_RADIUS_M * SCALE), points[:, 1] / (EARTH_RADIUS_M * SCALE)
    lat = np.arcsin(np.sin(along) / np.cosh(across))
    lon = np.arctan2(np.sinh(across), np.cos(along))
    return np.column_stack([CENTRAL_MERIDIAN + np.degrees(lon), np.degrees(lat)])


def unproject(x: float, y: float) -> tuple[float, float]:
    """Undo `project`. Returns (lat, lon) in degrees."""
    across = x / (EARTH_RADIUS_M * SCALE)
    along = y / (EARTH_RADIUS_M * SCALE)
    lat = math.asin(math.sin(along) / math.cosh(across))
    lon = math.atan2(math.sinh(across), math.cos(along))
    return math.degrees(lat), CENTRAL_MERIDIAN + math.degrees(lon)
