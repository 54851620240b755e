"""What callers may ask about regulations: every limit of the specification stands here and nowhere else."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Self

from catalog.params import (
    POSTCODE,
    POSTCODE_FORM,
    TERYT,
    TERYT_FORM,
    VOIVODESHIP,
    VOIVODESHIP_FORM,
    with_dash,
)
from catalog.query_string import QueryString, quote

ON = "a day as YYYY-MM-DD, such as 2027-01-01"

DAY_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RegulationsQuery:
    """A question of `/regulations`. Of teryt, postcode and voivodeship the first given counts, in this order.

    postcode: "30-001". voivodeship: slug or two digits. on: the day of the answer.
    """

    teryt: str | None
    postcode: str | None
    voivodeship: str | None
    on: date

    @classmethod
    def parse(cls, raw: str, *, today: date) -> Self:
        """Read a query string; raises InvalidParameters."""
        given = QueryString(raw)
        teryt = given.pattern("teryt", TERYT, TERYT_FORM)
        postcode = given.pattern("postcode", POSTCODE, POSTCODE_FORM)
        voivodeship = given.pattern("voivodeship", VOIVODESHIP, VOIVODESHIP_FORM)
        on = read_day(given, "on", default=today)
        given.finish()
        return cls(teryt=teryt, postcode=postcode and with_dash(postcode), voivodeship=voivodeship, on=on)


@dataclass(frozen=True, slots=True)
class CalendarQuery:
    """A question of `/regulations/{voivodeship}.ics`. teryt: only what binds this unit, or a part of it."""

    voivodeship: str
    teryt: str | None
    on: date

    @classmethod
    def parse(cls, voivodeship: str, raw: str, *, today: date) -> Self:
        """Read the path and a query string; raises InvalidParameters."""
        given = QueryString(raw)
        if not VOIVODESHIP_FORM.fullmatch(voivodeship):
            given.refuse("voivodeship", "malformed", f"voivodeship is {quote(voivodeship)}; give {VOIVODESHIP}")
        teryt = given.pattern("teryt", TERYT, TERYT_FORM)
        on = read_day(given, "on", default=today)
        given.finish()
        return cls(voivodeship, teryt, on)


def read_day(given: QueryString, name: str, *, default: date) -> date:
    """A day of the calendar."""
    text = given.pattern(name, ON, DAY_FORM)
    if text is None:
        return default
    try:
        return date.fromisoformat(text)
    except ValueError:
        given.refuse(name, "out_of_range", f"{name} is {quote(text)}, which is no day of the calendar; give {ON}")
        return default
