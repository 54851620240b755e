"""Medians of depot prices: pure functions, without database and clock.

Steps: plausible range of the fuel; newest price of each depot; Tukey's outer fences of the country; median. Amounts are
złoty per unit of the fuel.
"""

import math
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

WINDOW_MONTHS = 6
WINDOWS = (3, WINDOW_MONTHS, 12)
"""Lengths of the window in months that may be asked for; WINDOW_MONTHS is the usual one."""

PRICE_LIST_MONTHS = 12
"""Months within which the newest price of a fuel stands in the price list of a depot."""

MONTHS_SHOWN = 24
FEWEST_FOR_MEDIAN = 3
FEWEST_FOR_FENCES = 8
FENCE = 3
"""Distance of Tukey's outer fences from the quartiles, in interquartile ranges."""

GROSZ = Decimal("0.01")

UNIX_EPOCH = date(1970, 1, 1).toordinal()
"""Day zero of numpy's dates."""


class Range(NamedTuple):
    """A range of prices, ends included."""

    low: Decimal
    high: Decimal


class Summary(NamedTuple):
    """Statistics of n prices, to the grosz; None below FEWEST_FOR_MEDIAN prices. demonstration: any is invented."""

    n: int
    median: Decimal | None = None
    quartile_1: Decimal | None = None
    quartile_3: Decimal | None = None
    min: Decimal | None = None
    max: Decimal | None = None
    demonstration: bool = False


class Month(NamedTuple):
    """A calendar month, "2026-03", with its median."""

    month: str
    median: Decimal
    n: int


@dataclass(frozen=True, slots=True)
class PriceStatistics:
    """Statistics of the prices of a fuel on a day.

    considered: approved prices in the window. implausible: those outside their range. superseded: plausible ones that
    another of the same depot replaces. outliers: prices of depots beyond the fences. accepted: amounts behind the
    country's median in grosze, one per depot, ascending; price_lists: how many come from one. fences: None below
    FEWEST_FOR_FENCES prices. voivodeships: by 2 digits, ascending, only with a price. months: of the last MONTHS_SHOWN
    those with a median, ascending. demonstration: whether these months have an invented price.
    """

    start: date
    end: date
    considered: int
    implausible: int
    superseded: int
    outliers: int
    accepted: tuple[int, ...]
    price_lists: int
    fences: Range | None
    country: Summary
    voivodeships: Mapping[str, Summary]
    months: tuple[Month, ...]
    demonstration: bool
    window_months: int = WINDOW_MONTHS

    def of_voivodeship(self, teryt: str) -> Summary:
        return self.voivodeships.get(teryt, Summary(0))


@dataclass(frozen=True, slots=True)
class PriceColumns:
    """Approved prices as columns, by depot, day and precedence: the last one of a day counts. fuels: of `names`.

    areas: 2 digits as a number. days: proleptic Gregorian ordinals. grosze: whole, per unit of the fuel.
    """

    names: tuple[str, ...]
    depots: NDArray[np.int64]
    fuels: NDArray[np.int32]
    areas: NDArray[np.int32]
    days: NDArray[np.int32]
    grosze: NDArray[np.int64]
    price_lists: NDArray[np.bool_]
    demonstration: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.depots)

    def where(self, chosen: NDArray[Any]) -> Self:
        # Every column would search a mask again.
        positions: NDArray[Any] = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        columns = (self.depots, self.fuels, self.areas, self.days, self.grosze, self.price_lists, self.demonstration)
        return type(self)(self.names, *(column[positions] for column in columns))

    def of_fuels(self, slugs: Collection[str]) -> Self:
        chosen = np.array([name in slugs for name in self.names], bool)
        return self.where(chosen[self.fuels])

    def of_depot(self, depot: int) -> Self:
        begin, end = self.depots.searchsorted([depot, depot + 1])
        return self.where(np.arange(begin, end))


def compute(
    columns: PriceColumns, ranges: Mapping[str, Range], today: date, window_months: int = WINDOW_MONTHS
) -> PriceStatistics:
    """Return the statistics of a fuel from its approved prices; prices outside the periods are ignored.

    columns: of all assortments of the fuel. ranges: by fuel; a fuel without a range has no limits.
    """
    # The window lies within the months shown.
    start, recent = months_before(today, window_months), within_months(columns, today)
    in_window = recent.days >= start.toordinal()
    plausible = is_plausible(recent, ranges)
    newest = representative_prices(recent.where(in_window & plausible))
    fences = tukey_fences(newest.grosze.tolist())
    accepted = newest
    if fences is not None:
        low, high = grosze_within(fences)
        accepted = newest.where((low <= newest.grosze) & (newest.grosze <= high))
    considered, implausible = int(in_window.sum()), int((in_window & ~plausible).sum())
    return PriceStatistics(
        start=start,
        end=today,
        considered=considered,
        implausible=implausible,
        superseded=considered - implausible - len(newest),
        outliers=len(newest) - len(accepted),
        accepted=tuple(np.sort(accepted.grosze).tolist()),
        price_lists=int(accepted.price_lists.sum()),
        fences=fences,
        country=summarise_prices(accepted),
        voivodeships={
            f"{area:02}": summarise_prices(accepted.where(accepted.areas == area))
            for area in np.unique(accepted.areas).tolist()
        },
        months=tuple(monthly(recent.where(plausible))),
        demonstration=bool(recent.demonstration.any()),
        window_months=window_months,
    )


def is_plausible(columns: PriceColumns, ranges: Mapping[str, Range]) -> NDArray[np.bool_]:
    unlimited = 0, np.iinfo(np.int64).max
    ends = [grosze_within(ranges[name]) if name in ranges else unlimited for name in columns.names] or [unlimited]
    low, high = np.array(ends).T
    plausible: NDArray[np.bool_] = (low[columns.fuels] <= columns.grosze) & (columns.grosze <= high[columns.fuels])
    return plausible


def grosze_within(limits: Range) -> tuple[int, int]:
    return math.ceil(limits.low * 100), math.floor(limits.high * 100)


def representative_prices(columns: PriceColumns, *periods: NDArray[Any]) -> PriceColumns:
    """Return one row per depot: the price of its newest day, or the median of several fuels of that day.

    The last row of a fuel and day counts. The median is rounded to the grosz, half up, as `values` of the response
    shows it, so that readers can repeat the calculation.

    periods: at most one more column. It gives one row per period and depot; the rows must be in that order.
    """
    if not len(columns):
        return columns
    last = last_of_each(*periods, columns.depots)
    group = np.repeat(np.arange(len(last)), np.diff(last, prepend=-1))  # number of the depot, and period, of each row
    newest = np.flatnonzero(columns.days == columns.days[last][group])
    by_fuel = newest[np.lexsort((columns.fuels[newest], group[newest]))]  # stable: the last row of a fuel stays last
    chosen = by_fuel[last_of_each(group[by_fuel], columns.fuels[by_fuel])]
    rows = columns.where(chosen)
    _, first, counts = np.unique(group[chosen], return_index=True, return_counts=True)
    grosze = rows.grosze[first]
    for at in np.flatnonzero(counts > 1).tolist():
        several = sorted(rows.grosze[first[at] : first[at] + counts[at]].tolist())
        grosze[at] = int(quantile(several, 2).to_integral_value(ROUND_HALF_UP))
    by_list, invented = (np.logical_or.reduceat(column, first) for column in (rows.price_lists, rows.demonstration))
    return replace(rows.where(first), grosze=grosze, price_lists=by_list, demonstration=invented)


def last_of_each(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Return the index of the last row of each run of equal rows. columns: at least one, none empty."""
    changes = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return np.flatnonzero(np.append(changes, True))


def zloty(grosze: int | Decimal) -> Decimal:
    return Decimal(grosze) / 100


def tukey_fences(grosze: Iterable[int]) -> Range | None:
    """Return Tukey's outer fences, ends included; None below FEWEST_FOR_FENCES prices."""
    ordered = sorted(grosze)
    if len(ordered) < FEWEST_FOR_FENCES:
        return None
    first, third = quantile(ordered, 1), quantile(ordered, 3)
    reach = FENCE * (third - first)
    return Range(zloty(first - reach), zloty(third + reach))


def summarise_prices(columns: PriceColumns) -> Summary:
    summary = summarise(columns.grosze.tolist())
    return summary._replace(demonstration=bool(columns.demonstration.any()))


def summarise(grosze: Iterable[int]) -> Summary:
    ordered = sorted(grosze)
    if len(ordered) < FEWEST_FOR_MEDIAN:
        return Summary(len(ordered))
    return Summary(
        n=len(ordered),
        median=rounded(zloty(quantile(ordered, 2))),
        quartile_1=rounded(zloty(quantile(ordered, 1))),
        quartile_3=rounded(zloty(quantile(ordered, 3))),
        min=zloty(ordered[0]),
        max=zloty(ordered[-1]),
    )


def quantile(ordered: Sequence[int], quarter: int) -> Decimal:
    """Return a quartile by linear interpolation (method "inclusive"). ordered: ascending, not empty. quarter: 1–3."""
    whole, rest = divmod((len(ordered) - 1) * quarter, 4)
    low = Decimal(ordered[whole])
    return low + (ordered[whole + 1] - low) * rest / 4 if rest else low


def monthly_by_area(columns: PriceColumns, ranges: Mapping[str, Range], today: date) -> dict[str, tuple[Month, ...]]:
    """Return `monthly` of the plausible prices of each voivodeship, by 2 digits; only those with a median."""
    recent = within_months(columns, today)
    plausible = recent.where(is_plausible(recent, ranges))
    return {
        f"{area:02}": months
        for area in np.unique(plausible.areas).tolist()
        if (months := tuple(monthly(plausible.where(plausible.areas == area))))
    }


def within_months(columns: PriceColumns, today: date) -> PriceColumns:
    return columns.where((columns.days >= months_start(today).toordinal()) & (columns.days <= today.toordinal()))


def monthly(columns: PriceColumns) -> Iterator[Month]:
    """Yield the months with a median, ascending: of the newest price of each depot in the month, without fences."""
    order = np.argsort(months_of(columns), kind="stable")  # keeps depots in order within each month
    rows = columns.where(order)
    newest = representative_prices(rows, months_of(rows))
    months, begins = np.unique(months_of(newest), return_index=True)
    for month, begin, end in zip(months, begins, [*begins[1:], len(newest)], strict=False):
        summary = summarise(newest.grosze[begin:end].tolist())
        if summary.median is not None:
            yield Month(str(month), summary.median, summary.n)


def months_of(columns: PriceColumns) -> NDArray[np.datetime64]:
    return (columns.days - UNIX_EPOCH).astype("datetime64[D]").astype("datetime64[M]")


def months_start(today: date) -> date:
    """Return the first day of the oldest of MONTHS_SHOWN months; the current month is the newest."""
    return months_before(today.replace(day=1), MONTHS_SHOWN - 1)


def months_before(day: date, months: int) -> date:
    """Return the same day some calendar months earlier, or the last day of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def rounded(amount: Decimal) -> Decimal:
    """Round to the grosz, half up."""
    return amount.quantize(GROSZ, ROUND_HALF_UP)


def bag_price(median: Decimal, bag_kg: int) -> Decimal:
    """median: per tonne."""
    return rounded(median * bag_kg / 1000)


def per_tonne(price: Decimal, bag_kg: Decimal) -> Decimal:
    return rounded(price * 1000 / bag_kg)
