"""The part of the plane that a map shows, and how its metres become units of the picture."""

from dataclasses import dataclass

from pages.pictures.scales import WIDTH

MARGIN = 16.0
"""Around what must be seen: half a dot and a little air."""

HEIGHTS = (220.0, 420.0)
"""Least and greatest height of a map, without the strip of its scale bar."""

LEAST_SPAN_M = 2000.0
"""A map of a single point still shows its surroundings."""


@dataclass(frozen=True, slots=True)
class Frame:
    """left, top: the corner in metres of `catalog.plane`; north is up. width, height: in units of the picture."""

    left: float
    top: float
    metres_per_unit: float
    width: float
    height: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Units of the picture for metres of the plane; y turns round."""
        return (x - self.left) / self.metres_per_unit, (self.top - y) / self.metres_per_unit

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least x and y, greatest x and y in metres."""
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
    """The frame that shows all of the bounds (least x and y, greatest x and y, metres) as large as it can."""
    least_x, least_y, most_x, most_y = bounds
    across = max(most_x - least_x, LEAST_SPAN_M)
    up = max(most_y - least_y, LEAST_SPAN_M)
    scale = max(across / (WIDTH - 2 * margin), up / (heights[1] - 2 * margin))
    height = round(min(max(up / scale + 2 * margin, heights[0]), heights[1]))
    middle_x, middle_y = (least_x + most_x) / 2, (least_y + most_y) / 2
    return Frame(middle_x - WIDTH * scale / 2, middle_y + height * scale / 2, scale, WIDTH, height)
