"""Squares that no boundary crosses, against the geometry that they spare."""

import numpy as np
import shapely
from catalog.squares import SIDE_M, UNKNOWN, Squares
from hypothesis import given
from hypothesis import strategies as st

MARGIN_M = 1.0

CORNERS = st.tuples(st.floats(-20 * SIDE_M, 20 * SIDE_M), st.floats(-20 * SIDE_M, 20 * SIDE_M))


def over(*areas: shapely.Geometry) -> Squares:
    array = np.array(areas)
    shapely.prepare(array)
    return Squares.over(array, shapely.STRtree(array), MARGIN_M)


def middles(squares: Squares) -> list[tuple[float, float]]:
    """Somewhere in each square, one by one."""
    shares = np.random.default_rng(1).uniform(0, 1, (squares.rows, squares.columns, 2))
    return [
        (
            squares.west + (column + shares[row, column, 0]) * SIDE_M,
            squares.south + (row + shares[row, column, 1]) * SIDE_M,
        )
        for row in range(squares.rows)
        for column in range(squares.columns)
    ]


@given(st.lists(st.lists(CORNERS, min_size=3, max_size=6).map(shapely.MultiPoint), min_size=1, max_size=3))
def test_what_is_known_is_what_geometry_says(clouds):
    """Areas may lie apart, overlap, hold each other or be lines."""
    areas = [cloud.convex_hull.buffer(0) for cloud in clouds]
    areas = [area for area in areas if area.area > 1]
    if not areas:
        return
    squares = over(*areas)
    for x, y in middles(squares):
        position = squares.find(x, y)
        if position != UNKNOWN:
            point = shapely.Point(x, y)
            assert position == next(i for i, area in enumerate(areas) if area.contains(point))
            assert all(area.boundary.distance(point) >= MARGIN_M for area in areas)


def test_most_squares_of_a_large_area_are_known():
    squares = over(shapely.box(0, 0, 40 * SIDE_M, 40 * SIDE_M))
    known = [squares.find(x, y) == 0 for x, y in middles(squares)]
    assert sum(known) >= 36 * 36


def test_holes_and_the_world_outside_are_not_known():
    area = shapely.box(0, 0, 30_000, 30_000).difference(shapely.box(10_000, 10_000, 20_000, 20_000))
    squares = over(area)
    assert squares.find(5_100, 5_100) == 0
    for x, y in ((15_000, 15_000), (10_010, 5_000 + 9_999), (-1, 5_000), (5_000, 30_600), (1e9, -1e9)):
        assert squares.find(x, y) == UNKNOWN
