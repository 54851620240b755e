"""Axes, scale bars and labels: properties that hold for any numbers."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pages.svg.scales import axis, nice_step, scale_bar, spread

AMOUNTS = st.floats(min_value=0.01, max_value=1e6)


def is_round(number: float) -> bool:
    """Whether a number is 1, 2 or 5 × 10ⁿ."""
    mantissa = number / 10 ** math.floor(math.log10(number) + 1e-9)
    return any(math.isclose(mantissa, step) for step in (1, 2, 5))


@given(st.lists(AMOUNTS, min_size=1, max_size=30), st.booleans(), st.integers(2, 8))
def test_ticks_cover_the_data_in_few_round_steps(values, from_zero, most):
    scale = axis(values, most=most, from_zero=from_zero)
    room = (scale[-1] - scale[0]) * 1e-6
    assert scale[0] <= min(values) + room
    assert scale[-1] >= max(values) - room
    assert 2 <= len(scale) <= most + 1
    steps = [after - before for before, after in pairwise(scale)]
    assert all(math.isclose(step, steps[0], rel_tol=1e-6) for step in steps)
    assert is_round(round(steps[0], 10))
    if from_zero:
        assert scale[0] == 0


def test_equal_values_get_room_above_and_below():
    scale = axis([500.0, 500.0])
    assert scale[0] < 500 < scale[-1]
    assert axis([0.0])[0] < 0 < axis([0.0])[-1]


@given(st.floats(min_value=1e-3, max_value=1e7), st.integers(1, 10))
def test_a_step_is_round_and_divides_into_few_parts(span, most):
    step = nice_step(span, most)
    assert is_round(step)
    assert span / step <= most * (1 + 1e-6)


@given(st.floats(min_value=0.1, max_value=5000), st.floats(min_value=60, max_value=200))
def test_a_scale_bar_is_round_and_long_enough_to_read(metres_per_unit, longest):
    bar = scale_bar(metres_per_unit, longest)
    number, unit = bar.label.split()
    metres = int(number) * {"m": 1, "km": 1000}[unit]
    assert is_round(metres)
    assert (unit == "km") is (metres >= 1000)
    assert longest / 2.5 - 0.1 <= bar.length <= longest + 0.1
    assert math.isclose(bar.length * metres_per_unit, metres, abs_tol=metres_per_unit / 10)


@given(st.lists(st.tuples(st.floats(0, 1000), st.floats(1, 60)), min_size=1, max_size=20))
def test_spread_intervals_keep_their_order_and_never_overlap(rows):
    wanted = sorted(place for place, _ in rows)
    sizes = [size for _, size in rows]
    starts = spread(wanted, sizes, -5.0)
    assert starts[0] >= -5.0
    for i in range(len(starts) - 1):
        assert starts[i] + sizes[i] <= starts[i + 1] + 1e-6


def test_intervals_with_room_stay_where_they_are_wanted():
    assert spread([0.0, 50.0, 200.0], [40.0, 40.0, 40.0], 0.0) == [0.0, 50.0, 200.0]


def test_crowded_intervals_share_the_way():
    assert spread([100.0, 100.0], [20.0, 20.0], 0.0) == [90.0, 110.0]
    assert spread([0.0, 0.0], [20.0, 20.0], 0.0) == [0.0, 20.0]
