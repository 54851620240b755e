"""A timeline of deadlines: days to scale on a vertical axis, with texts beside it that do not overlap."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from operator import itemgetter
from typing import Literal, NamedTuple

from pages.svg.scales import WIDTH, spread, text_width

TEXT = 11.0
LINE = 14.0
AXIS_X = 52.0
WORDS_X = 80.0
TOP = 14.0
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


class Year(NamedTuple):
    """A mark at the first of January."""

    y: float
    label: str


class Timeline(NamedTuple):
    """A timeline. entries: ascending. today: position of the current day on the axis. top, bottom: ends of the axis."""

    entries: tuple[TimelineEntry, ...]
    years: tuple[Year, ...]
    today: float
    top: float
    bottom: float
    height: float
    axis: float = AXIS_X
    words: float = WORDS_X
    width: float = WIDTH


def timeline(deadlines: Sequence[tuple[date, str]], today: date) -> Timeline | None:
    """Return the timeline of days and texts in any order; None without any. The next day may be `today`."""
    days: dict[date, list[str]] = defaultdict(list)
    for day, text in sorted(deadlines, key=itemgetter(0)):
        days[day].append(text)
    if not days:
        return None
    blocks = [_lines(texts) for texts in days.values()]
    sizes = [LINE * (1 + len(lines) + bool(more)) + 8 for lines, more in blocks]
    first, last = min(today, *days), max(today, *days)
    length = max(160.0, sum(sizes) * 1.1)
    per_day = length / max((last - first).days, 1)

    def down(day: date) -> float:
        return round(TOP + (day - first).days * per_day, 1)

    coming = min((day for day in days if day >= today), default=None)
    starts = spread([down(day) - LINE / 2 for day in days], sizes, TOP - LINE / 2)
    entries = [
        TimelineEntry(
            day=day,
            y=down(day),
            words_y=round(start + LINE / 2, 1),
            state="next" if day == coming else "past" if day < today else "future",
            lines=lines,
            more=more,
        )
        for day, (lines, more), start in zip(days, blocks, starts, strict=True)
    ]
    bottom = down(last)
    return Timeline(
        entries=tuple(entries),
        years=_years(first, last, per_day, down(today)),
        today=down(today),
        top=TOP,
        bottom=bottom,
        height=round(max(bottom + TOP, starts[-1] + sizes[-1] + 2)),
    )


def _lines(texts: Sequence[str]) -> tuple[tuple[str, ...], int]:
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


def _years(first: date, last: date, per_day: float, today: float) -> tuple[Year, ...]:
    """Return the years that fit between one another and beside the mark of today, round ones first."""
    every = next(count for count in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if per_day * 365 * count >= YEAR_ROOM)
    found = []
    for year in range(first.year + 1, last.year + 1):
        y = round(TOP + (date(year, 1, 1) - first).days * per_day, 1)
        if year % every == 0 and abs(y - today) >= YEAR_ROOM:
            found.append(Year(y, str(year)))
    return tuple(found)
