"""Endpoints that tell prices. A whole depot is one of them: it carries its price list."""

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from catalog.answers import PublicViewSet, json_answer
from catalog.depots.snapshot import DepotList, depots
from catalog.params import read_depot_id
from catalog.serializers import stores
from prices.params import FuelPricesQuery
from prices.queries import fuel_prices
from prices.serializers import all_series, price_list_item
from prices.snapshot import official, prices


class FullStoreViewSet(PublicViewSet):
    """One depot with its price list."""

    def retrieve(self, request: Request, pk: str) -> HttpResponse:
        """Answer GET /stores/{id}."""
        known = depots.get()
        (depot,) = stores(DepotList([known.get(read_depot_id(pk))], 1), known)
        listed = prices.get().price_list(depot["id"], timezone.localdate())
        # Empty without prices of the last 12 months.
        return json_answer({**depot, "price_list": [price_list_item(price) for price in listed]})


class SeriesViewSet(PublicViewSet):
    """Official yearly averages."""

    def list(self, request: Request) -> HttpResponse:
        """Answer GET /prices."""
        return json_answer(all_series(official.get().series))


class FuelPriceViewSet(PublicViewSet):
    """What a fuel costs now."""

    def retrieve(self, request: Request, fuel: str) -> HttpResponse:
        """Answer GET /prices/{fuel}."""
        query = FuelPricesQuery.parse(fuel, request.META["QUERY_STRING"], today=timezone.localdate())
        return json_answer(fuel_prices(query.fuel, on=query.on, voivodeship=query.voivodeship, values=query.values))
