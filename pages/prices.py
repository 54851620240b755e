"""Pages of prices: every fuel, one fuel in Poland, one fuel in a voivodeship. They show the API's own answers."""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from django.http import Http404
from django.urls import reverse

from catalog import fuels
from catalog.links import site_url
from catalog.territory.snapshot import UnknownVoivodeship
from pages.page import DEMONSTRATION_STATUS, Crumb, Page, dataset
from pages.pictures import territory as pictures
from pages.pictures.charts import Month, MonthsChart, YearsChart, amount, months_chart, years_chart
from pages.pictures.maps import AreaMap, Unit
from pages.polish import zloty
from prices.queries import all_fuel_prices, fuel_prices
from prices.series import SERIES, describe_source
from prices.snapshot import official

MEDIAN_STATUS = "mediany zatwierdzonych cen ze składów; średnie GUS są osobnymi danymi"
PER_UNIT = {"t": "za tonę", "mp": "za metr przestrzenny"}


@dataclass(frozen=True, slots=True)
class FuelRow:
    """A fuel in the list of all: median None below three prices."""

    name: str
    path: str
    median: float | None
    per_unit: str
    n: int
    bag_price: float | None
    bag_kg: int | None


@dataclass(frozen=True, slots=True)
class OfficialRow:
    """A series with its newest average for Poland. source: name and address. origins: where the numbers were read.

    poland: (year, average) of every year, ascending. chart: None with fewer than two.
    """

    slug: str
    name: str
    unit: str
    year: int | None
    price: float | None
    years: int
    poland: tuple[tuple[int, float], ...]
    chart: YearsChart | None
    source: dict[str, str]
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PricesPage(Page):
    """Medians of every fuel, and beside them, never mixed, the official averages."""

    template: ClassVar[str] = "pages/prices"

    rows: tuple[FuelRow, ...]
    official: tuple[OfficialRow, ...]
    today: date

    def things(self) -> list[dict[str, Any]]:
        """The official averages as a data set, and each median that is not invented."""
        medians = [] if self.demonstration else [variable(row.name, row.median, row.per_unit) for row in self.rows]
        return [
            dataset(
                self,
                files=(("application/json", site_url(self.data_path)),),
                variableMeasured=[found for found in medians if found]
                + [f"{row.name} ({row.unit})" for row in self.official],
            )
        ]


@dataclass(frozen=True, slots=True)
class AreaRow:
    """A voivodeship with a median."""

    name: str
    path: str
    median: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OneFuelPage(Page):
    """A fuel in some area. answer: the API's. chart: months of Poland, None with fewer than two."""

    answer: dict[str, Any]
    per_unit: str
    chart: MonthsChart | None

    @property
    def unit(self) -> str:
        return f"zł {self.per_unit}"

    @property
    def chart_name(self) -> str:
        return f"{self.answer['name']}: mediany miesięczne w Polsce"


@dataclass(frozen=True, slots=True, kw_only=True)
class FuelPricesPage(OneFuelPage):
    """A fuel in Poland. ranges: (fuel, low, high).

    map: medians of the voivodeships, None where there are none, or no boundary is known.
    """

    template: ClassVar[str] = "pages/fuel_prices"

    start: date
    end: date
    ranges: tuple[tuple[str, float, float], ...]
    areas: tuple[AreaRow, ...]
    map: AreaMap | None

    @property
    def map_name(self) -> str:
        return f"{self.answer['name']}: mediany w województwach, {self.unit}"

    @property
    def map_caption(self) -> str:
        hatched = " Kreskowane pole: za mało cen." if self.map and self.map.is_hatched else ""
        return f"Mediana, {self.unit}.{hatched}"

    def things(self) -> list[dict[str, Any]]:
        """The prices as a data set."""
        return price_dataset(self, self.answer, self.per_unit, "Polska")


@dataclass(frozen=True, slots=True, kw_only=True)
class VoivodeshipPricesPage(OneFuelPage):
    """A fuel in a voivodeship, beside Poland. country: the API's answer too.

    The chart has the level of the voivodeship beside the months of Poland, because a voivodeship has no months.
    """

    template: ClassVar[str] = "pages/voivodeship_prices"

    country: dict[str, Any]
    country_path: str

    @property
    def reference(self) -> str:
        """What the level of the chart means."""
        return f"województwo {self.answer['area']['name']}, mediana ostatnich 6 miesięcy"

    def things(self) -> list[dict[str, Any]]:
        """The prices as a data set."""
        return price_dataset(self, self.answer, self.per_unit, f"województwo {self.answer['area']['name']}")


def variable(name: str, median: float | None, per_unit: str) -> dict[str, Any] | None:
    """A median in the words of schema.org; None where there is none."""
    if median is None:
        return None
    return {"@type": "PropertyValue", "name": f"{name}: mediana", "value": median, "unitText": f"zł {per_unit}"}


def price_dataset(page: Page, answer: dict[str, Any], per_unit: str, place: str) -> list[dict[str, Any]]:
    """The prices of a fuel in a place as a data set; invented ones are none."""
    if page.demonstration:
        return []
    median = variable(answer["name"], answer["median"], per_unit)
    return [
        dataset(
            page,
            files=(("application/json", site_url(page.data_path)),),
            spatialCoverage=place,
            measurementTechnique=answer["method"],
            **({"variableMeasured": median} if median else {}),
        )
    ]


def index_page(today: date) -> PricesPage:
    """Every fuel."""
    answers = all_fuel_prices(today)
    demonstration = any("demonstration" in answer for answer in answers.values())
    return PricesPage(
        title="Ceny opału",
        description="Mediany cen węgla, ekogroszku, pelletu, brykietu i drewna w składach w Polsce oraz średnie GUS.",
        path=reverse("prices"),
        crumbs=(Crumb.home(),),
        demonstration=demonstration,
        indexed=not demonstration,
        data_path=reverse("v1:prices"),
        as_of=today,
        data_status=DEMONSTRATION_STATUS if demonstration else MEDIAN_STATUS,
        rows=tuple(
            FuelRow(
                name=answer["name"],
                path=reverse("fuel-prices", args=[fuel]),
                median=answer["median"],
                per_unit=PER_UNIT[answer["unit"]],
                n=answer["n"],
                bag_price=answer.get("bag_price"),
                bag_kg=answer.get("bag_kg"),
            )
            for fuel, answer in answers.items()
        ),
        official=official_rows(),
        today=today,
    )


def official_rows() -> tuple[OfficialRow, ...]:
    """The newest official average of each series."""
    found = official.get().series
    rows = []
    for kind in SERIES:
        series = found[kind.slug]
        averages = tuple((year, float(price)) for year, price in sorted(series.poland.items()))
        year, price = averages[-1] if averages else (None, None)
        rows.append(
            OfficialRow(
                slug=kind.slug,
                name=kind.name,
                unit=kind.unit,
                year=year,
                price=price,
                years=len(averages),
                poland=averages,
                chart=years_chart(averages),
                source=describe_source(series.variable_id),
                origins=series.sources,
            )
        )
    return tuple(rows)


def fuel_prices_page(slug: str, today: date) -> FuelPricesPage:
    """A fuel in Poland. Raises Http404."""
    fuel = get_fuel(slug)
    return country_page(fuel, fuel_prices(fuel, on=today))


def country_page(fuel: fuels.Fuel, answer: dict[str, Any]) -> FuelPricesPage:
    """The page of an answer of the API for Poland."""
    demonstration = "demonstration" in answer
    return FuelPricesPage(
        title=f"{fuel.name}: ceny w Polsce",
        description=f"{fuel.name}: mediana cen w składach w Polsce, miesiące, województwa i sposób liczenia.",
        path=reverse("fuel-prices", args=[fuel.slug]),
        crumbs=(Crumb.home(), prices_crumb()),
        demonstration=demonstration,
        indexed=not demonstration,
        data_path=reverse("v1:fuel-prices", args=[fuel.slug]),
        as_of=date.fromisoformat(answer["to"]),
        data_status=DEMONSTRATION_STATUS if demonstration else MEDIAN_STATUS,
        answer=answer,
        per_unit=PER_UNIT[fuel.unit],
        start=date.fromisoformat(answer["from"]),
        end=date.fromisoformat(answer["to"]),
        ranges=tuple(
            (fuels.BY_SLUG[name].name, ends["low"], ends["high"])
            for name, ends in answer["arithmetic"]["plausible_range"].items()
        ),
        areas=tuple(
            AreaRow(
                name=row["name"],
                path=reverse("fuel-prices-voivodeship", args=[fuel.slug, row["voivodeship"]]),
                median=row["median"],
                n=row["n"],
            )
            for row in answer["voivodeships"]
        ),
        chart=chart(answer["months"]),
        map=price_map(fuel, answer["voivodeships"]),
    )


def voivodeship_prices_page(slug: str, voivodeship: str, today: date) -> VoivodeshipPricesPage:
    """A fuel in a voivodeship. Raises Http404."""
    fuel = get_fuel(slug)
    try:
        answer = fuel_prices(fuel, on=today, voivodeship=voivodeship)
    except UnknownVoivodeship as error:
        raise Http404 from error
    country = fuel_prices(fuel, on=today)
    demonstration = "demonstration" in answer or "demonstration" in country
    path = answer["page"].partition("//")[2].partition("/")[2]
    return VoivodeshipPricesPage(
        title=f"{fuel.name}: ceny, województwo {answer['area']['name']}",
        description=f"{fuel.name}, województwo {answer['area']['name']}: mediana cen w składach i liczba cen.",
        path=f"/{path}",
        crumbs=(Crumb.home(), prices_crumb(), Crumb(fuel.name, reverse("fuel-prices", args=[fuel.slug]))),
        demonstration=demonstration,
        indexed=not demonstration,
        data_path=f"{reverse('v1:fuel-prices', args=[fuel.slug])}?voivodeship={answer['area']['teryt']}",
        as_of=today,
        data_status=DEMONSTRATION_STATUS if demonstration else MEDIAN_STATUS,
        answer=answer,
        country=country,
        per_unit=PER_UNIT[fuel.unit],
        country_path=reverse("fuel-prices", args=[fuel.slug]),
        chart=chart(country["months"], reference=answer["median"]),
    )


def price_map(fuel: fuels.Fuel, rows: list[dict[str, Any]]) -> AreaMap | None:
    """The medians written into the voivodeships; hatched where there are too few prices for one."""
    medians = {row["voivodeship"]: row["median"] for row in rows}
    if not medians:
        return None

    def unit_of(slug: str, name: str) -> Unit:
        path = reverse("fuel-prices-voivodeship", args=[fuel.slug, slug])
        if slug not in medians:
            return Unit(path, f"województwo {name}: za mało cen", hatched=True)
        words = f"województwo {name}: {zloty(medians[slug])} {PER_UNIT[fuel.unit]}"
        return Unit(path, words, label=(amount(medians[slug], 0),))

    return pictures.country_map(unit_of)


def get_fuel(slug: str) -> fuels.Fuel:
    """A fuel by its slug. Raises Http404."""
    if slug not in fuels.BY_SLUG:
        raise Http404
    return fuels.BY_SLUG[slug]


def prices_crumb() -> Crumb:
    """The step to the list of all fuels."""
    return Crumb("Ceny opału", reverse("prices"))


def chart(months: list[dict[str, Any]], *, reference: float | None = None) -> MonthsChart | None:
    """The medians of the API's answer as a chart. reference: a level to compare them with."""
    return months_chart(
        [
            Month(int(row["month"][:4]) * 12 + int(row["month"][5:]) - 1, float(row["median"]), row["n"])
            for row in months
        ],
        reference=reference,
    )
