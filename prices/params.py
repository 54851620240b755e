"""What callers may ask the price endpoints."""

from dataclasses import dataclass
from typing import Self

from catalog import fuels
from catalog.params import VOIVODESHIP, VOIVODESHIP_FORM
from catalog.query_string import QueryString


class UnknownFuel(Exception):
    """The path names a fuel that the catalog does not have."""


@dataclass(frozen=True, slots=True)
class FuelPricesQuery:
    """A question of `/prices/{fuel}`. voivodeship: slug or 2 digits, None for Poland. values: with every price."""

    fuel: fuels.Fuel
    voivodeship: str | None
    values: bool

    @classmethod
    def parse(cls, fuel: str, raw: str) -> Self:
        """Read the path and the query string; raises InvalidParameters and UnknownFuel."""
        given = QueryString(raw)
        voivodeship = given.pattern("voivodeship", VOIVODESHIP, VOIVODESHIP_FORM)
        values = given.boolean("values")
        given.finish()
        if fuel not in fuels.BY_SLUG:
            raise UnknownFuel(fuel)
        return cls(fuel=fuels.BY_SLUG[fuel], voivodeship=voivodeship, values=values)
