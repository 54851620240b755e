"""Questions to the prices: plain values in, answers out."""

from datetime import date
from typing import Any

from catalog import fuels
from catalog.fuels import Fuel
from catalog.models import Dataset
from catalog.territory.snapshot import territory
from prices import serializers
from prices.models import PlausibleRange
from prices.snapshot import official, prices

RESTS_ON = (Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, Dataset.Slug.PRICES, Dataset.Slug.SERIES)
"""The data sets that an answer about current prices depends on."""


def fuel_prices(fuel: Fuel, *, on: date, voivodeship: str | None = None, values: bool = False) -> dict[str, Any]:
    """Return the answer of `/prices/{fuel}` as of a day.

    voivodeship: slug or 2 digits, None for Poland. values: with every price of the country's median.
    Raises UnknownVoivodeship.
    """
    units, known = territory.get(), prices.get()
    ranges = known.ranges_of(fuel.slug)
    if voivodeship is not None:
        unit = units.voivodeship(voivodeship)
        return serializers.voivodeship(fuel, known.figures(fuel.slug, on), unit, ranges=ranges)
    figures = known.figures(fuel.slug, on)
    latest = official.get().latest_coal() if fuel.slug in fuels.COALS else None
    answer = serializers.country(fuel, figures, ranges=ranges, units=units.voivodeships, official=latest)
    return {**answer, "values": serializers.values(figures)} if values else answer


def all_fuel_prices(on: date) -> dict[str, dict[str, Any]]:
    """Return the answers for Poland by fuel, in the order of the catalog."""
    return {fuel.slug: fuel_prices(fuel, on=on) for fuel in fuels.FUELS}


def find_fuels_without_range() -> list[fuels.Fuel]:
    """Fuels that no price is implausible for, since nobody has set a range. One query."""
    known = set(PlausibleRange.objects.values_list("fuel", flat=True))
    return [fuel for fuel in fuels.FUELS if fuel.slug not in known]
