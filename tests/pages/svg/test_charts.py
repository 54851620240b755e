"""Charts: marks inside the plot, no overlapping labels, gaps for missing values."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pages.svg import charts
from pages.svg.charts import ChartMonth, months_chart, years_chart
from pages.svg.scales import WIDTH, Box, text_width

MONTHS = st.dictionaries(
    st.integers(24_300, 24_323), st.tuples(st.floats(300, 3000), st.integers(3, 9999)), min_size=2
).map(lambda rows: [ChartMonth(number, *rows[number]) for number in sorted(rows)])
YEARS = st.dictionaries(st.integers(1999, 2040), st.floats(0.2, 5000), min_size=2).map(
    lambda rows: sorted(rows.items())
)


def boxes(texts):
    """Return the boxes of texts centred at (x, baseline)."""
    for text, x, y, size in texts:
        half = text_width(text, size) / 2
        yield Box(x - half, y - size * 0.7, x + half, y)


def assert_apart(found):
    for one, other in combinations(found, 2):
        assert not one.overlaps(other)


@given(MONTHS, st.none() | st.floats(300, 3000))
def test_months_lie_inside_and_their_words_apart(months, reference):
    chart = months_chart(months, reference=reference)
    for mark in chart.marks:
        assert chart.left <= mark.x <= chart.right
        assert chart.top - 0.1 <= mark.y <= chart.bottom + 0.1
    values = [(mark.label, mark.label_x, mark.label_y, charts.TEXT) for mark in chart.marks if mark.label]
    assert_apart(list(boxes(values)))
    assert all(box.left >= 0 and box.right <= WIDTH for box in boxes(values))
    assert_apart(list(boxes([(bar.label, bar.middle, chart.counts_row, 9) for bar in chart.bars if bar.label])))
    assert_apart(list(boxes([(tick.label, tick.at, 0, charts.TEXT) for tick in chart.x_ticks])))
    assert_apart(list(boxes([(tick.label, tick.at, 0, charts.TEXT) for tick in chart.years])))
    assert chart.marks[-1].label == charts.amount(months[-1].median, 0)
    for bar in chart.bars:
        assert bar.height <= charts.COUNTS
        assert bar.y + bar.height <= chart.base + 0.1
    if reference is not None:
        assert chart.top - 0.1 <= chart.reference.at <= chart.bottom + 0.1


@given(YEARS)
def test_years_lie_inside_and_their_words_apart(values):
    chart = years_chart(values)
    for mark in chart.marks:
        assert chart.left <= mark.x <= chart.right
        assert chart.top - 0.1 <= mark.y <= chart.bottom + 0.1
    labels = [(mark.label, mark.label_x, mark.label_y, charts.TEXT) for mark in chart.marks if mark.label]
    assert_apart(list(boxes(labels)))
    assert_apart(list(boxes([(tick.label, tick.at, 0, charts.TEXT) for tick in chart.x_ticks])))
    assert chart.y_ticks[0].at == chart.bottom
    missing = {year for gap in chart.gaps for year in range(gap.first, gap.last + 1)}
    known = {year for year, _ in values}
    assert missing | known == set(range(values[0][0], values[-1][0] + 1))
    assert not missing & known


def test_a_missing_month_parts_the_line():
    lines = months_chart([ChartMonth(24_300 + offset, 100.0, 3) for offset in (0, 1, 3, 4, 5, 7)]).lines
    assert [len(points.split()) for points in lines] == [2, 3]


def test_a_missing_year_is_a_gap_and_not_a_zero():
    chart = years_chart([(2003, 443.92), (2006, 491.54), (2007, 500.0)])
    assert [len(points.split()) for points in chart.lines] == [2]
    assert [(gap.first, gap.last) for gap in chart.gaps] == [(2004, 2005)]
    assert [mark.label for mark in chart.marks] == ["444", "492", "500"]


def test_one_value_makes_no_chart():
    assert months_chart([ChartMonth(24_300, 100.0, 3)]) is None
    assert months_chart([]) is None
    assert years_chart([(2003, 443.92)]) is None


def test_prices_of_a_kilowatt_hour_have_groszes():
    chart = years_chart([(2023, 0.91), (2024, 1.01)])
    assert [mark.label for mark in chart.marks] == ["0,91", "1,01"]
    assert chart.y_ticks[0].label.startswith("0,")


def test_equal_months_lie_in_the_middle():
    chart = months_chart([ChartMonth(24_300, 100.0, 3), ChartMonth(24_301, 100.0, 3)])
    assert len({mark.y for mark in chart.marks}) == 1
    assert chart.top < chart.marks[0].y < chart.bottom


def test_the_last_value_is_told_where_two_lines_leave_no_room_beside_it():
    months = [ChartMonth(number, 300.0, 3) for number in range(24300, 24320)]
    chart = months_chart([*months, ChartMonth(24320, 2128.0, 3), ChartMonth(24321, 2091.0, 3)], reference=None)
    assert chart.marks[-1].label == charts.amount(2091.0, 0)
    assert chart.marks[-1].label_y < chart.bottom
