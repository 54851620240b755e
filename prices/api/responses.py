"""Bodies of `/prices/{fuel}`, which the endpoint, the pages and the tools of MCP share."""

from datetime import date
from typing import Any

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.territory.snapshot import territory
from prices.api.serializers import FuelPricesSerializer, PricedFuel
from prices.snapshot import official, prices


def fuel_prices(fuel: Fuel, *, on: date, voivodeship: str | None = None, values: bool = False) -> dict[str, Any]:
    """Return the response of `/prices/{fuel}` as of a day.

    voivodeship: slug or 2 digits, None for Poland. values: include the prices behind the country's median.
    Raises VoivodeshipNotFound.
    """
    units, known = territory.get(), prices.get()
    area = None if voivodeship is None else units.voivodeship(voivodeship)
    asked = PricedFuel(
        fuel,
        known.figures(fuel.slug, on),
        known.ranges_of(fuel.slug),
        units.voivodeships,
        official=official.get().latest_coal() if fuel.slug in fuels.COALS else None,
        voivodeship=area,
        months=() if area is None else known.months_of_areas(fuel.slug, on).get(area.teryt, ()),
        values=values,
    )
    return FuelPricesSerializer().to_representation(asked)


def all_fuel_prices(on: date) -> dict[str, dict[str, Any]]:
    """Return the responses for Poland by fuel, in the order of the catalog."""
    return {fuel.slug: fuel_prices(fuel, on=on) for fuel in fuels.FUELS}
