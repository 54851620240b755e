"""Conversion of opening hours between form fields, one per day, and the catalog."""

import re
from collections.abc import Mapping

from catalog.parsing.opening_hours import DAYS, daily_ranges, to_osm_string, weekly_hours

ALL_DAY = "całą dobę"
CLOSED_WORDS = frozenset({"", "-", "–", "nieczynne", "zamknięte", "zamkniete", "closed", "off"})
ALL_DAY_WORDS = frozenset({ALL_DAY, "cala dobe", "całodobowo", "calodobowo", "24h", "24/7", "0-24"})

HOW = "Wpisz godziny na przykład tak: 7:00-15:00, 8-12 i 13-16, „całą dobę” albo „nieczynne”."
OVERLAP = "Przedziały zachodzą na siebie albo jeden kończy się tam, gdzie zaczyna drugi. Wpisz je osobno, po kolei."

_RANGE = re.compile(r"([0-9]{1,2})(?:[:.]([0-9]{2}))?\s*[-–—]\s*([0-9]{1,2})(?:[:.]([0-9]{2}))?")


class HoursUnreadable(Exception):
    """The text of a day is invalid. The message explains the format, in Polish."""


def read_day(text: str) -> tuple[str, ...]:
    """Return the ranges of a day as `daily_ranges` does; none when closed. Raises HoursUnreadable."""
    text = " ".join(text.lower().split())
    if text in CLOSED_WORDS:
        return ()
    if text in ALL_DAY_WORDS:
        return ("0:00-24:00",)
    return tuple(_range(part.strip()) for part in re.split(r",|;|\bi\b|\boraz\b", text))


def read_week(days: Mapping[str, tuple[str, ...]]) -> tuple[dict[str, str] | None, str]:
    """Return `hours` and `opening_hours` for the ranges of each day. Raises HoursUnreadable.

    Ranges that the catalog's parser would not read back equal are refused. A week without an open hour means unknown
    hours: None and "".
    """
    text = to_osm_string(days)
    if not text:
        return None, ""
    if daily_ranges(text) != {day: tuple(days.get(day, ())) for day in DAYS}:
        raise HoursUnreadable(OVERLAP)
    return weekly_hours(text), text


def written_days(hours: Mapping[str, str] | None, opening_hours: str) -> dict[str, str]:
    """Return the values of the fields for stored hours; empty for unknown ones."""
    if hours is None:
        return dict.fromkeys(DAYS, "")
    ranges = daily_ranges(opening_hours) or {}
    return {day: _written(hours[day], ranges.get(day, ())) for day in DAYS}


def _written(value: str, ranges: tuple[str, ...]) -> str:
    if value == "0:00-24:00":
        return ALL_DAY
    return value or ", ".join(ranges)


def _range(text: str) -> str:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise HoursUnreadable(HOW)
    opens, closes = _minutes(match[1], match[2]), _minutes(match[3], match[4])
    if opens == closes or opens >= 24 * 60 or closes == 0:
        raise HoursUnreadable(HOW)
    return f"{opens // 60}:{opens % 60:02}-{closes // 60}:{closes % 60:02}"


def _minutes(hour: str, minute: str | None) -> int:
    minutes = int(hour) * 60 + int(minute or 0)
    if int(minute or 0) > 59 or minutes > 24 * 60:
        raise HoursUnreadable(HOW)
    return minutes
