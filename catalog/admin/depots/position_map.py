"""An SVG map of a depot within its municipality: no tiles, no script, no inline style.

With scripts, `pages/position.js` replaces it by a movable map with a pin, described by `live_map`.
"""

import math
from dataclasses import dataclass
from urllib.parse import urlsplit

import shapely
from django.conf import settings
from django.urls import reverse

from catalog.models import Boundary, Municipality
from catalog.territory import projection

SIZE = 320.0
"""Side of the SVG in its own units; coordinates have one decimal."""

MARGIN = 14.0


@dataclass(frozen=True, slots=True)
class PositionMap:
    """Coordinates for the template, in units of the SVG. outline: path of the boundary, "" if there is none.

    x, y: the depot. scale_px, scale_km: length of the scale bar. inside: whether the depot lies within the boundary.
    """

    size: float
    outline: str
    x: float
    y: float
    scale_px: float
    scale_km: float
    inside: bool
    approximate: bool


def position_map(teryt: str, lat: float, lon: float) -> PositionMap | None:
    """The map of a position within a municipality; None if the municipality has no boundary. One query."""
    boundary = Boundary.objects.filter(pk=teryt).first()
    if boundary is None:
        return None
    area = shapely.from_wkb(bytes(boundary.area))
    here = shapely.Point(*projection.project(lat, lon))
    left, bottom, right, top = shapely.union(shapely.envelope(area), here).bounds
    side = max(right - left, top - bottom, 1.0)
    px = (SIZE - 2 * MARGIN) / side
    # Centred along the shorter side; the y axis of SVG points down.
    west, north = (left + right - side) / 2, (bottom + top + side) / 2

    def place(x: float, y: float) -> tuple[float, float]:
        return round(MARGIN + (x - west) * px, 1), round(MARGIN + (north - y) * px, 1)

    parts = []
    # A difference of half a unit is invisible.
    for polygon in shapely.get_parts(shapely.simplify(area, 0.5 / px)):
        for ring in (polygon.exterior, *polygon.interiors):
            parts.append("M" + "L".join("{:g} {:g}".format(*place(x, y)) for x, y in ring.coords) + "Z")
    x, y = place(here.x, here.y)
    scale_km = round_length(side / 1000 / 4)
    return PositionMap(
        size=SIZE,
        outline="".join(parts),
        x=x,
        y=y,
        scale_px=round(scale_km * 1000 * px, 1),
        scale_km=scale_km,
        inside=bool(shapely.dwithin(area, here, 0.05)),
        approximate=boundary.approximate,
    )


@dataclass(frozen=True, slots=True)
class LiveMap:
    """Data of the map with a pin. before, after: stored and proposed position as "lat,lon", "" if missing.

    outlines: URL of the outlines around the municipality, "" for none. tiles: `MAP_TILES_URL`. credit: of the tiles.
    """

    before: str
    after: str
    outlines: str
    tiles: str
    credit: str


def live_map(
    municipality: Municipality | None, before: tuple[float, float] | None, after: tuple[float, float] | None = None
) -> LiveMap:
    """Return the map of a position. Reads the voivodeship of the municipality."""
    tiles = settings.MAP_TILES_URL
    return LiveMap(
        before="{:.6f},{:.6f}".format(*before) if before else "",
        after="{:.6f},{:.6f}".format(*after) if after else "",
        outlines=reverse("surroundings", args=[municipality.voivodeship.slug, municipality.slug, municipality.teryt])
        if municipality
        else "",
        tiles=tiles,
        credit=f"© OpenStreetMap, {urlsplit(tiles).hostname}" if tiles else "",
    )


def round_length(km: float) -> float:
    """The greatest of 1, 2 or 5 times a power of ten that is at most `km`."""
    power = 10.0 ** math.floor(math.log10(km))
    return max(step * power for step in (1, 2, 5) if step * power <= km)
