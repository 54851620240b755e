"""Endpoints that tell prices. A whole depot is one of them: it carries its price list."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from catalog.params import read_depot_id
from catalog.queries import get_store
from prices import figures
from prices.params import FuelPricesQuery
from prices.queries import find_price_list, find_series
from prices.serializers import all_series, store_with_prices

JSON = "application/json"


class FullStoreViewSet(ViewSet):
    """One depot with its price list."""

    def retrieve(self, request: Request, pk: str) -> Response:
        """Answer GET /stores/{id}."""
        row = get_store(read_depot_id(pk))
        listed = find_price_list(row.id, timezone.localdate())
        return Response(store_with_prices(row, listed))


class SeriesViewSet(ViewSet):
    """Official yearly averages."""

    def list(self, request: Request) -> Response:
        """Answer GET /prices."""
        return Response(all_series(find_series()))


class FuelPriceViewSet(ViewSet):
    """What a fuel costs now. Public and always JSON, so of what DRF does before an answer only throttling is left."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Neither negotiate nor authenticate; an error is negotiated by DRF when it comes to that."""
        self.check_throttles(request)

    def retrieve(self, request: Request, fuel: str) -> HttpResponse:
        """Answer GET /prices/{fuel}."""
        query = FuelPricesQuery.parse(fuel, request.META["QUERY_STRING"])
        body = figures.read(query.fuel, voivodeship=query.voivodeship, values=query.values, today=timezone.localdate())
        # The answer is JSON already: nothing is left for a renderer to do.
        return HttpResponse(body, content_type=JSON)
