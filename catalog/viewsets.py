"""The location endpoints of version 1: parse, ask once, render."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from catalog import serializers
from catalog.boundaries import get_municipality_at
from catalog.params import LocateQuery, LocationsQuery, StoreQuery
from catalog.queries import find_stores, suggest_locations

GEOJSON = "application/geo+json"


def wants_geojson(query: StoreQuery, accept: str) -> bool:
    """Whether an answer is GeoJSON: by the parameter `format`, and without it by the Accept header."""
    if query.format is not None:
        return query.format == "geojson"
    return GEOJSON in (entry.partition(";")[0].strip().lower() for entry in accept.split(","))


class LocationViewSet(ViewSet):
    """Municipalities, localities and postcodes for what somebody types."""

    def list(self, request: Request) -> Response:
        """Answer GET /locations."""
        query = LocationsQuery.parse(request.META["QUERY_STRING"])
        found = [serializers.suggestion(row) for row in suggest_locations(query.text)]
        return Response(found)


class LocateViewSet(ViewSet):
    """The municipality of a point."""

    def list(self, request: Request) -> Response:
        """Answer GET /locate."""
        query = LocateQuery.parse(request.META["QUERY_STRING"])
        municipality = get_municipality_at(query.point.lat, query.point.lon)
        return Response(serializers.located(municipality, query.point))


class StoreViewSet(ViewSet):
    """Depots of a unit or near a point."""

    def list(self, request: Request) -> Response:
        """Answer GET /stores, as JSON or GeoJSON."""
        query = StoreQuery.parse(request.META["QUERY_STRING"])
        stores = find_stores(query)
        headers = {"X-Total-Count": str(stores.total)}
        found = [serializers.store(row) for row in stores.rows]
        if wants_geojson(query, request.META.get("HTTP_ACCEPT", "")):
            return Response(serializers.feature_collection(found), headers=headers, content_type=GEOJSON)
        return Response(found, headers=headers)
