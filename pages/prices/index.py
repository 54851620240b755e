"""The page of the medians of all fuels."""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from django.urls import reverse

from catalog.depots import fuels
from fueldepot.http.links import site_url
from pages.page import Crumb, Page, dataset
from pages.prices.shared import Asked, Tab, data_status, fuel_tabs, titled, variable
from prices.api.price_answers import all_fuel_prices
from prices.queries import Comparison, compare_country


@dataclass(frozen=True, slots=True)
class FuelRow:
    """A fuel in the list. median: in zł, None for too few prices. compared: with its changes."""

    name: str
    path: str
    median: float | None
    per_unit: str
    n: int
    bag_price: float | None
    bag_kg: float | None
    compared: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class PricesPage(Page):
    """Medians of every fuel."""

    template: ClassVar[str] = "pages/prices"
    query_params: ClassVar[tuple[str, ...]] = ("dzien",)

    tabs: tuple[Tab, ...]
    rows: tuple[FuelRow, ...]
    asked: Asked

    def schema_org(self) -> list[dict[str, Any]]:
        """Return the medians as a data set; nothing without prices, and for invented ones."""
        if self.demonstration or not self.indexed:
            return []
        medians = [variable(row.name, row.median, row.per_unit) for row in self.rows]
        return [
            dataset(
                self,
                files=(("text/csv", site_url(reverse("extract-medians"))),),
                variableMeasured=[found for found in medians if found],
            )
        ]


def index_page(today: date, query_string: str = "") -> PricesPage:
    """Return the page of all fuels for a query string."""
    asked = Asked.read(query_string, today)
    answers = all_fuel_prices(asked.day)
    demonstration = any("demonstration" in answer for answer in answers.values())
    known = any(answer["n"] for answer in answers.values())
    return PricesPage(
        title=titled("Ceny opału", asked),
        description="Mediany cen węgla, ekogroszku, pelletu, brykietu i drewna w składach w Polsce.",
        path=reverse("prices"),
        breadcrumbs=(Crumb.home(),),
        demonstration=demonstration,
        indexed=known and not demonstration and not asked.past,
        as_of=asked.day,
        data_status=data_status(demonstration=demonstration),
        tabs=fuel_tabs("", lambda slug: reverse("fuel-prices", args=[slug]), asked.query()),
        rows=tuple(
            FuelRow(
                name=answer["name"],
                path=reverse("fuel-prices", args=[fuel]) + asked.query(),
                median=answer["median"],
                per_unit=fuels.PER_UNIT[answer["unit"]],
                n=answer["n"],
                bag_price=answer.get("bag_price"),
                bag_kg=answer.get("bag_kg"),
                compared=compare_country(fuels.BY_SLUG[fuel], asked.day),
            )
            for fuel, answer in answers.items()
        ),
        asked=asked,
    )
