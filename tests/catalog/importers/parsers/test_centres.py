"""The centre of addresses: where they are, whatever a few of them say."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from catalog.importers.parsers import prg_addresses

AT, INNER = st.integers(0, 999_999), st.integers(400_000, 500_000)
POINTS = st.lists(st.tuples(AT, AT), min_size=1, max_size=60)


def centre(points):
    return prg_addresses.centre(in_cm(points))


def in_cm(points):
    return np.round(np.array(points) * 100).astype(np.int32)


def cluster(east, north, count, side=300):
    """Addresses on a spiral around a point, all in a few squares."""
    spiral = [(n, side * math.sqrt(n / count)) for n in range(count)]
    return [(east + away * math.cos(n), north + away * math.sin(n)) for n, away in spiral]


@given(POINTS, st.randoms(use_true_random=False))
def test_the_centre_is_in_a_square_with_addresses_whatever_their_order(points, dice):
    east, north = centre(points)
    side = prg_addresses.CELL_CM / 100
    assert (east // side, north // side) in {(east // side, north // side) for east, north in points}
    assert centre(dice.sample(points, len(points))) == (east, north)


@given(st.tuples(INNER, INNER), st.integers(10, 80), st.floats(0, 0.45), st.tuples(AT, AT))
def test_less_than_half_of_the_addresses_cannot_lead_it_away(middle, count, share, stray):
    points = cluster(*middle, count) + [stray] * int(share * count)
    assert math.dist(centre(points), middle) < 1_100


def test_of_two_villages_it_is_in_the_larger_and_of_many_around_a_town_in_that():
    small = cluster(470_250, 450_250, 40)
    ring = [p for k in range(8) for p in cluster(450_250 + 6000 * math.cos(k), 450_250 + 6000 * math.sin(k), 15)]
    for count, others in ((60, small), (30, ring)):
        assert math.dist(centre([*cluster(450_250, 450_250, count), *others]), (450_250, 450_250)) < 700
    lone = [(470_250 + 1000 * number, 450_250) for number in range(3)]  # in more squares, and yet fewer
    assert centre([(450_250, 450_250)] * 9 + lone) == (450_250, 450_250)


def test_points_in_squares_outside_are_left_out():
    points = in_cm([(100_000, 400_000), (100_001, 400_000), (900_000, 400_000)])
    inside = prg_addresses.within(points, np.array([[0.0, 0.0, 500_000.0, 500_000.0]]))
    assert inside.tolist() == points[:2].tolist()
    assert not len(prg_addresses.within(points, np.empty((0, 4))))
