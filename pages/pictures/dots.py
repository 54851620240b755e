"""Numbered dots that keep apart: where they would overlap they move aside, and a line leads to their true place."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

RADIUS = 8.5
"""Of a dot: a number of two digits is legible inside."""

APART = 2 * RADIUS + 1.0
"""Least distance between the middles of two dots."""

RING = 9.0
MOST_MARKS = 60
"""With more than these a map cannot be read, so neighbours share a mark."""

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Dot:
    """A mark on a map. label: a number, or the letter of a group. x, y: its middle.

    at_x, at_y: the true place, which a line leads to where `moved`. numbers: those it stands for.
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
    """Dots for numbered places, grouped where there are more than `MOST_MARKS`, none over another or an obstacle.

    places: number and place, which lies in the picture or is moved to its edge. obstacles: middles of other marks.
    All dots lie within width and height, which leave room for `MOST_MARKS` of them (`frames.HEIGHTS`).
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
    """At most `most` marks: numbers and middle of each. Places in the same square of a grid share one.

    The grid is as fine as the limit allows; up to the limit every place has a mark of its own.
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
    """A, B … Z, AA, AB …"""
    name = chr(ord("A") + number % 26)
    return letter(number // 26 - 1) + name if number >= 26 else name


def free_spot(wanted: Place, taken: Sequence[Place], width: float, height: float) -> Place:
    """The wanted place if nothing is near it, else the first free one on growing rings around it."""
    inside = (min(max(wanted[0], RADIUS), width - RADIUS), min(max(wanted[1], RADIUS), height - RADIUS))
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
    # A full picture is still better than none; `MOST_MARKS` of them fit into the smallest frame.
    return inside


def is_free(spot: Place, taken: Sequence[Place]) -> bool:
    """Whether a dot there would touch no other."""
    return all(math.dist(spot, other) >= APART for other in taken)
