"""Endpoints of prices, including the whole depot with its price list."""

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from catalog.api.openapi_parameters import DEPOT_ID
from catalog.api.params import read_depot_id
from catalog.api.views import DEPOTS
from catalog.depots.snapshot import depots
from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.http.samples import samples
from fueldepot.http.views import JSON, JsonViewSet, json_response
from prices import medians
from prices.api.depot_serializers import FullStoreSerializer, PricedDepot
from prices.api.openapi_parameters import FUEL, FuelPricesParameters, SeriesParameters
from prices.api.params import FuelPricesQuery, SeriesQuery
from prices.api.responses import fuel_prices
from prices.api.serializers import FuelPricesSerializer
from prices.api.series_serializers import AllSeriesSerializer
from prices.queries import find_observations
from prices.series import FIRST_YEAR
from prices.snapshot import official, prices, series_rows

PRICES = "prices"


class FullStoreViewSet(JsonViewSet):
    """One depot with its price list."""

    @extend_schema(
        operation_id="getStore",
        tags=[DEPOTS],
        summary="One depot with its price list",
        description="404 also for a depot that was removed; its page then tells the reason with status 410.",
        parameters=[DEPOT_ID],
        responses={(200, JSON): OpenApiResponse(FullStoreSerializer, "The depot.")},
        extensions=samples(("One depot", '"/api/v1/stores/1"')),
    )
    def retrieve(self, request: Request, pk: str) -> HttpResponse:
        """Answer GET /stores/{id}."""
        known = depots.get()
        depot = known.get(read_depot_id(pk))
        listed = prices.get().price_list(depot.id, timezone.localdate())
        store = FullStoreSerializer(PricedDepot(depot, listed), context={"bodies": known.bodies})
        return json_response(store.data)


class SeriesViewSet(JsonViewSet):
    """Official yearly averages."""

    @extend_schema(
        operation_id="getOfficialPrices",
        tags=[PRICES],
        summary="Official yearly averages",
        description=(
            "Average retail prices of hard coal, electricity (tariff G11) and gas (tariff W-1.1) by the statistical "
            f"office, for Poland and the voivodeships, from {FIRST_YEAR} as far as they are known. With a parameter "
            "only the numbers that it asks for, and then `values` says of each where it was read."
        ),
        parameters=[SeriesParameters],
        responses={(200, JSON): OpenApiResponse(AllSeriesSerializer, "The series.")},
        extensions=samples(
            ("All series", '"/api/v1/prices"'),
            ("Electricity in 2019", '"/api/v1/prices?series=prad-g11&year=2019&voivodeship=polska"'),
        ),
    )
    def retrieve(self, request: Request) -> HttpResponse:
        """Answer GET /prices."""
        query = SeriesQuery.parse(self.params)
        known = official.get()
        if not query.narrows:
            return json_response(AllSeriesSerializer(known.series).data)
        chosen = find_observations(query)
        series = {slug: series_rows(slug, chosen, known.variables) for slug in known.series}
        context = {"values": chosen, "as_of": snapshot.changed_on(Dataset.Slug.SERIES)}
        return json_response(AllSeriesSerializer(series, context=context).data)


class FuelPriceViewSet(JsonViewSet):
    """What a fuel costs now."""

    @extend_schema(
        operation_id="getFuelPrices",
        tags=[PRICES],
        summary="What a fuel costs now",
        description=(
            f"Median of the approved prices of the last {medians.WINDOW_MONTHS} months: depot price lists, and "
            "submissions of readers after moderation. One depot counts as one price, its newest; prices outside a "
            f"plausible range and outliers are rejected; a median is given from {medians.FEWEST_FOR_MEDIAN} prices. "
            "Without `voivodeship` the answer covers Poland, with a breakdown by voivodeship. Both have the medians of "
            "the months, which know no outliers."
        ),
        parameters=[FUEL, FuelPricesParameters],
        responses={(200, JSON): OpenApiResponse(FuelPricesSerializer, "The prices.")},
        extensions=samples(
            ("Pellet in Poland, with every price", '"/api/v1/prices/pellet?values=true"'),
            ("Pellet in a voivodeship", '"/api/v1/prices/pellet?voivodeship=malopolskie"'),
        ),
    )
    def retrieve(self, request: Request, fuel: str) -> HttpResponse:
        """Answer GET /prices/{fuel}."""
        query = FuelPricesQuery.parse(fuel, self.params, today=timezone.localdate())
        return json_response(fuel_prices(query.fuel, on=query.on, voivodeship=query.voivodeship, values=query.values))
