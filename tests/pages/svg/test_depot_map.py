"""Arrangement of dots: inside the picture, without overlaps."""

import math
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from pages.svg import outlines
from pages.svg.scales import HEIGHTS, WIDTH

PLACES = st.lists(st.tuples(st.floats(0, WIDTH), st.floats(0, HEIGHTS[0])), max_size=250)
CROWDED = st.lists(st.tuples(st.floats(150, 156), st.floats(100, 104)), max_size=90)


def arrange(places, obstacles=()):
    return outlines.arrange(list(enumerate(places, start=1)), width=WIDTH, height=HEIGHTS[0], obstacles=obstacles)


@settings(max_examples=60)
@given(PLACES | CROWDED, st.lists(st.tuples(st.floats(20, 340), st.floats(20, 200)), max_size=1))
def test_no_dot_covers_another_or_leaves_the_picture(places, obstacles):
    drawn = arrange(places, obstacles)
    for one, other in combinations([(dot.x, dot.y) for dot in drawn], 2):
        assert math.dist(one, other) >= 2 * outlines.RADIUS
    for dot in drawn:
        assert outlines.RADIUS - 0.1 <= dot.x <= WIDTH - outlines.RADIUS + 0.1
        assert outlines.RADIUS - 0.1 <= dot.y <= HEIGHTS[0] - outlines.RADIUS + 0.1
        assert all(math.dist((dot.x, dot.y), other) >= 2 * outlines.RADIUS for other in obstacles)


@settings(max_examples=60)
@given(PLACES)
def test_every_number_is_shown_once(places):
    drawn = arrange(places)
    assert sorted(number for dot in drawn for number in dot.numbers) == list(range(1, len(places) + 1))
    assert len(drawn) <= outlines.MOST_MARKS
    assert len({dot.label for dot in drawn}) == len(drawn)
    if len(places) <= outlines.MOST_MARKS:
        assert [dot.label for dot in drawn] == [str(number) for number in range(1, len(places) + 1)]


def test_dots_with_room_stay_at_their_place():
    (one, two) = arrange([(100.0, 100.0), (200.0, 100.0)])
    assert (one.x, one.y, one.moved) == (100.0, 100.0, False)
    assert not two.moved


def test_a_dot_that_gives_way_keeps_its_true_place():
    (_, second) = arrange([(100.0, 100.0), (101.0, 100.0)])
    assert second.moved
    assert (second.at_x, second.at_y) == (101.0, 100.0)
    assert math.dist((second.x, second.y), (101.0, 100.0)) < 3 * outlines.RADIUS


def test_many_at_one_place_share_a_letter():
    drawn = arrange([(100.0, 100.0)] * 80 + [(300.0, 50.0)])
    assert [dot.label for dot in drawn] == ["A", "81"]
    assert drawn[0].is_group
    assert drawn[0].numbers == tuple(range(1, 81))


def test_letters():
    assert [outlines.letter(number) for number in (0, 25, 26, 51, 52, 702)] == ["A", "Z", "AA", "AZ", "BA", "AAA"]


def test_a_full_picture_is_drawn_all_the_same():
    taken = [(float(x), float(y)) for x in range(0, 361, 9) for y in range(0, 221, 9)]
    assert outlines.free_spot((5.0, 500.0), taken, WIDTH, HEIGHTS[0]) == (outlines.RADIUS, HEIGHTS[0] - outlines.RADIUS)
