"""Snapshots of prices: approved prices of published depots as columns, plausible ranges, official averages.

Statistics are computed on first use and cached with the snapshot, for any day; the database stores none.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from django.db import connection

from catalog.depots import fuels
from catalog.models import Dataset
from fueldepot.data.snapshot import Snapshot
from prices import medians
from prices.medians import Month, PriceColumns, PriceStatistics, Range
from prices.models import COAL, SERIES, Observation, PlausibleRange, Series

PRICE_LIST_MONTHS = 12

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


class ObservedPrice(NamedTuple):
    """A yearly average of an area; teryt and voivodeship are "" for Poland. source: where the number was read."""

    series: str
    teryt: str
    voivodeship: str
    slug: str
    year: int
    price: Decimal
    source: str


@dataclass(frozen=True, slots=True)
class SeriesRows:
    """A series for `/prices`: prices by year, for Poland and by slug of the voivodeship, ascending."""

    variable_id: int | None
    poland: dict[int, Decimal]
    voivodeships: dict[str, dict[int, Decimal]]
    sources: tuple[str, ...]


class Prices:
    """Approved prices and plausible ranges. ranges: by fuel, in the order of the catalog."""

    def __init__(self, columns: PriceColumns, ranges: Mapping[str, Range]) -> None:
        self.columns, self.ranges = columns, ranges
        self._figures = lru_cache(FIGURES_CACHED)(self._compute)
        self.months_of_areas = lru_cache(FIGURES_CACHED)(self._compute_months)
        self.price_list = lru_cache(PRICE_LISTS_CACHED)(self._list_prices)

    def figures(self, fuel: str, on: date, window_months: int = medians.WINDOW_MONTHS) -> PriceStatistics:
        """Return the statistics of a fuel as of a day, from prices approved by now. Some 2 ms on first use."""
        return self._figures(fuel, on, window_months)

    def ranges_of(self, fuel: str) -> dict[str, Range]:
        """Return the ranges of a fuel and its assortments, by slug."""
        asked = fuels.assortments(fuel)
        return {slug: limits for slug, limits in self.ranges.items() if slug in asked}

    def _list_prices(self, depot: int, on: date) -> tuple[ListedPrice, ...]:
        """Return the newest price of each fuel from the last PRICE_LIST_MONTHS months, in the order of the catalog."""
        since = medians.months_before(on, PRICE_LIST_MONTHS).toordinal()
        own = self.columns.of_depot(depot)
        found: dict[str, ListedPrice] = {}
        for fuel, day, grosze in zip(own.fuels.tolist(), own.days.tolist(), own.grosze.tolist(), strict=True):
            if since <= day <= on.toordinal():
                slug = own.names[fuel]
                found[slug] = ListedPrice(slug, medians.zloty(grosze), date.fromordinal(day))
        return tuple(found[slug] for slug in fuels.in_order(frozenset(found)))

    def _compute(self, fuel: str, on: date, window_months: int) -> PriceStatistics:
        return medians.compute(self.columns.of_fuels(fuels.assortments(fuel)), self.ranges, on, window_months)

    def _compute_months(self, fuel: str, on: date) -> Mapping[str, tuple[Month, ...]]:
        """Return the monthly medians by 2 digits of the voivodeship, only those with any. Some 20 ms."""
        return medians.monthly_by_area(self.columns.of_fuels(fuels.assortments(fuel)), self.ranges, on)


@dataclass(frozen=True, slots=True)
class Official:
    """series: by slug, in the order of `SERIES`. observations: by series, TERYT (Poland first) and year."""

    series: Mapping[str, SeriesRows]
    observations: tuple[ObservedPrice, ...]

    @property
    def variables(self) -> dict[str, int | None]:
        """The numbers of the series in the data bank, by slug."""
        return {slug: rows.variable_id for slug, rows in self.series.items()}

    def latest_coal(self) -> ObservedPrice | None:
        """Return the newest average price of coal in Poland, None when none is known."""
        found = [row for row in self.observations if row.series == COAL and not row.teryt]
        return max(found, key=lambda row: row.year, default=None)


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
    return {slug: stored[slug] for slug in fuels.in_order(frozenset(stored))}


def read_official() -> Official:
    """Read the averages. Two queries."""
    order = {kind.slug: place for place, kind in enumerate(SERIES)}
    rows = [
        ObservedPrice(
            row.series_id,
            row.voivodeship_id or "",
            row.voivodeship.name if row.voivodeship else "",
            row.voivodeship.slug if row.voivodeship else "",
            row.year,
            row.value,
            row.source,
        )
        for row in Observation.objects.select_related("voivodeship")
    ]
    rows.sort(key=lambda row: (order[row.series], row.teryt, row.year))
    variables = dict(Series.objects.values_list("slug", "variable_id"))
    return Official({kind.slug: series_rows(kind.slug, rows, variables) for kind in SERIES}, tuple(rows))


def series_rows(slug: str, rows: Sequence[ObservedPrice], variables: Mapping[str, int | None]) -> SeriesRows:
    poland: dict[int, Decimal] = {}
    areas: dict[str, dict[int, Decimal]] = defaultdict(dict)
    own = [row for row in rows if row.series == slug]
    for row in own:
        (areas[row.slug] if row.teryt else poland)[row.year] = row.price
    return SeriesRows(variables.get(slug), poland, dict(areas), tuple(sorted({row.source for row in own})))


prices = Snapshot(read_prices, Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, Dataset.Slug.PRICES)
official = Snapshot(read_official, Dataset.Slug.UNITS, Dataset.Slug.SERIES)
