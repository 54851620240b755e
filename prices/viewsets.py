"""Endpoints that tell prices. A whole depot is one of them: it carries its price list."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from catalog.params import read_depot_id
from catalog.queries import get_store
from catalog.viewsets import CATALOG_CACHE
from prices.serializers import store_with_prices


class FullStoreViewSet(ViewSet):
    """One depot with its price list."""

    def retrieve(self, request: Request, pk: str) -> Response:
        """Answer GET /stores/{id}."""
        row = get_store(read_depot_id(pk))
        return Response(store_with_prices(row), headers={"Cache-Control": CATALOG_CACHE})
