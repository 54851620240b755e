"""The pages of a fuel, in Poland and in a voivodeship: median, months, voivodeships, steps of the calculation."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar

from django.urls import reverse

from catalog.depots import fuels
from catalog.depots.fuels import PER_UNIT
from catalog.territory.snapshot import territory
from catalog.text import sort_key, zloty
from pages.home import get_voivodeship
from pages.page import Crumb
from pages.prices import (
    ORDERS,
    Asked,
    Column,
    OneFuelPage,
    data_status,
    draw_chart,
    fuel_tabs,
    get_fuel,
    prices_crumb,
    titled,
)
from pages.svg import territory as territory_svg
from pages.svg.charts import amount
from pages.svg.maps import AreaMap, MapUnit
from prices.api.price_answers import FuelPricesJson, MonthMedianJson, VoivodeshipMedianJson, fuel_prices
from prices.queries import COUNTRY_KEY, Comparison, compare, compared_months

SHADES = 5
"""Shades of the map, with equal numbers of voivodeships as far as possible."""

STRONGER_IS_DEARER = "Im mocniejszy kolor pola, tym drożej"
"""The key of the map. It holds in both colour schemes: a strong colour is dark on light ground, and light on dark."""


@dataclass(frozen=True, slots=True)
class AreaRow:
    """A voivodeship in the table. median: in zł, None for too few prices. difference: from Poland's median, in zł.

    month, year: as in `Comparison`.
    """

    name: str
    path: str
    median: Decimal | None
    n: int
    difference: Decimal | None
    month: Decimal | None
    year: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FuelPricesPage(OneFuelPage):
    """A fuel in Poland. ranges: (fuel, low, high) in zł. areas: all voivodeships, in the requested order.

    draw_map: medians of the voivodeships, None without medians or boundaries.
    """

    template: ClassVar[str] = "pages/fuel_prices"

    start: date
    end: date
    ranges: tuple[tuple[str, float, float], ...]
    country: Comparison
    columns: tuple[Column, ...]
    areas: tuple[AreaRow, ...]
    draw_map: Callable[[], AreaMap | None]

    @property
    def map_name(self) -> str:
        return f"{self.answer['name']}: mediany w województwach, {self.unit}"

    @property
    def map_description(self) -> str:
        return (
            f"Liczba w województwie to jego mediana. {STRONGER_IS_DEARER}; kreskowane pole oznacza za mało cen. "
            "Te same liczby są w tabeli poniżej."
        )

    @property
    def map_caption(self) -> str:
        return f"Mediana, {self.unit}. {STRONGER_IS_DEARER}."


def fuel_prices_page(slug: str, query_string: str, today: date) -> FuelPricesPage:
    """Return the page of a fuel in Poland for a query string. Raises Http404."""
    fuel, asked = get_fuel(slug), Asked.read(query_string, today)
    answer = fuel_prices(fuel, on=asked.day, window_months=asked.window)
    demonstration = "demonstration" in answer
    path = reverse("fuel-prices", args=[fuel.slug])
    compared = compare(fuel, asked.day, asked.window)
    return FuelPricesPage(
        title=titled(f"{fuel.name}: ceny w Polsce", asked),
        description=f"{fuel.name}: mediana cen w składach w Polsce, miesiące, województwa i sposób liczenia.",
        path=path,
        breadcrumbs=(Crumb.home(), prices_crumb()),
        demonstration=demonstration,
        indexed=bool(answer["n"]) and not demonstration and asked.is_usual,
        data_path=reverse("v1:fuel-prices", args=[fuel.slug]) + asked.api_query(),
        csv_path=reverse("fuel-prices-csv", args=[fuel.slug]) + asked.query(),
        as_of=asked.day,
        data_status=data_status(demonstration=demonstration),
        answer=answer,
        asked=asked,
        per_unit=fuels.PER_UNIT[fuel.unit],
        tabs=fuel_tabs(fuel.slug, lambda slug: reverse("fuel-prices", args=[slug]), asked.query()),
        start=answer["window_from"],
        end=answer["window_to"],
        ranges=tuple(
            (fuels.BY_SLUG[name].name, ends["low"], ends["high"])
            for name, ends in answer["arithmetic"]["plausible_range"].items()
        ),
        country=compared[COUNTRY_KEY],
        months_compared=compared_months(fuel, asked.day),
        columns=columns(path, asked),
        areas=tuple(in_order(area_rows(fuel, compared, asked), asked)),
        draw_chart=partial(draw_chart, answer["months"]),
        draw_map=partial(price_map, fuel, answer["voivodeships"], asked.query()),
    )


def area_rows(fuel: fuels.Fuel, compared: dict[str, Comparison], asked: Asked) -> list[AreaRow]:
    """Return the rows of all voivodeships, by TERYT."""
    poland = compared[COUNTRY_KEY].median
    return [
        AreaRow(
            name=unit.name,
            path=reverse("fuel-prices-voivodeship", args=[fuel.slug, unit.slug]) + asked.query(),
            median=compared[teryt].median,
            n=compared[teryt].n,
            difference=compared[teryt].difference(poland),
            month=compared[teryt].month,
            year=compared[teryt].year,
        )
        for teryt, unit in territory.get().voivodeships.items()
    ]


KEYS: dict[str, Callable[[AreaRow], Any]] = {
    "nazwa": lambda row: sort_key(row.name),
    "mediana": lambda row: row.median,
    "roznica": lambda row: row.difference,
    "miesiac": lambda row: row.month,
    "rok": lambda row: row.year,
    "ceny": lambda row: row.n,
}
"""Sort keys by order."""


def in_order(rows: list[AreaRow], asked: Asked) -> list[AreaRow]:
    """Return the rows in the requested order; rows without the value come last in both directions."""
    key = KEYS[asked.order]
    ordered = sorted((row for row in rows if key(row) is not None), key=key, reverse=asked.descending)
    return [*ordered, *(row for row in rows if key(row) is None)]


def columns(path: str, asked: Asked) -> tuple[Column, ...]:
    """Return the heads of the table. The current one reverses the order; numbers begin with the greatest."""
    heads = []
    for key, label in ORDERS.items():
        current = key == asked.order
        down = not asked.descending if current else key != "nazwa"
        sort = ("descending" if asked.descending else "ascending") if current else ""
        heads.append(
            Column(key, label, path + asked.query(kolejnosc=f"-{key}" if down else key) + "#wojewodztwa", sort)
        )
    return tuple(heads)


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


@dataclass(frozen=True, slots=True)
class MonthRow:
    """A month of the voivodeship or of Poland. own, poland: medians in zł with their numbers, None for too few prices.

    complete: whether the month is over on the day of the page.
    """

    month: str
    own: float | None
    own_n: int | None
    poland: float | None
    poland_n: int | None
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VoivodeshipPricesPage(OneFuelPage):
    """A fuel in a voivodeship. country: the API's response for Poland.

    difference: from the median of Poland, in zł. months: with a median of either, ascending.
    """

    template: ClassVar[str] = "pages/voivodeship_prices"
    query_params: ClassVar[tuple[str, ...]] = ("dzien", "okres")

    country: FuelPricesJson
    country_path: str
    compared: Comparison
    difference: Decimal | None
    months: tuple[MonthRow, ...]

    @property
    def reference(self) -> str:
        """The label of the reference level of the chart."""
        return f"Polska, mediana ostatnich {self.asked.window} miesięcy"


def voivodeship_prices_page(slug: str, voivodeship: str, query_string: str, today: date) -> VoivodeshipPricesPage:
    """Return the page of a fuel in a voivodeship for a query string. Raises Http404."""
    fuel = get_fuel(slug)
    asked = Asked.read(query_string, today)
    unit = get_voivodeship(voivodeship)
    answer = fuel_prices(fuel, on=asked.day, voivodeship=unit.teryt, window_months=asked.window)
    country = fuel_prices(fuel, on=asked.day, window_months=asked.window)
    demonstration = "demonstration" in answer or "demonstration" in country
    compared = compare(fuel, asked.day, asked.window)
    country_path = reverse("fuel-prices", args=[fuel.slug])
    return VoivodeshipPricesPage(
        title=titled(f"{fuel.name}: ceny, województwo {unit.name}", asked),
        description=f"{fuel.name}, województwo {unit.name}: mediana cen w składach, miesiące i liczba cen.",
        path=reverse("fuel-prices-voivodeship", args=[fuel.slug, unit.slug]),
        breadcrumbs=(Crumb.home(), prices_crumb(), Crumb(fuel.name, country_path)),
        demonstration=demonstration,
        indexed=bool(answer["n"]) and not demonstration and asked.is_usual,
        data_path=reverse("v1:fuel-prices", args=[fuel.slug]) + asked.api_query(voivodeship=unit.teryt),
        csv_path=reverse("fuel-prices-voivodeship-csv", args=[fuel.slug, unit.slug]) + asked.query(),
        as_of=asked.day,
        data_status=data_status(demonstration=demonstration),
        answer=answer,
        asked=asked,
        country=country,
        per_unit=PER_UNIT[fuel.unit],
        tabs=fuel_tabs(
            fuel.slug, lambda slug: reverse("fuel-prices-voivodeship", args=[slug, unit.slug]), asked.query()
        ),
        country_path=country_path + asked.query(),
        compared=compared[unit.teryt],
        months_compared=compared_months(fuel, asked.day),
        difference=compared[unit.teryt].difference(compared[COUNTRY_KEY].median),
        months=month_rows(answer["months"], country["months"]),
        draw_chart=partial(draw_chart, answer["months"], reference=country["median"]),
    )


def month_rows(own: list[MonthMedianJson], poland: list[MonthMedianJson]) -> tuple[MonthRow, ...]:
    """Join the months of the voivodeship and of Poland, both from responses of the API."""
    ours, theirs = ({row["month"]: row for row in rows} for rows in (own, poland))
    rows = []
    for month in sorted({*ours, *theirs}):
        row, country = ours.get(month), theirs.get(month)
        median, n = (row["median"], row["n"]) if row else (None, None)
        in_poland, n_in_poland = (country["median"], country["n"]) if country else (None, None)
        complete = all(known["complete"] for known in (row, country) if known)
        rows.append(MonthRow(month, median, n, in_poland, n_in_poland, complete))
    return tuple(rows)
