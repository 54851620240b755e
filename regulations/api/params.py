"""Reading of the parameters of the regulation endpoints."""

from dataclasses import dataclass
from datetime import date
from typing import Self

from catalog.api.params import (
    LIMIT,
    LIMIT_DEFAULT,
    LIMIT_RANGE,
    OFFSET,
    OFFSET_RANGE,
    POSTCODE,
    POSTCODE_PATTERN,
    TERYT,
    TERYT_PATTERN,
    VOIVODESHIP,
    VOIVODESHIP_PATTERN,
    read_voivodeship,
)
from catalog.text import normalise_postcode, voivodeship_slug
from fueldepot.http.params import ParamReader, quote
from regulations.codes import Appliance

MUNICIPALITY_DIGITS = 7

ON = "a day as YYYY-MM-DD, such as 2027-01-01"
APPLIANCE = f"one of {', '.join(Appliance.values)}"


@dataclass(frozen=True, slots=True)
class RegulationsQuery:
    """Parameters of `/regulations`. Of teryt, postcode and voivodeship the first given counts, in this order.

    postcode: "30-001". voivodeship: slug or two digits. on: the day of the response.
    appliance: to check in the requested municipality. binding: use the short form, see `binding`.
    """

    teryt: str | None
    postcode: str | None
    voivodeship: str | None
    on: date
    appliance: Appliance | None = None
    binding: bool = False

    @classmethod
    def parse(cls, given: ParamReader, *, today: date) -> Self:
        """Read the parameters; raises InvalidParameters."""
        teryt = given.pattern("teryt", TERYT, TERYT_PATTERN)
        postcode = given.pattern("postcode", POSTCODE, POSTCODE_PATTERN)
        voivodeship = read_voivodeship(given)
        on = given.day("on", ON) or today
        appliance = given.choice("appliance", APPLIANCE, Appliance.values)
        if appliance and not given.errors and not (len(teryt) == MUNICIPALITY_DIGITS if teryt else postcode):
            reason = "appliance is given without a municipality; give teryt with 7 digits, or postcode"
            given.add_error("teryt", "out_of_range" if teryt else "missing", reason)
        binding = given.boolean("binding")
        if binding and not given.errors and not (teryt or postcode):
            given.add_error("teryt", "missing", "binding is given without a unit; give teryt or postcode")
        given.raise_for_errors()
        return cls(
            teryt=teryt,
            postcode=postcode and normalise_postcode(postcode),
            voivodeship=voivodeship,
            on=on,
            appliance=Appliance(appliance) if appliance else None,
            binding=binding,
        )


@dataclass(frozen=True, slots=True)
class DeadlinesQuery:
    """Parameters of `/deadlines`. first, last: days, ends included; last None for no end. limit, offset: of deadlines.

    voivodeship: slug or two digits, None for all. appliance: that a deadline names, None for any.
    """

    first: date
    last: date | None
    limit: int
    voivodeship: str | None = None
    appliance: Appliance | None = None
    offset: int = 0

    @classmethod
    def parse(cls, given: ParamReader, *, today: date) -> Self:
        """Read the parameters; raises InvalidParameters."""
        first = given.day("from", ON) or today
        last = given.day("to", ON)
        if last and last < first and not given.errors:
            given.add_error("to", "out_of_range", f"to is {last}, before {first}, the first day; give a later one")
        limit = given.integer("limit", LIMIT, *LIMIT_RANGE, default=LIMIT_DEFAULT)
        voivodeship = read_voivodeship(given)
        appliance = given.choice("appliance", APPLIANCE, Appliance.values)
        offset = given.integer("offset", OFFSET, *OFFSET_RANGE, default=0)
        given.raise_for_errors()
        return cls(first, last, limit, voivodeship, Appliance(appliance) if appliance else None, offset)


@dataclass(frozen=True, slots=True)
class CalendarQuery:
    """Parameters of `/regulations/{voivodeship}.ics`. teryt: only deadlines that bind this unit or a part of it."""

    voivodeship: str
    teryt: str | None
    on: date

    @classmethod
    def parse(cls, voivodeship: str, given: ParamReader, *, today: date) -> Self:
        """Read the path and the query; raises InvalidParameters."""
        if not VOIVODESHIP_PATTERN.fullmatch(voivodeship):
            given.add_error("voivodeship", "malformed", f"voivodeship is {quote(voivodeship)}; give {VOIVODESHIP}")
        teryt = given.pattern("teryt", TERYT, TERYT_PATTERN)
        on = given.day("on", ON) or today
        given.raise_for_errors()
        return cls(voivodeship_slug(voivodeship), teryt, on)
