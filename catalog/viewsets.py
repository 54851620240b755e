"""The location endpoints of version 1: parse, ask once, render."""

from django.http import HttpResponse
from rest_framework.request import Request

from catalog import serializers, written
from catalog.accepted import weights
from catalog.answers import JSON, PublicViewSet, json_answer
from catalog.boundaries import get_municipality_at
from catalog.params import LocateQuery, LocationsQuery, StoreQuery
from catalog.queries import find_point, find_stores, suggest_locations

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
        municipality = get_municipality_at(query.point.lat, query.point.lon)
        return json_answer(serializers.located(municipality, query.point))


class StoreViewSet(PublicViewSet):
    """Depots of a unit or near a point."""

    def list(self, request: Request) -> HttpResponse:
        """Answer GET /stores, as JSON or GeoJSON."""
        query = StoreQuery.parse(request.META["QUERY_STRING"])
        geojson = wants_geojson(query, request.META.get("HTTP_ACCEPT", ""))
        if query.teryt is None and query.fuel is None and not geojson:
            near = written.find_near(find_point(query), radius_km=query.radius_km, limit=query.limit)
            if near is not None:
                body = b"[%b]" % b",".join(near.depots)
                return HttpResponse(body, headers={"X-Total-Count": str(near.total)}, content_type=JSON)
        stores = find_stores(query)
        headers = {"X-Total-Count": str(stores.total)}
        found = [serializers.store(row) for row in stores.rows]
        if geojson:
            return json_answer(serializers.feature_collection(found), headers=headers, content_type=GEOJSON)
        return json_answer(found, headers=headers)
