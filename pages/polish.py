"""Polish formats: amounts, coordinates, days and moments; and non-breaking spaces.

Results of formats stay on one line. In texts, non-breaking spaces keep a word of one letter ("z", "w", "i") with the
next word, a number with its unit or month ("40 zł", "31 grudnia") or with the word before it ("poz. 787"), and a dash
with the word before it. The template loaders insert them into the texts of templates, once per process. Data pass the
filter `tied`.
"""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache

from django.utils import timezone
from django.utils.formats import date_format

from catalog.models import Voivodeship
from catalog.text import round_half_up
from fueldepot.http.cache_control import Period
from prices.api.series_answers import POLAND

NO_BREAK = "\N{NO-BREAK SPACE}"


def area_name(voivodeship: Voivodeship | None) -> str:
    """ "województwo małopolskie"; "Polska" for None."""
    return f"województwo {voivodeship.name}" if voivodeship else POLAND


def tenths(number: float) -> str:
    """ "0,9", "12,0": one decimal."""
    return f"{number:.1f}".replace(".", ",")


def quantity(number: Decimal | None) -> str:
    """ "1640", "0,38": without trailing zeros, "" for None."""
    return "" if number is None else f"{number.normalize():f}".replace(".", ",")


def coordinates(lat: float, lon: float) -> str:
    """ "50,0614° N, 19,9366° E": four decimals, about ten metres."""
    return f"{lat:.4f}° N, {lon:.4f}° E".replace(".", ",")


def change(part: Decimal | None) -> str:
    """ "+12,3%", "−4,0%": a relative change; a dash for None."""
    return "–" if part is None else _signed(f"{round_half_up(part * 100, 1):+}") + "%"


def signed_zloty(amount: Decimal | None) -> str:
    """ "+20,00 zł", "−4,50 zł"; a dash for None."""
    return "–" if amount is None else f"{_signed(f'{amount:+,.2f}')}{NO_BREAK}zł"


def _signed(number: str) -> str:
    """Convert a signed number of Python to Polish; zero loses its sign."""
    text = number.replace(",", NO_BREAK).replace(".", ",").replace("-", "\N{MINUS SIGN}")
    return text.lstrip("+\N{MINUS SIGN}") if not text.strip("+\N{MINUS SIGN}0,") else text


@lru_cache(maxsize=1000)
def date_digits(value: date) -> str:
    """ "3.10.2026"."""
    return f"{value.day}.{value:%m.%Y}"


@lru_cache(maxsize=1000)
def day(value: date) -> str:
    """ "3 października 2026 r."."""
    return date_format(value).replace(" ", NO_BREAK)


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
    """ "po 14:35", "jutro po 9:00": a moment at most a day ahead, in Polish time, rounded up to the minute.

    A day ahead of the last minute of a day is "pojutrze po 0:00", and a later hour where the clock goes forward.
    """
    moment_shown = timezone.localtime(moment + timedelta(seconds=59, microseconds=999_999))
    days = (moment_shown.date() - timezone.localdate(now)).days
    return f"{'pojutrze ' if days > 1 else 'jutro ' if days else ''}po {date_format(moment_shown, 'G:i')}"


def span(period: Period) -> str:
    """ "22 listopada 2026 r. od 7:00 do 15:30": a period within one Polish day, which may end at "24:00"."""
    start, end = timezone.localtime(period.start), timezone.localtime(period.end)
    last = "24:00" if end.date() > start.date() else date_format(end, "G:i")
    return f"{date_format(start)} od {date_format(start, 'G:i')} do {last}"


def moment(value: datetime) -> str:
    """ "22 listopada 2026 r., 14:35", in Polish time."""
    return date_format(timezone.localtime(value), "DATETIME_FORMAT")


# After a blank, a bracket, a quotation mark or a tag.
LONE = re.compile(r"(?<![^\s(„>])([aiouwzAIOUWZ])\s+(?=\S)")
LONE_AT_END = re.compile(r"(?<![^\s(„>])([aiouwzAIOUWZ])\s+\Z")
MONTHS = "stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia"
UNIT_SIGNS = rf"(?:{MONTHS}|r\.|zł|km|m|m²|cm|mm|kg|mg|t|mp|kW|kWh|MJ|°C|MB|kB|godz\.|mies\.|mln|tys\.)"
NUMBER_AND_UNIT = re.compile(rf"(?<=\d) (?={UNIT_SIGNS}(?![\w²³]))")
NUMBERED = r"(?:[Nn]r|poz\.|art\.|ust\.|pkt|klas[aąęy]|tabel[aęi]|[Rr]odzaj[ua]?|Krok)"
WORD_AND_NUMBER = re.compile(rf"(?<!\w)({NUMBERED}) (?=\d)")
STREET = re.compile(r"(?<!\w)(ul\.|al\.|pl\.|os\.) (?=\w)")
BEFORE_DASH = re.compile(r"(?<=\S) (?=– )")
AFTER_MARK = re.compile(rf"\A (?=– |{UNIT_SIGNS}(?![\w²³]))")


# Tags of the template and of HTML, whose attributes may hold tags of the template.
TAGS = re.compile(r"(\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}|<(?:\{%.*?%\}|\{\{.*?\}\}|[^>{]|\{(?![%{]))*>)", re.DOTALL)


@lru_cache(maxsize=1000)
def tie(text: str) -> str:
    """Insert non-breaking spaces into plain text."""
    text = LONE.sub(rf"\1{NO_BREAK}", text)
    text = STREET.sub(rf"\1{NO_BREAK}", WORD_AND_NUMBER.sub(rf"\1{NO_BREAK}", text))
    return BEFORE_DASH.sub(NO_BREAK, NUMBER_AND_UNIT.sub(NO_BREAK, text))


def tie_html(source: str) -> str:
    """Insert non-breaking spaces into the texts of HTML or an HTML template; tags stay unchanged."""
    parts = TAGS.split(source)
    # Texts and tags alternate. A text before a tag may end in such a word, and one after a value begin with a unit:
    # "z {{ count }} zł".
    parts[::2] = [LONE_AT_END.sub(rf"\1{NO_BREAK}", tie(text)) for text in parts[::2]]
    for number in range(2, len(parts), 2):
        if not parts[number - 1].startswith("{%"):
            parts[number] = AFTER_MARK.sub(NO_BREAK, parts[number])
    return "".join(parts)
