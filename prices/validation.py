"""Checks of an entered price, and Polish sentences about prices: origin of the numbers, method of the median."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.text import short_zloty, zloty_range
from prices import medians
from prices.medians import PriceStatistics, Range

DEMONSTRATION = "Dane demonstracyjne"
POLAND = "Polska"

PER = {"t": "tonę", "mp": "metr przestrzenny"}
"""Units of prices, in the accusative."""

ORIGIN = "Zatwierdzone ceny ze składów: cenniki składów i zgłoszenia czytelników po moderacji"
OF_VOIVODESHIP = "Medianę województwa liczymy z tych jego cen, które weszły do mediany krajowej."
INVENTED_ORIGIN = f"{DEMONSTRATION}: ceny zmyślone, służą tylko do wypróbowania serwisu"


def official_average(year: int) -> str:
    """Describe the official average shown beside the median of a coal fuel."""
    return (
        f"Średnia roczna cena detaliczna węgla kamiennego w Polsce w {year} r. według GUS. To osobne dane z tamtego "
        "roku: nie wchodzą do mediany i nie mówią o dzisiejszych cenach."
    )


FEWEST = f"medianę podajemy od {medians.FEWEST_FOR_MEDIAN} cen"
"""Why there is no median of fewer; a step of the method."""


def method(fuel: Fuel, ranges: Mapping[str, Range], figures: PriceStatistics) -> str:
    """Describe the steps to the median. ranges: of the fuel and its assortments; without any, no step names them."""
    beginning = f"{DEMONSTRATION}: ceny są zmyślone. " if figures.demonstration else ""
    several = len(fuels.assortments(fuel.slug)) > 1
    same = " (gdy tego dnia ma ceny kilku sortymentów, z ich medianą)" if several else ""
    steps = [
        f"każdy skład liczy się raz, z najnowszą ceną{same}, a jednego dnia cennik ma pierwszeństwo przed zgłoszeniem",
        f"gdy zostaje co najmniej {medians.FEWEST_FOR_FENCES} cen, odrzucamy odstające, czyli położone dalej "
        f"niż {medians.FENCE} rozstępy ćwiartkowe poza kwartylami kraju",
        FEWEST,
    ]
    if ranges:
        steps.insert(0, f"odrzucamy ceny spoza {plausible(fuel, ranges)}")
    numbered = "; ".join(f"{number}) {step}" for number, step in enumerate(steps, 1))
    return (
        f"{beginning}Mediana zatwierdzonych cen z ostatnich {figures.window_months} miesięcy: z cenników składów "
        f"i ze zgłoszeń czytelników po moderacji. Kroki: {numbered}. Średnie GUS są osobnymi danymi i nigdy nie "
        "wchodzą do mediany."
    )


def plausible(fuel: Fuel, ranges: Mapping[str, Range]) -> str:
    """Return the plausible range, in the genitive. ranges: of the fuel and its assortments, at least one."""
    slugs = fuels.assortments(fuel.slug)
    if len(slugs) > 1:
        where_known = "" if ranges.keys() >= set(slugs) else ", o ile go ustalono"
        return f"wiarygodnego przedziału dla danego paliwa{where_known}"
    own = ranges[fuel.slug]
    return f"wiarygodnego przedziału ({exact(own.low)}–{exact(own.high)} zł za {PER[fuel.unit]})"


def exact(amount: Decimal) -> str:
    """Format złoty in Polish, with grosze only where needed: "1500", "24,99"."""
    return f"{amount:.0f}" if amount == amount.to_integral_value() else f"{amount:.2f}".replace(".", ",")


def deviation(price: Decimal, median: Decimal) -> str:
    """Return the difference from a median in per cent, without the sign of per cent: "+3,1", "−12,0"."""
    return f"{(price / median - 1) * 100:+.1f}".replace(".", ",").replace("-", "−")


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
        raise InvalidPrice(f"nieznane paliwo {quote.fuel}; podaj jedno z: {', '.join(fuels.labels(fuels.BY_SLUG))}")
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
        raise InvalidPrice(f"{fuel.name}: ceny worka nie da się przeliczyć; podaj cenę za {PER[fuel.unit]}")
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
