"""The page of a fuel in a voivodeship, compared with Poland."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import ClassVar

from django.urls import reverse

from catalog.depots.fuels import PER_UNIT
from pages.page import Crumb
from pages.prices.shared import (
    Asked,
    OneFuelPage,
    chart,
    data_status,
    fuel_tabs,
    get_fuel,
    prices_crumb,
    titled,
)
from pages.territory import get_voivodeship
from prices.api.price_answers import FuelPricesJson, MonthMedianJson, fuel_prices
from prices.medians import WINDOW_MONTHS
from prices.queries import COUNTRY_KEY, Comparison, compare, compared_months


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
    query_params: ClassVar[tuple[str, ...]] = ("dzien",)

    country: FuelPricesJson
    country_path: str
    compared: Comparison
    difference: Decimal | None
    months: tuple[MonthRow, ...]

    @property
    def reference(self) -> str:
        """The label of the reference level of the chart."""
        return f"Polska, mediana ostatnich {WINDOW_MONTHS} miesięcy"


def voivodeship_prices_page(slug: str, voivodeship: str, query_string: str, today: date) -> VoivodeshipPricesPage:
    """Return the page of a fuel in a voivodeship for a query string. Raises Http404."""
    fuel = get_fuel(slug)
    asked = Asked.read(query_string, today)
    unit = get_voivodeship(voivodeship)
    answer = fuel_prices(fuel, on=asked.day, voivodeship=unit.teryt)
    country = fuel_prices(fuel, on=asked.day)
    demonstration = "demonstration" in answer or "demonstration" in country
    compared = compare(fuel, asked.day)
    country_path = reverse("fuel-prices", args=[fuel.slug])
    return VoivodeshipPricesPage(
        title=titled(f"{fuel.name}: ceny, województwo {unit.name}", asked),
        description=f"{fuel.name}, województwo {unit.name}: mediana cen w składach, miesiące i liczba cen.",
        path=reverse("fuel-prices-voivodeship", args=[fuel.slug, unit.slug]),
        breadcrumbs=(Crumb.home(), prices_crumb(), Crumb(fuel.name, country_path)),
        demonstration=demonstration,
        indexed=bool(answer["n"]) and not demonstration and not asked.past,
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
        chart=chart([(row["month"], row["median"], row["n"]) for row in answer["months"]], reference=country["median"]),
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
