"""Snapshots of prices: approved prices of published depots as columns, plausible ranges, official averages.

Statistics are computed on first use and cached with the snapshot, for any day; the database stores none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np
from django.db import connection

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.models import Dataset
from catalog.territory.snapshot import territory
from fueldepot.data.snapshot import Snapshot
from prices import medians
from prices.medians import WINDOW_MONTHS, Month, PriceColumns, PriceStatistics, Range, Summary, months_before
from prices.models import Observation, PlausibleRange, Series
from prices.official_series import COAL, SERIES

FIGURES_CACHED = 96
"""Pairs of fuel and day with cached statistics: all fuels of today and of some past days."""

PRICE_LISTS_CACHED = 10_000
"""Pairs of depot and day with a cached price list: pages show one for each depot of a list."""

FUELS = tuple(fuels.BY_SLUG)

# Columns as binary numbers: fifty thousand rows take a tenth of the time of tuples.
READ = """
    SELECT
        string_agg(int8send(p.id), ''),
        string_agg(int8send(p.depot_id), ''),
        string_agg(int4send(array_position(%s::text[], p.fuel::text) - 1), ''),
        string_agg(int4send(left(d.municipality_id, 2)::int), ''),
        string_agg(int4send(p.day - DATE '0001-01-01' + 1), ''),
        string_agg(int8send((p.price * 100)::bigint), ''),
        string_agg(int4send((p.origin = 'price_list')::int), ''),
        string_agg(float8send(coalesce(extract(epoch FROM p.decided_at), 0)::float8), ''),
        string_agg(int4send((d.source = 'demo')::int), '')
    FROM prices_depotprice p
    JOIN catalog_depot d ON d.id = p.depot_id
    WHERE p.status = 'approved' AND d.publication = 'published'
"""
TYPES = (">i8", ">i8", ">i4", ">i4", ">i4", ">i8", ">i4", ">f8", ">i4")


class ListedPrice(NamedTuple):
    """The newest price of a fuel at a depot."""

    fuel: str
    price: Decimal
    day: date

    @property
    def kind(self) -> fuels.Fuel:
        return fuels.BY_SLUG[self.fuel]


class Prices:
    """Approved prices and plausible ranges. ranges: by fuel, in the order of the catalog."""

    def __init__(self, columns: PriceColumns, ranges: Mapping[str, Range]) -> None:
        self.columns, self.ranges = columns, ranges
        # Functions, not methods: prices that are replaced leave no cycle.
        self._figures = lru_cache(FIGURES_CACHED)(partial(_compute, columns, ranges))
        self.months_of_areas = lru_cache(FIGURES_CACHED)(partial(_compute_months, columns, ranges))
        self.price_list = lru_cache(PRICE_LISTS_CACHED)(partial(_list_prices, columns))

    def figures(self, fuel: str, on: date, window_months: int = WINDOW_MONTHS) -> PriceStatistics:
        """Return the statistics of a fuel as of a day, from prices approved by now. Some 2 ms on first use."""
        return self._figures(fuel, on, window_months)

    def ranges_of(self, fuel: str) -> dict[str, Range]:
        """Return the ranges of a fuel and its assortments, by slug."""
        slugs = fuels.assortments(fuel)
        return {slug: limits for slug, limits in self.ranges.items() if slug in slugs}


def _compute(
    columns: PriceColumns, ranges: Mapping[str, Range], fuel: str, on: date, window_months: int
) -> PriceStatistics:
    return medians.compute(columns.of_fuels(fuels.assortments(fuel)), ranges, on, window_months)


def _compute_months(
    columns: PriceColumns, ranges: Mapping[str, Range], fuel: str, on: date
) -> Mapping[str, tuple[Month, ...]]:
    """Return the monthly medians by 2 digits of the voivodeship, only those with any. Some 20 ms."""
    return medians.monthly_by_area(columns.of_fuels(fuels.assortments(fuel)), ranges, on)


def _list_prices(columns: PriceColumns, depot: int, on: date) -> tuple[ListedPrice, ...]:
    """Return the newest price of each fuel from the last `PRICE_LIST_MONTHS`, in the order of the catalog."""
    since = months_before(on, medians.PRICE_LIST_MONTHS).toordinal()
    own = columns.of_depot(depot)
    newest: dict[str, ListedPrice] = {}
    for fuel, day, grosze in zip(own.fuels.tolist(), own.days.tolist(), own.grosze.tolist(), strict=True):
        if since <= day <= on.toordinal():
            slug = own.names[fuel]
            newest[slug] = ListedPrice(slug, medians.zloty(grosze), date.fromordinal(day))
    return tuple(newest[slug] for slug in fuels.in_order(newest))


@dataclass(frozen=True, eq=False)
class Official:
    """observations: by series, TERYT (Poland first) and year. variables: numbers in the data bank, by slug."""

    observations: tuple[Observation, ...]
    variables: Mapping[str, int | None]

    @property
    def newest(self) -> str:
        """Which averages are the newest, in Polish, as they are published years later; "" without averages."""
        years = [row.year for row in self.observations if not row.teryt]
        return f"najnowsze średnie za rok {max(years)}" if years else ""

    @cached_property
    def latest_coal(self) -> Observation | None:
        """The newest average price of coal in Poland, None when none is known."""
        rows = [row for row in self.observations if row.series_id == COAL and not row.teryt]
        return max(rows, key=lambda row: row.year, default=None)


def read_prices() -> Prices:
    """Read prices and ranges. Two queries; 50 ms for fifty thousand prices."""
    with connection.cursor() as cursor:
        cursor.execute(READ, [list(FUELS)])
        row = cursor.fetchone()
    ids, depots, kinds, areas, days, grosze, by_list, decided, invented = (
        np.frombuffer(column or b"", kind).astype(kind[1:]) for column, kind in zip(row, TYPES, strict=True)
    )
    order = np.lexsort((ids, decided, by_list, days, depots))
    columns = (depots, kinds, areas, days, grosze, by_list.astype(bool), invented.astype(bool))
    return Prices(PriceColumns(FUELS, *(column[order] for column in columns)), read_ranges())


def read_ranges() -> dict[str, Range]:
    """Read the plausible ranges by fuel, in the order of the catalog. One query."""
    stored = {row.fuel: Range(row.low, row.high) for row in PlausibleRange.objects.all()}
    return {slug: stored[slug] for slug in fuels.in_order(stored)}


def read_official() -> Official:
    """Read the averages. Two queries."""
    order = {kind.slug: place for place, kind in enumerate(SERIES)}
    rows = list(Observation.objects.select_related("voivodeship"))
    rows.sort(key=lambda row: (order[row.series_id], row.teryt, row.year))
    stored = dict(Series.objects.values_list("slug", "variable_id"))
    return Official(tuple(rows), {kind.slug: stored.get(kind.slug) for kind in SERIES})


prices = Snapshot(read_prices, Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, Dataset.Slug.PRICES)
official = Snapshot(read_official, Dataset.Slug.UNITS, Dataset.Slug.SERIES)

PRICE_DATA = (Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, Dataset.Slug.PRICES, Dataset.Slug.SERIES)

COUNTRY_KEY = ""
"""Key of Poland beside the codes of the voivodeships."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A median in zł, None without. month, year: relative change up to the newest month, None without either."""

    median: Decimal | None
    n: int
    month: Decimal | None
    year: Decimal | None

    def difference(self, other: Decimal | None) -> Decimal | None:
        """Return the difference from another median in zł, None where either is missing."""
        return None if self.median is None or other is None else self.median - other


def current_medians(on: date) -> dict[str, Decimal]:
    """Return the medians of Poland on a day by fuel; only of fuels with one."""
    medians_now = {slug: prices.get().figures(slug, on).country.median for slug in fuels.BY_SLUG}
    return {slug: median for slug, median in medians_now.items() if median is not None}


def compare_country(fuel: Fuel, on: date, window_months: int = WINDOW_MONTHS) -> Comparison:
    """Return the median of Poland on a day, with its changes, which no window alters."""
    figures = prices.get().figures(fuel.slug, on, window_months)
    return comparison(figures.country, figures.months, compared_months(fuel, on))


def compare(fuel: Fuel, on: date, window_months: int = WINDOW_MONTHS) -> dict[str, Comparison]:
    """Return the medians of Poland (COUNTRY_KEY) and voivodeships, with changes between the same months for all."""
    figures = prices.get().figures(fuel.slug, on, window_months)
    months, series = compared_months(fuel, on), prices.get().months_of_areas(fuel.slug, on)
    areas = {COUNTRY_KEY: compare_country(fuel, on, window_months)}
    for teryt in territory.get().voivodeships:
        areas[teryt] = comparison(figures.of_voivodeship(teryt), series.get(teryt, ()), months)
    return areas


def compared_months(fuel: Fuel, on: date) -> tuple[date, date, date] | None:
    """Return the first days of the newest month with a median of Poland, and of those a month and a year before it.

    None without one. Changes are computed between these months.
    """
    months = prices.get().figures(fuel.slug, on).months
    if not months:
        return None
    newest = date.fromisoformat(f"{months[-1].month}-01")
    return newest, months_before(newest, 1), months_before(newest, 12)


def comparison(summary: Summary, series: Sequence[Month], months: Iterable[date] | None) -> Comparison:
    median = summary.median
    if median is None or months is None:
        return Comparison(median, summary.n, None, None)
    monthly = {row.month: row.median for row in series}
    now, *before = (monthly.get(f"{day:%Y-%m}") for day in months)
    changes = [None if now is None or not past else (now - past) / past for past in before]
    return Comparison(median, summary.n, *changes)
