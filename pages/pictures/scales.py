"""Round numbers for axes and scale bars, and places for labels that must not overlap."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 360
"""Width of every picture, in units of its view box."""

STEPS = (1.0, 2.0, 5.0, 10.0)

LETTER = 0.56
"""Width of an average letter or digit of a sans-serif face, as a part of its size. On the generous side."""


@dataclass(frozen=True, slots=True)
class ScaleBar:
    """length: in units of the picture. label: the distance in words, "500 m" or "20 km"."""

    length: float
    metres: int
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """ticks: ascending and evenly spaced; the first and the last enclose the data."""

    ticks: tuple[float, ...]

    @property
    def low(self) -> float:
        return self.ticks[0]

    @property
    def high(self) -> float:
        return self.ticks[-1]

    def part(self, value: float) -> float:
        """Where a value lies between the ends: 0 at the low, 1 at the high one."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        """Whether both have a point in common that is not on their edges."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def nice_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 5 × 10ⁿ that divides a positive span into at most `most` parts."""
    size = 10.0 ** math.floor(math.log10(span / most))
    # The rounding of the logarithm may leave even the largest a hair too small.
    return next((step * size for step in STEPS if step * size * most >= span * (1 - 1e-9)), 20.0 * size)


def axis(values: Sequence[float], *, most: int = 5, from_zero: bool = False) -> Axis:
    """Ticks around values: at most `most` steps, as many as fit. Values that are all equal, to a millionth, get a step
    on each side."""
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    # Differences that no label could show come from adding up, and would leave no step to divide.
    if high - low <= max(abs(low), abs(high)) * 1e-6:
        room = abs(low) / 10 or 1.0
        low, high = low - room, high + room
    step = nice_step(high - low, most)
    first, last = _whole_steps(low, high, step)
    # Whole steps may stick out at both ends, which is one step more than the span has.
    while last - first > most:
        step = nice_step(step * 1.5, 1)
        first, last = _whole_steps(low, high, step)
    decimals = max(0, -math.floor(math.log10(step)))
    return Axis(tuple(round(number * step, decimals) for number in range(first, last + 1)))


def _whole_steps(low: float, high: float, step: float) -> tuple[int, int]:
    """The numbers of steps around two values; rounding does not add one."""
    return math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)


def scale_bar(metres_per_unit: float, longest: float = 110.0) -> ScaleBar:
    """The longest bar of 1, 2, 5 × 10ⁿ metres, one metre at least, that is no longer than `longest` units.

    The plane is taken at its word; it is within 0.13 % of the ground (`catalog.plane`).
    """
    room = metres_per_unit * longest
    size = 10.0 ** math.floor(math.log10(room))
    metres = max(1, round(max(step * size for step in STEPS if step * size <= room * (1 + 1e-9))))
    label = f"{metres // 1000} km" if metres >= 1000 else f"{metres} m"
    return ScaleBar(round(metres / metres_per_unit, 1), metres, label)


def text_width(text: str, size: float) -> float:
    """About how wide a text is."""
    return len(text) * size * LETTER


def spread(wanted: Sequence[float], sizes: Sequence[float], start: float) -> list[float]:
    """Starts of intervals in the order given that do not overlap, as near to the wanted ones as that allows.

    wanted: ascending starts. sizes: their lengths. start: nothing begins before it. Neighbours that push each other
    move together, so that the sum of squares of all shifts is the least (pooling of adjacent violators).
    """
    blocks: list[list[float]] = []  # mean of the wanted starts minus the lengths before, and the number of members
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
