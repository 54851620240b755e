"""Squares of the plane that no boundary crosses: a point in one of them is answered without any geometry.

Nine points of ten that people ask for lie in such a square. Of the others nothing is known here.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import STRtree

SIDE_M = 500.0
"""Of a square. Half of it would take four times the memory for three points of a hundred more."""

STEP_M = 150.0
"""Boundaries are followed in steps no longer than this."""

AT_ONCE = 100
"""So many boundaries are followed together."""

RUNS_AT_ONCE = 5_000
"""So many runs of squares are asked about together."""

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Squares:
    """Which area each square of a grid lies in.

    west, south: the corner of the grid, in metres on the plane. columns, rows: its size in squares. positions: of the
    area in its array, row by row from the south; UNKNOWN near a boundary and outside. 3.5 MB for Poland.
    """

    west: float
    south: float
    columns: int
    rows: int
    positions: NDArray[np.int16]

    @classmethod
    def over(cls, areas: NDArray[np.object_], tree: STRtree, margin_m: float) -> Self:
        """Lay squares over areas of the plane, of which there is at least one. Half a second for Poland.

        tree: of the same areas. margin_m: how far from every boundary a known square lies at least, less
        than half a side. Where areas overlap, the first in the array counts.
        """
        west, south, east, north = shapely.total_bounds(areas).tolist()
        columns, rows = int((east - west) // SIDE_M) + 1, int((north - south) // SIDE_M) + 1
        marked = np.zeros((rows, columns), dtype=bool)
        # By parts, since a million steps at once would leave the process with fifty megabytes that it needs no more.
        for start in range(0, len(areas), AT_ONCE):
            boundaries = shapely.boundary(areas[start : start + AT_ONCE])
            along = shapely.get_coordinates(shapely.segmentize(boundaries, STEP_M)) - (west, south)
            _mark_crossed(marked, along, STEP_M / 2 + margin_m)
        crossed = marked.ravel()
        # What lies side by side between two crossed squares lies in the same area, so one question serves a whole run.
        begins = ~crossed
        begins[1:] &= crossed[:-1] | (np.arange(1, crossed.size) % columns == 0)
        first = np.flatnonzero(begins)
        # The tree is asked, not the areas: what a prepared area learns for such a question it keeps, and doubles.
        x = west + (first % columns + 0.5) * SIDE_M
        y = south + (first // columns + 0.5) * SIDE_M
        none = len(areas)
        area_of = np.full(len(first), none)
        for start in range(0, len(first), RUNS_AT_ONCE):
            part = slice(start, start + RUNS_AT_ONCE)
            run, position = tree.query(shapely.points(x[part], y[part]), predicate="intersects")
            np.minimum.at(area_of[part], run, position)
        area_of[area_of == none] = UNKNOWN
        positions = np.full(crossed.size, UNKNOWN, dtype=np.int16)
        positions[~crossed] = area_of[(np.cumsum(begins) - 1)[~crossed]]
        return cls(west, south, columns, rows, positions)

    def find(self, x: float, y: float) -> int:
        """Position of the area around a point of the plane, or UNKNOWN."""
        column, row = (x - self.west) // SIDE_M, (y - self.south) // SIDE_M
        if 0 <= column < self.columns and 0 <= row < self.rows:
            return int(self.positions[int(row) * self.columns + int(column)])
        return UNKNOWN


def _mark_crossed(marked: NDArray[np.bool_], along: NDArray[np.float64], reach_m: float) -> None:
    """Mark the squares that points on boundaries lie in or come nearer to than `reach_m`.

    marked: (rows, columns). along: (n, 2), from the corner of the grid.
    """
    rows, columns = marked.shape
    square = (along // SIDE_M).astype(np.int32)
    rest = along - square * SIDE_M
    # Within reach of a side the neighbour behind it is crossed as well, and in a corner all three.
    aside = (rest > SIDE_M - reach_m).astype(np.int32) - (rest < reach_m)
    for across in (0, 1):
        for up in (0, 1):
            column, row = (square + aside * (across, up)).T
            marked[row.clip(0, rows - 1), column.clip(0, columns - 1)] = True
