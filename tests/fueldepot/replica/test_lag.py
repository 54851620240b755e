"""How far behind a replica is, and whether it may be read."""

import pytest
from fueldepot.replica.lag import UNKNOWN, Positions
from fueldepot.replica.watch import Replayed, judge

MOST_S = 5


def seen(*positions, window_s=100):
    """The primary's positions, asked for once a second from 0 on."""
    known = Positions(window_s)
    for moment, position in enumerate(positions):
        known.note(moment, position)
    return known


def test_a_replica_that_has_everything_is_not_behind():
    assert seen(10, 20, 30).behind_s(30) == 0
    assert seen(10, 20, 30).behind_s(31) == 0


def test_a_primary_at_rest_does_not_look_like_lag():
    assert seen(*[10] * 1000).behind_s(10) == 0


def test_behind_since_the_last_position_that_it_has():
    known = seen(10, 20, 30, 40)
    assert known.behind_s(39) == 1
    assert known.behind_s(20) == 2
    assert known.behind_s(10) == 3


def test_one_cut_off_from_its_primary_falls_behind_with_the_first_change():
    known = seen(10, 10)
    assert known.behind_s(10) == 0
    for moment in range(2, 20):
        known.note(moment, 10 + moment)
    assert known.behind_s(10) == 18


def test_nobody_knows_how_far_one_is_behind_that_has_nothing_of_what_was_seen():
    assert seen(10, 20).behind_s(5) == UNKNOWN
    assert seen(*range(10, 30), window_s=7).behind_s(15) == UNKNOWN
    assert Positions(7).behind_s(5) is None


def test_a_primary_that_crashed_goes_on_from_an_earlier_position():
    assert seen(10, 20, 30, 25).behind_s(25) == 0
    assert seen(10, 20, 30, 25).behind_s(20) == 2


def test_while_the_primary_is_away_nobody_falls_behind():
    known = seen(10, 20)
    assert known.behind_s(10) == 1  # however much later that is asked


@pytest.mark.parametrize(
    ("replayed", "problem"),
    [
        (Replayed(30, is_replica=True, has_schema=True), ""),
        (Replayed(20, is_replica=True, has_schema=True), "it is more than 5 s behind"),
        (Replayed(30, is_replica=False, has_schema=True), "it is not a replica"),
        (Replayed(30, is_replica=True, has_schema=False), "it lacks migrations of this release"),
        (None, "it does not answer"),
    ],
)
@pytest.mark.parametrize("primary", [True, False])
def test_who_may_be_read(replayed, problem, primary):
    known = seen(10, 20, *[30] * 7)
    assert judge(known, replayed, primary=primary, most_s=MOST_S)[0::2] == (problem, primary)


def test_one_that_cannot_be_measured_is_read_while_the_primary_is_away():
    replayed = Replayed(30, is_replica=True, has_schema=True)
    assert judge(Positions(7), replayed, primary=False, most_s=MOST_S) == ("", None, False)
