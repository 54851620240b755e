"""Reading of the parameters of the price endpoints."""

from dataclasses import dataclass
from datetime import date
from typing import Self

from catalog.api.params import read_voivodeship
from catalog.depots import fuels
from fueldepot.http.params import ParamReader
from prices.medians import months_before
from prices.series import BY_SLUG, FIRST_YEAR

MOST_MONTHS_BACK = 24
ON = f"a day as YYYY-MM-DD, not in the future and at most {MOST_MONTHS_BACK} months back"

COUNTRY = "polska"
"""Value of `voivodeship` that means Poland."""

LAST_YEAR = 2100
YEAR = f"a year of four digits, from {FIRST_YEAR}"


class FuelNotFound(Exception):
    """The path names an unknown fuel."""


@dataclass(frozen=True, slots=True)
class SeriesQuery:
    """Parameters of `/prices`; None for all. series: slug. voivodeship: slug, 2 digits, or COUNTRY for Poland."""

    series: str | None
    year: int | None
    voivodeship: str | None

    @classmethod
    def parse(cls, given: ParamReader) -> Self:
        """Read the parameters; raises InvalidParameters."""
        series = given.choice("series", f"one of {', '.join(BY_SLUG)}", BY_SLUG)
        year = given.integer("year", YEAR, FIRST_YEAR, LAST_YEAR, default=None)
        voivodeship = read_voivodeship(given)
        given.raise_for_errors()
        return cls(series, year, voivodeship)

    @property
    def narrows(self) -> bool:
        """Whether any parameter is given."""
        return any(one is not None for one in (self.series, self.year, self.voivodeship))


@dataclass(frozen=True, slots=True)
class FuelPricesQuery:
    """Parameters of `/prices/{fuel}`. voivodeship: slug or 2 digits, None for Poland. on: the day of the response.

    values: include the prices behind the country's median.
    """

    fuel: fuels.Fuel
    voivodeship: str | None
    values: bool
    on: date

    @classmethod
    def parse(cls, fuel: str, given: ParamReader, *, today: date) -> Self:
        """Read the path and the query; raises InvalidParameters and FuelNotFound."""
        voivodeship = read_voivodeship(given)
        values = given.boolean("values")
        on = given.day("on", ON, months_before(today, MOST_MONTHS_BACK), today) or today
        given.raise_for_errors()
        if fuel not in fuels.BY_SLUG:
            raise FuelNotFound(fuel)
        return cls(fuel=fuels.BY_SLUG[fuel], voivodeship=voivodeship, values=values, on=on)
