"""How prices of depots become a median: numbers in, numbers out, no database and no clock.

The steps, in order: the plausible range of the fuel; the newest price of each depot; Tukey's outer fences over the
country; the median. Everything that is left out is returned with the reason. Amounts are złoty per unit of the fuel.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True)
class PriceColumns:
    """Approved prices as columns of equal length, by depot, then day, then precedence: on one day the last one counts.

    fuels: positions in `names`. areas: voivodeships, 2 digits as a number. days: proleptic Gregorian ordinals.
    grosze: whole grosze per unit of the fuel.
    """

    names: tuple[str, ...]
    depots: NDArray[np.int64]
    fuels: NDArray[np.int32]
    areas: NDArray[np.int32]
    days: NDArray[np.int32]
    grosze: NDArray[np.int64]
    price_lists: NDArray[np.bool_]
    demonstration: NDArray[np.bool_]

    @classmethod
    def of(cls, prices: Iterable[Price]) -> Self:
        """Make columns of prices in any order."""
        rows = sorted(prices, key=lambda price: (price.depot, price.day, precedence(price)))
        names = tuple(dict.fromkeys(price.fuel for price in rows))
        return cls(
            names,
            np.array([price.depot for price in rows], np.int64),
            np.array([names.index(price.fuel) for price in rows], np.int32),
            np.array([int(price.area) for price in rows], np.int32),
            np.array([price.day.toordinal() for price in rows], np.int32),
            np.array([int(price.amount * 100) for price in rows], np.int64),
            np.array([price.price_list for price in rows], bool),
            np.array([price.demonstration for price in rows], bool),
        )

    def __len__(self) -> int:
        return len(self.depots)

    def where(self, chosen: NDArray[Any]) -> Self:
        """Keep some rows. chosen: a mask, or positions."""
        columns = (self.depots, self.fuels, self.areas, self.days, self.grosze, self.price_lists, self.demonstration)
        return type(self)(self.names, *(column[chosen] for column in columns))

    def of_fuels(self, slugs: Collection[str]) -> Self:
        """Keep the prices of some fuels."""
        return self.where(np.isin(self.fuels, [place for place, name in enumerate(self.names) if name in slugs]))

    def of_depot(self, depot: int) -> Self:
        """Keep the prices of one depot."""
        begin, end = self.depots.searchsorted([depot, depot + 1])
        return self.where(np.arange(begin, end))


def compute(columns: PriceColumns, ranges: Mapping[str, Range], today: date) -> Figures:
    """The figures of a fuel from its approved prices; prices outside the periods are ignored.

    For a fuel that takes others in, give the prices of all of them. ranges: by fuel; a fuel without one has no limits.
    """
    start, first_month = window_start(today), months_start(today)
    # The window lies within the months that are shown.
    shown = columns.where((columns.days >= first_month.toordinal()) & (columns.days <= today.toordinal()))
    in_window = shown.days >= start.toordinal()
    plausible = is_plausible(shown, ranges)
    implausible = shown.where(in_window & ~plausible)
    newest = representative_prices(shown.where(in_window & plausible))
    fences = tukey_fences(newest.grosze.tolist())
    inside = np.ones(len(newest), bool)
    if fences is not None:
        low, high = grosze_within(fences)
        inside = (newest.grosze >= low) & (newest.grosze <= high)
    accepted, outliers = newest.where(inside), newest.where(~inside)
    considered = int(in_window.sum())
    return Figures(
        start=start,
        end=today,
        considered=considered,
        superseded=considered - len(implausible) - len(newest),
        accepted=tuple(counted(accepted)),
        rejected=tuple(
            sorted(
                Rejected(row.depot, row.day, row.amount, reason)
                for rows, reason in ((implausible, IMPLAUSIBLE), (outliers, OUTLIER))
                for row in counted(rows)
            )
        ),
        fences=fences,
        country=summarise(accepted.grosze.tolist()),
        voivodeships={
            f"{area:02}": summarise(accepted.grosze[accepted.areas == area].tolist())
            for area in np.unique(accepted.areas).tolist()
        },
        months=tuple(monthly(shown.where(plausible))),
        demonstration=bool(shown.demonstration.any()),
    )


def is_plausible(columns: PriceColumns, ranges: Mapping[str, Range]) -> NDArray[np.bool_]:
    """Tell of each price whether it lies in the range of its fuel."""
    unlimited = 0, np.iinfo(np.int64).max
    ends = [grosze_within(ranges[name]) if name in ranges else unlimited for name in columns.names] or [unlimited]
    low, high = np.array(ends).T
    found: NDArray[np.bool_] = (low[columns.fuels] <= columns.grosze) & (columns.grosze <= high[columns.fuels])
    return found


def grosze_within(limits: Range) -> tuple[int, int]:
    """The least and the greatest whole grosze that a range holds."""
    return math.ceil(limits.low * 100), math.floor(limits.high * 100)


def representative_prices(columns: PriceColumns) -> PriceColumns:
    """What each depot counts with: the price of its newest day, of several fuels on that day the median.

    For one fuel on one day the last row counts. The median of several fuels is taken to the grosz, half a grosz up: as
    `values` shows it, so that whoever computes with these finds the same.
    """
    if not len(columns):
        return columns
    last = last_of_each(columns.depots)
    rows = columns.where(columns.days == np.repeat(columns.days[last], np.diff(last, prepend=-1)))
    rows = rows.where(np.lexsort((rows.fuels, rows.depots)))  # stable, so the last of a fuel stays the last
    rows = rows.where(last_of_each(rows.depots, rows.fuels))
    last = last_of_each(rows.depots)
    counts = np.diff(last, prepend=-1)
    first = last - counts + 1
    grosze = rows.grosze[first]
    for at in np.flatnonzero(counts > 1).tolist():
        several = sorted(rows.grosze[first[at] : first[at] + counts[at]].tolist())
        grosze[at] = int(quantile(several, 2).to_integral_value(ROUND_HALF_UP))
    by_list = np.logical_or.reduceat(rows.price_lists, first)
    return replace(rows.where(first), grosze=grosze, price_lists=by_list)


def last_of_each(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of the last of each run of equal rows. columns: at least one, none of them empty."""
    changes = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(np.append(changes, True))


def counted(columns: PriceColumns) -> Iterator[Counted]:
    """Rows one by one, in złoty."""
    for depot, area, day, grosze, price_list in zip(
        columns.depots.tolist(),
        columns.areas.tolist(),
        columns.days.tolist(),
        columns.grosze.tolist(),
        columns.price_lists.tolist(),
        strict=True,
    ):
        yield Counted(depot, f"{area:02}", date.fromordinal(day), zloty(grosze), price_list)


def zloty(grosze: int | Decimal) -> Decimal:
    """Grosze as złoty."""
    return Decimal(grosze) / 100


def precedence(price: Price) -> tuple[bool, float, int]:
    """Which of two prices of a depot, fuel and day counts: the greater."""
    return price.price_list, price.decided.timestamp() if price.decided else 0.0, price.id


def tukey_fences(grosze: Iterable[int]) -> Range | None:
    """Tukey's outer fences, which are themselves inside; None below eight prices."""
    ordered = sorted(grosze)
    if len(ordered) < FEWEST_FOR_FENCES:
        return None
    first, third = quantile(ordered, 1), quantile(ordered, 3)
    reach = FENCE * (third - first)
    return Range(zloty(first - reach), zloty(third + reach))


def summarise(grosze: Iterable[int]) -> Summary:
    """Number, median, quartiles and extremes."""
    ordered = sorted(grosze)
    if len(ordered) < FEWEST_FOR_MEDIAN:
        return Summary(len(ordered))
    return Summary(
        n=len(ordered),
        median=zloty(quantile(ordered, 2)),
        quartile_1=zloty(quantile(ordered, 1)),
        quartile_3=zloty(quantile(ordered, 3)),
        min=zloty(ordered[0]),
        max=zloty(ordered[-1]),
    )


def quantile(ordered: Sequence[int], quarter: int) -> Decimal:
    """A quartile of ascending numbers, at least one, by linear interpolation (method "inclusive"). quarter: 1, 2, 3."""
    whole, rest = divmod((len(ordered) - 1) * quarter, 4)
    low = Decimal(ordered[whole])
    return low + (ordered[whole + 1] - low) * rest / 4 if rest else low


def monthly(columns: PriceColumns) -> Iterator[Month]:
    """Months with a median, ascending: the newest price of each depot in the month, no fences."""
    days, places = np.unique(columns.days, return_inverse=True)
    months = np.array([day.year * 12 + day.month - 1 for day in map(date.fromordinal, days.tolist())], np.int64)[places]
    order = np.argsort(months, kind="stable")
    rows, months = columns.where(order), months[order]
    # Depots stand in one order within each month, so a month and a depot make a group of neighbouring rows.
    edges: list[int] = np.flatnonzero(np.append(True, months[1:] != months[:-1])).tolist() if len(rows) else []
    for begin, end in pairwise([*edges, len(rows)]):
        counted_in_month = representative_prices(rows.where(np.arange(begin, end)))
        summary = summarise(counted_in_month.grosze.tolist())
        if summary.median is not None:
            year, month = divmod(int(months[begin]), 12)
            yield Month(f"{year}-{month + 1:02}", summary.median, summary.n)


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
