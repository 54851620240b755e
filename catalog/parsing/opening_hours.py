"""Weekly opening hours from the text of a source, in the format of the API.

`opening_hours_text` reads the rules, which are applied here as the standard says: each replaces what earlier ones say
of its days, or adds to it behind a comma.

Standard: https://wiki.openstreetmap.org/wiki/Key:opening_hours/specification
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count, groupby, pairwise
from operator import itemgetter

from catalog.parsing.opening_hours_text import ALL_DAY, DAY_MINUTES, MONTHS, Range, Rule, UnreadableError, read

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

Week = Mapping[str, Sequence[str]]
"""Ranges by day, as `daily_ranges` returns them; a closed day has none."""
CLOSED = "nieczynne"

MAX_TEXT = 500
"""Maximum length of a text. OpenStreetMap's own limit is 255 characters."""

_OSM_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")

WEEK_MINUTES = len(DAYS) * DAY_MINUTES


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
    readings = list(_readings([rule for rule in rules if rule.days], repaired=repaired))
    meant = {_hours(reading, month) for reading in readings for month in range(len(MONTHS))}
    weeks = {_written(days, overnight) for days in meant}
    week = weeks.pop() if len(weeks) == 1 else ()
    return week if any(week) else None


def _readings(rules: list[Rule], *, repaired: bool) -> Iterator[list[Rule]]:
    # By the standard, hours without days apply every day, Sundays included. Authors of nonstandard text hardly mean
    # that, and a lone "8-16" may be days of a month.
    if repaired and any(rule.everyday and rule.ranges not in ((), ALL_DAY) for rule in rules):
        return
    named = [day for rule in rules for day in rule.days]
    # Where a rule replaces a day, the text does not tell whether the night that began before it still counts.
    if len(named) > len(set(named)) and any(end > DAY_MINUTES for rule in rules for _, end in rule.ranges):
        return
    readings = [rules]
    if repaired:
        # The separator does not tell whether a later rule replaces the earlier ones or adds to them.
        readings += [[replace(rule, joined=joined) for rule in rules] for joined in (False, True)]
    yield from (reading for reading in readings if not _contradictory(reading))


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


def _hours(rules: list[Rule], month: int) -> tuple[tuple[Range, ...], ...]:
    """Return what is open on each day of a month, Monday first; ranges may overlap."""
    days: list[tuple[Range, ...]] = [()] * len(DAYS)
    for rule in rules:
        for day in rule.days if not rule.months or month in rule.months else ():
            days[day] = (*(days[day] if rule.joined and rule.ranges else ()), *rule.ranges)
    return tuple(days)


def _written(days: tuple[tuple[Range, ...], ...], overnight: frozenset[Range]) -> tuple[tuple[str, ...], ...]:
    """Return the ranges of each day as text, cut at midnight unless they are in `overnight`."""
    begun = ((day * DAY_MINUTES + start, end - start) for day, ranges in enumerate(days) for start, end in ranges)
    minutes = {(first + minute) % WEEK_MINUTES for first, length in begun for minute in range(length)}
    if len(minutes) == WEEK_MINUTES:
        return (("0:00-24:00",),) * len(DAYS)
    week: list[list[Range]] = [[] for _ in DAYS]
    for first in (minute for minute in minutes if (minute - 1) % WEEK_MINUTES not in minutes):
        last = next(minute for minute in count(first) if minute % WEEK_MINUTES not in minutes)
        opens, length = first % DAY_MINUTES, last - first
        is_night = (opens, opens + length) in overnight and length < DAY_MINUTES
        midnights = () if is_night else range(first - opens + DAY_MINUTES, last, DAY_MINUTES)
        for start, end in pairwise((first, *midnights, last)):
            week[start // DAY_MINUTES % len(DAYS)].append((start % DAY_MINUTES, end % DAY_MINUTES or DAY_MINUTES))
    return tuple(tuple(f"{_clock(start)}-{_clock(end)}" for start, end in sorted(ranges)) for ranges in week)


def _value(ranges: Sequence[str]) -> str:
    if not ranges:
        return CLOSED
    return ranges[0] if len(ranges) == 1 else ""


def _days(numbers: list[int]) -> str:
    first, last = _OSM_DAYS[numbers[0]], _OSM_DAYS[numbers[-1]]
    return first if first == last else f"{first}-{last}"


def _clock(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02d}"
