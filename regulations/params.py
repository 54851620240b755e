"""What callers may ask about regulations: every limit of the specification stands here and nowhere else."""

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
)
from catalog.query_string import QueryString, quote
from catalog.text import normalise_postcode

ON = "a day as YYYY-MM-DD, such as 2027-01-01"


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
        on = given.day("on", ON) or today
        given.finish()
        return cls(teryt=teryt, postcode=postcode and normalise_postcode(postcode), voivodeship=voivodeship, on=on)


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
        on = given.day("on", ON) or today
        given.finish()
        return cls(voivodeship, teryt, on)
