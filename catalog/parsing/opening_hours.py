"""Weekly opening hours from the text of a source, in the format of the API.

The rules that `opening_hours_text` reads are serialised in the standard format and evaluated by opening-hours-py, which
never gets the original text: it reads a lone comment as "always open" and sunrise as 7:00.

Standard: https://wiki.openstreetmap.org/wiki/Key:opening_hours/specification
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from opening_hours import OpeningHours, State

from catalog.parsing.opening_hours_text import ALL_DAY, DAY_MINUTES, Rule, UnreadableError, read

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

Week = Mapping[str, Sequence[str]]
"""Ranges by day, as `daily_ranges` returns them; a closed day has none."""
CLOSED = "nieczynne"

MAX_TEXT = 500
"""Maximum length of a text. OpenStreetMap's own limit is 255 characters."""

_OSM_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")

# A Monday. A year of weeks from here reveals changes by month. The preceding week is evaluated too: an interval that
# began before the first day would seem to begin at midnight.
_ANCHOR = date(2024, 1, 1)
_WEEKS = 53


def weekly_hours(text: str) -> dict[str, str] | None:
    """Parse weekly hours; None if they are unknown or differ between weeks.

    Keys are `DAYS`, always all seven. A value is "7:00-15:00", "0:00-24:00" for a whole day, "22:00-6:00" past
    midnight, `CLOSED`, or "" for a day with several ranges. Days not listed are closed; public and school holidays are
    ignored. None also for a week without an open hour: a remark, not hours.

    Text in the standard format has its standard meaning, unless one rule would make another pointless. Text that had to
    be repaired ("pn.-pt. 8-16") counts only if all sensible readings agree.
    """
    week = _weekly(text)
    return None if week is None else {day: _value(ranges) for day, ranges in zip(DAYS, week, strict=True)}


def daily_ranges(text: str) -> dict[str, tuple[str, ...]] | None:
    """Parse weekly hours like `weekly_hours`, with all ranges of each day; a closed day has none."""
    week = _weekly(text)
    return None if week is None else dict(zip(DAYS, week, strict=True))


def ranges_of_week(hours: Mapping[str, str], text: str) -> dict[str, tuple[str, ...]] | None:
    """Return all ranges of each day of a stored week, of days with several from its text; None if that differs."""
    if all(hours.get(day) for day in DAYS):
        return {day: () if hours[day] == CLOSED else (hours[day],) for day in DAYS}
    return daily_ranges(text) if weekly_hours(text) == hours else None


def texts_of_week(hours: Mapping[str, str], text: str) -> dict[str, str]:
    """Return what each day of a stored week says; of a day with several ranges those of its text, "" if it has none."""
    ranges = daily_ranges(text) or {}
    return {day: hours.get(day) or ", ".join(ranges.get(day, ())) for day in DAYS}


def to_osm_string(days: Mapping[str, Sequence[str]]) -> str:
    """Serialise a week as "Mo-Fr 07:00-15:00; Sa 08:00-13:00"; inverse of `daily_ranges`. "" without hours."""
    texts = [
        ",".join("-".join(clock.rjust(5, "0") for clock in hours.split("-")) for hours in days.get(day, ()))
        for day in DAYS
    ]
    runs = ((text, [number for number, _ in run]) for text, run in groupby(enumerate(texts), key=itemgetter(1)))
    return "; ".join(f"{_days(numbers)} {text}" for text, numbers in runs if text)


@lru_cache(maxsize=4096)
def _weekly(text: str) -> tuple[tuple[str, ...], ...] | None:
    if len(text) > MAX_TEXT:
        return None
    try:
        rules, repaired = read(text)
    except UnreadableError:
        return None
    # One range past midnight stays one; other ranges that meet at midnight belong to two days.
    overnight = frozenset(hours for rule in rules for hours in rule.ranges if hours[1] > DAY_MINUTES)
    weeks = {_evaluate(expression, overnight) for expression in _expressions(rules, repaired=repaired)}
    return weeks.pop() if len(weeks) == 1 else None


def _expressions(rules: list[Rule], *, repaired: bool) -> list[str]:
    rules = [rule for rule in rules if rule.days]
    if not any(rule.ranges for rule in rules):
        return []
    # By the standard, hours without days apply every day, Sundays included. Authors of nonstandard text hardly mean
    # that, and a lone "8-16" may be days of a month.
    if repaired and any(rule.everyday and rule.ranges not in ((), ALL_DAY) for rule in rules):
        return []
    named = [day for rule in rules for day in rule.days]
    if len(named) == len(set(named)):
        # A closed rule for a day without hours is redundant, and the library would cut off the night before.
        return [", ".join(_written(rule) for rule in rules if rule.ranges)]
    # The library would cut off the night before a replaced day, and keep the night after it.
    if any(end > DAY_MINUTES for rule in rules for _, end in rule.ranges):
        return []
    readings = [rules]
    if repaired:
        # The separator does not tell whether a later rule replaces the earlier ones or adds to them.
        readings += [[replace(rule, joined=joined) for rule in rules] for joined in (False, True)]
    return [_joined(reading) for reading in readings if not _contradictory(reading)]


def _contradictory(rules: list[Rule]) -> bool:
    """Whether a rule would be pointless, which suggests another meaning."""
    return any(
        # "Mo-Fr 8:00-12:00; Mo-Fr 13:00-16:00": the second rule adds to the first.
        rule.days <= {day for other in rules[at + 1 :] if not other.joined and not other.months for day in other.days}
        # "Mo-Sa 8:00-16:00, Sa 8:00-13:00": the second rule replaces the first.
        or any(_is_redundant(other, rule) for other in rules[at + 1 :])
        for at, rule in enumerate(rules)
    )


def _is_redundant(rule: Rule, earlier: Rule) -> bool:
    return (
        rule.joined
        and bool(rule.days & earlier.days)
        and any(
            start <= other_start and other_end <= end
            for start, end in earlier.ranges
            for other_start, other_end in rule.ranges
        )
    )


def _joined(rules: list[Rule]) -> str:
    expression = _written(rules[0])
    for rule in rules[1:]:
        expression += (", " if rule.joined else "; ") + _written(rule)
    return expression


def _written(rule: Rule) -> str:
    days = ",".join(_OSM_DAYS[day] for day in sorted(rule.days))
    times = ",".join(f"{_hhmm(start)}-{_hhmm(end)}" for start, end in rule.ranges) or "off"
    return f"{rule.months} {days} {times}".strip()


def _evaluate(expression: str, overnight: frozenset[tuple[int, int]]) -> tuple[tuple[str, ...], ...] | None:
    """Return a week, Monday first; None if weeks differ or none is open. overnight: ranges that may end next day."""
    by_day: dict[date, list[str]] = {}
    for day, hours in _pieces(expression, overnight):
        by_day.setdefault(day, []).append(hours)
    weeks = {
        tuple(tuple(by_day.get(_ANCHOR + timedelta(days=7 * week + day), ())) for day in range(7))
        for week in range(_WEEKS)
    }
    if len(weeks) != 1:
        return None
    week = weeks.pop()
    return week if any(week) else None


def _pieces(expression: str, overnight: frozenset[tuple[int, int]]) -> Iterator[tuple[date, str]]:
    """Yield open ranges with the day they begin on, cut at midnight unless they are in `overnight`."""
    begin = datetime.combine(_ANCHOR - timedelta(days=7), time.min)
    end = datetime.combine(_ANCHOR + timedelta(weeks=_WEEKS + 1), time.min)
    for first, last, state, _ in OpeningHours(expression).intervals(begin, end):
        if state != State.OPEN:
            continue
        opens = first.hour * 60 + first.minute
        length = (last - first) // timedelta(minutes=1)
        if (opens, opens + length) in overnight and length < DAY_MINUTES:
            yield first.date(), f"{clock_time(first)}-{clock_time(last)}"
            continue
        while first < last:
            midnight = datetime.combine(first.date() + timedelta(days=1), time.min)
            yield first.date(), f"{clock_time(first)}-{'24:00' if last >= midnight else clock_time(last)}"
            first = midnight


def _value(ranges: Sequence[str]) -> str:
    if not ranges:
        return CLOSED
    return ranges[0] if len(ranges) == 1 else ""


def _days(numbers: list[int]) -> str:
    first, last = _OSM_DAYS[numbers[0]], _OSM_DAYS[numbers[-1]]
    return first if first == last else f"{first}-{last}"


def _hhmm(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def clock_time(moment: datetime) -> str:
    return f"{moment.hour}:{moment.minute:02d}"
