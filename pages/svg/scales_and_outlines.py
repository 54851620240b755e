"""Round numbers for axes and scale bars, shades, labels without overlaps, and a map's frame in units of the picture.

Compact SVG paths of areas, simplified together so that neighbours share their borders. Arrangement of numbered dots:
overlapping dots move aside, with a line to their true place.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

WIDTH = 360
"""Width of every picture, in units of its view box."""

STEPS = (1.0, 2.0, 5.0, 10.0)

SHADES = 5
"""Shades of areas, `shade-1` and so on in `site.css`. A strong one is dark on light ground."""

LETTER = 0.56
"""Width of an average character of a sans-serif font as a fraction of its size; a generous estimate."""


class ScaleBar(NamedTuple):
    """A scale bar. length: in units of the picture. label: "500 m" or "20 km"."""

    length: float
    label: str


class Box(NamedTuple):
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        """Whether the interiors of both intersect."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def nice_step(span: float, most: int) -> float:
    """Return the smallest of 1, 2, 5 × 10ⁿ that divides a positive span into at most `most` parts."""
    size = 10.0 ** math.floor(math.log10(span / most))
    # Rounding of the logarithm may leave the largest step slightly too small.
    return next((step * size for step in STEPS if step * size * most >= span * (1 - 1e-9)), 20.0 * size)


def round_down(number: float) -> float:
    """Return the largest of 1, 2, 5 × 10ⁿ up to a positive number."""
    size = 10.0 ** math.floor(math.log10(number))
    return max(step * size for step in STEPS if step * size <= number * (1 + 1e-9))


def axis(values: Sequence[float], *, most: int = 5, from_zero: bool = False) -> tuple[float, ...]:
    """Return the ticks of an axis around values with at most `most` steps, ascending and evenly spaced.

    The first and the last enclose the values. from_zero: include zero. Values equal to a millionth get a step on each
    side.
    """
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    # Such differences are rounding errors, too small for a step.
    if high - low <= max(abs(low), abs(high)) * 1e-6:
        room = abs(low) / 10 or 1.0
        low, high = low - room, high + room
    step = nice_step(high - low, most)
    first, last = _whole_steps(low, high, step)
    # Whole steps may protrude at both ends, which adds one step.
    while last - first > most:
        step = nice_step(step * 1.5, 1)
        first, last = _whole_steps(low, high, step)
    decimals = max(0, -math.floor(math.log10(step)))
    return tuple(round(number * step, decimals) for number in range(first, last + 1))


def _whole_steps(low: float, high: float, step: float) -> tuple[int, int]:
    """Return the whole steps around two values, with a tolerance for rounding."""
    return math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)


def shade_by_rank(values: Iterable[float]) -> dict[float, int]:
    """Return the shade of each value: the higher, the stronger; of equally many values each, as far as possible."""
    ranked = sorted(set(values))
    return {value: 1 + rank * SHADES // len(ranked) for rank, value in enumerate(ranked)}


def scale_bar(metres_per_unit: float, longest: float = 110.0) -> ScaleBar:
    """Return the longest bar of 1, 2, 5 × 10ⁿ metres, at least one metre, within `longest` units.

    The distortion of the projection, at most 0.13 % (`catalog.territory.coordinates`), is ignored.
    """
    metres = max(1, round(round_down(metres_per_unit * longest)))
    label = f"{metres // 1000} km" if metres >= 1000 else f"{metres} m"
    return ScaleBar(round(metres / metres_per_unit, 1), label)


def text_width(text: str, size: float) -> float:
    return len(text) * size * LETTER


def spread(targets: Sequence[float], sizes: Sequence[float], start: float) -> list[float]:
    """Return starts of intervals that do not overlap, as near to the targets as possible.

    targets: ascending. sizes: lengths of the intervals. start: lower bound of the starts. Pooling of adjacent violators
    minimises the sum of squared shifts.
    """
    blocks: list[list[float]] = []  # [mean of targets minus preceding lengths, number of members]
    before = 0.0
    offsets = []
    for place, size in zip(targets, sizes, strict=True):
        offsets.append(before)
        blocks.append([place - before, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, members = blocks.pop()
            total = blocks[-1][1] + members
            blocks[-1] = [(blocks[-1][0] * blocks[-1][1] + mean * members) / total, total]
        before += size
    bases = [max(start, mean) for mean, members in blocks for _ in range(int(members))]
    return [base + offset for base, offset in zip(bases, offsets, strict=True)]


MARGIN = 16.0
"""Margin around the bounds, in units: half a dot and some space."""

HEIGHTS = (220.0, 420.0)
"""Least and greatest height of a map in units, without its strip."""

LEAST_SPAN_M = 2000.0
"""Least width and height of a map, so that a single point has surroundings."""


class Frame(NamedTuple):
    """A frame. left, top: corner in projected metres; north is up. width, height: in units of the picture."""

    left: float
    top: float
    metres_per_unit: float
    width: float
    height: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Convert projected metres to units of the picture, where y grows downwards."""
        return (x - self.left) / self.metres_per_unit, (self.top - y) / self.metres_per_unit

    def contains(self, x: float, y: float) -> bool:
        """Whether a point in projected metres lies in the picture."""
        across, down = self.place(x, y)
        return 0 <= across <= self.width and 0 <= down <= self.height

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least x and y, greatest x and y, in metres."""
        return (
            self.left,
            self.top - self.height * self.metres_per_unit,
            self.left + self.width * self.metres_per_unit,
            self.top,
        )


def fit(bounds: Sequence[float], *, margin: float = MARGIN, heights: tuple[float, float] = HEIGHTS) -> Frame:
    """Return the frame that shows bounds (least x and y, greatest x and y, in metres) as large as possible."""
    least_x, least_y, most_x, most_y = bounds
    across = max(most_x - least_x, LEAST_SPAN_M)
    up = max(most_y - least_y, LEAST_SPAN_M)
    scale = max(across / (WIDTH - 2 * margin), up / (heights[1] - 2 * margin))
    height = round(min(max(up / scale + 2 * margin, heights[0]), heights[1]))
    middle_x, middle_y = (least_x + most_x) / 2, (least_y + most_y) / 2
    return Frame(middle_x - WIDTH * scale / 2, middle_y + height * scale / 2, scale, WIDTH, height)


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


RADIUS = 8.5
"""Radius of a dot, with room for a number of two digits."""

APART = 2 * RADIUS + 1.0
"""Least distance between the centres of two dots."""

RING = 9.0
MOST_MARKS = 60
"""Most marks of a legible map; with more depots, neighbours share a mark."""

Place = tuple[float, float]


class Dot(NamedTuple):
    """A mark on a map. label: a number, or the letter of a group. x, y: its centre.

    at_x, at_y: the true place, joined by a line if `moved`. numbers: of its depots.
    """

    label: str
    x: float
    y: float
    at_x: float
    at_y: float
    moved: bool
    numbers: tuple[int, ...]

    @property
    def is_group(self) -> bool:
        return len(self.numbers) > 1


def arrange(
    places: Sequence[tuple[int, Place]], *, width: float, height: float, obstacles: Sequence[Place] = ()
) -> tuple[Dot, ...]:
    """Return dots for numbered places, without overlaps; more than `MOST_MARKS` places are grouped.

    places: number and place; places outside the picture move to its edge. obstacles: centres of other marks.
    All dots lie within width and height, which leave room for `MOST_MARKS` of them (`HEIGHTS`).
    """
    marks = group(places, MOST_MARKS)
    letters = (letter(number) for number in count())
    taken = list(obstacles)
    dots = []
    for numbers, (x, y) in marks:
        spot = free_spot((x, y), taken, width, height)
        taken.append(spot)
        dots.append(
            Dot(
                label=str(numbers[0]) if len(numbers) == 1 else next(letters),
                x=round(spot[0], 1),
                y=round(spot[1], 1),
                at_x=round(x, 1),
                at_y=round(y, 1),
                moved=math.dist(spot, (x, y)) > 1.0,
                numbers=numbers,
            )
        )
    return tuple(dots)


def group(places: Sequence[tuple[int, Place]], most: int) -> list[tuple[tuple[int, ...], Place]]:
    """Return at most `most` marks, each with its numbers and centre. Places in a square of a grid share one.

    The grid is as fine as the limit allows; up to the limit every place has its own mark.
    """
    if len(places) <= most:
        return [((number,), place) for number, place in places]
    for size in count(1):
        cells: dict[tuple[int, int], list[tuple[int, Place]]] = defaultdict(list)
        for number, (x, y) in places:
            cells[int(x // (size * APART / 2)), int(y // (size * APART / 2))].append((number, (x, y)))
        if len(cells) <= most:
            break
    return [
        (
            tuple(number for number, _ in members),
            (sum(x for _, (x, _) in members) / len(members), sum(y for _, (_, y) in members) / len(members)),
        )
        for members in cells.values()
    ]


def letter(number: int) -> str:
    """Return the letters of a group: A, B … Z, AA, AB …"""
    name = chr(ord("A") + number % 26)
    return letter(number // 26 - 1) + name if number >= 26 else name


def free_spot(target: Place, taken: Sequence[Place], width: float, height: float) -> Place:
    """Return the target if it is free, else the first free one on growing rings around it."""
    inside = (min(max(target[0], RADIUS), width - RADIUS), min(max(target[1], RADIUS), height - RADIUS))
    if is_free(inside, taken):
        return inside
    reach = math.hypot(width, height)
    rings = int(reach / RING) + 1
    for ring in range(1, rings + 1):
        points = 6 * ring + 6
        for step in range(points):
            turn = 2 * math.pi * (step + 0.5 * (ring % 2)) / points
            spot = (inside[0] + RING * ring * math.cos(turn), inside[1] + RING * ring * math.sin(turn))
            within = RADIUS <= spot[0] <= width - RADIUS and RADIUS <= spot[1] <= height - RADIUS
            if within and is_free(spot, taken):
                return spot
    # Not reached with `MOST_MARKS` dots, which fit into the smallest frame.
    return inside


def is_free(spot: Place, taken: Sequence[Place]) -> bool:
    return all(math.dist(spot, other) >= APART for other in taken)
