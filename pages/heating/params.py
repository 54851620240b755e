"""Parameters of the comparison of heating costs, of the API and of the page: one of each kind for every source."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import create_model

from catalog.api.params import POSTCODE, TERYT, Postcode, Teryt, Voivodeship
from fueldepot.http.fields import field
from fueldepot.http.params import ThreeDigits, exact
from fueldepot.http.query import Query
from pages.heating.costs import OwnInput, bag_kg
from prices.heating_costs import heat_sources, read_defaults

AREA_RANGE, NEED_RANGE, DEMAND_RANGE = (20, 1_000), (15, 400), (1_000, 200_000)
PRICE_RANGES = {"t": (0, 100_000), "mp": (0, 100_000), "kWh": (0, 100)}
"""In zł per unit. Wood of one's own may cost nothing."""

EFFICIENCY_RANGES = {"share": (0.25, 1.25), "kWh/kWh": (1, 8)}
PER = {"t": "tonne", "mp": "stacked cubic metre", "kWh": "kilowatt-hour"}
HOUSE = read_defaults().house
SOURCES = heat_sources(date.max)
"""The sources, which no day changes."""


def own_fields(price: str, bag: str, efficiency: str, three_digits: ThreeDigits = "refused") -> dict[str, Any]:
    """Return the fields of a query for what the reader knows of each source. The names are prefixes."""
    fields: dict[str, Any] = {}
    for source in SOURCES:
        low, high = PRICE_RANGES[source.unit]
        decimals: ThreeDigits = "decimals" if source.unit == "kWh" else three_digits
        fields[f"{price}_{source.slug}"] = (
            Annotated[
                Decimal | None,
                exact(low, high, decimals),
                field(
                    f"A price of your own in zł per {PER[source.unit]}, with a decimal point or comma.",
                    1.1 if source.unit == "kWh" else 1640,
                ),
            ],
            None,
        )
        if kg := bag_kg(source):
            fields[f"{bag}_{source.slug}"] = (
                Annotated[
                    Decimal | None,
                    exact(0, 1_000, "decimals"),
                    field(
                        f"A price of your own in zł for a bag of {kg} kg. One by the tonne comes first.",
                        38,
                    ),
                ],
                None,
            )
        least, most = EFFICIENCY_RANGES[source.efficiency.unit]
        fields[f"{efficiency}_{source.slug}"] = (
            Annotated[
                Decimal | None,
                exact(least, most, "decimals"),
                field(
                    "An efficiency of your own, with a decimal point or comma. "
                    + ("Heat from one kilowatt-hour of electricity." if most > 2 else "0.85 is 85 %."),
                    3.2 if most > 2 else 0.85,
                ),
            ],
            None,
        )
    return fields


def own_inputs(query: Query, price: str, bag: str, efficiency: str) -> dict[str, OwnInput]:
    """Return what a query with `own_fields` states, by source."""

    inputs = {
        source.slug: OwnInput(*(getattr(query, f"{name}_{source.slug}", None) for name in (price, bag, efficiency)))
        for source in SOURCES
    }
    return {slug: own for slug, own in inputs.items() if own != OwnInput()}


class HouseQuery(Query):
    """The place and the house. Of teryt, postcode and voivodeship the first given counts, in this order."""

    teryt: Annotated[
        Teryt | None,
        field(f"{TERYT} Medians of its voivodeship, and the rules of a municipality.", "1261011"),
    ] = None
    postcode: Annotated[
        Postcode | None, field(f"{POSTCODE} The municipality with most of its addresses counts.", "30-001")
    ] = None
    voivodeship: Voivodeship | None = None
    area: Annotated[
        Decimal | None,
        exact(*AREA_RANGE, three_digits="decimals"),
        field(f"A heated area in m². Without it {HOUSE.area}.", 120),
    ] = None
    need: Annotated[
        Decimal | None,
        exact(*NEED_RANGE, three_digits="decimals"),
        field(
            f"A need of heat in kWh/m² a year. Without it {HOUSE.need}; {HOUSE.need_after_works} after insulation.",
            80,
        ),
    ] = None
    kwh: Annotated[
        Decimal | None,
        exact(*DEMAND_RANGE),
        field("An amount of useful heat in kWh a year. It counts instead of `area` and `need`.", 18000),
    ] = None

    @property
    def demand(self) -> Decimal:
        """Useful heat in kWh a year."""
        return demand_of(self.kwh, self.area, self.need)

    @property
    def own(self) -> dict[str, OwnInput]:
        return own_inputs(self, "price", "bag", "efficiency")


def demand_of(kwh: Decimal | None, area: Decimal | None, need: Decimal | None) -> Decimal:
    """Return the useful heat in kWh a year, from defaults where nothing is given."""
    return kwh or (area or Decimal(HOUSE.area)) * (need or Decimal(HOUSE.need))


HeatingCostsQuery = create_model(
    "HeatingCostsQuery",
    __base__=HouseQuery,
    __doc__="Parameters of `/heating-costs`.",
    **own_fields("price", "bag", "efficiency"),
)
