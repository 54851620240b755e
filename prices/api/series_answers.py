"""Answers about the series of the statistical office: their published fields, and the functions that make them."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, NotRequired, cast

from typing_extensions import TypedDict

from catalog.territory.snapshot import territory
from catalog.text import voivodeship_slug
from fueldepot.http.links import route_url
from fueldepot.http.query import EXAMPLE_SITE, Day, OneOf, Url, example, field
from prices import medians
from prices.api.params import COUNTRY, SeriesQuery
from prices.models import Observation
from prices.official_series import FIRST_YEAR, PERIOD, SERIES, SeriesKind, describe_origin, describe_source
from prices.snapshot import COUNTRY_KEY, Official, official

POLAND = "Polska"

AreaCode = Annotated[str, example("", "Empty for Poland, 2 digits for a voivodeship.", pattern="^([0-9]{2})?$")]
YearlyPrices = Annotated[
    dict[
        Annotated[str, field(f"A year, from {FIRST_YEAR}.", pattern="^[0-9]{4}$")],
        Annotated[float, example(887.3, "Price in the unit of the series.")],
    ],
    example({"2006": 491.54, "2018": 887.3}, "Prices by year, as published."),
]


def amount(price: Decimal) -> float:
    """Return an amount in zł, rounded to the grosz, as a JSON number."""
    return float(medians.rounded(price))


def number(price: Decimal | None) -> float | None:
    return None if price is None else amount(price)


class SeriesSourceJson(TypedDict):
    """The published series."""

    name: Annotated[str, example(describe_source(5088)["name"])]
    """Publisher and number of the statistical variable, or that the number is not known yet."""
    url: Annotated[Url, example(describe_source(5088)["url"])]
    """Address of the series."""


class ObservedValueJson(TypedDict):
    """One number of a series, with where it was read."""

    area: Annotated[str, example("Polska")]
    """What it covers: `Polska` or a voivodeship."""
    teryt: AreaCode
    year: Annotated[int, example(2018)]
    """The year."""
    price: Annotated[float, example(887.3, ge=0)]
    """Price in the unit of the series."""
    origin: Annotated[str, example("Monitor Polski, M.P.2019.49")]
    """Where it was read."""
    as_of: Annotated[Day | None, example("2026-11-20")]
    """Day on which the numbers of this service last changed; null when not known."""


def describe_observation(row: Observation, as_of: date | None) -> ObservedValueJson:
    return {
        "area": row.voivodeship.name if row.voivodeship else POLAND,
        "teryt": row.teryt,
        "year": row.year,
        "price": float(row.value),
        "origin": row.source,
        "as_of": as_of,
    }


class SeriesJson(TypedDict):
    """Yearly averages of the statistical office. They are separate data: never merge them with the medians."""

    name: Annotated[str, example(SERIES[0].name)]
    """Name of the series."""
    unit: Annotated[str, OneOf(*{kind.unit: None for kind in SERIES}), example(SERIES[0].unit)]
    """What the numbers are in."""
    period: Annotated[str, example(PERIOD)]
    """What a number covers."""
    poland: YearlyPrices
    voivodeships: Annotated[dict[str, YearlyPrices], example({"malopolskie": {"2006": 487.1, "2018": 880.2}})]
    """Prices of the voivodeships that the office has published, by slug."""
    source: SeriesSourceJson
    origins: list[Annotated[str, example("GUS, Bank Danych Lokalnych", doc="Where numbers of this series were read.")]]
    """Where the numbers themselves were read, in alphabetical order."""
    page: Annotated[Url, example(f"{EXAMPLE_SITE}/ceny/gus/")]
    """Page of the official averages."""
    values: NotRequired[list[ObservedValueJson]]
    """The numbers one by one, Poland first; only with `series`, `year` or `voivodeship`."""


def describe_series(kind: SeriesKind, observations: Iterable[Observation]) -> SeriesJson:
    """Return a series with those of its prices that are among some. Not rounded: a kWh costs fractions of a grosz."""
    rows = [row for row in observations if row.series_id == kind.slug]
    areas: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row in rows:
        areas[row.voivodeship.slug if row.voivodeship else ""][str(row.year)] = float(row.value)
    return {
        "name": kind.name,
        "unit": kind.unit,
        "period": PERIOD,
        "poland": areas.pop("", {}),
        "voivodeships": dict(areas),
        "source": cast("SeriesSourceJson", describe_source(official.get().variables[kind.slug])),
        "origins": sorted({row.source for row in rows}),
        "page": route_url("official-prices"),
    }


@lru_cache(maxsize=1)
def describe_all(averages: Official) -> dict[str, SeriesJson]:
    """Return every series with all its prices. Cached with its snapshot: they change once a year."""
    return {kind.slug: describe_series(kind, averages.observations) for kind in SERIES}


AllSeriesJson: Any = TypedDict("AllSeriesJson", {kind.slug: SeriesJson for kind in SERIES})  # type: ignore[misc]
AllSeriesJson.__doc__ = "Series of the statistical office by identifier."


class AverageSourceJson(TypedDict):
    """Where one figure was read."""

    name: Annotated[str, example("Monitor Polski, M.P.2019.49")]
    """Publisher, and who quotes it if it was read elsewhere."""
    url: Annotated[Url, example(describe_source(5088)["url"])]
    """Where it was read."""


class OfficialAverageJson(TypedDict):
    """The newest yearly average of the statistical office beside the median.

    Only for Poland and coal fuels; null while none is known. It never enters the median.
    """

    description: Annotated[
        str, example("Średnia roczna cena detaliczna węgla kamiennego w Polsce w 2022 r. według GUS.")
    ]
    """What the number is and of which year, in Polish."""
    year: Annotated[int, example(2018)]
    """Year of the average."""
    price: Annotated[float, example(887.3, ge=0)]
    """Average price of a tonne. In zł."""
    area: Annotated[str, example("Polska")]
    """What the average covers."""
    source: AverageSourceJson
    origin: Annotated[str, example("GUS, Bank Danych Lokalnych")]
    """Where the number itself was read."""


def describe_average(official: Observation, variable_id: int | None) -> OfficialAverageJson:
    return {
        "description": f"Średnia roczna cena detaliczna węgla kamiennego w Polsce w {official.year} r. według GUS. To "
        "osobne dane z tamtego roku: nie wchodzą do mediany i nie mówią o dzisiejszych cenach.",
        "year": official.year,
        "price": amount(official.value),
        "area": POLAND,
        "source": cast("AverageSourceJson", describe_origin(official.source, variable_id)),
        "origin": official.source,
    }


def find_observations(query: SeriesQuery) -> list[Observation]:
    """Return the official averages of a query by series, TERYT (Poland first) and year. Raises VoivodeshipNotFound."""
    if query.voivodeship is None or voivodeship_slug(query.voivodeship) == COUNTRY:
        teryt = None if query.voivodeship is None else COUNTRY_KEY
    else:
        teryt = territory.get().voivodeship(query.voivodeship).teryt
    return [
        row
        for row in official.get().observations
        if query.series in (None, row.series_id) and query.year in (None, row.year) and teryt in (None, row.teryt)
    ]
