"""Submitted prices as JSON, as a submission stores them, and in words."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from catalog.depots import fuels
from catalog.text import zloty
from pages.dates import day
from pages.prices.shared import PER_UNIT
from prices.validation import PriceInput


def price_to_json(price: PriceInput) -> dict[str, Any]:
    """Return a price for `Submission.proposed`; amounts as text, without loss."""
    amounts = {name: getattr(price, name) for name in ("price", "bag_price", "bag_kg")}
    texts = {name: None if amount is None else str(amount) for name, amount in amounts.items()}
    return {"fuel": price.fuel, "day": price.day.isoformat(), "unit": price.unit, **texts}


def prices_from_json(proposed: Mapping[str, Any]) -> list[PriceInput]:
    """Return the prices of `Submission.proposed`; none once they were erased. A single price may stand alone."""
    return [_price_from_json(one) for one in proposed.get("prices", [proposed] if "fuel" in proposed else [])]


def _price_from_json(one: Mapping[str, Any]) -> PriceInput:
    amounts = {name: None if one[name] is None else Decimal(one[name]) for name in ("price", "bag_price", "bag_kg")}
    return PriceInput(one["fuel"], date.fromisoformat(one["day"]), one["unit"], **amounts)


def describe_price(price: PriceInput) -> tuple[str, str]:
    """Return the name of the fuel, and the price with its day, in Polish."""
    fuel = fuels.BY_SLUG[price.fuel]
    if price.price is not None:
        amount = f"{zloty(float(price.price))} {PER_UNIT[fuel.unit]}"
    else:
        amount = f"worek {(price.bag_kg or Decimal()).normalize():f} kg za {zloty(float(price.bag_price or 0))}"
    return fuel.name, f"{amount}, {day(price.day)}"
