"""Maps: a municipality with its depots, a voivodeship with its municipalities, Poland with its voivodeships.

North is up: the grid of the plane deviates from true north by four degrees at the eastern end of the country.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import shapely

from pages.pictures import outlines
from pages.pictures.dots import RADIUS, Dot, arrange
from pages.pictures.frames import Frame, fit
from pages.pictures.outlines import Areas
from pages.pictures.scales import Box, ScaleBar, scale_bar, text_width

STRIP = 28.0
"""Below a map: its scale bar and the arrow that points north."""

CROWDED = 40
"""Where a map shows more municipalities than these around its own, counties are drawn instead."""

NAME_SIZE = 10.0
NEAR = 10.0
LEAST_NAMED = 700.0
"""A neighbour of fewer square units than these stays without a name."""

LARGEST_CIRCLE = 20.0
LARGEST_LEGEND = 11.0
CIRCLE_OF_ONE = 2.6

Place = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """width, height: of the map itself, in units of the picture. frame: what it shows.

    approximate: not every boundary is an official one.
    """

    frame: Frame
    scale: ScaleBar
    approximate: bool

    @property
    def width(self) -> float:
        return self.frame.width

    @property
    def height(self) -> float:
        return self.frame.height

    @property
    def full_height(self) -> float:
        """With the strip below the map."""
        return self.frame.height + STRIP

    @property
    def north(self) -> float:
        """Where the arrow stands in the strip, behind the scale bar and its words."""
        return round(self.scale.length + text_width(self.scale.label, 11) + 34, 1)


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a neighbour, centred at (x, y)."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Spot:
    """A place for a name. box: what it would cover."""

    name: Name
    box: Box


@dataclass(frozen=True, slots=True)
class Ground:
    """What lies below the depots of a map: `outline`, `land` and `borders` as in `DepotMap`.

    spots: of each neighbour the places that its name may take, the best first. approximate: as in `Map`.
    """

    outline: str
    land: str
    borders: str
    approximate: bool
    spots: tuple[tuple[Spot, ...], ...]

    @property
    def bytes(self) -> int:
        """Roughly what it takes in memory."""
        return len(self.outline) + len(self.land) + len(self.borders) + 500 * (1 + sum(map(len, self.spots)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DepotMap(Map):
    """Numbered depots, where there are any the outline of their municipality, and what lies around.

    outline, land, borders: paths in tenths of a unit. names: of neighbours, where there is room.
    origin: the middle of the mark of the point that was asked for. radius: of a dot, half the side of a group's square.
    credit_osm: depots are of OpenStreetMap, which must be credited.
    """

    radius: ClassVar[float] = RADIUS

    outline: str
    land: str
    borders: str
    names: tuple[Name, ...]
    dots: tuple[Dot, ...]
    origin: Place | None
    credit_osm: bool

    @property
    def groups(self) -> tuple[Dot, ...]:
        """Marks that stand for several depots, in the order of their letters."""
        return tuple(dot for dot in self.dots if dot.is_group)

    @property
    def moved(self) -> bool:
        """Whether a line leads from any dot to its place."""
        return any(dot.moved for dot in self.dots)


@dataclass(frozen=True, slots=True)
class Circle:
    """count: what its area stands for; written inside where there is room (`wide`)."""

    x: float
    y: float
    r: float
    count: int

    @property
    def wide(self) -> bool:
        return self.r >= 4.0 + 3.0 * len(str(self.count))


@dataclass(frozen=True, slots=True)
class Link:
    """An area of a map that leads to a page. path: in tenths of a unit. hatched: drawn with a pattern.

    label: lines of text around (x, y), () for none.
    """

    path: str
    href: str
    title: str
    hatched: bool = False
    label: tuple[str, ...] = ()
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaMap(Map):
    """Areas that are links, with circles for what they hold, the largest first. legend: circles explained."""

    links: tuple[Link, ...]
    circles: tuple[Circle, ...] = ()
    legend: tuple[Circle, ...] = ()

    @property
    def is_hatched(self) -> bool:
        """Whether any area needs the pattern."""
        return any(link.hatched for link in self.links)


@dataclass(frozen=True, slots=True)
class Unit:
    """An area of a map before it is drawn. count: for its circle. The rest as in `Link`."""

    href: str
    title: str
    count: int = 0
    hatched: bool = False
    label: tuple[str, ...] = ()


def depot_frame(area: shapely.Geometry | None, places: Sequence[Place]) -> Frame | None:
    """The frame for a municipality (None where its boundary is unknown) and places in metres; None for nothing."""
    corners = [*places]
    if area is not None:
        least_x, least_y, most_x, most_y = shapely.bounds(area).tolist()
        corners += [(least_x, least_y), (most_x, most_y)]
    if not corners:
        return None
    xs, ys = zip(*corners, strict=True)
    return fit((min(xs), min(ys), max(xs), max(ys)))


def ground(
    frame: Frame,
    areas: Areas,
    *,
    own: int | None,
    names: Sequence[str],
    counties: Sequence[str],
    approximate: bool,
) -> Ground:
    """What a map of depots shows below them. The dear part.

    areas: what touches the frame, metres. own: which of them the map is about. names, counties: of each area.
    approximate: as in `Map`.
    """
    simple = outlines.simplify(areas, frame.metres_per_unit) if len(areas) else areas
    around = simple
    if len(areas) > CROWDED:
        around = outlines.dissolve(simple, counties)[1]
    neighbours = [(name, area) for i, (name, area) in enumerate(zip(names, simple, strict=True)) if i != own]
    return Ground(
        outline="" if own is None else outlines.area_path(outlines.cut(simple[own], frame), frame),
        land=outlines.path(outlines.cut(outlines.union(simple), frame), frame) if len(areas) else "",
        borders=outlines.path(outlines.cut(outlines.borders(around), frame), frame) if len(areas) else "",
        spots=tuple(name_spots(frame, *neighbour) for neighbour in neighbours) if len(areas) <= CROWDED else (),
        approximate=approximate,
    )


def depot_map(
    frame: Frame,
    below: Ground,
    *,
    depots: Sequence[tuple[int, Place]],
    origin: Place | None = None,
    credit_osm: bool,
) -> DepotMap:
    """A municipality and its depots. depots: number and place in metres. origin: the point that was asked for."""
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
        outline=below.outline,
        land=below.land,
        borders=below.borders,
        names=place_names(below.spots, [(dot.x, dot.y) for dot in dots]),
        dots=dots,
        origin=None if mark is None else (round(mark[0], 1), round(mark[1], 1)),
        credit_osm=credit_osm,
    )


def name_spots(frame: Frame, name: str, area: shapely.Geometry) -> tuple[Spot, ...]:
    """Where the name of an area fits into what the frame shows of it, the best place first."""
    part = max(shapely.get_parts(outlines.cut(area, frame)), key=shapely.area, default=None)
    if part is None or shapely.area(part) < LEAST_NAMED * frame.metres_per_unit**2:
        return ()
    half = text_width(name, NAME_SIZE) / 2
    # The ends of a name may reach over the border, but not far enough to look like another area's.
    reach = 0.75 * half * frame.metres_per_unit
    found = []
    # The widest place is not always one for words: in a long area it may lie at the very end.
    for point in (inner_middle(part, frame.metres_per_unit), shapely.centroid(part)):
        east, north = shapely.get_x(point), shapely.get_y(point)
        x, y = frame.place(east, north)
        box = Box(x - half, y - NAME_SIZE / 2, x + half, y + NAME_SIZE / 2)
        inside = box.left >= 2 and box.right <= frame.width - 2 and box.top >= 2 and box.bottom <= frame.height - 2
        if inside and shapely.covers(part, shapely.LineString([(east - reach, north), (east + reach, north)])):
            found.append(Spot(Name(name, round(x, 1), round(y, 1)), box))
    return tuple(found)


def place_names(neighbours: Sequence[Sequence[Spot]], marks: Sequence[Place]) -> tuple[Name, ...]:
    """Of each name the best place where it covers neither a mark nor another name; none where there is none."""
    taken = [Box(x - NEAR, y - NEAR, x + NEAR, y + NEAR) for x, y in marks]
    placed = []
    for spots in neighbours:
        for spot in spots:
            if not any(spot.box.overlaps(other) for other in taken):
                taken.append(spot.box)
                placed.append(spot.name)
                break
    return tuple(placed)


def inner_middle(area: Any, tolerance: float) -> Any:
    """The middle of the largest circle inside an area, or of each of an array of areas."""
    return shapely.get_point(shapely.maximum_inscribed_circle(area, tolerance=tolerance), 0)


def simple_map(areas: Areas, *, tolerance: float = outlines.TOLERANCE) -> tuple[Frame, Areas]:
    """The frame around areas, which fill it, and the areas without the detail that it cannot show. The dear part."""
    least_x, least_y, most_x, most_y = shapely.total_bounds(areas).tolist()
    frame = fit((least_x, least_y, most_x, most_y), margin=4.0, heights=(220.0, 460.0))
    return frame, outlines.simplify(areas, frame.metres_per_unit, tolerance)


def area_paths(frame: Frame, areas: Areas) -> tuple[str, ...]:
    """A path for every area, the order kept."""
    return tuple(outlines.area_path(area, frame) for area in areas)


def middles(frame: Frame, areas: Areas) -> tuple[Place, ...]:
    """The middle of the largest circle inside each area, in units of the picture, the order kept."""
    reach = 0.5 * frame.metres_per_unit
    found = shapely.get_coordinates(inner_middle(largest_parts(areas), reach))
    return tuple((round(x, 1), round(y, 1)) for x, y in (frame.place(*point) for point in found.tolist()))


def largest_parts(areas: Areas) -> Areas:
    """Of each area the largest of its parts: islands bear no label."""
    return np.array([max(shapely.get_parts(area), key=shapely.area) for area in areas], dtype=object)


def area_map(
    frame: Frame, paths: Sequence[str], middles: Sequence[Place], units: Sequence[Unit], *, approximate: bool
) -> AreaMap:
    """Areas with links and circles. paths, middles, units: one of each for every area."""
    most = max((unit.count for unit in units), default=0)
    per_root = circle_size(most)
    circles = [
        Circle(x, y, round(per_root * math.sqrt(unit.count), 1), unit.count)
        for (x, y), unit in zip(middles, units, strict=True)
        if unit.count
    ]
    return AreaMap(
        frame=frame,
        scale=scale_bar(frame.metres_per_unit, 90),
        approximate=approximate,
        links=tuple(
            Link(path, unit.href, unit.title, unit.hatched, unit.label, *middle)
            for path, middle, unit in zip(paths, middles, units, strict=True)
        ),
        circles=tuple(sorted(circles, key=lambda circle: -circle.r)),
        legend=circle_legend(most, per_root, right=frame.width - 4, middle=round(frame.height + STRIP / 2 + 1)),
    )


def name_lines(name: str) -> tuple[str, ...]:
    """The name of a voivodeship as its label: in two lines where it is a compound."""
    first, dash, second = name.partition("-")
    return (first + dash, second) if second else (first,)


def circle_size(most: int) -> float:
    """Radius of the circle for a count of one; radii grow with the square root, so areas with the count."""
    return min(CIRCLE_OF_ONE, LARGEST_CIRCLE / math.sqrt(most)) if most else 0.0


def circle_legend(most: int, per_root: float, *, right: float, middle: float) -> tuple[Circle, ...]:
    """Up to three circles in a row that ends at `right`, the smallest first, each with room for its number behind it.

    They stand for one, and for round numbers up to the largest count whose circle the strip has room for.
    """
    if not most:
        return ()
    fitting = min(most, int((LARGEST_LEGEND / per_root) ** 2))
    high = round_down(fitting)
    counts = sorted({1, round_down(max(1, high // 2)), high}, reverse=True)
    placed = []
    edge = right
    for number in counts:
        radius = per_root * math.sqrt(number)
        edge -= 6.5 * len(str(number)) + 6
        placed.append(Circle(round(edge - radius, 1), middle, round(radius, 1), number))
        edge -= 2 * radius + 10
    return tuple(reversed(placed))


def round_down(number: int) -> int:
    """The largest of 1, 2, 5 × 10ⁿ up to a positive number."""
    size = int("1" + "0" * (len(str(number)) - 1))
    return max(step * size for step in (1, 2, 5) if step * size <= number)
