"""How prices of depots become a median: numbers in, numbers out, no database and no clock.

The steps, in order: the plausible range of the fuel; the newest price of each depot; Tukey's outer fences over the
country; the median. Everything that is left out is returned with the reason. Amounts are złoty per unit of the fuel.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from operator import attrgetter
from typing import NamedTuple

WINDOW_MONTHS = 6
MONTHS_SHOWN = 24
FEWEST_FOR_MEDIAN = 3
FEWEST_FOR_FENCES = 8
FENCE = 3
"""How many interquartile ranges beyond the quartiles the fences stand (Tukey's outer fences)."""

GROSZ = Decimal("0.01")

IMPLAUSIBLE = "implausible"
OUTLIER = "outlier"


class Price(NamedTuple):
    """An approved price. area: voivodeship, 2 digits. decided: when it was approved, None for starter data."""

    id: int
    depot: int
    fuel: str
    area: str
    day: date
    amount: Decimal
    price_list: bool
    decided: datetime | None = None
    demonstration: bool = False


class Range(NamedTuple):
    """The plausible range of a fuel; both ends are in it."""

    low: Decimal
    high: Decimal


class Counted(NamedTuple):
    """What a depot counts with: one amount. price_list: a price list is behind it, not only readers."""

    depot: int
    area: str
    day: date
    amount: Decimal
    price_list: bool


class Rejected(NamedTuple):
    """An amount that does not count. reason: IMPLAUSIBLE (step one) or OUTLIER (step three)."""

    depot: int
    day: date
    amount: Decimal
    reason: str


class Summary(NamedTuple):
    """n prices and, from three on, what describes them; below that None. Not rounded."""

    n: int
    median: Decimal | None = None
    quartile_1: Decimal | None = None
    quartile_3: Decimal | None = None
    min: Decimal | None = None
    max: Decimal | None = None


class Month(NamedTuple):
    """A calendar month, "2026-03", with its median."""

    month: str
    median: Decimal
    n: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What is known of the prices of a fuel on a day.

    considered: approved prices inside the window, before anything was left out.
    superseded: plausible ones that do not count because their depot has a newer price, or another on the same day.
    accepted: what the country's median is computed from, by depot. fences: None where too few prices remained.
    voivodeships: summary of the accepted prices by 2 digits, ascending; only those with a price.
    months: those of the last 24 with a median, ascending. demonstration: an invented price is among the prices.
    """

    start: date
    end: date
    considered: int
    superseded: int
    accepted: tuple[Counted, ...]
    rejected: tuple[Rejected, ...]
    fences: Range | None
    country: Summary
    voivodeships: Mapping[str, Summary]
    months: tuple[Month, ...]
    demonstration: bool

    @property
    def price_lists(self) -> int:
        """How many depots count with a price list; the others count with a reader's price."""
        return sum(counted.price_list for counted in self.accepted)

    def rejected_as(self, reason: str) -> int:
        """How many were rejected for a reason."""
        return sum(row.reason == reason for row in self.rejected)


def compute(prices: Iterable[Price], ranges: Mapping[str, Range], today: date) -> Figures:
    """The figures of a fuel from its approved prices, in any order; prices outside the periods are ignored.

    For a fuel that takes others in, give the prices of all of them. ranges: by fuel; a fuel without one has no limits.
    """
    start, first_month = window_start(today), months_start(today)
    in_window: dict[int, list[Price]] = defaultdict(list)
    in_month: dict[tuple[int, int], dict[int, list[Price]]] = defaultdict(lambda: defaultdict(list))
    rejected: list[Rejected] = []
    considered = 0
    demonstration = False
    for price in prices:
        day = price.day
        if not first_month <= day <= today:
            continue
        counts = start <= day  # the window lies within the months that are shown
        considered += counts
        demonstration = demonstration or price.demonstration
        limits = ranges.get(price.fuel)
        if limits is not None and not limits.low <= price.amount <= limits.high:
            if counts:
                rejected.append(Rejected(price.depot, day, price.amount, IMPLAUSIBLE))
            continue
        if counts:
            in_window[price.depot].append(price)
        in_month[day.year, day.month][price.depot].append(price)

    newest = [newest_of(own) for _, own in sorted(in_window.items())]
    implausible = len(rejected)
    fences = fences_of([row.amount for row in newest])
    accepted = tuple(row for row in newest if fences is None or fences.low <= row.amount <= fences.high)
    if fences is not None:
        outside = (row for row in newest if not fences.low <= row.amount <= fences.high)
        rejected.extend(Rejected(row.depot, row.day, row.amount, OUTLIER) for row in outside)
    return Figures(
        start=start,
        end=today,
        considered=considered,
        superseded=considered - implausible - len(newest),
        accepted=accepted,
        rejected=tuple(sorted(rejected)),
        fences=fences,
        country=summarise([row.amount for row in accepted]),
        voivodeships=by_area(accepted),
        months=tuple(months_of(in_month)),
        demonstration=demonstration,
    )


def newest_of(own: Sequence[Price]) -> Counted:
    """What one depot counts with: the price of its newest day, of several fuels on that day the median.

    For one fuel on one day a price list goes before a reader's price, then the later decision. The median of several
    fuels is taken to the grosz: as `values` shows it, so that whoever computes with these finds the same.
    """
    last = max(map(attrgetter("day"), own))
    best: dict[str, Price] = {}
    for price in own:
        if price.day == last and (price.fuel not in best or precedence(price) > precedence(best[price.fuel])):
            best[price.fuel] = price
    chosen = tuple(best.values())
    amount = rounded(quantile(sorted(price.amount for price in chosen), 2))
    return Counted(chosen[0].depot, chosen[0].area, last, amount, any(price.price_list for price in chosen))


def precedence(price: Price) -> tuple[bool, float, int]:
    """Which of two prices of a depot, fuel and day counts: the greater."""
    return price.price_list, price.decided.timestamp() if price.decided else 0.0, price.id


def fences_of(amounts: Iterable[Decimal]) -> Range | None:
    """Tukey's outer fences, which are themselves inside; None below eight prices."""
    ordered = sorted(amounts)
    if len(ordered) < FEWEST_FOR_FENCES:
        return None
    first, third = quantile(ordered, 1), quantile(ordered, 3)
    reach = FENCE * (third - first)
    return Range(first - reach, third + reach)


def summarise(amounts: Iterable[Decimal]) -> Summary:
    """Number, median, quartiles and extremes."""
    ordered = sorted(amounts)
    if len(ordered) < FEWEST_FOR_MEDIAN:
        return Summary(len(ordered))
    return Summary(
        n=len(ordered),
        median=quantile(ordered, 2),
        quartile_1=quantile(ordered, 1),
        quartile_3=quantile(ordered, 3),
        min=ordered[0],
        max=ordered[-1],
    )


def quantile(ordered: Sequence[Decimal], quarter: int) -> Decimal:
    """A quartile of ascending numbers, at least one, by linear interpolation (method "inclusive"). quarter: 1, 2, 3."""
    whole, rest = divmod((len(ordered) - 1) * quarter, 4)
    if not rest:
        return ordered[whole]
    return ordered[whole] + (ordered[whole + 1] - ordered[whole]) * rest / 4


def by_area(accepted: Iterable[Counted]) -> dict[str, Summary]:
    """Summaries of the voivodeships that have a price."""
    amounts: dict[str, list[Decimal]] = defaultdict(list)
    for row in accepted:
        amounts[row.area].append(row.amount)
    return {area: summarise(found) for area, found in sorted(amounts.items())}


def months_of(in_month: Mapping[tuple[int, int], Mapping[int, Sequence[Price]]]) -> Iterable[Month]:
    """Months with a median, ascending: the newest price of each depot in the month, no fences."""
    for (year, month), depots in sorted(in_month.items()):
        summary = summarise(newest_of(own).amount for own in depots.values())
        if summary.median is not None:
            yield Month(f"{year}-{month:02}", summary.median, summary.n)


def window_start(today: date) -> date:
    """The first day of the window that ends today."""
    return months_before(today, WINDOW_MONTHS)


def months_start(today: date) -> date:
    """The first day of the oldest month that is shown; the present month is the last of them."""
    return months_before(today.replace(day=1), MONTHS_SHOWN - 1)


def months_before(day: date, months: int) -> date:
    """The same day some calendar months earlier, or the last of that month where it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    for last in (day.day, 30, 29):
        try:
            return date(year, month + 1, min(day.day, last))
        except ValueError:
            continue
    return date(year, month + 1, 28)


def rounded(amount: Decimal) -> Decimal:
    """Złoty and whole grosze, half a grosz up."""
    return amount.quantize(GROSZ, ROUND_HALF_UP)


def bag_price(median: Decimal, bag_kg: int) -> Decimal:
    """The price of a bag at a published median, which is per tonne."""
    return rounded(median * bag_kg / 1000)


def per_tonne(price: Decimal, bag_kg: Decimal) -> Decimal:
    """The price of a tonne at the price of a bag."""
    return rounded(price * 1000 / bag_kg)
