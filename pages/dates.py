"""Polish days and moments, which stay on one line, and non-breaking spaces where a line must not end.

A word of one letter ("z", "w", "i") stays with the next word, a number with its unit ("31 grudnia 2026 r.", "40 zł") or
with the word before it ("poz. 787"), and a dash with the word before it.

The template loaders insert them into the texts of templates, once per process. Data pass the filter `tied`.
"""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import lru_cache

import jinja2
from django.template import Origin
from django.template.loaders import filesystem
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


# After a blank, a bracket, a quotation mark or a tag.
LONE = re.compile(r"(?<![^\s(„>])([aiouwzAIOUWZ])\s+(?=\S)")
LONE_AT_END = re.compile(r"(?<![^\s(„>])([aiouwzAIOUWZ])\s+\Z")
UNITS = r"(?:r\.|zł|km|m|m²|cm|mm|kg|mg|t|mp|kW|kWh|MB|kB|godz\.|mies\.|mln|tys\.)"
NUMBER_AND_UNIT = re.compile(rf"(?<=\d) (?={UNITS}(?![\w²³]))")
NUMBERED = r"(?:[Nn]r|poz\.|art\.|ust\.|pkt|klas[aąęy]|tabel[aęi]|[Rr]odzaj[ua]?|Krok)"
WORD_AND_NUMBER = re.compile(rf"(?<!\w)({NUMBERED}) (?=\d)")
STREET = re.compile(r"(?<!\w)(ul\.|al\.|pl\.|os\.) (?=\w)")
BEFORE_DASH = re.compile(r"(?<=\S) (?=– )")
AFTER_MARK = re.compile(rf"\A (?=– |{UNITS}(?![\w²³]))")


# Tags of the template and of HTML, whose attributes may hold tags of the template.
MARKS = re.compile(r"(\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<(?:\{%.*?%\}|\{\{.*?\}\}|[^>{]|\{(?![%{]))*>)", re.DOTALL)


@lru_cache(maxsize=1000)
def tie(text: str) -> str:
    """Insert non-breaking spaces into plain text."""
    text = LONE.sub(rf"\1{NO_BREAK}", text)
    text = STREET.sub(rf"\1{NO_BREAK}", WORD_AND_NUMBER.sub(rf"\1{NO_BREAK}", text))
    return BEFORE_DASH.sub(NO_BREAK, NUMBER_AND_UNIT.sub(NO_BREAK, text))


def tie_html(source: str) -> str:
    """Insert non-breaking spaces into the texts of HTML or an HTML template; tags stay unchanged."""
    parts = MARKS.split(source)
    # Texts and tags alternate. A text before a tag may end in such a word, and one after a value begin with a unit:
    # "z {{ count }} zł".
    parts[::2] = [LONE_AT_END.sub(rf"\1{NO_BREAK}", tie(text)) for text in parts[::2]]
    for number in range(2, len(parts), 2):
        if not parts[number - 1].startswith("{%"):
            parts[number] = AFTER_MARK.sub(NO_BREAK, parts[number])
    return "".join(parts)


class DeskLoader(filesystem.Loader):
    """Django's loader for templates of the admin, with non-breaking spaces."""

    def get_contents(self, origin: Origin) -> str:
        return tie_html(super().get_contents(origin))


class SiteLoader(jinja2.FileSystemLoader):
    """Jinja2's loader for templates of the site, with non-breaking spaces in HTML except fragments of the API."""

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, filename, is_current = super().get_source(environment, template)
        tied = template.endswith(".html") and not template.startswith("subsidy/")
        return tie_html(source) if tied else source, filename, is_current
