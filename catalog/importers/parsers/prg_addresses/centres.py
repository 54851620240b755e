"""Robust centres of many addresses, in little memory.

Addresses are summed per postcode in cells of 500 m. The centre is the medoid of the cells
(`catalog.territory.coordinates`): of two villages it is in the larger, not in the field between them.
"""

from array import array
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from catalog.territory.coordinates import medoid

CELL_CM = 50_000
"""Side of a cell. Coordinates are whole centimetres, so that sums do not depend on the order of the file."""

BATCH = 250_000
"""Addresses buffered before they are summed."""

MAX_CELLS = 1_500
"""Maximum number of cells per postcode that are compared; with more, four become one."""

_BITS = 16
_MASK = (1 << _BITS) - 1

Ints = NDArray[np.int64]


class Cells:
    """Sums of positions by group and cell. Takes 32 bytes per cell, and 24 per buffered address."""

    def __init__(self) -> None:
        self.groups, self.east, self.north = array("q"), array("q"), array("q")
        self.keys: Ints = np.empty(0, np.int64)
        self.sums: Ints = np.empty((0, 3), np.int64)

    def add(self, group: int, east_m: float, north_m: float) -> None:
        """Add an address. group: from 0. east_m, north_m: in metres, from 0 to 9,999,999."""
        self.groups.append(group)
        self.east.append(round(east_m * 100))
        self.north.append(round(north_m * 100))
        if len(self.groups) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Sum the buffered addresses."""
        if not self.groups:
            return
        group, east, north = (np.frombuffer(values, np.int64) for values in (self.groups, self.east, self.north))
        keys = (group << 2 * _BITS) | (east // CELL_CM << _BITS) | (north // CELL_CM)
        sums = np.column_stack([np.ones_like(east), east, north])
        self.keys, self.sums = _summed(np.concatenate([self.keys, keys]), np.concatenate([self.sums, sums]))
        del group, east, north
        self.groups, self.east, self.north = array("q"), array("q"), array("q")

    def keep(self, allowed: Callable[[int], NDArray[np.float64]]) -> tuple[int, int]:
        """Drop cells outside the boxes of their group. Returns the numbers of dropped and of kept addresses.

        allowed: group → boxes (west, south, east, north in metres), an array of shape (n, 4).
        """
        self.flush()
        kept = np.zeros(len(self.keys), bool)
        for group, part in self._parts():
            means = self.sums[part, 1:] / self.sums[part, :1] / 100
            boxes = allowed(group)[:, None, :]
            inside = ((means >= boxes[..., :2]) & (means <= boxes[..., 2:])).all(axis=2)
            kept[part] = inside.any(axis=0)
        dropped = int(self.sums[~kept, 0].sum())
        self.keys, self.sums = self.keys[kept], self.sums[kept]
        return dropped, int(self.sums[:, 0].sum())

    def centres(self) -> Iterator[tuple[int, float, float]]:
        """Yield each group with easting and northing of its centre in metres, by group."""
        self.flush()
        for group, part in self._parts():
            keys, sums = self.keys[part], self.sums[part]
            step = 0
            while len(keys) > MAX_CELLS:
                step += 1
                keys, sums = _summed(_coarser(self.keys[part], step), self.sums[part])
            means = sums[:, 1:] / sums[:, :1]
            east, north = means[medoid(means, sums[:, 0])] / 100
            yield group, float(east), float(north)

    def _parts(self) -> Iterator[tuple[int, slice]]:
        groups = self.keys >> 2 * _BITS
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        for start, stop in pairwise([*starts.tolist(), len(groups)]):
            yield int(groups[start]), slice(start, stop)


def _coarser(keys: Ints, step: int) -> Ints:
    """Return the keys of cells whose side is 2 ** step times as long."""
    group, east, north = keys >> 2 * _BITS, (keys >> _BITS) & _MASK, keys & _MASK
    return (group << 2 * _BITS) | (east >> step << _BITS) | (north >> step)


def _summed(keys: Ints, sums: Ints) -> tuple[Ints, Ints]:
    """Return each key once, ascending, with the sum of its rows."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(sums[order], starts, axis=0)
