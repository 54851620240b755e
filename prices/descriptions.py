"""Polish sentences of responses about prices: origin of the numbers, method of the median."""

from collections.abc import Mapping
from decimal import Decimal

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from prices import medians
from prices.medians import PriceStatistics, Range

DEMONSTRATION = "Dane demonstracyjne"
POLAND = "Polska"

PER = {"t": "tonę", "mp": "metr przestrzenny"}
"""Units of prices, in the accusative."""

ORIGIN = "Zatwierdzone ceny ze składów: cenniki składów i zgłoszenia czytelników po moderacji"
INVENTED_ORIGIN = f"{DEMONSTRATION}: ceny zmyślone, służą tylko do wypróbowania serwisu"


def official_average(year: int) -> str:
    """Describe the official average shown beside the median of a coal fuel."""
    return (
        f"Średnia roczna cena detaliczna węgla kamiennego w Polsce w {year} r. według GUS. To osobne dane z tamtego "
        "roku: nie wchodzą do mediany i nie mówią o dzisiejszych cenach."
    )


def method(fuel: Fuel, ranges: Mapping[str, Range], figures: PriceStatistics) -> str:
    """Describe the steps to the median. ranges: of the fuel and its assortments; without any, no step names them."""
    beginning = f"{DEMONSTRATION}: ceny są zmyślone. " if figures.demonstration else ""
    several = len(fuels.assortments(fuel.slug)) > 1
    one = " (gdy tego dnia ma ceny kilku sortymentów, z ich medianą)" if several else ""
    steps = [
        f"każdy skład liczy się raz, z najnowszą ceną{one}, a jednego dnia cennik ma pierwszeństwo przed zgłoszeniem",
        f"gdy zostaje co najmniej {medians.FEWEST_FOR_FENCES} cen, odrzucamy odstające, czyli położone dalej "
        f"niż {medians.FENCE} rozstępy ćwiartkowe poza kwartylami kraju",
        f"medianę podajemy od {medians.FEWEST_FOR_MEDIAN} cen",
    ]
    if ranges:
        steps.insert(0, f"odrzucamy ceny spoza {plausible(fuel, ranges)}")
    numbered = "; ".join(f"{number}) {step}" for number, step in enumerate(steps, 1))
    return (
        f"{beginning}Mediana zatwierdzonych cen z ostatnich {figures.window_months} miesięcy: z cenników składów "
        f"i ze zgłoszeń czytelników po moderacji. Kroki: {numbered}. Średnie GUS są osobnymi danymi i nigdy nie "
        "wchodzą do mediany."
    )


def voivodeship_method(fuel: Fuel, ranges: Mapping[str, Range], figures: PriceStatistics) -> str:
    """Describe the steps to the median of a voivodeship."""
    country = method(fuel, ranges, figures)
    return f"{country} Medianę województwa liczymy z tych jego cen, które weszły do mediany krajowej."


def plausible(fuel: Fuel, ranges: Mapping[str, Range]) -> str:
    """Return the plausible range, in the genitive. ranges: of the fuel and its assortments, at least one."""
    asked = fuels.assortments(fuel.slug)
    if len(asked) > 1:
        where_known = "" if ranges.keys() >= set(asked) else ", o ile go ustalono"
        return f"wiarygodnego przedziału dla danego paliwa{where_known}"
    own = ranges[fuel.slug]
    return f"wiarygodnego przedziału ({exact(own.low)}–{exact(own.high)} zł za {PER[fuel.unit]})"


def exact(amount: Decimal) -> str:
    """Format złoty in Polish, with grosze only where needed: "1500", "24,99"."""
    return f"{amount:.0f}" if amount == amount.to_integral_value() else f"{amount:.2f}".replace(".", ",")


def deviation(price: Decimal, median: Decimal) -> str:
    """Return the difference from a median in per cent, without the sign of per cent: "+3,1", "−12,0"."""
    return f"{(price / median - 1) * 100:+.1f}".replace(".", ",").replace("-", "−")
