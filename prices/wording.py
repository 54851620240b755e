"""What answers about prices say in sentences: where the numbers come from, and how a median came about. In Polish."""

from collections.abc import Mapping
from decimal import Decimal

from catalog import fuels
from catalog.fuels import Fuel
from prices import medians
from prices.medians import Range

DEMONSTRATION = "Dane demonstracyjne"
POLAND = "Polska"

PER = {"t": "tonę", "mp": "metr przestrzenny"}
"""What a price is per, in the accusative."""

ORIGIN = "Zatwierdzone ceny ze składów: cenniki składów i zgłoszenia czytelników po moderacji"
INVENTED_ORIGIN = f"{DEMONSTRATION}: ceny zmyślone, służą tylko do wypróbowania serwisu"

GUS_DESCRIPTION = (
    "Średnia roczna cena detaliczna węgla kamiennego w Polsce według GUS. To osobne dane: nie wchodzą do mediany."
)


def method(fuel: Fuel, ranges: Mapping[str, Range], *, demonstration: bool) -> str:
    """How the median came about, step by step. A step that no range makes possible is not among them."""
    beginning = f"{DEMONSTRATION}: ceny są zmyślone. " if demonstration else ""
    several = len(fuels.assortments(fuel.slug)) > 1
    one = " (z cen kilku sortymentów tego samego dnia ich mediana)" if several else ""
    steps = [
        f"każdy skład liczy się raz, ceną najnowszą{one}, a jednego dnia cennik ma pierwszeństwo przed zgłoszeniem",
        f"gdy zostaje co najmniej {medians.FEWEST_FOR_FENCES} cen, odrzucamy odstające: dalej niż {medians.FENCE} "
        "rozstępy ćwiartkowe poza kwartylami dla kraju",
        f"medianę podajemy od {medians.FEWEST_FOR_MEDIAN} cen",
    ]
    if ranges:
        steps.insert(0, f"odrzucamy ceny spoza {plausible(fuel, ranges)}")
    numbered = "; ".join(f"{number}) {step}" for number, step in enumerate(steps, 1))
    return (
        f"{beginning}Mediana zatwierdzonych cen z ostatnich {medians.WINDOW_MONTHS} miesięcy: cenników składów "
        f"i zgłoszeń czytelników po moderacji. Kroki: {numbered}. Średnie GUS są osobnymi danymi i nigdy nie wchodzą "
        "do mediany."
    )


def voivodeship_method(fuel: Fuel, ranges: Mapping[str, Range], *, demonstration: bool) -> str:
    """The same of the median of a voivodeship."""
    country = method(fuel, ranges, demonstration=demonstration)
    return f"{country} Mediana województwa jest z tych jego cen, które przyjęto do mediany krajowej."


def plausible(fuel: Fuel, ranges: Mapping[str, Range]) -> str:
    """What prices must lie in, in the genitive. ranges: at least one, of the fuel and those it takes in."""
    asked = fuels.assortments(fuel.slug)
    if len(asked) > 1:
        where_known = "" if ranges.keys() >= set(asked) else ", o ile go ustalono"
        return f"wiarygodnego przedziału dla danego paliwa{where_known}"
    own = ranges[fuel.slug]
    return f"wiarygodnego przedziału ({exact(own.low)}–{exact(own.high)} zł za {PER[fuel.unit]})"


def exact(amount: Decimal) -> str:
    """Złoty as Polish writes them, with grosze only where there are any."""
    return f"{amount:.0f}" if amount == amount.to_integral_value() else f"{amount:.2f}".replace(".", ",")
