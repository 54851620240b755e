"""A small map of a depot within its municipality, drawn here: no tiles, no script, no style of its own."""

import math
from dataclasses import dataclass

import shapely

from catalog import plane
from catalog.models import Boundary

SIZE = 320.0
"""Side of the picture; coordinates have one decimal."""

MARGIN = 14.0


@dataclass(frozen=True, slots=True)
class PositionMap:
    """What the template draws, in units of the picture. outline: path of the boundary, "" where there is none.

    x, y: the depot. scale_px, scale_km: length of the scale bar. inside: whether the depot lies in the boundary.
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
    """The map of a position within a municipality; None where the municipality has no boundary. One query."""
    boundary = Boundary.objects.filter(pk=teryt).first()
    if boundary is None:
        return None
    area = shapely.from_wkb(bytes(boundary.area))
    here = shapely.Point(*plane.to_plane(lat, lon))
    left, bottom, right, top = shapely.union(shapely.envelope(area), here).bounds
    side = max(right - left, top - bottom, 1.0)
    px = (SIZE - 2 * MARGIN) / side
    # Centred in the shorter direction; the picture's y goes down.
    west, north = (left + right - side) / 2, (bottom + top + side) / 2

    def place(x: float, y: float) -> tuple[float, float]:
        return round(MARGIN + (x - west) * px, 1), round(MARGIN + (north - y) * px, 1)

    parts = []
    # Half a unit of the picture is not seen.
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


def round_length(km: float) -> float:
    """The greatest of 1, 2, 5 times a power of ten that is not above a length."""
    power = 10.0 ** math.floor(math.log10(km))
    return max(step * power for step in (1, 2, 5) if step * power <= km)
