"""Charts, timelines and scales: marks inside the plot, no overlapping labels, gaps for missing values."""

import itertools
import math
from datetime import date
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from pages.svg import charts
from pages.svg.charts import LINE, TEXT, WORDS_X, YEAR_ROOM, months_chart, timeline, years_chart
from pages.svg.scales_and_outlines import WIDTH, Box, axis, nice_step, scale_bar, spread, text_width


def month_row(number, median, n):
    """A row of `months_chart`. number: of the month, counted from the year 0."""
    return {"month": f"{number // 12}-{number % 12 + 1:02}", "median": median, "n": n}


MONTHS = st.dictionaries(
    st.integers(24_300, 24_323), st.tuples(st.floats(300, 3000), st.integers(3, 9999)), min_size=2
).map(lambda rows: [month_row(number, *rows[number]) for number in sorted(rows)])
YEARS = st.dictionaries(st.integers(1999, 2040), st.floats(0.2, 5000), min_size=2).map(lambda row: sorted(row.items()))


def boxes(texts, size=charts.TEXT):
    """Return the boxes of texts centred at (x, baseline)."""
    for text, x, y in texts:
        half = text_width(text, size) / 2
        yield Box(x - half, y - size * 0.7, x + half, y)


def assert_apart(texts, size=charts.TEXT):
    for one, other in combinations(boxes(texts, size), 2):
        assert not one.overlaps(other)


def assert_inside(chart):
    """Marks lie in the plot, their labels and those of the axis apart. Returns the labels of marks."""
    for mark in chart.marks:
        assert chart.left <= mark.x <= chart.right
        assert chart.top - 0.1 <= mark.y <= chart.bottom + 0.1
    labels = [(mark.label, mark.label_x, mark.label_y) for mark in chart.marks if mark.label]
    assert_apart(labels)
    assert_apart([(tick.label, tick.at, 0) for tick in chart.x_ticks])
    return labels


@given(MONTHS, st.none() | st.floats(300, 3000))
def test_months_lie_inside_and_their_words_apart(months, reference):
    chart = months_chart(months, reference=reference)
    values = assert_inside(chart)
    assert all(box.left >= 0 and box.right <= WIDTH for box in boxes(values))
    assert_apart([(bar.label, bar.middle, chart.counts_row) for bar in chart.bars if bar.label], size=9)
    assert_apart([(tick.label, tick.at, 0) for tick in chart.years])
    assert chart.marks[-1].label == charts.amount(months[-1]["median"], 0)
    for bar in chart.bars:
        assert bar.height <= charts.COUNTS
        assert bar.y + bar.height <= chart.base + 0.1
    if reference is not None:
        assert chart.top - 0.1 <= chart.reference.at <= chart.bottom + 0.1


@given(YEARS)
def test_years_lie_inside_and_their_words_apart(values):
    chart = years_chart(values)
    assert_inside(chart)
    assert chart.y_ticks[0].at == chart.bottom
    missing = {year for gap in chart.gaps for year in range(gap.first, gap.last + 1)}
    known = {year for year, _ in values}
    assert missing | known == set(range(values[0][0], values[-1][0] + 1))
    assert not missing & known


def test_a_missing_year_is_a_gap_and_not_a_zero_and_a_missing_month_parts_the_line():
    chart = years_chart([(2003, 443.92), (2006, 491.54), (2007, 500.0)])
    assert [len(points.split()) for points in chart.lines] == [2]
    assert [(gap.first, gap.last) for gap in chart.gaps] == [(2004, 2005)]
    assert [mark.label for mark in chart.marks] == ["444", "492", "500"]
    lines = months_chart([month_row(24_300 + offset, 100.0, 3) for offset in (0, 1, 3, 4, 5, 7)]).lines
    assert [len(points.split()) for points in lines] == [2, 3]


def test_one_value_makes_no_chart_and_no_deadline_no_line():
    assert months_chart([month_row(24_300, 100.0, 3)]) is None
    assert months_chart([]) is None
    assert years_chart([(2003, 443.92)]) is None
    assert timeline([], date(2026, 11, 21)) is None


def test_prices_of_a_kilowatt_hour_have_groszes():
    chart = years_chart([(2023, 0.91), (2024, 1.01)])
    assert [mark.label for mark in chart.marks] == ["0,91", "1,01"]
    assert chart.y_ticks[0].label.startswith("0,")


def test_equal_months_lie_in_the_middle_with_room_above_and_below():
    chart = months_chart([month_row(24_300, 100.0, 3), month_row(24_301, 100.0, 3)])
    assert len({mark.y for mark in chart.marks}) == 1
    assert chart.top < chart.marks[0].y < chart.bottom
    scale = axis([500.0, 500.0])
    assert scale[0] < 500 < scale[-1]
    assert axis([0.0])[0] < 0 < axis([0.0])[-1]


def test_the_last_value_is_told_where_two_lines_leave_no_room_beside_it():
    months = [month_row(number, 300.0, 3) for number in range(24300, 24320)]
    chart = months_chart([*months, month_row(24320, 2128.0, 3), month_row(24321, 2091.0, 3)], reference=None)
    assert chart.marks[-1].label == charts.amount(2091.0, 0)
    assert chart.marks[-1].label_y < chart.bottom


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


def test_intervals_stay_where_they_are_wanted_or_share_the_way():
    assert spread([0.0, 50.0, 200.0], [40.0, 40.0, 40.0], 0.0) == [0.0, 50.0, 200.0]
    assert spread([100.0, 100.0], [20.0, 20.0], 0.0) == [90.0, 110.0]
    assert spread([0.0, 0.0], [20.0, 20.0], 0.0) == [0.0, 20.0]


DAYS = st.dates(date(2010, 1, 1), date(2050, 12, 31))
DEADLINES = st.lists(st.tuples(DAYS, st.text("ab ,", max_size=120)), min_size=1)


def mark(year, month=1, day=1, text="kotły"):
    return date(year, month, day), text


@given(DEADLINES, DAYS)
def test_words_never_overlap_and_stay_inside_and_days_are_true_to_scale_and_told_apart(deadlines, today):
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
    places = sorted([line.today, *(year.at for year in line.years)])
    assert all(after - before >= YEAR_ROOM - 1.5 for before, after in itertools.pairwise(places))
    days = sorted({day for day, _ in deadlines})
    assert len(line.entries) == len(days)
    for day, entry in zip(days, line.entries, strict=True):
        assert (entry.state == "past") == (day <= today)
        assert (entry.y < line.today) <= (day < today)
    assert [entry.state for entry in line.entries].count("next") == any(day > today for day in days)


def test_a_deadline_of_today_has_passed():
    line = timeline([mark(2020), mark(2026, 11, 21), mark(2030)], date(2026, 11, 21))
    assert [entry.state for entry in line.entries] == ["past", "past", "next"]
    alone = timeline([mark(2026, 11, 21)], date(2026, 11, 21))
    assert (alone.entries[0].state, alone.years) == ("past", ())


def test_deadlines_of_a_day_stand_together_without_repeating_themselves_and_too_many_are_counted():
    for texts, lines, more in (
        (("kotły", "kotły", "piece"), ("kotły", "piece"), 0),
        ([f"kotły {number}" for number in range(5)], ("kotły 0", "kotły 1"), 3),
    ):
        (entry,) = timeline([mark(2023, text=text) for text in texts], date(2020, 1, 1)).entries
        assert (entry.lines, entry.more) == (lines, more)


def test_long_words_are_shortened_at_a_blank():
    text = "kotły na paliwo stałe w budynkach, które nie są podłączone do sieci"
    (entry,) = timeline([mark(2023, text=text)], date(2020, 1, 1)).entries
    assert entry.lines[0].endswith("…")
    assert text.startswith(f"{entry.lines[0][:-1]} ")


def test_a_label_rounds_a_half_up_as_the_texts_do():
    assert charts.amount(1352.5, 0) == "1\N{NARROW NO-BREAK SPACE}353"
