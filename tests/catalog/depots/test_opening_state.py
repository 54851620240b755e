"""Open or closed at a moment, in Polish time."""

from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from catalog.depots.opening_times import UNKNOWN, WARSAW, Openings, OpeningState, opening_state
from catalog.parsing.opening_hours import DAYS, daily_ranges
from tests.memory import is_freed_at_once

BREAKS = daily_ranges("Mo-Fr 08:00-12:00,13:00-16:00; Sa 08:00-13:00")
TWO_BREAKS = daily_ranges("Mo-Tu 08:00-10:00,11:00-12:00,18:00-02:00")
LONG_EVENING = daily_ranges("Mo 08:00-12:00,13:00-24:00; Tu 00:00-24:00")
NIGHTS = daily_ranges("Fr-Sa 22:00-06:00")
WORKING_WEEK = daily_ranges("Mo-Fr 00:00-24:00")
MONDAYS = daily_ranges("Mo 08:00-12:00")
PAST_MIDNIGHT = daily_ranges("Mo-We 00:00-24:00; Th 00:00-00:01")
ALL_BUT_AN_HOUR = daily_ranges("Mo 00:00-12:00,13:00-24:00; Tu-Su 00:00-24:00")
ALWAYS = daily_ranges("24/7")


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=WARSAW)


# 16 November 2026 is a Monday.
def test_the_state_at_a_moment():
    for week, moment, is_open, sentence in (
        (BREAKS, "2026-11-16 07:59:59", False, "zamknięte, otwiera o 8:00"),
        (BREAKS, "2026-11-16 08:00", True, "otwarte do 12:00, potem 13:00–16:00"),
        (BREAKS, "2026-11-16 12:00", False, "zamknięte, otwiera o 13:00"),
        (BREAKS, "2026-11-16 15:59", True, "otwarte do 16:00"),
        (BREAKS, "2026-11-16 16:00", False, "zamknięte, otwiera wt. 8:00"),
        (BREAKS, "2026-11-21 13:00", False, "zamknięte, otwiera pn. 8:00"),
        (TWO_BREAKS, "2026-11-16 09:00", True, "otwarte do 10:00, potem 11:00–12:00 i 18:00–2:00"),
        (TWO_BREAKS, "2026-11-17 01:00", True, "otwarte do 2:00"),
        (LONG_EVENING, "2026-11-16 09:00", True, "otwarte do 12:00, potem od 13:00"),
        (NIGHTS, "2026-11-20 23:00", True, "otwarte do 6:00"),
        (NIGHTS, "2026-11-21 05:00", True, "otwarte do 6:00"),
        (NIGHTS, "2026-11-21 06:00", False, "zamknięte, otwiera o 22:00"),
        (NIGHTS, "2026-11-22 06:00", False, "zamknięte, otwiera pt. 22:00"),
        (MONDAYS, "2026-11-16 12:00", False, "zamknięte, otwiera pn. 8:00"),
        (WORKING_WEEK, "2026-11-17 10:00", True, "otwarte do pt. 24:00"),
        (WORKING_WEEK, "2026-11-20 10:00", True, "otwarte do 24:00"),
        (WORKING_WEEK, "2026-11-20 00:00", True, "otwarte do 24:00"),
        (PAST_MIDNIGHT, "2026-11-17 10:00", True, "otwarte do czw. 0:01"),
        (ALL_BUT_AN_HOUR, "2026-11-16 13:00", True, "otwarte do pn. 12:00"),
        (ALL_BUT_AN_HOUR, "2026-11-16 11:00", True, "otwarte do 12:00"),
    ):
        state = opening_state(week, at(moment))
        assert (state.is_open, state.sentence) == (is_open, sentence), week


def test_what_never_changes():
    noon = at("2026-11-16 12:00")
    assert opening_state(None, noon) == UNKNOWN
    assert opening_state(dict.fromkeys(DAYS, ()), noon) == OpeningState(False, "zamknięte")
    assert opening_state(ALWAYS, noon) == OpeningState(True, "otwarte całą dobę")


def test_the_hour_that_is_left_out_in_march():
    """From 23:30 on 27 March 2026 the hours known ahead are an hour less than eight days."""
    assert opening_state(ALWAYS, at("2026-03-27 23:30")).sentence == "otwarte całą dobę"
    week = daily_ranges("Su 02:30-03:00; Mo 08:00-12:00")
    assert opening_state(week, at("2026-03-29 01:00")).sentence == "zamknięte, otwiera pn. 8:00"


def test_a_moment_of_another_zone_is_taken_to_polish_time():
    assert opening_state(BREAKS, datetime(2026, 11, 16, 6, 59, tzinfo=UTC)).is_open is False
    assert opening_state(BREAKS, datetime(2026, 11, 16, 7, 0, tzinfo=UTC)).is_open is True
    assert opening_state(BREAKS, datetime(2026, 7, 13, 6, 0, tzinfo=UTC)).is_open is True
    assert opening_state(BREAKS, datetime(2026, 11, 16, 2, 0, tzinfo=timezone(timedelta(hours=-5)))).is_open is True
    with pytest.raises(ValueError, match="time zone"):
        opening_state(BREAKS, datetime.fromisoformat("2026-11-16 12:00"))


def test_the_night_on_which_clocks_go_back():
    """On 25 October 2026 it is 2:30 twice; a range that ends then ends the first time."""
    week = daily_ranges("Sa 20:00-02:30")
    first = datetime(2026, 10, 25, 0, 29, tzinfo=UTC)
    assert opening_state(week, first).sentence == "otwarte do 2:30"
    assert opening_state(week, first + timedelta(minutes=1)).is_open is False
    assert opening_state(week, first + timedelta(hours=1)).is_open is False
    until_monday = daily_ranges("Su 00:00-24:00; Mo 00:00-02:30")
    told = [opening_state(until_monday, first + timedelta(minutes=minutes)).sentence for minutes in (15, 45, 61)]
    assert told == ["otwarte do pn. 2:30", "otwarte do pn. 2:30", "otwarte do 2:30"]


def test_what_a_replaced_snapshot_knew_of_opening_hours_is_freed_at_once():
    def use():
        openings = Openings(SimpleNamespace(rows=[SimpleNamespace(hours_ranges=MONDAYS)]))
        assert openings.open_now(at("2026-11-16 09:00")) == openings.open_on(0, 9) == {id(MONDAYS)}
        return openings

    assert is_freed_at_once(use)
