"""Checks of an entered price, and what speaks against it in Polish."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.text import short_zloty, zloty_range
from prices import medians
from prices.medians import PriceStatistics, Range


def exact(amount: Decimal) -> str:
    """Format złoty in Polish, with grosze only where needed: "1500", "24,99"."""
    return f"{amount:.0f}" if amount == amount.to_integral_value() else f"{amount:.2f}".replace(".", ",")


def describe_bag(price: Decimal, kg: Decimal) -> str:
    return f"worek {exact(kg)} kg za {short_zloty(price)}"


def deviation(price: Decimal, median: Decimal) -> str:
    """Return the difference from a median in per cent, without the sign of per cent: "+3,1", "−12,0"."""
    return f"{(price / median - 1) * 100:+.1f}".replace(".", ",").replace("-", "−")


PRICE_LIMIT = Decimal(100_000)
"""Exclusive upper bound of a price in zł; a larger one is a typing error."""

OLDEST_PRICE = timedelta(days=31)
"""Greatest age of a price that a reader or an owner types."""


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
        raise InvalidPrice(f"nieznane paliwo {quote.fuel}; podaj jedno z: {', '.join(fuels.labels(fuels.BY_SLUG))}")
    if quote.unit != fuel.unit:
        raise InvalidPrice(f"{fuel.name}: jednostką jest {fuel.unit}, nie {quote.unit}; cen nie przeliczamy")
    if quote.day > today:
        raise InvalidPrice(f"dzień {quote.day:%d.%m.%Y} jeszcze nie nadszedł")
    if not all(amount is None or amount.is_finite() for amount in (quote.price, quote.bag_price, quote.bag_kg)):
        raise InvalidPrice("cena i waga muszą być liczbami")
    by_bag = quote.bag_price is not None or quote.bag_kg is not None
    if by_bag == (quote.price is not None):
        raise InvalidPrice("podaj albo cenę za jednostkę, albo cenę i wagę worka")
    price = _price_by_bag(quote, fuel) if quote.price is None else quote.price
    if not 0 < price < PRICE_LIMIT:
        amount, limit = short_zloty(price), short_zloty(PRICE_LIMIT)
        raise InvalidPrice(f"cena to {amount}, a musi być większa od 0 zł i mniejsza niż {limit}")
    if price != medians.rounded(price):
        raise InvalidPrice("cenę podaj z dokładnością do grosza")
    return price


def _price_by_bag(quote: PriceInput, fuel: Fuel) -> Decimal:
    """Return the price per tonne of a price per bag. Raises InvalidPrice."""
    if quote.bag_price is None or quote.bag_kg is None:
        raise InvalidPrice("do ceny worka podaj jego wagę, a do wagi cenę")
    if fuel.unit != "t":
        raise InvalidPrice(f"{fuel.name}: ceny worka nie da się przeliczyć; podaj cenę {fuel.per_unit}")
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
        doubts.append(f"poza wiarygodnym przedziałem {zloty_range(*plausible)}/{fuels.BY_SLUG[fuel].unit}")
    if day < medians.months_before(today, medians.WINDOW_MONTHS):
        doubts.append(f"starsza niż {medians.WINDOW_MONTHS} miesięcy")
    return tuple(doubts)


def describe_outlier(price: Decimal, figures: PriceStatistics) -> str:
    """Return in Polish that a price lies outside the fences of its fuel, "" where it does not or there are none."""
    if figures.fences is None or figures.fences.low <= price <= figures.fences.high:
        return ""
    low, high = (medians.rounded(max(end, Decimal())) for end in figures.fences)
    return f"odstaje od innych cen ({zloty_range(low, high)})"
