"""The wire shapes of prices, field by field, in the order of the specification. Złoty to two decimals."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.urls import reverse

from catalog import fuels
from catalog.fuels import Fuel
from catalog.links import site_url
from catalog.models import Voivodeship
from prices import medians, series, wording
from prices.medians import Figures, Range, Summary
from prices.snapshot import ListedPrice, OfficialPrice, SeriesRows


def number(amount: Decimal | None) -> float | None:
    """Złoty and whole grosze as a JSON number."""
    return None if amount is None else float(medians.rounded(amount))


def price_list_item(listed: ListedPrice) -> dict[str, Any]:
    """An element of `price_list` of `/stores/{id}`."""
    fuel = fuels.BY_SLUG[listed.fuel]
    return {
        "fuel": fuel.slug,
        "name": fuel.name,
        "price": number(listed.price),
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "date": listed.day,
    }


def all_series(found: Mapping[str, SeriesRows]) -> dict[str, Any]:
    """The answer of `/prices`. `origins` beyond the specification: where the numbers themselves were read."""
    return {
        slug: {
            "name": series.BY_SLUG[slug].name,
            "unit": series.BY_SLUG[slug].unit,
            "period": series.PERIOD,
            "poland": years(rows.poland),
            "voivodeships": {area: years(prices) for area, prices in rows.voivodeships.items()},
            "source": series.describe_source(rows.variable_id),
            "origins": rows.sources,
        }
        for slug, rows in found.items()
    }


def years(prices: Mapping[int, Decimal]) -> dict[str, float]:
    """Prices by year. As published: a kilowatt-hour may cost fractions of a grosz."""
    return {str(year): float(price) for year, price in prices.items()}


def country(
    fuel: Fuel,
    figures: Figures,
    *,
    ranges: Mapping[str, Range],
    units: Mapping[str, Voivodeship],
    official: OfficialPrice | None,
) -> dict[str, Any]:
    """The answer of `/prices/{fuel}` for Poland, without `values`.

    ranges: of the fuel and those it takes in. units: voivodeships by their 2 digits. `gus` is null for a coal fuel
    while no average is known. Beyond the specification: `arithmetic`, by which the steps can be followed, and the
    names of voivodeships.
    """
    summary = figures.country
    answer = {
        "fuel": fuel.slug,
        "name": fuel.name,
        "area": {"level": "poland", "name": wording.POLAND, "teryt": ""},
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "window_months": medians.WINDOW_MONTHS,
        "from": figures.start.isoformat(),
        "to": figures.end.isoformat(),
        **described(summary),
        "price_lists": figures.price_lists,
        "submissions": summary.n - figures.price_lists,
        "source": wording.INVENTED_ORIGIN if figures.demonstration else wording.ORIGIN,
        "method": wording.method(fuel, ranges, demonstration=figures.demonstration),
        "page": site_url(reverse("fuel-prices", args=[fuel.slug])),
        "rejected": len(figures.rejected),
    }
    if fuel.bag_kg is not None:
        median = None if summary.median is None else medians.rounded(summary.median)
        answer["bag_kg"] = fuel.bag_kg
        answer["bag_price"] = None if median is None else number(medians.bag_price(median, fuel.bag_kg))
    answer["voivodeships"] = [
        {
            "voivodeship": units[area].slug,
            "teryt": area,
            "median": number(found.median),
            "n": found.n,
            "name": units[area].name,
        }
        for area, found in figures.voivodeships.items()
        if found.median is not None
    ]
    answer["months"] = [
        {"month": found.month, "median": number(found.median), "n": found.n} for found in figures.months
    ]
    if fuel.slug in fuels.COALS:
        answer["gus"] = official and gus(official)
    answer["arithmetic"] = arithmetic(figures, ranges)
    return answer | mark(figures)


def voivodeship(fuel: Fuel, figures: Figures, unit: Voivodeship, *, ranges: Mapping[str, Range]) -> dict[str, Any]:
    """The answer of `/prices/{fuel}` for a voivodeship: number and median, of the prices accepted for Poland."""
    summary = figures.voivodeships.get(unit.teryt, Summary(0))
    absent = ("from", "to", "quartile_1", "quartile_3", "min", "max", "price_lists", "submissions", "source")
    answer = {
        "fuel": fuel.slug,
        "name": fuel.name,
        "area": {"level": "voivodeship", "name": unit.name, "teryt": unit.teryt},
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "window_months": medians.WINDOW_MONTHS,
        "from": None,
        "to": None,
        **described(summary),
        "price_lists": None,
        "submissions": None,
        "source": None,
        "method": wording.voivodeship_method(fuel, ranges, demonstration=figures.demonstration),
        "page": site_url(reverse("fuel-prices-voivodeship", args=[fuel.slug, unit.slug])),
    }
    return answer | dict.fromkeys(absent) | mark(figures)


def described(summary: Summary) -> dict[str, Any]:
    """n, median, quartiles and extremes; null below three prices."""
    return {
        "n": summary.n,
        "median": number(summary.median),
        "quartile_1": number(summary.quartile_1),
        "quartile_3": number(summary.quartile_3),
        "min": number(summary.min),
        "max": number(summary.max),
    }


def mark(figures: Figures) -> dict[str, bool]:
    """The field that invented prices bring along."""
    return {"demonstration": True} if figures.demonstration else {}


def values(figures: Figures) -> list[float | None]:
    """The prices that the country's median is computed from, ascending; none below three."""
    if figures.country.median is None:
        return []
    return [number(amount) for amount in sorted(row.amount for row in figures.accepted)]


def gus(official: OfficialPrice) -> dict[str, Any]:
    """The official average beside the median of a coal fuel. `origin`: where the number itself was read."""
    return {
        "description": wording.GUS_DESCRIPTION,
        "year": official.year,
        "price": number(official.price),
        "area": wording.POLAND,
        "source": series.describe_source(official.variable_id),
        "origin": official.source,
    }


def arithmetic(figures: Figures, ranges: Mapping[str, Range]) -> dict[str, Any]:
    """The steps in numbers: considered − implausible − superseded − outliers = n."""
    return {
        "considered": figures.considered,
        "plausible_range": {slug: ends(limits) for slug, limits in ranges.items()},
        "implausible": figures.rejected_as(medians.IMPLAUSIBLE),
        "superseded": figures.superseded,
        "fences": figures.fences and ends(figures.fences),
        "outliers": figures.rejected_as(medians.OUTLIER),
    }


def ends(limits: Range) -> dict[str, float | None]:
    """Both ends of a range."""
    return {"low": number(limits.low), "high": number(limits.high)}
