"""Shared parts of the pages of prices: query, tabs, charts, structured data; and the page of all fuels."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse

from catalog.depots import fuels
from fueldepot.http.params import choice, numbers
from fueldepot.http.query import Query, doc, today_unless_given
from pages.depot_filters import Chip
from pages.page import DEMONSTRATION_STATUS, Crumb, Page, dataset
from pages.polish import day, month, month_genitive
from pages.svg.charts import Chart, ChartMonth, months_chart
from prices.api.params import MOST_MONTHS_BACK, PriceDay
from prices.api.price_answers import TOO_FEW, FuelPricesJson, MonthMedianJson, all_fuel_prices
from prices.medians import WINDOW_MONTHS, WINDOWS, months_before
from prices.snapshot import compare_country, compared_months

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

    dzien: Annotated[PriceDay, doc("A day.")] = today_unless_given()
    okres: Annotated[int, numbers(WINDOWS)] = WINDOW_MONTHS
    kolejnosc: Annotated[str, choice([*ORDERS, *(f"-{key}" for key in ORDERS)])] = "nazwa"


@dataclass(frozen=True, slots=True)
class Asked:
    """The query of a page. day: not after today. order: a key of ORDERS. refused: whether the given day is invalid.

    window: months that medians cover. past: whether the day is before today.
    """

    day: date
    today: date
    order: str
    descending: bool
    refused: bool
    window: int = WINDOW_MONTHS

    @classmethod
    def read(cls, query_string: str, today: date) -> "Asked":
        """Read the query of a page. Invalid values become the defaults: today, ordered by name."""
        query, errors = PricesQuery.read(query_string, today=today)
        order = query.kolejnosc
        return cls(query.dzien, today, order.lstrip("-"), order.startswith("-"), "dzien" in errors, query.okres)

    @property
    def past(self) -> bool:
        return self.day < self.today

    @property
    def is_usual(self) -> bool:
        """Whether the page is that of today and of the usual window, which search engines index."""
        return not self.past and self.window == WINDOW_MONTHS

    @property
    def refusal(self) -> str:
        """A sentence about an invalid day, "" for none."""
        if not self.refused:
            return ""
        return (
            f"Dzień w adresie nie jest datą z ostatnich {MOST_MONTHS_BACK} miesięcy: podaj dzień "
            f"od {day(self.earliest)} do {day(self.today)}"
        )

    @property
    def notice(self) -> str:
        """The refusal with what the page shows instead, "" for none."""
        return f"{self.refusal} Pokazujemy ceny na dziś." if self.refused else ""

    @property
    def earliest(self) -> date:
        return months_before(self.today, MOST_MONTHS_BACK)

    def query(self, **more: str) -> str:
        """Return the query of a link that keeps day and window, with further parameters; "" for none."""
        return as_query(self._named("dzien", "okres") | more)

    def api_query(self, **more: str) -> str:
        return as_query(more | self._named("on", "window"))

    def _named(self, day: str, window: str) -> dict[str, str]:
        parameters = {day: self.day.isoformat()} if self.past else {}
        return parameters | ({window: str(self.window)} if self.window != WINDOW_MONTHS else {})


def as_query(parameters: Mapping[str, object]) -> str:
    return f"?{urlencode(parameters)}" if parameters else ""


def prices_of_fuel(page: Page) -> list[dict[str, Any]]:
    """Return the prices of a fuel as schema.org's Dataset; nothing without prices, and for invented ones."""
    answer: FuelPricesJson = page.content["answer"]
    if page.demonstration or not answer["n"]:
        return []
    median = variable(answer["name"], answer["median"], page.content["per_unit"])
    return [
        dataset(
            page,
            json=page.data_path,
            csv=page.content["csv_path"],
            spatialCoverage=page.content["place"],
            measurementTechnique=answer["method"],
            **({"variableMeasured": median} if median else {}),
        )
    ]


def variable(name: str, median: float | None, per_unit: str) -> dict[str, Any] | None:
    """Return a median as schema.org's PropertyValue; None without one."""
    if median is None:
        return None
    return {"@type": "PropertyValue", "name": f"{name}: mediana", "value": median, "unitText": f"zł {per_unit}"}


def get_fuel(slug: str) -> fuels.Fuel:
    """Return a fuel by its slug. Raises Http404."""
    if slug not in fuels.BY_SLUG:
        raise Http404
    return fuels.BY_SLUG[slug]


def fuel_tabs(current: str, path_of: Callable[[str], str], query: str) -> list[Chip]:
    """Return the tabs of all fuels, in the order of the catalog. current: slug of the shown fuel, "" for none."""
    return [Chip(fuel.label, path_of(fuel.slug) + query, fuel.slug == current) for fuel in fuels.FUELS]


def of_fuel(
    fuel: fuels.Fuel, asked: Asked, answer: FuelPricesJson, *places: str, demonstration: bool, **content: Any
) -> dict[str, Any]:
    """Return the values that pages of a fuel have in common. places: slug of the voivodeship, nothing for Poland.

    In the content, answer: of the API. place: the area, in the nominative. content: the rest of it.
    """
    route, args = "fuel-prices-voivodeship" if places else "fuel-prices", [fuel.slug, *places]
    path, csv_path = reverse(route, args=args), reverse(f"{route}-csv", args=args) + asked.query()
    place = f"województwo {answer['area']['name']}" if places else "Polska"
    per_unit = fuels.PER_UNIT[fuel.unit]
    common = {
        "answer": answer,
        "asked": asked,
        "place": place,
        "per_unit": per_unit,
        "unit": f"zł {per_unit}",
        "tabs": fuel_tabs(fuel.slug, lambda slug: reverse(route, args=[slug, *places]), asked.query()),
        "windows": [
            Chip(str(window), path + replace(asked, window=window).query(), window == asked.window)
            for window in WINDOWS
        ],
        "csv_path": csv_path,
        "svg_path": csv_path.replace(".csv", ".svg", 1),
        "chart_name": f"{fuel.name}, {place}: mediany miesięczne",
        "changes_in_words": changes_in_words(fuel, asked.day),
    }
    return {
        "path": path,
        "demonstration": demonstration,
        "demonstration_notice": "Ceny na tej stronie są zmyślone i służą tylko do wypróbowania serwisu. "
        "Nie mówią nic o prawdziwych cenach.",
        "indexed": bool(answer["n"]) and not demonstration and asked.is_usual,
        "as_of": asked.day,
        "data_status": data_status(demonstration=demonstration),
        "schema_org": prices_of_fuel,
        "content": common | content,
    }


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


def titled(name: str, asked: Asked) -> str:
    return f"{name}, {day(asked.day)}" if asked.past else name


def data_status(*, demonstration: bool) -> str:
    return DEMONSTRATION_STATUS if demonstration else MEDIAN_STATUS


def draw_chart(months: Iterable[MonthMedianJson], *, reference: float | None = None) -> Chart | None:
    """Return a chart of medians by month. reference: a level to compare with."""
    bars = [
        ChartMonth(int(row["month"][:4]) * 12 + int(row["month"][5:]) - 1, row["median"], row["n"]) for row in months
    ]
    return months_chart(bars, reference=reference)


def all_medians(page: Page) -> list[dict[str, Any]]:
    """Return the medians as schema.org's Dataset; nothing without prices, and for invented ones."""
    if not page.indexed:
        return []
    medians = [variable(row["name"], row["median"], row["per_unit"]) for row in page.content["rows"]]
    measured = [median for median in medians if median]
    return [dataset(page, csv=reverse("extract-medians"), variableMeasured=measured)]


def index_page(today: date, query_string: str = "") -> Page:
    asked = Asked.read(query_string, today)
    answers = all_fuel_prices(asked.day)
    demonstration = any("demonstration" in answer for answer in answers.values())
    has_prices = any(answer["n"] for answer in answers.values())
    return Page(
        template="pages/prices",
        query_params=("dzien",),
        title=titled("Ceny opału", asked),
        description="Mediany cen węgla, ekogroszku, pelletu, brykietu i drewna w składach w Polsce.",
        path=reverse("prices"),
        demonstration=demonstration,
        demonstration_notice="Ceny składów na tej stronie są zmyślone i służą tylko do wypróbowania serwisu.",
        indexed=has_prices and not demonstration and asked.is_usual,
        as_of=asked.day,
        data_status=data_status(demonstration=demonstration),
        schema_org=all_medians,
        content={
            "tabs": fuel_tabs("", lambda slug: reverse("fuel-prices", args=[slug]), asked.query()),
            "rows": tuple(
                {
                    "name": answer["name"],
                    "path": reverse("fuel-prices", args=[fuel]) + asked.query(),
                    "median": answer["median"],
                    "per_unit": fuels.PER_UNIT[answer["unit"]],
                    "n": answer["n"],
                    "bag_price": answer.get("bag_price"),
                    "bag_kg": answer.get("bag_kg"),
                    "compared": compare_country(fuels.BY_SLUG[fuel], asked.day),
                }
                for fuel, answer in answers.items()
            ),
            "asked": asked,
            "fewest": TOO_FEW,
        },
    )
