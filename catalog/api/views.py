"""Views of the location endpoints of API version 1: parse, look up in the snapshots, answer."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from catalog.api import place_answers
from catalog.api.depot_answers import StoreFeatureCollectionJson, StoreJson, describe_features, encode_depots
from catalog.api.params import (
    LocateQuery,
    LocationsQuery,
    MunicipalitiesQuery,
    MunicipalityJsonQuery,
    MunicipalityQuery,
    PostcodeQuery,
    StoreListQuery,
    StoreQuery,
)
from catalog.depots.snapshot import DepotList, depots
from catalog.search.index import MAX_SUGGESTIONS
from catalog.territory.boundaries import SNAP_DISTANCE_M
from catalog.territory.snapshot import territory
from fueldepot.http.links import link_pages
from fueldepot.http.views import GEOJSON, JSON, JsonViewSet, answers, json_response, prefers, samples

PLACES, DEPOTS = "places", "depots"


def wants_geojson(form: str | None, accept: str) -> bool:
    """Whether to answer with GeoJSON: by `format`, else if Accept prefers it to JSON or ranks it the same."""
    return form == "geojson" if form is not None else prefers(accept, GEOJSON, over=JSON)


class LocationViewSet(JsonViewSet):
    @extend_schema(
        operation_id="findLocations",
        tags=[PLACES],
        summary="Find municipalities, localities and postcodes",
        description=(
            f"At most {MAX_SUGGESTIONS} suggestions for what somebody types: exact names before prefixes before "
            "fragments, municipalities before localities, a well-known town that begins with the text before hamlets "
            "of exactly that name. Works without Polish diacritics, and with fragments of postcodes (`30-0`). Words "
            "may come in any order and abbreviated; a municipality, county or voivodeship beside a name narrows "
            "(`debno woj. malopolskie`); streets, house numbers and fuels are left out. Up to two edits are forgiven "
            "where nothing fits as typed. An empty list when nothing fits."
        ),
        parameters=LocationsQuery.parameters(),
        responses=answers(place_answers.LocationJson, "Suggestions, the best first."),
        extensions=samples(
            ("Places that begin with zakop", '"/api/v1/locations?q=zakop"'),
            ("A fragment of a postcode", '"/api/v1/locations?q=34-50"'),
            polish=f"Gminy, miejscowości i kody pocztowe pasujące do wpisanego tekstu, najwyżej {MAX_SUGGESTIONS}.",
        ),
    )
    def list(self, request: Request) -> HttpResponse:
        query = self.read(LocationsQuery, request)
        suggested = territory.get().search.suggest(query.q)
        return json_response([place_answers.describe_suggestion(row) for row in suggested.found])


class LocateViewSet(JsonViewSet):
    @extend_schema(
        operation_id="locate",
        tags=[PLACES],
        summary="Find the municipality of a point",
        description=(
            "On a shared border the lower TERYT code answers. "
            f"Up to {SNAP_DISTANCE_M:.0f} m outside every boundary the nearest "
            "municipality answers; farther away the answer is 404."
        ),
        parameters=LocateQuery.parameters(),
        responses=answers(place_answers.LocatedMunicipalityJson, "The municipality."),
        extensions=samples(
            ("The municipality of a point in Zakopane", '"/api/v1/locate?lat=49.2992&lon=19.9496"'),
            polish="Gmina, w której leży punkt.",
        ),
    )
    def retrieve(self, request: Request) -> HttpResponse:
        query = self.read(LocateQuery, request)
        return json_response(place_answers.describe_located(territory.get().boundaries, query.point))


class MunicipalityViewSet(JsonViewSet):
    @extend_schema(
        operation_id="listMunicipalities",
        tags=[PLACES],
        summary="Municipalities of a unit with the number of their depots",
        description="The municipalities of a voivodeship or county, by TERYT code, also those without a depot.",
        parameters=MunicipalitiesQuery.parameters(),
        responses=answers(place_answers.CountedMunicipalityJson, "The municipalities."),
        extensions=samples(
            ("The county of Zakopane", '"/api/v1/municipalities?county=1217"'),
            polish="Gminy województwa albo powiatu z liczbą składów, także według paliw.",
        ),
    )
    def list(self, request: Request) -> HttpResponse:
        return json_response(count_by_municipality(self.read(MunicipalitiesQuery, request)))

    @extend_schema(
        operation_id="getMunicipality",
        tags=[PLACES],
        summary="One municipality: where it is, and what is known of it",
        description=(
            "404 also for a code that has left the register, and for one of a part of a municipality (a town, a rural "
            "area, a district); the message then names the municipality to ask for."
        ),
        parameters=MunicipalityJsonQuery.parameters("teryt"),
        responses=answers(place_answers.MunicipalityJson, "The municipality."),
        extensions=samples(
            ("Zakopane", '"/api/v1/municipalities/1217011"'),
            polish="Jedna gmina: rodzaj, powiat i województwo, położenie, kody pocztowe i liczba składów.",
        ),
    )
    def retrieve(self, request: Request, teryt: str) -> HttpResponse:
        query = self.read(MunicipalityJsonQuery, request, teryt=teryt)
        geojson = wants_geojson(query.format, request.META.get("HTTP_ACCEPT", ""))
        return answer_municipality(query, geojson=geojson, brief=query.brief)

    @extend_schema(
        operation_id="getMunicipalityArea",
        tags=[PLACES],
        summary="One municipality with its area, as GeoJSON",
        description="What `/municipalities/{teryt}` says, as the properties of a feature with the municipality's area.",
        parameters=MunicipalityQuery.parameters("teryt"),
        responses=answers(place_answers.MunicipalityFeatureJson, "The municipality.", GEOJSON),
        extensions=samples(
            ("Zakopane with its area", '"/api/v1/municipalities/1217011.geojson"'),
            polish="Jedna gmina z granicą, jako GeoJSON.",
        ),
    )
    def area(self, request: Request, teryt: str) -> HttpResponse:
        return answer_municipality(self.read(MunicipalityQuery, request, teryt=teryt), geojson=True)


def count_by_municipality(query: MunicipalitiesQuery) -> list[place_answers.CountedMunicipalityJson]:
    """Return the municipalities of a unit with the number of their depots. Raises UnitNotFound, VoivodeshipNotFound."""
    units, stores = territory.get(), depots.get()
    unit = units.unit(query.county) if query.county else units.voivodeship(query.voivodeship or "")
    return [
        place_answers.describe_counted(municipality, units.centre(municipality.teryt), stores)
        for municipality in units.municipalities_in(unit.teryt)
    ]


def answer_municipality(query: MunicipalityQuery, *, geojson: bool, brief: bool = False) -> HttpResponse:
    """Return a municipality. Raises UnitNotFound."""
    units = territory.get()
    outline = units.boundaries.outline_of(query.teryt)
    unit = units.municipality(query.teryt)
    municipality = place_answers.describe_municipality(unit, outline, units, depots.get())
    if brief:
        del municipality["postcodes"]
    if geojson:
        return json_response(place_answers.describe_municipality_feature(municipality, outline), content_type=GEOJSON)
    return json_response(municipality)


class PostcodeViewSet(JsonViewSet):
    @extend_schema(
        operation_id="getPostcode",
        tags=[PLACES],
        summary="One postcode: its centre and its municipalities",
        description="A postcode may lie in several municipalities, and in more than one voivodeship.",
        parameters=PostcodeQuery.parameters("code"),
        responses=answers(place_answers.PostcodeJson, "The postcode."),
        extensions=samples(
            ("A postcode of Zakopane", '"/api/v1/postcodes/34-500"'),
            polish="Jeden kod pocztowy: środek zabudowy, gminy z udziałem adresów i województwa.",
        ),
    )
    def retrieve(self, request: Request, code: str) -> HttpResponse:
        query, units = self.read(PostcodeQuery, request, code=code), territory.get()
        return json_response(place_answers.describe_postcode(query.code, units.postcode(query.code), units))


class StoreViewSet(JsonViewSet):
    @extend_schema(
        operation_id="findStores",
        tags=[DEPOTS],
        summary="List depots of a unit, or the nearest ones",
        description=(
            "Give `teryt`, or `postcode`, or `lat` and `lon`: with none of them the answer is 400; with several "
            "`teryt` comes first, then `postcode`. By `teryt` depots come by name; by a postcode or point nearest "
            "first, at most `radius` km away. `limit` and `offset` cut the list into pages, and `Link` (RFC 8288) has "
            "the addresses of the `first`, `prev`, `next` and `last` of them."
        ),
        parameters=StoreQuery.parameters(),
        responses=answers(StoreJson, "Depots."),
        extensions=samples(
            ("Pellet within 10 km of a postcode", '"/api/v1/stores?postcode=30-001&fuel=pellet&radius=10&limit=5"'),
            ("Depots of a municipality", '"/api/v1/stores?teryt=1261011"'),
            polish="Składy w jednostce podziału terytorialnego albo najbliższe od punktu, z odległością w linii "
            "prostej.",
        ),
    )
    def list(self, request: Request) -> HttpResponse:
        query = self.read(StoreListQuery, request)
        geojson = wants_geojson(query.format, request.META.get("HTTP_ACCEPT", ""))
        return answer_stores(query, "v1:stores", geojson=geojson)

    @extend_schema(
        operation_id="findStorePoints",
        tags=[DEPOTS],
        summary="List depots as GeoJSON points",
        description="The depots of `/stores` with the same parameters, each as a point with all its fields.",
        parameters=StoreQuery.parameters(),
        responses=answers(StoreFeatureCollectionJson, "Depots.", GEOJSON),
        extensions=samples(
            ("Around a point", '"/api/v1/stores.geojson?lat=50.0614&lon=19.9366&limit=5"'),
            polish="Te same składy jako punkty GeoJSON.",
        ),
    )
    def points(self, request: Request) -> HttpResponse:
        return answer_stores(self.read(StoreQuery, request), "v1:stores-geojson", geojson=True)


def answer_stores(query: StoreQuery, route: str, *, geojson: bool) -> HttpResponse:
    """Return a page of depots. route: of the addresses in `Link`. Raises UnitNotFound and PostcodeNotFound."""
    listed = find_stores(query)
    headers = {"X-Total-Count": str(listed.total), "Link": link_pages(query, listed.total, route)}
    stores = [*encode_depots(listed.measured(), depots.get().encoded)]
    if geojson:
        return json_response(describe_features(listed.rows, stores), headers=headers, content_type=GEOJSON)
    return json_response(stores, headers=headers)


def find_stores(query: StoreQuery) -> DepotList:
    """Find depots of a unit by name, or near a point by distance; then by id. Raises UnitNotFound, PostcodeNotFound."""
    if query.teryt is not None:
        territory.get().unit(query.teryt)
        return depots.get().in_unit(query.teryt, fuel=query.fuel, limit=query.limit, offset=query.offset)
    point = query.point if query.postcode is None else territory.get().postcode(query.postcode).centre
    assert point is not None  # noqa: S101 - StoreQuery.parse has refused anything else
    return depots.get().near(point, radius_km=query.radius, fuel=query.fuel, limit=query.limit, offset=query.offset)
