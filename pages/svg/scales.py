"""Round numbers for axes and scale bars, labels without overlaps, and the frame of a map in units of the picture."""

import math
from collections.abc import Sequence
from typing import NamedTuple

WIDTH = 360
"""Width of every picture, in units of its view box."""

STEPS = (1.0, 2.0, 5.0, 10.0)

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


def scale_bar(metres_per_unit: float, longest: float = 110.0) -> ScaleBar:
    """Return the longest bar of 1, 2, 5 × 10ⁿ metres, at least one metre, within `longest` units.

    The distortion of the projection, at most 0.13 % (`catalog.territory.coordinates`), is ignored.
    """
    metres = max(1, round(round_down(metres_per_unit * longest)))
    label = f"{metres // 1000} km" if metres >= 1000 else f"{metres} m"
    return ScaleBar(round(metres / metres_per_unit, 1), label)


def text_width(text: str, size: float) -> float:
    return len(text) * size * LETTER


def spread(wanted: Sequence[float], sizes: Sequence[float], start: float) -> list[float]:
    """Return starts of intervals that do not overlap, as near to the wanted starts as possible.

    wanted: ascending. sizes: lengths of the intervals. start: lower bound of the starts. Pooling of adjacent violators
    minimises the sum of squared shifts.
    """
    blocks: list[list[float]] = []  # [mean of wanted starts minus preceding lengths, number of members]
    before = 0.0
    offsets = []
    for place, size in zip(wanted, sizes, strict=True):
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
