"""Pages of a fuel, in Poland and in a voivodeship, and of the official averages, which are never mixed with medians."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from functools import partial
from typing import Any

from django.urls import reverse

from catalog.depots import fuels
from catalog.models import Dataset
from catalog.territory.snapshot import territory
from catalog.text import sort_key, zloty
from fueldepot.data import snapshot
from pages.home_and_voivodeship import get_voivodeship
from pages.page import Crumb, Page, dataset
from pages.prices import ORDERS, Asked, PricesQuery, draw_chart, get_fuel, of_fuel, prices_crumb, titled
from pages.svg import territory as territory_svg
from pages.svg.charts import amount, years_chart
from pages.svg.maps import AreaMap, MapUnit
from prices.api.price_answers import MonthMedianJson, VoivodeshipMedianJson, fuel_prices
from prices.models import SERIES, SeriesKind, describe_source
from prices.snapshot import COUNTRY_KEY, Comparison, compare, official

TITLE = "Średnie ceny GUS"

SHADES = 5
"""Shades of the map, with equal numbers of voivodeships as far as possible. A strong one is dark on light ground."""


def fuel_prices_page(slug: str, query_string: str, today: date) -> Page:
    """Return the page of a fuel in Poland for a query string. Raises Http404."""
    fuel, asked = get_fuel(slug), Asked.read(query_string, today)
    answer = fuel_prices(fuel, on=asked.day, window_months=asked.window)
    compared = compare(fuel, asked.day, asked.window)
    path = reverse("fuel-prices", args=[fuel.slug])
    return Page(
        template="pages/fuel_prices",
        query_params=PricesQuery.names(),
        **of_fuel(
            fuel,
            asked,
            answer,
            demonstration="demonstration" in answer,
            draw_chart=partial(draw_chart, answer["months"]),
            ranges=[
                (fuels.BY_SLUG[name].name, ends["low"], ends["high"])
                for name, ends in answer["arithmetic"]["plausible_range"].items()
            ],
            country=compared[COUNTRY_KEY],
            columns=list(columns(path, asked)),
            areas=in_order(area_rows(fuel, compared, asked), asked),
            draw_map=partial(price_map, fuel, answer["voivodeships"], asked.query()),
        ),
        title=titled(f"{fuel.name}: ceny w Polsce", asked),
        description=f"{fuel.name}: mediana cen w składach w Polsce, miesiące, województwa i sposób liczenia.",
        breadcrumbs=(Crumb.home(), prices_crumb()),
        data_path=reverse("v1:fuel-prices", args=[fuel.slug]) + asked.api_query(),
    )


def area_rows(fuel: fuels.Fuel, compared: dict[str, Comparison], asked: Asked) -> list[dict[str, Any]]:
    """Return the rows of all voivodeships, by TERYT: a `Comparison`, and its difference from Poland's median in zł."""
    poland = compared[COUNTRY_KEY].median
    return [
        {
            "name": unit.name,
            "path": reverse("fuel-prices-voivodeship", args=[fuel.slug, unit.slug]) + asked.query(),
            "difference": compared[teryt].difference(poland),
            **asdict(compared[teryt]),
        }
        for teryt, unit in territory.get().voivodeships.items()
    ]


def in_order(rows: list[dict[str, Any]], asked: Asked) -> list[dict[str, Any]]:
    """Return the rows in the requested order; rows without the value come last in both directions."""
    _, key = ORDERS[asked.order]
    rows = sorted(
        rows, key=lambda row: sort_key(row[key]) if key == "name" else row[key] or 0, reverse=asked.descending
    )
    return sorted(rows, key=lambda row: row[key] is None)


def columns(path: str, asked: Asked) -> Iterator[dict[str, str]]:
    """Yield the heads of the table. The current one reverses the order; numbers begin with the greatest.

    sort: value of `aria-sort`, "" for none.
    """
    for key, (label, _) in ORDERS.items():
        current = key == asked.order
        down = not asked.descending if current else key != "nazwa"
        yield {
            "key": key,
            "label": label,
            "path": path + asked.query(kolejnosc=f"-{key}" if down else key) + "#wojewodztwa",
            "sort": ("descending" if asked.descending else "ascending") if current else "",
        }


def price_map(fuel: fuels.Fuel, rows: list[VoivodeshipMedianJson], query: str = "") -> AreaMap | None:
    """Return the map of medians: the higher, the stronger the colour; hatched for too few prices. None without medians.

    query: of the links.
    """
    medians = {row["voivodeship"]: row["median"] for row in rows}
    if not medians:
        return None
    ranked = sorted(set(medians.values()))

    def unit_of(slug: str, name: str) -> MapUnit:
        path = reverse("fuel-prices-voivodeship", args=[fuel.slug, slug]) + query
        if slug not in medians:
            return MapUnit(path, f"województwo {name}: za mało cen", hatched=True)
        median = medians[slug]
        words = f"województwo {name}: {zloty(median)} {fuels.PER_UNIT[fuel.unit]}"
        shade = 1 + ranked.index(median) * SHADES // len(ranked)
        return MapUnit(path, words, label=(amount(median, 0),), shade=shade)

    return territory_svg.country_map(unit_of)


def voivodeship_prices_page(slug: str, voivodeship: str, query_string: str, today: date) -> Page:
    """Return the page of a fuel in a voivodeship for a query string. Raises Http404."""
    fuel = get_fuel(slug)
    asked = Asked.read(query_string, today)
    unit = get_voivodeship(voivodeship)
    answer = fuel_prices(fuel, on=asked.day, voivodeship=unit.teryt, window_months=asked.window)
    country = fuel_prices(fuel, on=asked.day, window_months=asked.window)
    compared = compare(fuel, asked.day, asked.window)
    country_path = reverse("fuel-prices", args=[fuel.slug])
    return Page(
        template="pages/voivodeship_prices",
        query_params=("dzien", "okres"),
        **of_fuel(
            fuel,
            asked,
            answer,
            unit.slug,
            demonstration="demonstration" in answer or "demonstration" in country,
            draw_chart=partial(draw_chart, answer["months"], reference=country["median"]),
            reference=f"Polska, mediana ostatnich {asked.window} miesięcy",
            country=country,
            country_path=country_path + asked.query(),
            compared=compared[unit.teryt],
            difference=compared[unit.teryt].difference(compared[COUNTRY_KEY].median),
            months=list(month_rows(answer["months"], country["months"])),
        ),
        title=titled(f"{fuel.name}: ceny, województwo {unit.name}", asked),
        description=f"{fuel.name}, województwo {unit.name}: mediana cen w składach, miesiące i liczba cen.",
        breadcrumbs=(Crumb.home(), prices_crumb(), Crumb(fuel.name, country_path)),
        data_path=reverse("v1:fuel-prices", args=[fuel.slug]) + asked.api_query(voivodeship=unit.teryt),
    )


def month_rows(own: list[MonthMedianJson], poland: list[MonthMedianJson]) -> Iterator[dict[str, Any]]:
    """Join the months of the voivodeship and of Poland, ascending: medians in zł, None for too few prices.

    complete: whether the month is over on the day of the page.
    """
    ours, theirs = ({row["month"]: row for row in rows} for rows in (own, poland))
    for month in sorted({*ours, *theirs}):
        row, country = ours.get(month), theirs.get(month)
        yield {
            "month": month,
            "own": row and row["median"],
            "own_n": row and row["n"],
            "poland": country and country["median"],
            "poland_n": country and country["n"],
            "complete": all(median["complete"] for median in (row, country) if median),
        }


def official_averages(page: Page) -> list[dict[str, Any]]:
    """Return the averages as schema.org's Dataset; nothing without averages."""
    csv_path = reverse("official-prices-csv")
    measured = [f"{row['name']} ({row['unit']})" for row in page.content["official"]]
    return [dataset(page, json=page.data_path, csv=csv_path, variableMeasured=measured)] if page.indexed else []


def official_page() -> Page:
    rows, newest = tuple(official_rows()), official.get().newest
    return Page(
        template="pages/official_prices",
        title=official_title(),
        description="Średnie roczne ceny w Polsce według GUS ze źródłem każdej liczby"
        + (f": {'; '.join(row['name'] for row in rows)}." if rows else "."),
        path=reverse("official-prices"),
        breadcrumbs=(Crumb.home(), prices_crumb()),
        indexed=bool(rows),
        data_path=reverse("v1:prices"),
        as_of=snapshot.changed_on(Dataset.Slug.SERIES),
        data_status="; ".join(filter(None, ("średnie urzędowe", newest, "źródło przy każdej liczbie"))),
        schema_org=official_averages,
        content={"official": rows, "newest": newest},
    )


def official_title() -> str:
    """Return the title of the page, which names what there are averages of."""
    words = [kind.word for kind in with_averages()]
    return f"Średnie ceny GUS: {' i '.join(filter(None, (', '.join(words[:-1]), words[-1])))}" if words else TITLE


def with_averages() -> list[SeriesKind]:
    """Return the series that have averages for Poland."""
    slugs = {row.series for row in official.get().observations if not row.teryt}
    return [kind for kind in SERIES if kind.slug in slugs]


def official_rows() -> Iterator[dict[str, Any]]:
    """Yield the series with their averages for Poland, ascending.

    source: name and URL of the published series. origins: sources of its numbers. draw_chart: None below two years.
    """
    data = official.get()
    for kind in with_averages():
        years: list[dict[str, Any]] = [
            {"year": row.year, "price": float(row.price), "origin": row.source}
            for row in data.observations
            if row.series == kind.slug and not row.teryt
        ]
        yield {
            "slug": kind.slug,
            "name": kind.name,
            "unit": kind.unit,
            "poland": years,
            "newest": years[-1],
            "draw_chart": partial(years_chart, [(year["year"], year["price"]) for year in years]),
            "source": describe_source(data.variables[kind.slug]),
            "origins": {row.source for row in data.observations if row.series == kind.slug},
        }
