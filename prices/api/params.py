"""Parameters of the price endpoints."""

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, ValidationInfo, WithJsonSchema

from catalog.api.params import Voivodeship
from catalog.depots import fuels
from fueldepot.http.params import Day, Switch, choice, numbers, refusal, whole
from fueldepot.http.query import Query, field, today_unless_given
from prices import medians
from prices.medians import months_before
from prices.official_series import BY_SLUG, FIRST_YEAR

MOST_MONTHS_BACK = 24

COUNTRY = "polska"


class FuelNotFound(Exception):
    """The path names an unknown fuel."""


def check_day(on: date, info: ValidationInfo) -> date:
    today = (info.context or {})["today"]
    if not months_before(today, MOST_MONTHS_BACK) <= on <= today:
        raise refusal("out_of_range")
    return on


PriceDay = Annotated[Day, AfterValidator(check_day)]


def day_and_window(names: tuple[str, str], on: date, window: int, today: date) -> dict[str, str]:
    """Return the parameters with these names for a day and a window, without today and the usual window."""
    day_name, window_name = names
    parameters = {} if on == today else {day_name: on.isoformat()}
    return parameters if window == medians.WINDOW_MONTHS else parameters | {window_name: str(window)}


class SeriesQuery(Query):
    """Parameters of `/prices`; None for all."""

    series: Annotated[
        str | None, choice(BY_SLUG), field("Only numbers of this series; the others are empty.", "prad-g11")
    ] = None
    year: Annotated[int | None, whole(FIRST_YEAR, 2100), field("A year of four digits. Only its numbers.", 2019)] = None
    voivodeship: Annotated[
        Voivodeship | None,
        field(
            "The name, slug or 2-digit TERYT code of a voivodeship, or `polska` for Poland. Only its numbers.", COUNTRY
        ),
    ] = None


class FuelPricesQuery(Query):
    fuel: Annotated[
        str,
        WithJsonSchema({"type": "string", "enum": [*fuels.BY_SLUG]}),
        field("Slug of the fuel. Any other is answered with 404.", "pellet"),
    ]
    voivodeship: Voivodeship | None = None
    window: Annotated[
        int,
        numbers(medians.WINDOWS),
        field("Months that the window of prices has. Medians and all that goes with them are of this window.", 12),
    ] = medians.WINDOW_MONTHS
    values: Annotated[Switch, field("Adds the sorted `values` of the country; ignored with `voivodeship`.", True)] = (
        False
    )
    on: Annotated[
        PriceDay,
        field(
            f"A day as YYYY-MM-DD, not in the future and at most {MOST_MONTHS_BACK} months back. The answer is as of "
            "it, of prices approved by now. Today if left out.",
            "2026-10-01",
        ),
    ] = today_unless_given()

    def get_fuel(self) -> fuels.Fuel:
        if self.fuel not in fuels.BY_SLUG:
            raise FuelNotFound(self.fuel)
        return fuels.BY_SLUG[self.fuel]
