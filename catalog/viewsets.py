"""The location endpoints of version 1: parse, look up in the snapshots, render."""

from django.http import HttpResponse
from rest_framework.request import Request

from catalog import serializers
from catalog.accepted import weights
from catalog.answers import JSON, PublicViewSet, json_answer
from catalog.depots.snapshot import DepotList, depots
from catalog.params import LocateQuery, LocationsQuery, StoreQuery
from catalog.suggestions import suggest_locations
from catalog.territory.snapshot import territory

GEOJSON = "application/geo+json"


def wants_geojson(query: StoreQuery, accept: str) -> bool:
    """Whether an answer is GeoJSON: by the parameter `format`, without it where Accept names it, no less than JSON."""
    if query.format is not None:
        return query.format == "geojson"
    if "geo+json" not in accept.lower():
        return False
    wanted = weights(accept)
    plain = next((wanted[kind] for kind in (JSON, "application/*", "*/*") if kind in wanted), 0.0)
    return 0 < wanted.get(GEOJSON, 0.0) >= plain


class LocationViewSet(PublicViewSet):
    """Municipalities, localities and postcodes for what somebody types."""

    def list(self, request: Request) -> HttpResponse:
        """Answer GET /locations."""
        query = LocationsQuery.parse(request.META["QUERY_STRING"])
        found = [serializers.suggestion(row) for row in suggest_locations(query.text)]
        return json_answer(found)


class LocateViewSet(PublicViewSet):
    """The municipality of a point."""

    def list(self, request: Request) -> HttpResponse:
        """Answer GET /locate."""
        query = LocateQuery.parse(request.META["QUERY_STRING"])
        municipality = territory.get().boundaries.get(query.point.lat, query.point.lon)
        return json_answer(serializers.located(municipality, query.point))


class StoreViewSet(PublicViewSet):
    """Depots of a unit or near a point."""

    def list(self, request: Request) -> HttpResponse:
        """Answer GET /stores, as JSON or GeoJSON."""
        query = StoreQuery.parse(request.META["QUERY_STRING"])
        geojson = wants_geojson(query, request.META.get("HTTP_ACCEPT", ""))
        listed = find_stores(query)
        found = serializers.stores(listed, depots.get())
        headers = {"X-Total-Count": str(listed.total)}
        if geojson:
            return json_answer(serializers.feature_collection(found), headers=headers, content_type=GEOJSON)
        return json_answer(found, headers=headers)


def find_stores(query: StoreQuery) -> DepotList:
    """Depots of a unit by name, or near a point by distance; then by id. Raises UnknownUnit and UnknownPostcode."""
    if query.teryt is not None:
        territory.get().check_unit(query.teryt)
        return depots.get().in_unit(query.teryt, fuel=query.fuel, limit=query.limit)
    point = query.point if query.postcode is None else territory.get().postcode(query.postcode).centre
    assert point is not None  # noqa: S101 - StoreQuery.parse has refused anything else
    return depots.get().near(point, radius_km=query.radius_km, fuel=query.fuel, limit=query.limit)
