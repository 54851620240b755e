"""Endpoints of prices, including the whole depot with its price list."""

from typing import Annotated

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from typing_extensions import TypedDict

from catalog.api.depot_answers import StoreJson, describe_depot
from catalog.api.params import DepotQuery
from catalog.api.views import DEPOTS
from catalog.depots import fuels
from catalog.depots.snapshot import depots
from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.http.query import Day, example, field
from fueldepot.http.views import JsonViewSet, answers, json_response, samples
from prices import medians
from prices.api.params import FuelPricesQuery, SeriesQuery
from prices.api.price_answers import FuelName, FuelPricesJson, PricedFuel, Unit, UnitName, find_prices
from prices.api.series_answers import (
    AllSeriesJson,
    amount,
    describe_all,
    describe_observation,
    describe_series,
    find_observations,
)
from prices.medians import PRICE_LIST_MONTHS
from prices.official_series import FIRST_YEAR, SERIES
from prices.snapshot import ListedPrice, official, prices


class PriceListItemJson(TypedDict):
    """The newest price of a fuel at a depot. Confirm it at the depot."""

    fuel: PricedFuel
    name: FuelName
    price: Annotated[float, example(1650.0, ge=0)]
    """Price per unit. In zł."""
    unit: Unit
    unit_name: UnitName
    date: Annotated[Day, example("2026-10-03")]
    """Day of the price."""


class FullStoreJson(StoreJson):
    """A fuel depot with its price list."""

    price_list: Annotated[
        list[PriceListItemJson],
        field(f"The newest approved price of each fuel from the last {PRICE_LIST_MONTHS} months; empty without any."),
    ]


def describe_price(listed: ListedPrice) -> PriceListItemJson:
    fuel = fuels.BY_SLUG[listed.fuel]
    return {
        "fuel": fuel.slug,
        "name": fuel.name,
        "price": amount(listed.price),
        "unit": fuel.unit,
        "unit_name": fuels.UNIT_NAMES[fuel.unit],
        "date": listed.day,
    }


PRICES = "prices"


class FullStoreViewSet(JsonViewSet):
    @extend_schema(
        operation_id="getStore",
        tags=[DEPOTS],
        summary="One depot with its price list",
        description="404 also for a depot that was removed; its page then tells the reason with status 410.",
        parameters=DepotQuery.parameters("id"),
        responses=answers(FullStoreJson, "The depot."),
        extensions=samples(
            ("One depot", '"/api/v1/stores/1"'),
            polish="Jeden skład ze wszystkimi polami i cennikiem: najnowszą ceną każdego paliwa z ostatnich "
            f"{PRICE_LIST_MONTHS} miesięcy.",
        ),
    )
    def retrieve(self, request: Request, pk: str) -> HttpResponse:
        query = self.read(DepotQuery, request, id=pk)
        depot = depots.get().get(query.id)
        listed = prices.get().price_list(depot.id, timezone.localdate())
        answer: FullStoreJson = {**describe_depot(depot), "price_list": [describe_price(price) for price in listed]}
        return json_response(answer)


class SeriesViewSet(JsonViewSet):
    @extend_schema(
        operation_id="getOfficialPrices",
        tags=[PRICES],
        summary="Official yearly averages",
        description=(
            "Average retail prices of hard coal, electricity (tariff G11) and gas (tariff W-1.1) by the statistical "
            f"office, for Poland and the voivodeships, from {FIRST_YEAR} as far as they are known. With a parameter "
            "only the numbers that it asks for, and then `values` says of each where it was read."
        ),
        parameters=SeriesQuery.parameters(),
        responses=answers(AllSeriesJson, "The series."),
        extensions=samples(
            ("All series", '"/api/v1/prices"'),
            ("Electricity in 2019", '"/api/v1/prices?series=prad-g11&year=2019&voivodeship=polska"'),
            polish="Średnie roczne ceny węgla kamiennego, prądu (G11) i gazu (W-1.1) według GUS: Polska i województwa.",
        ),
    )
    def retrieve(self, request: Request) -> HttpResponse:
        query = self.read(SeriesQuery, request)
        if not query.model_fields_set:
            return json_response(describe_all(official.get()))
        chosen, as_of = find_observations(query), snapshot.current().changed_on(Dataset.Slug.SERIES)
        answer = {kind.slug: describe_series(kind, chosen) for kind in SERIES}
        for slug, body in answer.items():
            body["values"] = [describe_observation(row, as_of) for row in chosen if row.series_id == slug]
        return json_response(answer)


class FuelPriceViewSet(JsonViewSet):
    @extend_schema(
        operation_id="getFuelPrices",
        tags=[PRICES],
        summary="What a fuel costs now",
        description=(
            f"Median of the approved prices of the last {medians.WINDOW_MONTHS} months, or of `window`: depot price "
            "lists, and submissions of readers after moderation. One depot counts as one price, its newest; prices "
            "outside a plausible range and outliers are rejected; a median is given from "
            f"{medians.FEWEST_FOR_MEDIAN} prices. "
            "Without `voivodeship` the answer covers Poland, with a breakdown by voivodeship. Both have the medians of "
            "the months, from which no outliers are rejected."
        ),
        parameters=FuelPricesQuery.parameters("fuel"),
        responses=answers(FuelPricesJson, "The prices."),
        extensions=samples(
            ("Pellet in Poland, with every price", '"/api/v1/prices/pellet?values=true"'),
            ("Pellet in a voivodeship", '"/api/v1/prices/pellet?voivodeship=malopolskie"'),
            polish=f"Mediana cen paliwa w składach z ostatnich {medians.WINDOW_MONTHS} miesięcy, od "
            f"{medians.FEWEST_FOR_MEDIAN} cen; także według miesięcy, dla kraju i według województw.",
        ),
    )
    def retrieve(self, request: Request, fuel: str) -> HttpResponse:
        return json_response(find_prices(self.read(FuelPricesQuery, request, fuel=fuel)))
