"""Charts of prices: monthly medians with numbers of prices, and official yearly averages. A timeline of deadlines.

Missing values are gaps: lines join consecutive months or years only, and an isolated value is a dot. The timeline has
days to scale on a vertical axis, with texts beside it that do not overlap.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from pages.svg.scales_and_outlines import WIDTH, Box, axis, spread, text_width

TEXT = 11.0
"""Font size, and least distance of lines of text."""

LEFT, RIGHT, TOP = 44.0, 12.0, 20.0
PLOT = 150.0
MONTHS_GAP = 34.0
COUNTS = 36.0
FOOT = 34.0

FEW = 9
"""Most values of a chart that labels all of them."""

MONTH_NAMES = ("sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru")


class Tick(NamedTuple):
    """A labelled position on an axis. at: the coordinate along the axis."""

    at: float
    label: str


class Mark(NamedTuple):
    """A value of the chart. label: at (label_x, label_y), "" without room."""

    x: float
    y: float
    label: str = ""
    label_x: float = 0.0
    label_y: float = 0.0


class Bar(NamedTuple):
    """A column. label: its number, in a row above all columns, "" without room."""

    x: float
    y: float
    width: float
    height: float
    label: str

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 1)


class Gap(NamedTuple):
    x: float
    width: float
    first: int
    last: int


class Chart(NamedTuple):
    """A line over time. lines: points of polylines, one for every run without a gap.

    left, right, top, bottom: the area of the plot. y_ticks: ascending. Of months: bars, numbers of prices below the
    line from `base` up; years, ticks of a second line; reference, a level to compare with. Of years: gaps, runs of
    years without a value, between the first and the last value.
    """

    height: float
    y_ticks: tuple[Tick, ...]
    x_ticks: tuple[Tick, ...]
    lines: tuple[str, ...]
    marks: tuple[Mark, ...]
    bars: tuple[Bar, ...] = ()
    base: float = 0.0
    years: tuple[Tick, ...] = ()
    reference: Tick | None = None
    gaps: tuple[Gap, ...] = ()
    left: float = LEFT
    right: float = WIDTH - RIGHT
    top: float = TOP
    bottom: float = TOP + PLOT
    width: float = WIDTH

    @property
    def counts_row(self) -> float:
        """The baseline of the numbers above the bars."""
        return self.base - COUNTS - 5


def months_chart(months: Sequence[Mapping[str, Any]], *, reference: float | None = None) -> Chart | None:
    """Return the chart of months, ascending; None with fewer than two. reference: drawn as a level.

    months: rows with month ("2026-03"), median, and n, the number of its prices.
    """
    if len(months) < 2:
        return None
    numbers = [int(row["month"][:4]) * 12 + int(row["month"][5:]) - 1 for row in months]
    medians, counts = [row["median"] for row in months], [row["n"] for row in months]
    first, last = numbers[0], numbers[-1]
    step = (WIDTH - LEFT - RIGHT) / (last - first + 1)
    columns = [round(LEFT + (number - first + 0.5) * step, 1) for number in numbers]
    scale = axis(medians + ([] if reference is None else [reference]))
    base = TOP + PLOT + MONTHS_GAP + COUNTS
    heights = [_up(scale, median) for median in medians]
    every = max(1, math.ceil((max(len(str(count)) for count in counts) * 9 * 0.6 + 3) / step))
    bars = []
    for number, count, x in zip(numbers, counts, columns, strict=True):
        height = round(COUNTS * count / max(counts), 1)
        # Labels count from the newest month, the most important one.
        label = str(count) if (last - number) % every == 0 else ""
        bars.append(Bar(round(x - step * 0.35, 1), round(base - height, 1), round(step * 0.7, 1), height, label))
    return Chart(
        height=base + FOOT,
        y_ticks=_levels(scale),
        x_ticks=_month_ticks(first, last, step),
        years=_year_starts(first, last, step),
        lines=_lines(numbers, columns, heights),
        marks=_labelled(columns, heights, [amount(median, 0) for median in medians], TOP + PLOT + 16),
        bars=tuple(bars),
        base=base,
        reference=None if reference is None else Tick(_up(scale, reference), amount(reference, 0)),
    )


def years_chart(values: Sequence[tuple[int, float]]) -> Chart | None:
    """Return the chart of values by year, ascending, from zero; None with fewer than two."""
    if len(values) < 2:
        return None
    years = [year for year, _ in values]
    step = (WIDTH - LEFT - RIGHT - 12) / (years[-1] - years[0])

    def across(year: float) -> float:
        return round(LEFT + 6 + (year - years[0]) * step, 1)

    scale = axis([value for _, value in values], from_zero=True)
    places = 0 if max(value for _, value in values) >= 100 else 2
    columns = [across(year) for year in years]
    heights = [_up(scale, value) for _, value in values]
    gaps = [
        Gap(across(before + 0.5), round((after - before - 1) * step, 1), before + 1, after - 1)
        for before, after in pairwise(years)
        if after - before > 1
    ]
    return Chart(
        height=TOP + PLOT + 24,
        y_ticks=_levels(scale),
        x_ticks=_years(years[0], years[-1], across(years[0] + 1) - across(years[0]), across(years[0])),
        lines=_lines(years, columns, heights),
        marks=_labelled(columns, heights, [amount(value, places) for _, value in values], TOP + PLOT),
        gaps=tuple(gaps),
    )


def amount(value: float, places: int) -> str:
    """Format a number in Polish, with a comma and narrow no-break spaces between thousands; halves go up."""
    rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{rounded:,}".replace(",", "\N{NARROW NO-BREAK SPACE}").replace(".", ",")


def _up(scale: Sequence[float], value: float) -> float:
    """Return the height of a value on an axis between its first and last tick."""
    return round(TOP + PLOT * (1 - (value - scale[0]) / (scale[-1] - scale[0])), 1)


def _levels(scale: Sequence[float]) -> tuple[Tick, ...]:
    step = scale[1] - scale[0]
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return tuple(Tick(_up(scale, value), amount(value, places)) for value in scale)


def _lines(times: Sequence[int], columns: Sequence[float], heights: Sequence[float]) -> tuple[str, ...]:
    """Return the points of polylines through runs of consecutive times."""
    runs: list[list[str]] = []
    for i, time in enumerate(times):
        if i == 0 or time != times[i - 1] + 1:
            runs.append([])
        runs[-1].append(f"{columns[i]},{heights[i]}")
    return tuple(" ".join(run) for run in runs if len(run) > 1)


def _month_ticks(first: int, last: int, step: float) -> tuple[Tick, ...]:
    """Return the names of months, as many as fit, counted from January."""
    every = next(count for count in (1, 2, 3, 4, 6, 12, 24) if step * count >= text_width("sty", TEXT) + 6)
    return tuple(
        Tick(round(LEFT + (number - first + 0.5) * step, 1), MONTH_NAMES[number % 12])
        for number in range(first, last + 1)
        if number % 12 % min(every, 12) == 0
    )


def _year_starts(first: int, last: int, step: float) -> tuple[Tick, ...]:
    """Return the numbers of years below their first months, as far as they fit."""
    room = text_width("2026", TEXT) + 6
    ticks = []
    for year in range(first // 12, last // 12 + 1):
        start, end = max(first, year * 12), min(last, year * 12 + 11)
        if (end - start + 1) * step >= room:
            ticks.append(Tick(round(LEFT + (start - first + 0.5) * step - 9, 1), str(year)))
    return tuple(ticks)


def _years(first: int, last: int, step: float, start: float) -> tuple[Tick, ...]:
    """Return the numbers of years, as many round ones as fit."""
    every = next(count for count in (1, 2, 5, 10, 20, 50, 100) if step * count >= text_width("2026", TEXT) + 6)
    return tuple(
        Tick(round(start + (year - first) * step, 1), str(year)) for year in range(first, last + 1) if year % every == 0
    )


def _labelled(
    columns: Sequence[float], heights: Sequence[float], texts: Sequence[str], floor: float
) -> tuple[Mark, ...]:
    """Return the marks. The last has a label; the highest, the lowest, the first, and up to FEW others where they fit.

    Labels do not cover one another, marks or the line, and do not reach below `floor`.
    """
    last = len(columns) - 1
    order = [last, heights.index(min(heights)), heights.index(max(heights)), 0]
    if len(columns) <= FEW:
        order += range(last, -1, -1)
    taken = [Box(x - 3, y - 3, x + 3, y + 3) for x, y in zip(columns, heights, strict=True)]
    marks = [Mark(x, y) for x, y in zip(columns, heights, strict=True)]
    # The line takes its space too, so that no label covers it.
    for (x1, y1), (x2, y2) in pairwise(zip(columns, heights, strict=True)):
        points = math.ceil(math.dist((x1, y1), (x2, y2)) / 4)
        for point in range(1, points):
            x, y = x1 + (x2 - x1) * point / points, y1 + (y2 - y1) * point / points
            taken.append(Box(x - 1, y - 1, x + 1, y + 1))
    for i in dict.fromkeys(order):
        x, y = columns[i], heights[i]
        half = text_width(texts[i], TEXT) / 2
        # The label of the last value moves farther away rather than disappearing.
        beyond = range(0, round(floor), round(TEXT)) if i == last else (0,)
        places = [
            (aside, y + side)
            for more in beyond
            for aside in (0.0, -half, half)
            for side in (-6 - more, 6 + TEXT * 0.75 + more)
        ]
        for aside, height in places:
            # Rounded as drawn: rounding could make separate labels touch.
            middle = round(min(max(x + aside, LEFT + half), WIDTH - 2 - half), 1)
            baseline = round(height, 1)
            box = Box(middle - half, baseline - TEXT * 0.75, middle + half, baseline + 1)
            inside = box.top >= 0 and box.bottom <= floor
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                marks[i] = Mark(x, y, texts[i], middle, baseline)
                break
    return tuple(marks)


LINE = 14.0
AXIS_X = 52.0
WORDS_X = 80.0
TIMELINE_TOP = 14.0
YEAR_ROOM = 15.0
MOST_LINES = 3
"""Most lines of text per day, with that of the number of others; the list of the page has all of them."""

State = Literal["past", "next", "future"]


class TimelineEntry(NamedTuple):
    """The deadlines of one day. y: to scale. words_y: centre of the first line of text. more: texts without a line."""

    day: date
    y: float
    words_y: float
    state: State
    lines: tuple[str, ...]
    more: int


class Timeline(NamedTuple):
    """A timeline. entries: ascending. years: marks at the first of January. today: the current day, on the axis.

    top, bottom: ends of the axis.
    """

    entries: tuple[TimelineEntry, ...]
    years: tuple[Tick, ...]
    today: float
    top: float
    bottom: float
    height: float
    axis: float = AXIS_X
    words: float = WORDS_X
    width: float = WIDTH


def timeline(deadlines: Sequence[tuple[date, str]], today: date) -> Timeline | None:
    """Return the timeline of days and texts in any order; None without any. `today` is past, as it holds already."""
    days: dict[date, list[str]] = defaultdict(list)
    for day, text in sorted(deadlines, key=itemgetter(0)):
        days[day].append(text)
    if not days:
        return None
    blocks = [_lines_of_day(texts) for texts in days.values()]
    sizes = [LINE * (1 + len(lines) + bool(more)) + 8 for lines, more in blocks]
    first, last = min(today, *days), max(today, *days)
    length = max(160.0, sum(sizes) * 1.1)
    per_day = length / max((last - first).days, 1)

    def down(day: date) -> float:
        return round(TIMELINE_TOP + (day - first).days * per_day, 1)

    coming = min((day for day in days if day > today), default=None)
    starts = spread([down(day) - LINE / 2 for day in days], sizes, TIMELINE_TOP - LINE / 2)
    entries = [
        TimelineEntry(
            day=day,
            y=down(day),
            words_y=round(start + LINE / 2, 1),
            state="next" if day == coming else "past" if day <= today else "future",
            lines=lines,
            more=more,
        )
        for day, (lines, more), start in zip(days, blocks, starts, strict=True)
    ]
    bottom = down(last)
    return Timeline(
        entries=tuple(entries),
        years=_year_marks(first, last, per_day, down(today)),
        today=down(today),
        top=TIMELINE_TOP,
        bottom=bottom,
        height=round(max(bottom + TIMELINE_TOP, starts[-1] + sizes[-1] + 2)),
    )


def _lines_of_day(texts: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the distinct texts, one per line, shortened to the width, and the number of those without a line."""
    different = list(dict.fromkeys(texts))
    room = MOST_LINES if len(different) <= MOST_LINES else MOST_LINES - 1
    return tuple(map(_shortened, different[:room])), len(different[room:])


def _shortened(text: str) -> str:
    room = WIDTH - WORDS_X - 4
    if text_width(text, TEXT) <= room:
        return text
    letters = len(text)
    while text_width(text[:letters] + "…", TEXT) > room:
        letters -= 1
    cut = text[:letters]
    # Whole words, unless a single one is longer than the line.
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;") + "…"


def _year_marks(first: date, last: date, per_day: float, today: float) -> tuple[Tick, ...]:
    """Return the years that fit between one another and beside the mark of today, round ones first."""
    every = next(count for count in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if per_day * 365 * count >= YEAR_ROOM)
    marks = [
        Tick(round(TIMELINE_TOP + (date(year, 1, 1) - first).days * per_day, 1), str(year))
        for year in range(first.year + 1, last.year + 1)
        if year % every == 0
    ]
    return tuple(mark for mark in marks if abs(mark.at - today) >= YEAR_ROOM)
