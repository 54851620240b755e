"""Reading of prices: medians, their changes, official averages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.models import Dataset
from catalog.territory.snapshot import territory
from prices.api.params import COUNTRY, SeriesQuery
from prices.medians import Month, Summary, months_before, rounded
from prices.models import PlausibleRange
from prices.snapshot import ObservedPrice, official, prices

RESTS_ON = (Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, Dataset.Slug.PRICES, Dataset.Slug.SERIES)
"""Data sets behind a response about current prices."""

COUNTRY_KEY = ""
"""Key of Poland among TERYT codes of voivodeships."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A median with its changes. median: in zł, None below FEWEST_FOR_MEDIAN prices.

    month, year: relative change since the same day one and twelve months before (0.1 is 10 %); None without an earlier
    median.
    """

    median: Decimal | None
    n: int
    month: Decimal | None
    year: Decimal | None

    def difference(self, other: Decimal | None) -> Decimal | None:
        """Return the difference from another median in zł, None where either is missing."""
        return None if self.median is None or other is None else self.median - other


def find_observations(query: SeriesQuery) -> list[ObservedPrice]:
    """Return the official averages of a query by series, TERYT (Poland first) and year. Raises VoivodeshipNotFound."""
    if query.voivodeship is None or query.voivodeship == COUNTRY:
        teryt = None if query.voivodeship is None else COUNTRY_KEY
    else:
        teryt = territory.get().voivodeship(query.voivodeship).teryt
    return [
        row
        for row in official.get().observations
        if query.series in (None, row.series) and query.year in (None, row.year) and teryt in (None, row.teryt)
    ]


def current_medians(on: date) -> dict[str, Decimal]:
    """Return the medians of Poland on a day by fuel, rounded as published; only of fuels with one."""
    found = {slug: prices.get().figures(slug, on).country.median for slug in fuels.BY_SLUG}
    return {slug: rounded(median) for slug, median in found.items() if median is not None}


def compare(fuel: Fuel, on: date) -> dict[str, Comparison]:
    """Return the medians of Poland (COUNTRY_KEY) and each voivodeship (2 digits) on a day, with their changes.

    A median covers WINDOW_MONTHS months, so medians a month apart share most of their prices.
    """
    known = prices.get()
    now, month, year = (known.figures(fuel.slug, months_before(on, months)) for months in (0, 1, 12))
    found = {COUNTRY_KEY: comparison(now.country, month.country, year.country)}
    for teryt in territory.get().voivodeships:
        found[teryt] = comparison(*(one.voivodeships.get(teryt, Summary(0)) for one in (now, month, year)))
    return found


def comparison(now: Summary, month: Summary, year: Summary) -> Comparison:
    """Compare a median with those of a month and a year before, all rounded as published."""
    median, *before = (None if one.median is None else rounded(one.median) for one in (now, month, year))
    changes = [None if median is None or not past else (median - past) / past for past in before]
    return Comparison(median, now.n, *changes)


def months_of_areas(fuel: Fuel, on: date) -> Mapping[str, tuple[Month, ...]]:
    """Return the monthly medians of the voivodeships by 2 digits, see `Prices.months_of_areas`."""
    return prices.get().months_of_areas(fuel.slug, on)


def find_fuels_without_range() -> list[fuels.Fuel]:
    """Return the fuels without a plausible range. One query."""
    known = set(PlausibleRange.objects.values_list("fuel", flat=True))
    return [fuel for fuel in fuels.FUELS if fuel.slug not in known]
