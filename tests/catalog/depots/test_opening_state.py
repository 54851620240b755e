"""Open or closed at a moment, in Polish time."""

from datetime import datetime
from types import SimpleNamespace

import pytest

from catalog.depots.opening_times import UNKNOWN, WARSAW, Openings, opening_state
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
NEVER = dict.fromkeys(DAYS, ())
LEFT_OUT_HOUR = daily_ranges("Su 02:30-03:00; Mo 08:00-12:00")
REPEATED_HOUR = daily_ranges("Sa 20:00-02:30")
UNTIL_MONDAY = daily_ranges("Su 00:00-24:00; Mo 00:00-02:30")


def at(text):
    """A moment, in Polish time unless it names its own."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=WARSAW)


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
        (NEVER, "2026-11-16 12:00", False, "zamknięte"),
        (ALWAYS, "2026-11-16 12:00", True, "otwarte całą dobę"),
        # A moment of another zone is taken to Polish time.
        (BREAKS, "2026-11-16 06:59+00:00", False, "zamknięte, otwiera o 8:00"),
        (BREAKS, "2026-11-16 07:00+00:00", True, "otwarte do 12:00, potem 13:00–16:00"),
        (BREAKS, "2026-07-13 06:00+00:00", True, "otwarte do 12:00, potem 13:00–16:00"),
        (BREAKS, "2026-11-16 02:00-05:00", True, "otwarte do 12:00, potem 13:00–16:00"),
        # From 23:30 on 27 March 2026 the hours known ahead are an hour less than eight days.
        (ALWAYS, "2026-03-27 23:30", True, "otwarte całą dobę"),
        (LEFT_OUT_HOUR, "2026-03-29 01:00", False, "zamknięte, otwiera pn. 8:00"),
        # On 25 October 2026 it is 2:30 twice; a range that ends then ends the first time.
        (REPEATED_HOUR, "2026-10-25 00:29+00:00", True, "otwarte do 2:30"),
        (REPEATED_HOUR, "2026-10-25 00:30+00:00", False, "zamknięte, otwiera sob. 20:00"),
        (REPEATED_HOUR, "2026-10-25 01:29+00:00", False, "zamknięte, otwiera sob. 20:00"),
        (UNTIL_MONDAY, "2026-10-25 00:44+00:00", True, "otwarte do pn. 2:30"),
        (UNTIL_MONDAY, "2026-10-25 01:14+00:00", True, "otwarte do pn. 2:30"),
        (UNTIL_MONDAY, "2026-10-25 01:30+00:00", True, "otwarte do 2:30"),
    ):
        state = opening_state(week, at(moment))
        assert (state.is_open, state.sentence) == (is_open, sentence), (week, moment)


def test_without_hours_nothing_is_known_and_a_moment_has_a_zone():
    assert opening_state(None, at("2026-11-16 12:00")) == UNKNOWN
    with pytest.raises(ValueError, match="time zone"):
        opening_state(BREAKS, datetime.fromisoformat("2026-11-16 12:00"))


def test_what_a_replaced_snapshot_knew_of_opening_hours_is_freed_at_once():
    def use():
        openings = Openings(SimpleNamespace(rows=[SimpleNamespace(hours_ranges=MONDAYS)]))
        assert openings.open_now(at("2026-11-16 09:00")) == openings.open_on(0, 9) == {id(MONDAYS)}
        return openings

    assert is_freed_at_once(use)
