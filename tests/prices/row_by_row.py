"""Reference implementation of the statistics of a fuel, row by row, for comparison with the columns."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from statistics import median, quantiles
from typing import NamedTuple

import numpy as np

from prices import medians


class Price(NamedTuple):
    """An approved price. area: voivodeship, 2 digits. decided: time of approval, None for starter data."""

    id: int
    depot: int
    fuel: str
    area: str
    day: date
    amount: Decimal
    price_list: bool
    decided: datetime | None = None
    demonstration: bool = False


class DepotPricePoint(NamedTuple):
    """The one amount by which a depot counts. price_list, demonstration: whether any price behind it is."""

    depot: int
    area: str
    day: date
    amount: Decimal
    price_list: bool
    demonstration: bool


def precedence(price: Price) -> tuple[bool, float, int]:
    """Return the sort key of prices of one depot, fuel and day; the greatest counts."""
    return price.price_list, price.decided.timestamp() if price.decided else 0.0, price.id


def columns_of(prices: Iterable[Price]) -> medians.PriceColumns:
    rows = sorted(prices, key=lambda price: (price.depot, price.day, precedence(price)))
    names = tuple(dict.fromkeys(price.fuel for price in rows))
    return medians.PriceColumns(
        names,
        np.array([price.depot for price in rows], np.int64),
        np.array([names.index(price.fuel) for price in rows], np.int32),
        np.array([int(price.area) for price in rows], np.int32),
        np.array([price.day.toordinal() for price in rows], np.int32),
        np.array([int(price.amount * 100) for price in rows], np.int64),
        np.array([price.price_list for price in rows], bool),
        np.array([price.demonstration for price in rows], bool),
    )


def compute(prices: Iterable[Price], ranges: Mapping[str, medians.Range], today: date) -> medians.PriceStatistics:
    start, first_month = medians.months_before(today, medians.WINDOW_MONTHS), medians.months_start(today)
    known = [price for price in prices if first_month <= price.day <= today]
    considered = [price for price in known if price.day >= start]
    plausible = [
        price
        for price in known
        if price.fuel not in ranges or ranges[price.fuel].low <= price.amount <= ranges[price.fuel].high
    ]
    newest = by_depot(price for price in plausible if price.day >= start)
    fences = tukey_fences([row.amount for row in newest])
    accepted = [row for row in newest if fences is None or fences.low <= row.amount <= fences.high]
    implausible = len(considered) - sum(price.day >= start for price in plausible)
    months = defaultdict(list)
    for price in plausible:
        months[f"{price.day:%Y-%m}"].append(price)
    summaries = {month: summarise(row.amount for row in by_depot(own)) for month, own in sorted(months.items())}
    return medians.PriceStatistics(
        start=start,
        end=today,
        considered=len(considered),
        implausible=implausible,
        superseded=len(considered) - implausible - len(newest),
        outliers=len(newest) - len(accepted),
        accepted=tuple(sorted(int(row.amount * 100) for row in accepted)),
        price_lists=sum(row.price_list for row in accepted),
        fences=fences,
        country=summarise_prices(accepted),
        voivodeships={
            area: summarise_prices([row for row in accepted if row.area == area])
            for area in sorted({row.area for row in accepted})
        },
        months=tuple(medians.Month(month, s.median, s.n) for month, s in summaries.items() if s.median is not None),
        demonstration=any(price.demonstration for price in known),
    )


def by_depot(prices: Iterable[Price]) -> list[DepotPricePoint]:
    own = defaultdict(list)
    for price in prices:
        own[price.depot].append(price)
    return [representative_price(own[depot]) for depot in sorted(own)]


def representative_price(own: Sequence[Price]) -> DepotPricePoint:
    last = max(price.day for price in own)
    best: dict[str, Price] = {}
    for price in own:
        if price.day == last and (price.fuel not in best or precedence(price) > precedence(best[price.fuel])):
            best[price.fuel] = price
    chosen = tuple(best.values())
    amount = medians.rounded(median(price.amount for price in chosen))
    by_list, invented = any(price.price_list for price in chosen), any(price.demonstration for price in chosen)
    return DepotPricePoint(chosen[0].depot, chosen[0].area, last, amount, by_list, invented)


def tukey_fences(amounts: Iterable[Decimal]) -> medians.Range | None:
    ordered = sorted(amounts)
    if len(ordered) < medians.FEWEST_FOR_FENCES:
        return None
    first, _, third = quantiles(ordered, method="inclusive")
    return medians.Range(first - medians.FENCE * (third - first), third + medians.FENCE * (third - first))


def summarise_prices(rows: Sequence[DepotPricePoint]) -> medians.Summary:
    summary = summarise(row.amount for row in rows)
    return summary._replace(demonstration=any(row.demonstration for row in rows))


def summarise(amounts: Iterable[Decimal]) -> medians.Summary:
    ordered = sorted(amounts)
    if len(ordered) < medians.FEWEST_FOR_MEDIAN:
        return medians.Summary(len(ordered))
    first, middle, third = map(medians.rounded, quantiles(ordered, method="inclusive"))
    return medians.Summary(len(ordered), middle, first, third, ordered[0], ordered[-1])
