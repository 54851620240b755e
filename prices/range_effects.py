"""Effects of a drafted plausible range on current prices, as Polish sentences for the editor who approves it."""

from collections import Counter
from collections.abc import Mapping
from datetime import date

from catalog.depots import fuels
from prices import medians
from prices.descriptions import exact
from prices.medians import IMPLAUSIBLE, PriceStatistics, Range, Rejected
from prices.snapshot import read_prices


def describe_range(fuel: str, wanted: Range, today: date) -> list[str]:
    """Return the numbers of prices that drop out and come back, and the changed medians. Two queries.

    The medians are those of the fuel and of every fuel that has it among its assortments.
    """
    prices = read_prices()
    ranges: Mapping[str, Range] = {**prices.ranges, fuel: wanted}
    said: list[str] = []
    for other in fuels.FUELS:
        if fuel not in fuels.assortments(other.slug):
            continue
        columns = prices.columns.of_fuels(fuels.assortments(other.slug))
        before = medians.compute(columns, prices.ranges, today)
        after = medians.compute(columns, ranges, today)
        if other.slug == fuel:
            gone, back = implausible(after) - implausible(before), implausible(before) - implausible(after)
            said.append(
                f"Ceny z ostatnich {medians.WINDOW_MONTHS} miesięcy: {before.considered}. "
                f"Wypadnie: {gone.total()}, wróci: {back.total()}."
            )
        said.append(
            f"{other.name}: liczba cen w medianie kraju {before.country.n} → {after.country.n}, "
            f"mediana {amount(before)} → {amount(after)}."
        )
    return said


def implausible(figures: PriceStatistics) -> Counter[Rejected]:
    """Return the prices outside the plausible range."""
    return Counter(row for row in figures.rejected if row.reason == IMPLAUSIBLE)


def amount(figures: PriceStatistics) -> str:
    """Return the country's median as text, "brak" without one."""
    median = figures.country.median
    return "brak" if median is None else f"{exact(medians.rounded(median))} zł"
