"""Timelines: order of days, mark of today, no overlapping texts."""

import itertools
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from pages.svg.scales import WIDTH, text_width
from pages.svg.timelines import LINE, TEXT, WORDS_X, YEAR_ROOM, timeline

DAYS = st.dates(date(2010, 1, 1), date(2050, 12, 31))
DEADLINES = st.lists(st.tuples(DAYS, st.text("ab ,", max_size=120)), min_size=1)


def mark(year, month=1, day=1, text="kotły"):
    return date(year, month, day), text


@given(DEADLINES, DAYS)
def test_words_never_overlap_and_stay_inside(deadlines, today):
    line = timeline(deadlines, today)
    end = 0.0
    for entry in line.entries:
        top = entry.words_y - LINE / 2
        assert top >= end - 0.2
        end = top + LINE * (1 + len(entry.lines) + bool(entry.more))
        assert all(WORDS_X + text_width(text, TEXT) <= WIDTH for text in entry.lines)
        assert line.top <= entry.y <= line.bottom
    assert end <= line.height
    assert line.top <= line.today <= line.bottom
    places = sorted([line.today, *(year.y for year in line.years)])
    assert all(after - before >= YEAR_ROOM - 1.5 for before, after in itertools.pairwise(places))


@given(DEADLINES, DAYS)
def test_days_are_true_to_scale_and_told_apart(deadlines, today):
    line = timeline(deadlines, today)
    days = sorted({day for day, _ in deadlines})
    assert len(line.entries) == len(days)
    for day, entry in zip(days, line.entries, strict=True):
        assert (entry.state == "past") == (day < today)
        assert (entry.y < line.today) <= (day < today)
    assert [entry.state for entry in line.entries].count("next") == any(day >= today for day in days)


def test_a_deadline_of_today_is_the_next():
    line = timeline([mark(2020), mark(2026, 11, 21), mark(2030)], date(2026, 11, 21))
    assert [entry.state for entry in line.entries] == ["past", "next", "future"]


def test_deadlines_of_a_day_stand_together_without_repeating_themselves():
    (entry,) = timeline([mark(2023), mark(2023), mark(2023, text="piece")], date(2020, 1, 1)).entries
    assert entry.lines == ("kotły", "piece")


def test_too_many_of_a_day_are_counted():
    line = timeline([mark(2023, text=f"kotły {number}") for number in range(5)], date(2020, 1, 1))
    assert (line.entries[0].lines, line.entries[0].more) == (("kotły 0", "kotły 1"), 3)


def test_long_words_are_shortened_at_a_blank():
    line = timeline(
        [mark(2023, text="kotły na paliwo stałe w budynkach, które nie są podłączone do sieci")], date(2020, 1, 1)
    )
    assert line.entries[0].lines[0].endswith("…")
    assert line.entries[0].lines[0][:-1] in "kotły na paliwo stałe w budynkach, które nie są podłączone do sieci"


def test_nothing_to_show():
    assert timeline([], date(2026, 11, 21)) is None


def test_a_single_deadline_today():
    line = timeline([mark(2026, 11, 21)], date(2026, 11, 21))
    assert (line.entries[0].state, line.years) == ("next", ())
