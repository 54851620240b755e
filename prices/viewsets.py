"""Endpoints that tell prices. A whole depot is one of them: it carries its price list."""

import orjson
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from catalog import written
from catalog.answers import JSON, PublicViewSet
from catalog.held import Held
from catalog.models import Dataset
from catalog.params import read_depot_id
from prices import figures
from prices.params import FuelPricesQuery
from prices.queries import find_price_list, find_series
from prices.serializers import all_series, price_list_item

averages = Held(lambda: orjson.dumps(all_series(find_series())), Dataset.Slug.UNITS, Dataset.Slug.SERIES)
"""The answer of `/prices`, which takes no parameters."""


class FullStoreViewSet(PublicViewSet):
    """One depot with its price list."""

    def retrieve(self, request: Request, pk: str) -> HttpResponse:
        """Answer GET /stores/{id}."""
        depot = written.find(read_depot_id(pk))
        listed = find_price_list(depot.id, timezone.localdate())
        # Empty without prices of the last 12 months.
        body = depot.with_more("price_list", [price_list_item(price) for price in listed])
        return HttpResponse(body, content_type=JSON)


class SeriesViewSet(PublicViewSet):
    """Official yearly averages."""

    def list(self, request: Request) -> HttpResponse:
        """Answer GET /prices."""
        return HttpResponse(averages.current(), content_type=JSON)


class FuelPriceViewSet(PublicViewSet):
    """What a fuel costs now."""

    def retrieve(self, request: Request, fuel: str) -> HttpResponse:
        """Answer GET /prices/{fuel}."""
        query = FuelPricesQuery.parse(fuel, request.META["QUERY_STRING"])
        body = figures.read(query.fuel, voivodeship=query.voivodeship, values=query.values, today=timezone.localdate())
        # The answer is JSON already: nothing is left for a renderer to do.
        return HttpResponse(body, content_type=JSON)
