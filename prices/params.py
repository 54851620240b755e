"""What callers may ask the price endpoints."""

from dataclasses import dataclass
from datetime import date
from typing import Self

from catalog import fuels
from catalog.params import VOIVODESHIP, VOIVODESHIP_FORM
from catalog.query_string import QueryString
from prices.medians import months_before

MOST_MONTHS_BACK = 24
ON = f"a day as YYYY-MM-DD, not in the future and at most {MOST_MONTHS_BACK} months back"


class UnknownFuel(Exception):
    """The path names a fuel that the catalog does not have."""


@dataclass(frozen=True, slots=True)
class FuelPricesQuery:
    """A question of `/prices/{fuel}`. voivodeship: slug or 2 digits, None for Poland. values: with every price.

    on: the day of the answer.
    """

    fuel: fuels.Fuel
    voivodeship: str | None
    values: bool
    on: date

    @classmethod
    def parse(cls, fuel: str, raw: str, *, today: date) -> Self:
        """Read the path and the query string; raises InvalidParameters and UnknownFuel."""
        given = QueryString(raw)
        voivodeship = given.pattern("voivodeship", VOIVODESHIP, VOIVODESHIP_FORM)
        values = given.boolean("values")
        on = given.day("on", ON, months_before(today, MOST_MONTHS_BACK), today) or today
        given.finish()
        if fuel not in fuels.BY_SLUG:
            raise UnknownFuel(fuel)
        return cls(fuel=fuels.BY_SLUG[fuel], voivodeship=voivodeship, values=values, on=on)
