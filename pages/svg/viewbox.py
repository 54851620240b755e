"""The frame of a map: conversion of projected metres to units of the picture."""

from dataclasses import dataclass

from pages.svg.scales import WIDTH

MARGIN = 16.0
"""Margin around the bounds, in units: half a dot and some space."""

HEIGHTS = (220.0, 420.0)
"""Least and greatest height of a map in units, without its strip."""

LEAST_SPAN_M = 2000.0
"""Least width and height of a map, so that a single point has surroundings."""


@dataclass(frozen=True, slots=True)
class Frame:
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


def fit(
    bounds: tuple[float, float, float, float],
    *,
    margin: float = MARGIN,
    heights: tuple[float, float] = HEIGHTS,
) -> Frame:
    """Return the frame that shows bounds (least x and y, greatest x and y, in metres) as large as possible."""
    least_x, least_y, most_x, most_y = bounds
    across = max(most_x - least_x, LEAST_SPAN_M)
    up = max(most_y - least_y, LEAST_SPAN_M)
    scale = max(across / (WIDTH - 2 * margin), up / (heights[1] - 2 * margin))
    height = round(min(max(up / scale + 2 * margin, heights[0]), heights[1]))
    middle_x, middle_y = (least_x + most_x) / 2, (least_y + most_y) / 2
    return Frame(middle_x - WIDTH * scale / 2, middle_y + height * scale / 2, scale, WIDTH, height)
