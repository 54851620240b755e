"""Pages of a fuel, in Poland and in a voivodeship; and the query, tabs and status that all pages of prices share."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse

from catalog.depots import fuels
from catalog.models import Voivodeship
from catalog.territory.snapshot import territory
from catalog.text import sort_key, zloty
from fueldepot.http.params import choice, numbers
from fueldepot.http.query import Query, field, today_unless_given
from pages.depot_filters import Chip
from pages.home_and_voivodeship import get_voivodeship
from pages.page import DEMONSTRATION_STATUS, Crumb, Page, dataset
from pages.polish import area_name, day, month, month_genitive
from pages.svg import cached_maps
from pages.svg.charts import amount, months_chart
from pages.svg.maps import AreaMap, MapUnit
from pages.svg.scales_and_outlines import shade_by_rank
from prices.api.params import MOST_MONTHS_BACK, PriceDay, day_and_window
from prices.api.price_answers import (
    PAGE_PARAMETERS,
    FuelPricesJson,
    MonthMedianJson,
    VoivodeshipMedianJson,
    fuel_prices,
)
from prices.medians import FEWEST_FOR_MEDIAN, WINDOW_MONTHS, WINDOWS, months_before
from prices.snapshot import COUNTRY_KEY, Comparison, compare, compared_months

MEDIAN_STATUS = "mediany zatwierdzonych cen ze składów; średnie GUS są osobnymi danymi"

ORDERS = {
    "nazwa": ("Województwo", "name"),
    "mediana": ("Mediana", "median"),
    "roznica": ("Wobec Polski", "difference"),
    "miesiac": ("Przez miesiąc", "month"),
    "rok": ("Przez rok", "year"),
    "ceny": ("Ceny", "n"),
}
"""Orders of the table of voivodeships: head and key of each column. A leading minus reverses an order."""


class PricesQuery(Query):
    empty_is_absent = True
    default_today = "dzien"

    dzien: Annotated[PriceDay, field("A day.")] = today_unless_given()
    okres: Annotated[int, numbers(WINDOWS)] = WINDOW_MONTHS
    kolejnosc: Annotated[str, choice([*ORDERS, *(f"-{key}" for key in ORDERS)])] = "nazwa"


SHOWN_INSTEAD = {
    "dzien": "Pokazujemy ceny na dziś.",
    "okres": f"Pokazujemy medianę z {WINDOW_MONTHS} miesięcy.",
}
"""What a page shows instead of an invalid parameter."""


@dataclass(frozen=True, slots=True)
class PriceChoices:
    """The query of a page. day: not after today. order: a key of ORDERS. refused: names of an invalid day and window.

    window: months that medians cover. past: whether the day is before today.
    """

    day: date
    today: date
    order: str = "nazwa"
    descending: bool = False
    refused: tuple[str, ...] = ()
    window: int = WINDOW_MONTHS

    @classmethod
    def read(cls, query_string: str, today: date) -> "PriceChoices":
        """Read the query of a page. Invalid values become the defaults: today, ordered by name."""
        query, errors = PricesQuery.read(query_string, today=today)
        order = query.kolejnosc
        refused = tuple(name for name in PAGE_PARAMETERS if name in errors)
        return cls(query.dzien, today, order.lstrip("-"), order.startswith("-"), refused, query.okres)

    @property
    def past(self) -> bool:
        return self.day < self.today

    @property
    def is_usual(self) -> bool:
        """Whether the page is that of today and of the usual window, which search engines index."""
        return not self.past and self.window == WINDOW_MONTHS

    @property
    def refusal(self) -> str:
        """Sentences about an invalid day and window, "" for neither."""
        return " ".join(map(self._refuse, self.refused))

    @property
    def notice(self) -> str:
        """The refusal with what the page shows instead, "" for none."""
        return " ".join(f"{self._refuse(name)} {SHOWN_INSTEAD[name]}" for name in self.refused)

    def _refuse(self, name: str) -> str:
        if name == "okres":
            return f"Okres mediany w adresie może mieć {', '.join(map(str, WINDOWS[:-1]))} albo {WINDOWS[-1]} miesięcy."
        return (
            f"Dzień w adresie nie jest datą z ostatnich {MOST_MONTHS_BACK} miesięcy: podaj dzień "
            f"od {day(self.earliest)} do {day(self.today)}"
        )

    @property
    def earliest(self) -> date:
        return months_before(self.today, MOST_MONTHS_BACK)

    def query(self, **more: str) -> str:
        """Return the query of a link that keeps day and window, with further parameters; "" for none."""
        parameters = self.parameters(PAGE_PARAMETERS) | more
        return f"?{urlencode(parameters)}" if parameters else ""

    def parameters(self, names: tuple[str, str]) -> dict[str, str]:
        return day_and_window(names, self.day, self.window, self.today)


def variable(fuel: fuels.Fuel, median: float | None) -> dict[str, Any] | None:
    """Return a median as schema.org's PropertyValue; None without one."""
    if median is None:
        return None
    unit = f"zł {fuel.per_unit}"
    return {"@type": "PropertyValue", "name": f"{fuel.name}: mediana", "value": median, "unitText": unit}


def get_fuel(slug: str) -> fuels.Fuel:
    """Return a fuel by its slug. Raises Http404."""
    if slug not in fuels.BY_SLUG:
        raise Http404
    return fuels.BY_SLUG[slug]


def fuel_tabs(current: str, path_of: Callable[[str], str], query: str) -> list[Chip]:
    """Return the tabs of all fuels, in the order of the catalog. current: slug of the shown fuel, "" for none."""
    return [Chip(fuel.label, path_of(fuel.slug) + query, fuel.slug == current) for fuel in fuels.FUELS]


def fuel_prices_page(slug: str, query_string: str, today: date, voivodeship: str = "") -> Page:
    """Return the page of a fuel in Poland, or in a voivodeship, for a query string. Raises Http404.

    In the content, answer: of the API.
    """
    fuel, choices = get_fuel(slug), PriceChoices.read(query_string, today)
    unit = get_voivodeship(voivodeship) if voivodeship else None
    teryt, places = (unit.teryt, [unit.slug]) if unit else (None, [])
    answer = fuel_prices(fuel, on=choices.day, voivodeship=teryt, window_months=choices.window)
    route, args = "fuel-prices-voivodeship" if unit else "fuel-prices", [fuel.slug, *places]
    path, csv_path = reverse(route, args=args), reverse(f"{route}-csv", args=args) + choices.query()
    place = area_name(unit)
    demonstration = "demonstration" in answer  # all areas have the same prices behind them
    median = variable(fuel, answer["median"])
    described: dict[str, Any] = {"spatialCoverage": place, "measurementTechnique": answer["method"]}
    described |= {"variableMeasured": median} if median else {}
    is_real = bool(answer["n"]) and not demonstration
    title = f"{fuel.name}: ceny w Polsce"
    description = f"{fuel.name}: mediana cen w składach w Polsce, miesiące, województwa i sposób liczenia."
    crumbs, query = [Crumb.home(), prices_crumb()], choices.parameters(("on", "window"))
    if unit:
        title = f"{fuel.name}: ceny, {place}"
        description = f"{fuel.name}, {place}: mediana cen w składach, miesiące i liczba cen."
        crumbs.append(Crumb(fuel.name, reverse("fuel-prices", args=[fuel.slug])))
        query = {"voivodeship": unit.teryt} | query
    return Page(
        template="pages/voivodeship_prices" if unit else "pages/fuel_prices",
        query_params=PAGE_PARAMETERS if unit else PricesQuery.names(),
        title=titled(title, choices),
        description=description,
        path=path,
        breadcrumbs=tuple(crumbs),
        demonstration=demonstration,
        demonstration_notice="Ceny na tej stronie są zmyślone i służą tylko do wypróbowania serwisu. "
        "Nie mówią nic o prawdziwych cenach.",
        indexed=is_real and choices.is_usual,
        data_path=reverse("v1:fuel-prices", args=[fuel.slug], query=query),
        as_of=choices.day,
        data_status=data_status(demonstration=demonstration),
        cited_path=path + choices.query(),
        schema_org=lambda page: [dataset(page, csv=csv_path, **described)] if is_real else [],
        content={
            "answer": answer,
            "too_few": f"Za mało cen, by podać medianę: {answer['n']}, a potrzeba co najmniej {FEWEST_FOR_MEDIAN}.",
            "choices": choices,
            "fuel": fuel,
            "unit": f"zł {fuel.per_unit}",
            "tabs": fuel_tabs(fuel.slug, lambda slug: reverse(route, args=[slug, *places]), choices.query()),
            "windows": [
                Chip(str(window), path + replace(choices, window=window).query(), window == choices.window)
                for window in WINDOWS
            ],
            "csv_path": csv_path,
            "svg_path": csv_path.replace(".csv", ".svg", 1),
            "chart_name": f"{fuel.name}, {place}: mediany miesięczne",
            "changes_in_words": changes_in_words(fuel, choices.day),
            **(beside_poland(fuel, choices, answer, unit) if unit else by_voivodeship(fuel, choices, answer)),
        },
    )


def changes_in_words(fuel: fuels.Fuel, on: date) -> str:
    """Return the months between which changes are computed, "" without any."""
    months = compared_months(fuel, on)
    if months is None:
        return ""
    newest, month_before, year_before = months
    unfinished = "" if newest < on.replace(day=1) else ", niepełny,"
    return f"{month(newest)}{unfinished} wobec {month_genitive(month_before)} i {month_genitive(year_before)}"


def prices_crumb() -> Crumb:
    return Crumb("Ceny opału", reverse("prices"))


def titled(name: str, choices: PriceChoices) -> str:
    return f"{name}, {day(choices.day)}" if choices.past else name


def data_status(*, demonstration: bool) -> str:
    return DEMONSTRATION_STATUS if demonstration else MEDIAN_STATUS


def by_voivodeship(fuel: fuels.Fuel, choices: PriceChoices, answer: FuelPricesJson) -> dict[str, Any]:
    """Return what only the page of Poland has."""
    compared = compare(fuel, choices.day, choices.window)
    return {
        "draw_chart": partial(months_chart, answer["months"]),
        "ranges": [
            (fuels.BY_SLUG[name].name, ends["low"], ends["high"])
            for name, ends in answer["arithmetic"]["plausible_range"].items()
        ],
        "country": compared[COUNTRY_KEY],
        "columns": list(columns(reverse("fuel-prices", args=[fuel.slug]), choices)),
        "areas": in_order(area_rows(fuel, compared, choices), choices),
        "draw_map": partial(price_map, fuel, answer["voivodeships"], choices.query()),
    }


def area_rows(fuel: fuels.Fuel, compared: dict[str, Comparison], choices: PriceChoices) -> list[dict[str, Any]]:
    """Return the rows of all voivodeships, by TERYT: a `Comparison`, and its difference from Poland's median in zł."""
    poland = compared[COUNTRY_KEY].median
    return [
        {
            "name": unit.name,
            "path": reverse("fuel-prices-voivodeship", args=[fuel.slug, unit.slug]) + choices.query(),
            "difference": compared[teryt].difference(poland),
            **asdict(compared[teryt]),
        }
        for teryt, unit in territory.get().voivodeships.items()
    ]


def in_order(rows: list[dict[str, Any]], choices: PriceChoices) -> list[dict[str, Any]]:
    """Return the rows in the requested order; rows without the value come last in both directions."""
    _, key = ORDERS[choices.order]
    rows = sorted(
        rows, key=lambda row: sort_key(row[key]) if key == "name" else row[key] or 0, reverse=choices.descending
    )
    return sorted(rows, key=lambda row: row[key] is None)


def columns(path: str, choices: PriceChoices) -> Iterator[dict[str, str]]:
    """Yield the heads of the table. The current one reverses the order; numbers begin with the greatest.

    sort: value of `aria-sort`, "" for none.
    """
    direction = "descending" if choices.descending else "ascending"
    for key, (label, _) in ORDERS.items():
        current = key == choices.order
        down = not choices.descending if current else key != "nazwa"
        yield {
            "key": key,
            "label": label,
            "path": path + choices.query(kolejnosc=f"-{key}" if down else key) + "#wojewodztwa",
            "sort": direction if current else "",
        }


def price_map(fuel: fuels.Fuel, rows: list[VoivodeshipMedianJson], query: str = "") -> AreaMap | None:
    """Return the map of medians: the higher, the stronger the colour; hatched for too few prices. None without medians.

    query: of the links.
    """
    medians = {row["voivodeship"]: row["median"] for row in rows}
    if not medians:
        return None
    shades = shade_by_rank(medians.values())

    def unit_of(slug: str, name: str) -> MapUnit:
        path = reverse("fuel-prices-voivodeship", args=[fuel.slug, slug]) + query
        if slug not in medians:
            return MapUnit(path, f"województwo {name}: za mało cen", hatched=True)
        median = medians[slug]
        words = f"województwo {name}: {zloty(median)} {fuel.per_unit}"
        return MapUnit(path, words, label=(amount(median, 0),), shade=shades[median])

    return cached_maps.country_map(unit_of)


def beside_poland(fuel: fuels.Fuel, choices: PriceChoices, answer: FuelPricesJson, unit: Voivodeship) -> dict[str, Any]:
    """Return what only the page of a voivodeship has. In it, country: the answer for Poland."""
    country = fuel_prices(fuel, on=choices.day, window_months=choices.window)
    compared = compare(fuel, choices.day, choices.window)
    return {
        "draw_chart": partial(months_chart, answer["months"], reference=country["median"]),
        "reference": f"Polska, mediana ostatnich {choices.window} miesięcy",
        "country": country,
        "country_path": reverse("fuel-prices", args=[fuel.slug]) + choices.query(),
        "compared": compared[unit.teryt],
        "difference": compared[unit.teryt].difference(compared[COUNTRY_KEY].median),
        "months": list(month_rows(answer["months"], country["months"])),
    }


def month_rows(own: list[MonthMedianJson], poland: list[MonthMedianJson]) -> Iterator[dict[str, Any]]:
    """Join the months of the voivodeship and of Poland, ascending: medians in zł, None for too few prices.

    complete: whether the month is over on the day of the page.
    """
    ours, theirs = ({row["month"]: row for row in rows} for rows in (own, poland))
    for name in sorted({*ours, *theirs}):
        row, country = ours.get(name), theirs.get(name)
        yield {
            "month": name,
            "own": row and row["median"],
            "own_n": row and row["n"],
            "poland": country and country["median"],
            "poland_n": country and country["n"],
            "complete": all(median["complete"] for median in (row, country) if median),
        }
