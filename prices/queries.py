"""Questions to the prices: plain values in, plain rows out."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from django.db.models import F

from catalog import databases, fuels, versions
from catalog.models import Dataset
from prices import medians
from prices.medians import Price, Range
from prices.models import Observation, PlausibleRange, Series
from prices.series import COAL, SERIES

PRICE_LIST_MONTHS = 12

FIND_APPROVED = """
    SELECT
        p.id, p.depot_id, p.fuel, left(d.municipality_id, 2), p.day, p.price, p.origin = 'price_list', p.decided_at,
        d.source = 'demo'
    FROM prices_depotprice p
    JOIN catalog_depot d ON d.id = p.depot_id
    WHERE p.status = 'approved' AND p.fuel = ANY(%s) AND p.day BETWEEN %s AND %s AND d.publication = 'published'
"""

# A depot without prices has a state as well.
FIND_PRICE_LIST = f"""
    SELECT now.stamp, listed.*
    FROM (SELECT {versions.stamp_sql(Dataset.Slug.PRICES)} AS stamp) now
    LEFT JOIN (
        SELECT DISTINCT ON (fuel) fuel, price, day
        FROM prices_depotprice
        WHERE depot_id = %s AND status = 'approved' AND day BETWEEN %s AND %s
        ORDER BY fuel, day DESC, origin = 'price_list' DESC, decided_at DESC NULLS LAST, id DESC
    ) listed ON true
"""  # noqa: S608 - constants only


class ListedPrice(NamedTuple):
    """The newest price of a fuel at a depot."""

    fuel: str
    price: Decimal
    day: date


class OfficialPrice(NamedTuple):
    """A yearly average of the statistical office. source: where the number was read."""

    year: int
    price: Decimal
    source: str
    variable_id: int | None


class ObservedPrice(NamedTuple):
    """A yearly average of an area; teryt and voivodeship are "" for Poland. source: where the number was read."""

    series: str
    teryt: str
    voivodeship: str
    year: int
    price: Decimal
    source: str


@dataclass(frozen=True, slots=True)
class SeriesRows:
    """A series as `/prices` needs it: prices by year, for Poland and by slug of the voivodeship, ascending.

    sources: where the numbers were read, in alphabetical order.
    """

    variable_id: int | None
    poland: dict[int, Decimal]
    voivodeships: dict[str, dict[int, Decimal]]
    sources: tuple[str, ...]


def find_approved(fuel: str, today: date) -> list[Price]:
    """Approved prices of a fuel, and of what it takes in, that any figure of the day can rest on. One query.

    Only published depots have a say.
    """
    start = min(medians.window_start(today), medians.months_start(today))
    with databases.connection().cursor() as cursor:
        cursor.execute(FIND_APPROVED, [list(fuels.assortments(fuel)), start, today])
        return [Price._make(row) for row in cursor.fetchall()]


def find_ranges(slugs: Collection[str]) -> dict[str, Range]:
    """Plausible ranges by fuel, in the order of the catalog. One query."""
    stored = {row.fuel: Range(row.low, row.high) for row in PlausibleRange.objects.filter(fuel__in=slugs)}
    return {slug: stored[slug] for slug in fuels.in_order(frozenset(stored))}


def find_fuels_without_range() -> list[fuels.Fuel]:
    """Fuels that no price is implausible for, since nobody has set a range. One query."""
    known = set(PlausibleRange.objects.values_list("fuel", flat=True))
    return [fuel for fuel in fuels.FUELS if fuel.slug not in known]


def find_price_list(depot_id: int, today: date) -> list[ListedPrice]:
    """The newest approved price of each fuel from the last twelve months, in the order of the catalog. One query."""
    since = medians.months_before(today, PRICE_LIST_MONTHS)
    with databases.connection().cursor() as cursor:
        cursor.execute(FIND_PRICE_LIST, [depot_id, since, today])
        rows = cursor.fetchall()
    versions.answered_of(rows[0][0], Dataset.Slug.PRICES)
    found = {fuel: ListedPrice(fuel, price, day) for _, fuel, price, day in rows if fuel is not None}
    return [found[slug] for slug in fuels.in_order(frozenset(found))]


def find_latest_official() -> OfficialPrice | None:
    """The newest average price of coal in Poland, None when none is known. One query."""
    row = (
        Observation.objects.filter(series=COAL, voivodeship=None)
        .order_by("-year")
        .values_list("year", "value", "source", "series__variable_id")
        .first()
    )
    return row and OfficialPrice._make(row)


def find_series() -> dict[str, SeriesRows]:
    """Every series with its averages, in the order of `prices.series`. One query."""
    rows = (
        Series.objects.order_by("observations__voivodeship__teryt", "observations__year", "pk")
        .annotate(
            area=F("observations__voivodeship__slug"),
            year=F("observations__year"),
            value=F("observations__value"),
            source=F("observations__source"),
        )
        .values_list("slug", "variable_id", "area", "year", "value", "source")
    )
    variables: dict[str, int | None] = {}
    prices: dict[str, dict[str | None, dict[int, Decimal]]] = defaultdict(lambda: defaultdict(dict))
    sources: dict[str, set[str]] = defaultdict(set)
    for slug, variable_id, area, year, value, source in rows:
        variables[slug] = variable_id
        if value is not None:
            prices[slug][area][year] = value
            sources[slug].add(source)
    return {
        kind.slug: SeriesRows(
            variable_id=variables.get(kind.slug),
            poland=prices[kind.slug][None],
            voivodeships={area: years for area, years in prices[kind.slug].items() if area is not None},
            sources=tuple(sorted(sources[kind.slug])),
        )
        for kind in SERIES
    }


def find_observations() -> list[ObservedPrice]:
    """Every official average, in the order of `prices.series`, Poland first, then by code and year. One query."""
    order = {kind.slug: place for place, kind in enumerate(SERIES)}
    rows = Observation.objects.select_related("voivodeship")
    found = [
        ObservedPrice(
            row.series_id,
            row.voivodeship_id or "",
            row.voivodeship.name if row.voivodeship else "",
            row.year,
            row.value,
            row.source,
        )
        for row in rows
    ]
    return sorted(found, key=lambda row: (order[row.series], row.teryt, row.year))
