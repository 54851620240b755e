"""Reading of prices: medians, their changes, official averages. Offers of depots that follow the published prices."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.models import Dataset, Depot
from catalog.services.moderation import lock_depots
from catalog.services.publishing import add_fuels, take_fuels_back
from catalog.territory.snapshot import territory
from fueldepot.data.history import among
from prices.api.params import COUNTRY, SeriesQuery
from prices.medians import WINDOW_MONTHS, Month, Summary, months_before, rounded
from prices.models import DepotPrice, PlausibleRange
from prices.snapshot import ObservedPrice, official, prices

RESTS_ON = (Dataset.Slug.UNITS, Dataset.Slug.DEPOTS, Dataset.Slug.PRICES, Dataset.Slug.SERIES)

COUNTRY_KEY = ""


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


@dataclass(frozen=True, slots=True)
class ComparedMonths:
    """First days of the months between which changes are computed. complete: whether the newest month is over."""

    newest: date
    month_before: date
    year_before: date
    complete: bool


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


def compare_country(fuel: Fuel, on: date, window_months: int = WINDOW_MONTHS) -> Comparison:
    """Return the median of Poland on a day, with its changes, which no window alters."""
    figures = prices.get().figures(fuel.slug, on, window_months)
    return comparison(figures.country, figures.months, compared_months(fuel, on))


def compare(fuel: Fuel, on: date, window_months: int = WINDOW_MONTHS) -> dict[str, Comparison]:
    """Return the medians of Poland (COUNTRY_KEY) and voivodeships, with changes between the same months for all."""
    figures = prices.get().figures(fuel.slug, on, window_months)
    months, series = compared_months(fuel, on), prices.get().months_of_areas(fuel.slug, on)
    found = {COUNTRY_KEY: compare_country(fuel, on, window_months)}
    for teryt in territory.get().voivodeships:
        summary = figures.voivodeships.get(teryt, Summary(0))
        found[teryt] = comparison(summary, series.get(teryt, ()), months)
    return found


def compared_months(fuel: Fuel, on: date) -> ComparedMonths | None:
    """Return the months between which changes are computed, None without a monthly median of Poland."""
    months = prices.get().figures(fuel.slug, on).months
    if not months:
        return None
    newest = date.fromisoformat(f"{months[-1].month}-01")
    return ComparedMonths(newest, months_before(newest, 1), months_before(newest, 12), newest < on.replace(day=1))


def comparison(summary: Summary, series: Sequence[Month], months: ComparedMonths | None) -> Comparison:
    """Return a median with the changes in its series. Medians are rounded as published."""
    median = None if summary.median is None else rounded(summary.median)
    if median is None or months is None:
        return Comparison(median, summary.n, None, None)
    monthly = {row.month: rounded(row.median) for row in series}
    now, *before = (monthly.get(f"{day:%Y-%m}") for day in (months.newest, months.month_before, months.year_before))
    changes = [None if now is None or not past else (now - past) / past for past in before]
    return Comparison(median, summary.n, *changes)


def find_fuels_without_range() -> list[fuels.Fuel]:
    """Return the fuels without a plausible range. One query."""
    known = set(PlausibleRange.objects.values_list("fuel", flat=True))
    return [fuel for fuel in fuels.FUELS if fuel.slug not in known]


def lock_depots_of(keys: Collection[int]) -> None:
    """Lock the depots of prices, by their ids. Everything that locks both locks the depots first. One query."""
    lock_depots(Depot.objects.filter(pk__in=DepotPrice.objects.filter(pk__in=among(keys)).values("depot")))


def update_offers(keys: Collection[int], *, by: AbstractBaseUser | None, on: datetime, reason: str = "") -> None:
    """Bring the offers in line with prices just decided, by ids of these, in a fixed number of statements."""
    stated: defaultdict[int, dict[str, date]] = defaultdict(dict)
    unpriced: defaultdict[int, set[str]] = defaultdict(set)
    columns = ("depot", "fuel", "status", "day")
    for depot, fuel, status, day in DepotPrice.objects.filter(pk__in=among(keys)).values_list(*columns):
        if status == DepotPrice.Status.APPROVED:
            stated[depot][fuel] = max(day, stated[depot].get(fuel, day))
        else:
            unpriced[depot].add(fuel)
    if unpriced:
        approved = DepotPrice.objects.approved().filter(depot__in=among(unpriced))
        for depot, fuel in approved.values_list("depot", "fuel").distinct():
            unpriced[depot].discard(fuel)
    day = timezone.localdate(on)
    if stated:
        add_fuels(stated, by=by, on=day, reason=reason)
    if unpriced:
        take_fuels_back(unpriced, by=by, on=day, reason=reason)
