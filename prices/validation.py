"""Checks of an entered price: validity, and reasons against publishing it unchecked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from prices import descriptions, medians
from prices.medians import Range

PRICE_LIMIT = Decimal(100_000)
"""Exclusive upper bound of a price in zł; a larger one is a typing error."""


class InvalidPrice(Exception):
    """A price is not acceptable. The message is the reason, in Polish, for the sender."""


@dataclass(frozen=True, slots=True)
class PriceInput:
    """A price as entered: either `price` per unit of the fuel, or `bag_price` and `bag_kg`. Amounts in zł."""

    fuel: str
    day: date
    unit: str
    price: Decimal | None = None
    bag_price: Decimal | None = None
    bag_kg: Decimal | None = None


def unit_price(quote: PriceInput, today: date) -> Decimal:
    """Return the price per unit of an entered price, in zł. Raises InvalidPrice."""
    fuel = fuels.BY_SLUG.get(quote.fuel)
    if fuel is None:
        raise InvalidPrice(f"nieznane paliwo {quote.fuel}; podaj jedno z: {', '.join(fuels.BY_SLUG)}")
    if quote.unit != fuel.unit:
        raise InvalidPrice(f"{fuel.name}: jednostką jest {fuel.unit}, nie {quote.unit}; cen nie przeliczamy")
    if quote.day > today:
        raise InvalidPrice(f"dzień {quote.day} jeszcze nie nadszedł")
    if not all(amount is None or amount.is_finite() for amount in (quote.price, quote.bag_price, quote.bag_kg)):
        raise InvalidPrice("cena i waga muszą być liczbami")
    by_bag = quote.bag_price is not None or quote.bag_kg is not None
    if by_bag == (quote.price is not None):
        raise InvalidPrice("podaj albo cenę za jednostkę, albo cenę i wagę worka")
    price = _price_by_bag(quote, fuel) if quote.price is None else quote.price
    if not 0 < price < PRICE_LIMIT or price != medians.rounded(price):
        raise InvalidPrice(
            f"cena {price} nie jest dodatnią kwotą poniżej {PRICE_LIMIT} zł, podaną z dokładnością do grosza"
        )
    return price


def _price_by_bag(quote: PriceInput, fuel: Fuel) -> Decimal:
    """Return the price per tonne of a price per bag. Raises InvalidPrice."""
    if quote.bag_price is None or quote.bag_kg is None:
        raise InvalidPrice("do ceny worka podaj jego wagę, a do wagi cenę")
    if fuel.unit != "t":
        raise InvalidPrice(
            f"{fuel.name}: ceny worka nie da się przeliczyć; podaj cenę za {descriptions.PER[fuel.unit]}"
        )
    if not 0 < quote.bag_kg <= 1000 or quote.bag_price <= 0:
        raise InvalidPrice("cena worka musi być dodatnia, a waga większa od 0 i nie większa niż 1000 kg")
    if any(amount != medians.rounded(amount) for amount in (quote.bag_price, quote.bag_kg)):
        raise InvalidPrice("cenę worka podaj z dokładnością do grosza, a wagę do dwóch miejsc po przecinku")
    return medians.per_tonne(quote.bag_price, quote.bag_kg)


def find_doubts(fuel: str, price: Decimal, day: date, ranges: Mapping[str, Range], today: date) -> tuple[str, ...]:
    """Return the reasons against publishing a price unchecked, in Polish. ranges: plausible ranges by fuel."""
    doubts = []
    plausible = ranges.get(fuel)
    if plausible is not None and not plausible.low <= price <= plausible.high:
        low, high = map(descriptions.exact, plausible)
        doubts.append(f"poza wiarygodnym przedziałem {low}–{high} zł/{fuels.BY_SLUG[fuel].unit}")
    if day < medians.window_start(today):
        doubts.append(f"starsza niż {medians.WINDOW_MONTHS} miesięcy")
    return tuple(doubts)
