"""Answers of `/prices/{fuel}`: their published fields, what makes them, and sentences on the method of the median.

Amounts are złoty to two decimals.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, NotRequired
from urllib.parse import urlencode

from django.utils import timezone
from typing_extensions import TypedDict

from catalog.api.place_answers import VoivodeshipCode, VoivodeshipName, VoivodeshipSlug
from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from catalog.models import Voivodeship
from catalog.territory.snapshot import territory
from catalog.text import zloty_range
from fueldepot.http.links import route_url
from fueldepot.http.query import EXAMPLE_SITE, Day, OneOf, Url, example, field
from prices import medians
from prices.api.params import FuelPricesQuery, day_and_window
from prices.api.series_answers import POLAND, AreaCode, OfficialAverageJson, amount, describe_average, number
from prices.medians import Month, PriceStatistics, Range, grosze_within, zloty
from prices.snapshot import official, prices

FEWEST = medians.FEWEST_FOR_MEDIAN
ONLY_COUNTRY = "null in answers about a voivodeship"
NULL = f"null below {FEWEST} prices, and {ONLY_COUNTRY}."
BAGGED = ", ".join(f"`{fuel.slug}`" for fuel in fuels.FUELS if fuel.bag_kg)
BAG_PRICE = f"Price of one bag in zł: median × `bag_kg` / 1000. Comes with `bag_kg`; null below {FEWEST} prices."
VOIVODESHIPS = f"Voivodeships with at least {FEWEST} prices, by TERYT code. Only for Poland."
MONTHS = (
    f"Of the last {medians.MONTHS_SHOWN} calendar months those with at least {FEWEST} prices, oldest first. Of a "
    "voivodeship, those with as many of its own."
)
VALUES = (
    f"Prices that the country's median is computed from, ascending, without depots; empty below {FEWEST}. Only with "
    "`values` true, and only for Poland."
)

DEMONSTRATION = "Dane demonstracyjne"
ORIGIN = "Zatwierdzone ceny ze składów: cenniki składów i zgłoszenia czytelników po moderacji"
OF_VOIVODESHIP = "Medianę województwa liczymy z tych jego cen, które weszły do mediany krajowej."
INVENTED_ORIGIN = f"{DEMONSTRATION}: ceny zmyślone, służą tylko do wypróbowania serwisu"
PAGE_PARAMETERS = ("dzien", "okres")
"""Parameters of the pages of a fuel for the day and the window."""

TOO_FEW = f"medianę podajemy od {medians.FEWEST_FOR_MEDIAN} cen"
"""Why there is no median of fewer; a step of the method."""

PricedFuel = Annotated[str, OneOf(*fuels.BY_SLUG), example("pellet", "Slug of the fuel.")]
FuelName = Annotated[str, OneOf(*(fuel.name for fuel in fuels.FUELS)), example("Pellet", "Display name of the fuel.")]
Median = Annotated[float, example(1640.0, "Median. In zł.", ge=0)]
PriceCount = Annotated[int, example(12, "Number of prices behind the median, one for each depot.", ge=FEWEST)]
Unit = Annotated[
    str, OneOf(*fuels.UNIT_NAMES), example("t", "What a price is per: `t` a tonne, `mp` a stacked cubic metre.")
]
UnitName = Annotated[str, OneOf(*fuels.UNIT_NAMES.values()), example("tona", "Polish name of the unit.")]


class AreaJson(TypedDict):
    """What the numbers cover."""

    level: Annotated[str, OneOf("poland", "voivodeship"), example("poland")]
    """Level of the area."""
    name: Annotated[str, example("Polska")]
    """Name of the area."""
    teryt: AreaCode


class VoivodeshipMedianJson(TypedDict):
    """Median of a voivodeship."""

    voivodeship: VoivodeshipSlug
    teryt: VoivodeshipCode
    median: Median
    n: PriceCount
    name: VoivodeshipName


class MonthMedianJson(TypedDict):
    """Median of a calendar month."""

    month: Annotated[str, example("2026-10", pattern="^[0-9]{4}-(0[1-9]|1[0-2])$")]
    """Month, YYYY-MM."""
    median: Median
    n: PriceCount
    complete: Annotated[bool, example(True)]
    """False for the month that the day of the answer lies in: its median may still change."""


class PriceRangeJson(TypedDict):
    """A range of prices, both ends included. As `fences`: Tukey's outer fences, null where too few prices are left."""

    low: Annotated[float, example(1050.0)]
    """Lowest price, in zł."""
    high: Annotated[float, example(2240.0)]
    """Highest price, in zł."""


def describe_range(limits: Range) -> PriceRangeJson:
    return {"low": amount(limits.low), "high": amount(limits.high)}


class ArithmeticJson(TypedDict):
    """The steps to the median in numbers: considered - implausible - superseded - outliers = n. Only for Poland."""

    considered: Annotated[int, example(722, ge=0)]
    """Approved prices in the window."""
    plausible_range: Annotated[dict[str, PriceRangeJson], example({"pellet": {"low": 600.0, "high": 4000.0}})]
    """Plausible range by slug of the fuel and its assortments."""
    implausible: Annotated[int, example(5, ge=0)]
    """Prices outside the plausible range."""
    superseded: Annotated[int, example(31, ge=0)]
    """Prices that a newer one of the same depot replaces."""
    fences: PriceRangeJson | None
    outliers: Annotated[int, example(7, ge=0)]
    """Prices beyond the fences."""


def describe_arithmetic(figures: PriceStatistics, ranges: Mapping[str, Range]) -> ArithmeticJson:
    return {
        "considered": figures.considered,
        "plausible_range": {slug: describe_range(limits) for slug, limits in ranges.items()},
        "implausible": figures.implausible,
        "superseded": figures.superseded,
        "fences": figures.fences and describe_range(Range(*map(zloty, grosze_within(figures.fences)))),
        "outliers": figures.outliers,
    }


# In functional syntax, because `from` is a keyword of Python.
PriceWindowJson = TypedDict(
    "PriceWindowJson",
    {"from": Annotated[Day | None, example("2026-05-21", f"First day of the price window; {ONLY_COUNTRY}.")]},
)


class FuelPricesJson(PriceWindowJson):
    """What a fuel costs now: medians of approved prices. Quote them with the address in `page` and the day in `to`."""

    fuel: PricedFuel
    name: FuelName
    area: AreaJson
    unit: Unit
    unit_name: UnitName
    window_months: Annotated[int, OneOf(*medians.WINDOWS), example(medians.WINDOW_MONTHS)]
    """Length of the price window in calendar months."""
    to: Annotated[Day | None, example("2026-11-21", f"Last day of the price window; {ONLY_COUNTRY}.")]
    n: Annotated[int, example(679, ge=0)]
    """Number of prices that count, one for each depot."""
    median: Annotated[float | None, example(1640.0, f"Median in zł per unit; null below {FEWEST} prices.", ge=0)]
    quartile_1: Annotated[float | None, example(1560.0, f"First quartile in zł, by linear interpolation; {NULL}", ge=0)]
    quartile_3: Annotated[float | None, example(1730.0, f"Third quartile in zł, by linear interpolation; {NULL}", ge=0)]
    min: Annotated[float | None, example(1390.0, f"Lowest price that counts, in zł; {NULL}", ge=0)]
    max: Annotated[float | None, example(1950.0, f"Highest price that counts, in zł; {NULL}", ge=0)]
    price_lists: Annotated[
        int | None, example(478, f"How many of the prices come from depot price lists; {ONLY_COUNTRY}.", ge=0)
    ]
    submissions: Annotated[int | None, example(201, f"How many of the prices come from readers; {ONLY_COUNTRY}.", ge=0)]
    source: Annotated[
        str | None, example("Zatwierdzone ceny ze składów", f"Origin of the prices, in Polish; {ONLY_COUNTRY}.")
    ]
    method: Annotated[str, example(f"Mediana zatwierdzonych cen z ostatnich {medians.WINDOW_MONTHS} miesięcy")]
    """How the median came about, in Polish."""
    page: Annotated[Url, example(f"{EXAMPLE_SITE}/ceny/pellet/")]
    """Page with the prices of the fuel, with `?dzien=` of a past day."""
    rejected: NotRequired[Annotated[int, example(12, ge=0)]]
    """Number of prices rejected: outside the plausible range, or outliers. Only for Poland."""
    bag_kg: NotRequired[
        Annotated[float, example(15, f"Usual weight of a bag in kg. Only for Poland and for {BAGGED}.")]
    ]
    bag_price: NotRequired[Annotated[float | None, example(24.6, BAG_PRICE)]]
    voivodeships: NotRequired[Annotated[list[VoivodeshipMedianJson], field(VOIVODESHIPS)]]
    months: NotRequired[Annotated[list[MonthMedianJson], field(MONTHS)]]
    gus: NotRequired[OfficialAverageJson | None]
    arithmetic: NotRequired[ArithmeticJson]
    values: NotRequired[
        Annotated[list[Annotated[float, example(1640.0, "A price that counts. In zł.", ge=0)]], field(VALUES)]
    ]
    window_from: Annotated[Day, example("2026-05-21")]
    """First day of the price window."""
    window_to: Annotated[Day, example("2026-11-21")]
    """Last day of the price window."""
    demonstration: NotRequired[Annotated[bool, example(True)]]
    """True while an invented price counts; absent otherwise."""


def find_prices(query: FuelPricesQuery) -> FuelPricesJson:
    """Return the answer to a query. Raises FuelNotFound and VoivodeshipNotFound."""
    return fuel_prices(
        query.get_fuel(), on=query.on, voivodeship=query.voivodeship, values=query.values, window_months=query.window
    )


def fuel_prices(
    fuel: Fuel,
    *,
    on: date,
    voivodeship: str | None = None,
    values: bool = False,
    window_months: int = medians.WINDOW_MONTHS,
) -> FuelPricesJson:
    """Return the answer as of a day. voivodeship: slug or 2 digits, None for Poland. Raises VoivodeshipNotFound."""
    figures = prices.get().figures(fuel.slug, on, window_months)
    ranges = prices.get().ranges_of(fuel.slug)
    if voivodeship is None:
        body = describe_country(fuel, figures, ranges)
        if values:
            accepted = figures.accepted if figures.country.median is not None else []
            body["values"] = [amount(zloty(grosze)) for grosze in accepted]
    else:
        body = describe_voivodeship(fuel, figures, ranges, territory.get().voivodeship(voivodeship))
    if figures.demonstration:
        body["demonstration"] = True
    return body


def all_fuel_prices(on: date) -> dict[str, FuelPricesJson]:
    """Return the answers for Poland by fuel, in the order of the catalog."""
    return {fuel.slug: fuel_prices(fuel, on=on) for fuel in fuels.FUELS}


def describe_country(fuel: Fuel, figures: PriceStatistics, ranges: Mapping[str, Range]) -> FuelPricesJson:
    """Return the answer for Poland without `values`. `gus` is null for a coal fuel without a known average."""
    summary = figures.country
    body: FuelPricesJson = {
        "fuel": fuel.slug,
        "name": fuel.name,
        "area": {"level": "poland", "name": POLAND, "teryt": ""},
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "window_months": figures.window_months,
        "from": figures.start,
        "to": figures.end,
        "n": summary.n,
        "median": number(summary.median),
        "quartile_1": number(summary.quartile_1),
        "quartile_3": number(summary.quartile_3),
        "min": number(summary.min),
        "max": number(summary.max),
        "price_lists": figures.price_lists,
        "submissions": summary.n - figures.price_lists,
        "source": INVENTED_ORIGIN if figures.demonstration else ORIGIN,
        "method": describe_method(fuel, ranges, figures),
        "page": page_url(fuel, figures),
        "rejected": figures.implausible + figures.outliers,
        "voivodeships": describe_areas(figures),
        "months": describe_months(figures.months, figures.end),
        "arithmetic": describe_arithmetic(figures, ranges),
        "window_from": figures.start,
        "window_to": figures.end,
    }
    if fuel.bag_kg is not None:
        median = summary.median
        body["bag_kg"] = fuel.bag_kg
        body["bag_price"] = None if median is None else number(medians.bag_price(median, fuel.bag_kg))
    if fuel.slug in fuels.COALS:
        average, numbers = official.get().latest_coal, official.get().variables
        body["gus"] = describe_average(average, numbers[average.series_id]) if average else None
    return body


def describe_voivodeship(
    fuel: Fuel, figures: PriceStatistics, ranges: Mapping[str, Range], unit: Voivodeship
) -> FuelPricesJson:
    """Return the answer for a voivodeship. Its median is of those prices that are accepted for Poland."""
    summary = figures.of_voivodeship(unit.teryt)
    months = prices.get().months_of_areas(fuel.slug, figures.end).get(unit.teryt, ())
    return {
        "fuel": fuel.slug,
        "name": fuel.name,
        "area": {"level": "voivodeship", "name": unit.name, "teryt": unit.teryt},
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "window_months": figures.window_months,
        "from": None,
        "to": None,
        "n": summary.n,
        "median": number(summary.median),
        "quartile_1": None,
        "quartile_3": None,
        "min": None,
        "max": None,
        "price_lists": None,
        "submissions": None,
        "source": None,
        "method": f"{describe_method(fuel, ranges, figures)} {OF_VOIVODESHIP}",
        "page": page_url(fuel, figures, unit),
        "months": describe_months(months, figures.end),
        "window_from": figures.start,
        "window_to": figures.end,
    }


def page_url(fuel: Fuel, figures: PriceStatistics, unit: Voivodeship | None = None) -> str:
    """Return the address of the page with the same day and window. unit: None for Poland."""
    query = day_and_window(PAGE_PARAMETERS, figures.end, figures.window_months, timezone.localdate())
    url = route_url("fuel-prices-voivodeship", fuel.slug, unit.slug) if unit else route_url("fuel-prices", fuel.slug)
    return f"{url}?{urlencode(query)}" if query else url


def describe_areas(figures: PriceStatistics) -> list[VoivodeshipMedianJson]:
    units = territory.get().voivodeships
    return [
        {
            "voivodeship": units[teryt].slug,
            "teryt": teryt,
            "median": float(summary.median),
            "n": summary.n,
            "name": units[teryt].name,
        }
        for teryt, summary in figures.voivodeships.items()
        if summary.median is not None
    ]


def describe_months(months: Sequence[Month], day: date) -> list[MonthMedianJson]:
    """Return the medians of months. day: of the answer; its month is incomplete."""
    incomplete = f"{day:%Y-%m}"
    return [
        {"month": month.month, "median": float(month.median), "n": month.n, "complete": month.month < incomplete}
        for month in months
    ]


def describe_method(fuel: Fuel, ranges: Mapping[str, Range], figures: PriceStatistics) -> str:
    """Describe the steps to the median. ranges: of the fuel and its assortments; without any, no step names them."""
    beginning = f"{DEMONSTRATION}: ceny są zmyślone. " if figures.demonstration else ""
    several = len(fuels.assortments(fuel.slug)) > 1
    same = " (gdy tego dnia ma ceny kilku sortymentów, z ich medianą)" if several else ""
    steps = [
        f"każdy skład liczy się raz, z najnowszą ceną{same}, a jednego dnia cennik ma pierwszeństwo przed zgłoszeniem",
        f"gdy zostaje co najmniej {medians.FEWEST_FOR_FENCES} cen, odrzucamy odstające, czyli położone dalej "
        f"niż {medians.FENCE} rozstępy ćwiartkowe poza kwartylami kraju",
        TOO_FEW,
    ]
    if ranges:
        steps.insert(0, f"odrzucamy ceny spoza {describe_plausible(fuel, ranges)}")
    numbered = "; ".join(f"{number}) {step}" for number, step in enumerate(steps, 1))
    return (
        f"{beginning}Mediana zatwierdzonych cen z ostatnich {figures.window_months} miesięcy: z cenników składów "
        f"i ze zgłoszeń czytelników po moderacji. Kroki: {numbered}. Średnie GUS są osobnymi danymi i nigdy nie "
        "wchodzą do mediany."
    )


def describe_plausible(fuel: Fuel, ranges: Mapping[str, Range]) -> str:
    """Return the plausible range, in the genitive. ranges: of the fuel and its assortments, at least one."""
    slugs = fuels.assortments(fuel.slug)
    if len(slugs) > 1:
        where_known = "" if ranges.keys() >= set(slugs) else ", o ile go ustalono"
        return f"wiarygodnego przedziału dla danego paliwa{where_known}"
    own = ranges[fuel.slug]
    return f"wiarygodnego przedziału ({zloty_range(own.low, own.high)} {fuel.per_unit})"
