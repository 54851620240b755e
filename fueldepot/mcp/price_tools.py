"""Tools about prices."""

from datetime import date
from typing import Annotated, NotRequired

from pydantic import Field

from catalog.api.params import Voivodeship
from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.mcp.answers import Citation, Findings, each, part, pick, route_url, tool
from pages.prices.official import official_title
from prices.api.params import COUNTRY, FuelPricesQuery, SeriesQuery
from prices.api.price_answers import ArithmeticJson, FuelPricesJson, fuel_prices
from prices.api.series_answers import ObservedValueJson, describe_observation
from prices.queries import find_observations
from prices.series import BY_SLUG

MOST_NUMBERS = 6


class PriceQuery(FuelPricesQuery):
    hidden = ("values",)


class MethodQuery(FuelPricesQuery):
    hidden = ("values", "voivodeship")


PriceAnswer = part(
    FuelPricesJson,
    "fuel name median unit_name n window_from window_to quartile_1 quartile_3",
    area=str,
    bag_price=float | None,
)


@tool(
    "Current median price of a fuel in Poland or a voivodeship, from depots; never an official average. "
    "median_method says how it is made.",
    PriceAnswer,
)
def price(query: PriceQuery) -> Findings:
    prices = find_prices(query)
    content = pick(PriceAnswer, prices, area=prices["area"]["name"], bag_price=prices.get("bag_price"))
    return Findings(content, cite_prices(prices, query.on))


StepsAnswer = part(ArithmeticJson, "considered implausible superseded outliers")
MethodAnswer = part(FuelPricesJson, "fuel n method", steps=StepsAnswer)


@tool(
    "How the median price of a fuel is made: the steps in Polish, and how many prices each of them leaves out.",
    MethodAnswer,
)
def median_method(query: MethodQuery) -> Findings:
    prices = find_prices(query)
    content = pick(MethodAnswer, prices, steps=pick(StepsAnswer, prices["arithmetic"]))
    return Findings(content, cite_prices(prices, query.on))


def find_prices(query: FuelPricesQuery) -> FuelPricesJson:
    """Return the answer of the API. Raises FuelNotFound and VoivodeshipNotFound."""
    return fuel_prices(query.get_fuel(), on=query.on, voivodeship=query.voivodeship, window_months=query.window)


def cite_prices(prices: FuelPricesJson, on: date) -> Citation:
    """Return the citation of a median as of a day."""
    title = f"{prices['name']}: ceny, {prices['area']['name']}"
    source = prices["source"] or prices["method"].partition(".")[0]
    return Citation(title, prices["page"], on, [source], prices.get("demonstration", False))


class AveragesQuery(SeriesQuery):
    voivodeship: Annotated[
        Voivodeship,
        Field(description="A name, slug or 2-digit TERYT code of a voivodeship; without it Poland only."),
    ] = COUNTRY


AverageAnswer = part(ObservedValueJson, "area year price origin", series=str, unit=str)


@tool(
    "Official yearly averages of coal, electricity and gas by the statistical office GUS, the newest "
    f"{MOST_NUMBERS} at most. Of Poland only, unless voivodeship is given.",
    values=each(AverageAnswer),
    why_empty=NotRequired[str],
)
def official_average(query: AveragesQuery) -> Findings:
    """Return official yearly averages, newest first, each with its source; of Poland without a voivodeship."""
    rows = sorted(find_observations(query), key=lambda row: (-row.year, row.series))
    as_of = snapshot.changed_on(Dataset.Slug.SERIES)
    values = [
        pick(AverageAnswer, describe_observation(row, as_of), series=row.series, unit=BY_SLUG[row.series].unit)
        for row in rows
    ]
    content = {"values": values} | ({} if values else {"why_empty": "Tej liczby nie znamy."})
    sources = ["GUS; przy każdej liczbie `origin` mówi, skąd ją odczytano"]
    citation = Citation(official_title(), route_url("official-prices"), as_of, sources)
    return Findings(content, citation, rows=values, most=MOST_NUMBERS)
