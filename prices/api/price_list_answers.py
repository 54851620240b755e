"""Answers about the price list of a depot."""

from typing import Annotated

from typing_extensions import TypedDict

from catalog.api.depot_answers import StoreJson
from catalog.depots import fuels
from fueldepot.http.fields import Day, OneOf, answer, doc, example
from prices.api.price_answers import Unit, UnitName
from prices.api.series_answers import amount
from prices.snapshot import PRICE_LIST_MONTHS, ListedPrice


@answer
class PriceListItemJson(TypedDict):
    """The newest price of a fuel at a depot. Confirm it at the depot."""

    fuel: Annotated[str, OneOf(*fuels.BY_SLUG), example("pellet")]
    """Slug of the fuel."""
    name: Annotated[str, OneOf(*(fuel.name for fuel in fuels.FUELS)), example("Pellet")]
    """Display name of the fuel."""
    price: Annotated[float, example(1650.0, ge=0)]
    """Price per unit. In zł."""
    unit: Unit
    unit_name: UnitName
    date: Annotated[Day, example("2026-10-03")]
    """Day of the price."""


@answer
class FullStoreJson(StoreJson):
    """A fuel depot with its price list."""

    price_list: Annotated[
        list[PriceListItemJson],
        doc(f"The newest approved price of each fuel from the last {PRICE_LIST_MONTHS} months; empty without any."),
    ]


def describe_price(listed: ListedPrice) -> PriceListItemJson:
    """Return a price of a price list."""
    fuel = fuels.BY_SLUG[listed.fuel]
    return {
        "fuel": fuel.slug,
        "name": fuel.name,
        "price": amount(listed.price),
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "date": listed.day,
    }
