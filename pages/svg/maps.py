"""Maps: a municipality with its depots, a voivodeship with its municipalities, Poland with its voivodeships.

Grid north is up; it deviates from true north by up to four degrees, in the east of the country.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import shapely

from pages.svg.scales_and_outlines import (
    RADIUS,
    Areas,
    Box,
    Dot,
    Frame,
    Place,
    ScaleBar,
    area_path,
    arrange,
    borders,
    cut,
    dissolve,
    fit,
    path,
    round_down,
    scale_bar,
    simplify,
    text_width,
    union,
)

STRIP = 28.0
"""Height of the strip below a map, with its scale bar and north arrow."""

CROWDED = 40
"""Most surrounding municipalities of a map; with more, it shows counties."""

OVERVIEW_TOLERANCE = 1.0
"""Tolerance of maps of many areas; coarser, so that the picture of the largest voivodeship stays small."""

NAME_SIZE = 10.0
NEAR = 10.0
LEAST_NAMED = 700.0
"""Least area of a named neighbour, in square units."""

LARGEST_CIRCLE = 20.0
LARGEST_LEGEND = 11.0
CIRCLE_OF_ONE = 2.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """A map. approximate: whether some boundary is not official."""

    frame: Frame
    scale: ScaleBar
    approximate: bool

    @property
    def full_height(self) -> float:
        return self.frame.height + STRIP

    @property
    def north(self) -> float:
        """The position of the north arrow in the strip, behind the scale bar and its label."""
        return round(self.scale.length + text_width(self.scale.label, 11) + 34, 1)


class Name(NamedTuple):
    """The name of a neighbour, centred at (x, y). box: its area."""

    text: str
    x: float
    y: float
    box: Box


class Ground(NamedTuple):
    """The ground below the depots of a map. outline, land, borders: paths in tenths of a unit; outline: of its area.

    spots: for each neighbour the possible places of its name, the best first. approximate: as in `Map`.
    """

    outline: str
    land: str
    borders: str
    approximate: bool
    spots: tuple[tuple[Name, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DepotMap(Map):
    """Numbered depots on the ground of their municipality. names: of neighbours, as far as they fit.

    origin: centre of the mark of the requested point. radius: of a dot, half the side of a group's square.
    credit_osm: whether OpenStreetMap must be credited.
    """

    radius: ClassVar[float] = RADIUS

    ground: Ground
    names: tuple[Name, ...]
    dots: tuple[Dot, ...]
    origin: Place | None
    credit_osm: bool

    @property
    def groups(self) -> tuple[Dot, ...]:
        """The marks of several depots, in the order of their letters."""
        return tuple(dot for dot in self.dots if dot.is_group)

    @property
    def moved(self) -> bool:
        """Whether a line joins any dot to its true place."""
        return any(dot.moved for dot in self.dots)


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle whose area shows a count. wide: whether the count fits inside."""

    x: float
    y: float
    r: float
    count: int

    @property
    def wide(self) -> bool:
        return self.r >= 4.0 + 3.0 * len(str(self.count))


@dataclass(frozen=True, slots=True)
class MapUnit:
    """An area that links to a page. count: for its circle. hatched: drawn with a pattern.

    label: lines of text around its middle, () for none. shade: from 1 to SHADES, the lightest is 1; 0 means none.
    """

    href: str
    title: str
    count: int = 0
    hatched: bool = False
    label: tuple[str, ...] = ()
    shade: int = 0


class Link(NamedTuple):
    """A drawn area. path: in tenths of a unit. x, y: its middle."""

    unit: MapUnit
    path: str
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaMap(Map):
    """Areas with links. circles: of their counts, the largest first. legend: circles with round counts."""

    links: tuple[Link, ...]
    circles: tuple[Circle, ...] = ()
    legend: tuple[Circle, ...] = ()

    @property
    def is_hatched(self) -> bool:
        return any(link.unit.hatched for link in self.links)


class Drawn(NamedTuple):
    """Outlines of a map of areas: key, path and centre of each. approximate: as in `Map`."""

    frame: Frame
    keys: tuple[str, ...]
    paths: tuple[str, ...]
    middles: tuple[Place, ...]
    approximate: bool


def depot_frame(bounds: Sequence[float] | None, places: Sequence[Place]) -> Frame | None:
    """Return the frame around a municipality and places; None for neither.

    bounds: of the municipality in metres, see `fit`; None without a boundary. places: in metres.
    """
    corners = [*places, *((bounds[:2], bounds[2:]) if bounds else ())]
    if not corners:
        return None
    x, y = zip(*corners, strict=True)
    return fit((min(x), min(y), max(x), max(y)))


def ground(
    frame: Frame, areas: Areas, *, own: int | None, names: Sequence[str], counties: Sequence[str], approximate: bool
) -> Ground:
    """Return the ground of a map of depots. The expensive part.

    areas: those that touch the frame, in metres. own: index of the municipality of the map, None without one.
    names, counties: of each area. approximate: as in `Map`.
    """
    simple = simplify(areas, frame.metres_per_unit) if len(areas) else areas
    around = simple
    if len(areas) > CROWDED:
        around = dissolve(simple, counties)[1]
    neighbours = [(name, area) for i, (name, area) in enumerate(zip(names, simple, strict=True)) if i != own]
    return Ground(
        outline="" if own is None else area_path(cut(simple[own], frame), frame),
        land=path(cut(union(simple), frame), frame) if len(areas) else "",
        borders=path(cut(borders(around), frame), frame) if len(areas) else "",
        spots=tuple(name_spots(frame, *neighbour) for neighbour in neighbours) if len(areas) <= CROWDED else (),
        approximate=approximate,
    )


def depot_map(
    frame: Frame, below: Ground, *, depots: Sequence[tuple[int, Place]], origin: Place | None = None, credit_osm: bool
) -> DepotMap:
    """Return a map of depots. depots: number and place in metres. origin: the requested point, in metres."""
    mark = None if origin is None else frame.place(*origin)
    dots = arrange(
        [(number, frame.place(*place)) for number, place in depots],
        width=frame.width,
        height=frame.height,
        obstacles=() if mark is None else (mark,),
    )
    return DepotMap(
        frame=frame,
        scale=scale_bar(frame.metres_per_unit),
        approximate=below.approximate,
        ground=below,
        names=place_names(below.spots, [(dot.x, dot.y) for dot in dots]),
        dots=dots,
        origin=None if mark is None else (round(mark[0], 1), round(mark[1], 1)),
        credit_osm=credit_osm,
    )


def name_spots(frame: Frame, name: str, area: shapely.Geometry) -> tuple[Name, ...]:
    """Return the places where the name of an area fits into its visible part, the best first."""
    part = max(shapely.get_parts(cut(area, frame)), key=shapely.area, default=None)
    if part is None or shapely.area(part) < LEAST_NAMED * frame.metres_per_unit**2:
        return ()
    half = text_width(name, NAME_SIZE) / 2
    # A name may reach over the border, but not so far that it seems to belong to another area.
    reach = 0.75 * half * frame.metres_per_unit
    spots = []
    # In a long area the widest place may lie at the very end, so the centroid is tried too.
    for point in (inner_middle(part, frame.metres_per_unit), shapely.centroid(part)):
        east, north = shapely.get_x(point), shapely.get_y(point)
        x, y = frame.place(east, north)
        box = Box(x - half, y - NAME_SIZE / 2, x + half, y + NAME_SIZE / 2)
        inside = box.left >= 2 and box.right <= frame.width - 2 and box.top >= 2 and box.bottom <= frame.height - 2
        if inside and shapely.covers(part, shapely.LineString([(east - reach, north), (east + reach, north)])):
            spots.append(Name(name, round(x, 1), round(y, 1), box))
    return tuple(spots)


def place_names(neighbours: Sequence[Sequence[Name]], marks: Sequence[Place]) -> tuple[Name, ...]:
    """Return each name at its best place that covers neither a mark nor another name, if it has one."""
    taken = [Box(x - NEAR, y - NEAR, x + NEAR, y + NEAR) for x, y in marks]
    placed = []
    for spots in neighbours:
        if spot := next((spot for spot in spots if not any(map(spot.box.overlaps, taken))), None):
            taken.append(spot.box)
            placed.append(spot)
    return tuple(placed)


def inner_middle(area: Any, tolerance: float) -> Any:
    """Return the centre of the largest circle inside an area, or inside each of an array of areas."""
    return shapely.get_point(shapely.maximum_inscribed_circle(area, tolerance=tolerance), 0)


def draw_areas(areas: Areas, keys: Sequence[str], *, approximate: bool) -> Drawn:
    """Return the outlines of areas, which fill the frame, without invisible detail. The expensive part."""
    frame = fit(shapely.total_bounds(areas).tolist(), margin=4.0, heights=(220.0, 460.0))
    simple = simplify(areas, frame.metres_per_unit, OVERVIEW_TOLERANCE)
    paths = tuple(area_path(area, frame) for area in simple)
    return Drawn(frame, tuple(keys), paths, middles(frame, simple), approximate)


def middles(frame: Frame, areas: Areas) -> tuple[Place, ...]:
    """Return the centre of the largest circle inside each area, in units of the picture, in their order."""
    # Islands have no label.
    largest = np.array([max(shapely.get_parts(area), key=shapely.area) for area in areas], dtype=object)
    points = shapely.get_coordinates(inner_middle(largest, 0.5 * frame.metres_per_unit))
    return tuple((round(x, 1), round(y, 1)) for x, y in (frame.place(*point) for point in points.tolist()))


def area_map(drawn: Drawn, units: Sequence[MapUnit]) -> AreaMap:
    """Return a map of areas with links and circles. units: one for every area."""
    frame = drawn.frame
    most = max((unit.count for unit in units), default=0)
    per_root = circle_size(most)
    circles = [
        Circle(x, y, round(per_root * math.sqrt(unit.count), 1), unit.count)
        for (x, y), unit in zip(drawn.middles, units, strict=True)
        if unit.count
    ]
    return AreaMap(
        frame=frame,
        scale=scale_bar(frame.metres_per_unit, 90),
        approximate=drawn.approximate,
        links=tuple(
            Link(unit, path, within(x, unit.label, frame.width), y)
            for unit, path, (x, y) in zip(units, drawn.paths, drawn.middles, strict=True)
        ),
        circles=tuple(sorted(circles, key=lambda circle: -circle.r)),
        legend=circle_legend(most, per_root, right=frame.width - 4, middle=round(frame.height + STRIP / 2 + 1)),
    )


def within(x: float, lines: Sequence[str], width: float) -> float:
    """Return the centre nearest to x around which the lines fit into a picture."""
    half = max((text_width(line, NAME_SIZE) for line in lines), default=0.0) / 2 + 2
    return round(min(max(x, half), width - half), 1)


def name_lines(name: str) -> tuple[str, ...]:
    """Return the label of a voivodeship; a compound name has two lines."""
    first, dash, second = name.partition("-")
    return (first + dash, second) if second else (first,)


def circle_size(most: int) -> float:
    """Return the radius of the circle of one; radii grow with the square root of the count."""
    return min(CIRCLE_OF_ONE, LARGEST_CIRCLE / math.sqrt(most)) if most else 0.0


def circle_legend(most: int, per_root: float, *, right: float, middle: float) -> tuple[Circle, ...]:
    """Return up to three circles in a row that ends at `right`, the smallest first, with room for their numbers.

    Their counts are one, and round numbers up to the largest count whose circle fits into the strip.
    """
    if not most:
        return ()
    fitting = min(most, int((LARGEST_LEGEND / per_root) ** 2))
    high = round(round_down(fitting))
    counts = sorted({1, round(round_down(max(1, high // 2))), high}, reverse=True)
    placed = []
    edge = right
    for number in counts:
        radius = per_root * math.sqrt(number)
        edge -= 6.5 * len(str(number)) + 6
        placed.append(Circle(round(edge - radius, 1), middle, round(radius, 1), number))
        edge -= 2 * radius + 10
    return tuple(reversed(placed))
