"""Compact SVG paths of areas, simplified together so that neighbours share their borders."""

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from pages.svg.scales import Frame

FINE = 10
"""Path units per unit of the picture: paths have whole numbers, and the template scales them down."""

SMALLEST = 4.0
"""Least area of drawn islands and enclaves, in square units."""

TOLERANCE = 0.75
"""Least size of visible detail, in units of the picture."""

Areas = NDArray[np.object_]


def simplify(areas: Areas, metres_per_unit: float, tolerance: float = TOLERANCE) -> Areas:
    """Return valid areas without invisible detail; common borders stay common.

    Approximate areas may overlap and then cross themselves once simplified; these are repaired.
    """
    simple = np.asarray(shapely.coverage_simplify(areas, metres_per_unit * tolerance), dtype=object)
    crossed = ~shapely.is_valid(simple)
    simple[crossed] = shapely.make_valid(simple[crossed])
    return simple


def dissolve(areas: Areas, groups: Sequence[str]) -> tuple[list[str], Areas]:
    """Return the sorted names of groups and the union of each. groups: name for each area."""
    names = sorted(set(groups))
    keys = np.array(groups)
    return names, np.array([union(areas[keys == name]) for name in names], dtype=object)


def union(areas: Areas) -> shapely.Geometry:
    """Return the union of areas, fast if they share borders exactly."""
    united = shapely.coverage_union_all(areas)
    # The fast union assumes that nothing overlaps, which approximate areas may.
    return united if shapely.is_valid(united) else shapely.union_all(areas)


def borders(areas: Areas) -> shapely.Geometry:
    """Return the lines around areas, each once."""
    return shapely.line_merge(shapely.union_all(shapely.boundary(areas)))


def cut(shape: shapely.Geometry, frame: Frame) -> shapely.Geometry:
    """Clip a shape to a little more than a frame, so that the cut stays invisible."""
    least_x, least_y, most_x, most_y = frame.bounds
    beyond = 5 * frame.metres_per_unit
    return shapely.clip_by_rect(shape, least_x - beyond, least_y - beyond, most_x + beyond, most_y + beyond)


def path(shape: shapely.Geometry, frame: Frame) -> str:
    """Return the `d` of a path in tenths of a unit: lines open, rings closed; "" for an invisible shape."""
    return "".join(_line(line, frame) for line in _lines(shape))


def area_path(area: shapely.Geometry, frame: Frame) -> str:
    """Return the `d` of an area, a diamond of three units where it would be invisible."""
    drawn = path(area, frame)
    if drawn:
        return drawn
    point = shapely.point_on_surface(area)
    x, y = frame.place(shapely.get_x(point), shapely.get_y(point))
    return f"M{round((x - 1.5) * FINE)} {round(y * FINE)}l15-15 15 15-15 15z"


def _lines(shape: shapely.Geometry) -> list[shapely.Geometry]:
    """Return the rings and lines of any geometry, in its order."""
    lines = []
    for part in shapely.get_parts(shape):
        if isinstance(part, shapely.Polygon):
            lines += list(shapely.get_rings(part))
        elif isinstance(part, shapely.LineString):
            lines.append(part)
        elif isinstance(part, shapely.GeometryCollection):
            lines += _lines(part)
    return lines


def _line(line: shapely.Geometry, frame: Frame) -> str:
    """Return one line as relative steps of whole numbers, "" if invisible."""
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
