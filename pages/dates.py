"""Polish formats of days and moments. Results stay on one line."""

from datetime import date, datetime, timedelta
from functools import lru_cache

from django.utils import timezone
from django.utils.formats import date_format

from fueldepot.http.cache_control import Period
from pages.polish import NO_BREAK

DAY_FORMAT = "j E Y \\r."


@lru_cache(maxsize=1000)
def day(value: date) -> str:
    """ "3 października 2026 r."."""
    return date_format(value, DAY_FORMAT).replace(" ", NO_BREAK)


def month(value: date) -> str:
    """ "październik 2026"."""
    return date_format(value, "F Y").lower().replace(" ", NO_BREAK)


def month_genitive(value: date) -> str:
    """ "października 2026"."""
    return date_format(value, "E Y").replace(" ", NO_BREAK)


def days(first: date | None, last: date | None = None) -> str:
    """ "3 października 2026 r."; with the last of several days "dni od … do …"; "" for None."""
    if first is None:
        return ""
    return day(first) if last is None else f"dni od {day(first)} do {day(last)}"


def until(moment: datetime, now: datetime) -> str:
    """ "po 14:35", "jutro po 9:00": a moment at most a day ahead, in Polish time, rounded up to the minute."""
    moment_shown = timezone.localtime(moment + timedelta(seconds=59, microseconds=999_999))
    return f"{'' if moment_shown.date() == timezone.localdate(now) else 'jutro '}po {date_format(moment_shown, 'G:i')}"


def span(period: Period) -> str:
    """ "22 listopada 2026 r. od 7:00 do 15:30": a period within one Polish day, which may end at "24:00"."""
    start, end = timezone.localtime(period.start), timezone.localtime(period.end)
    last = "24:00" if end.date() > start.date() else date_format(end, "G:i")
    return f"{date_format(start, DAY_FORMAT)} od {date_format(start, 'G:i')} do {last}"


def moment(value: datetime) -> str:
    """ "22 listopada 2026 r., 14:35", in the time zone of the value."""
    return date_format(value, "j E Y \\r., H:i")
