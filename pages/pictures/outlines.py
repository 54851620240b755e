"""Areas as SVG paths: simplified together, so that neighbours still share their border, and written briefly."""

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from pages.pictures.frames import Frame

FINE = 10
"""Paths are written in whole numbers of a tenth of a unit; the template scales them down."""

SMALLEST = 4.0
"""Islands and enclaves of fewer square units than these are left out."""

TOLERANCE = 0.75
"""What is smaller than this, in units of the picture, is left out of outlines."""

Areas = NDArray[np.object_]


def simplify(areas: Areas, metres_per_unit: float, tolerance: float = TOLERANCE) -> Areas:
    """Areas without the detail that the scale cannot show; common borders stay common. All are valid.

    Guessed areas that overlap may cross themselves when they are simplified; those are mended.
    """
    simple = np.asarray(shapely.coverage_simplify(areas, metres_per_unit * tolerance), dtype=object)
    crossed = ~shapely.is_valid(simple)
    simple[crossed] = shapely.make_valid(simple[crossed])
    return simple


def dissolve(areas: Areas, groups: Sequence[str]) -> tuple[list[str], Areas]:
    """One area for each group, in the order of their names. groups: of each area."""
    names = sorted(set(groups))
    keys = np.array(groups)
    return names, np.array([union(areas[keys == name]) for name in names], dtype=object)


def union(areas: Areas) -> shapely.Geometry:
    """One area of several that share borders exactly; also of some that do not, which guessed ones may."""
    united = shapely.coverage_union_all(areas)
    # The fast way takes it on trust that nothing overlaps.
    return united if shapely.is_valid(united) else shapely.union_all(areas)


def borders(areas: Areas) -> shapely.Geometry:
    """The lines around areas, each drawn once."""
    return shapely.line_merge(shapely.union_all(shapely.boundary(areas)))


def cut(shape: shapely.Geometry, frame: Frame) -> shapely.Geometry:
    """What a frame shows of a shape, and a little more, so that the cut stays out of sight."""
    least_x, least_y, most_x, most_y = frame.bounds
    beyond = 5 * frame.metres_per_unit
    return shapely.clip_by_rect(shape, least_x - beyond, least_y - beyond, most_x + beyond, most_y + beyond)


def path(shape: shapely.Geometry, frame: Frame) -> str:
    """The `d` of a path in tenths of a unit: lines open, rings closed. "" for what is too small to be seen."""
    return "".join(_line(line, frame) for line in _lines(shape))


def area_path(area: shapely.Geometry, frame: Frame) -> str:
    """The same for an area that must be seen: a diamond of three units where nothing else would be left."""
    drawn = path(area, frame)
    if drawn:
        return drawn
    point = shapely.point_on_surface(area)
    x, y = frame.place(shapely.get_x(point), shapely.get_y(point))
    return f"M{round((x - 1.5) * FINE)} {round(y * FINE)}l15-15 15 15-15 15z"


def _lines(shape: shapely.Geometry) -> list[shapely.Geometry]:
    """Rings and lines of any geometry, in its order."""
    found = []
    for part in shapely.get_parts(shape):
        if isinstance(part, shapely.Polygon):
            found += list(shapely.get_rings(part))
        elif isinstance(part, shapely.LineString):
            found.append(part)
        elif isinstance(part, shapely.GeometryCollection):
            found += _lines(part)
    return found


def _line(line: shapely.Geometry, frame: Frame) -> str:
    """One line as relative steps of whole numbers."""
    metres = shapely.get_coordinates(line)
    units = (metres - (frame.left, frame.top)) / (frame.metres_per_unit, -frame.metres_per_unit)
    points = np.rint(units * FINE).astype(int)
    steps = np.diff(points, axis=0)
    steps = steps[np.any(steps != 0, axis=1)]
    closed = bool(np.all(points[0] == points[-1]))
    if len(steps) < (3 if closed else 1):
        return ""
    if closed and shapely.area(shapely.Polygon(units)) < SMALLEST:
        return ""
    if closed:
        steps = steps[:-1]
    # A minus sign separates numbers as well as a blank does.
    drawn = " ".join(f"{x} {y}" for x, y in steps.tolist()).replace(" -", "-")
    return f"M{points[0][0]} {points[0][1]}l{drawn}{'z' if closed else ''}"
