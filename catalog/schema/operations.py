"""What may be asked of the location endpoints. Every bound is the constant that the reader of parameters uses."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema

from catalog import fuels, params
from catalog.query_string import MAX_VALUE_LENGTH
from catalog.schema.forms import JSON, Schema, answer, array, describe, in_path, in_query, ref, samples, whole
from catalog.suggestions import MAX_SUGGESTIONS
from catalog.viewsets import GEOJSON

PLACES, DEPOTS = "places", "depots"

FORM_OF_TERYT: Schema = {"type": "string", "pattern": whole(params.TERYT_FORM)}
FORM_OF_POSTCODE: Schema = {"type": "string", "pattern": whole(params.POSTCODE_FORM)}
FORM_OF_VOIVODESHIP: Schema = {
    "type": "string",
    "pattern": whole(params.VOIVODESHIP_FORM),
    "maxLength": MAX_VALUE_LENGTH,
}
FORM_OF_FUEL: Schema = {"type": "string", "enum": list(fuels.BY_SLUG)}
FORM_OF_DEPOT_ID: Schema = {"type": "integer", "minimum": 1}


def within(ends: tuple[float, float], kind: str = "number", **more: Any) -> Schema:
    """A number from one end to the other, both included."""
    return {"type": kind, "minimum": ends[0], "maximum": ends[1], **more}


def teryt(description: str) -> OpenApiParameter:
    """TERYT code of a unit of any level."""
    return in_query(
        "teryt",
        FORM_OF_TERYT,
        f"TERYT code of a voivodeship (2 digits), county (4) or municipality (7). {description}",
        "1261011",
    )


def postcode(description: str) -> OpenApiParameter:
    """A postcode."""
    return in_query("postcode", FORM_OF_POSTCODE, f"Postcode, with or without its dash. {description}", "30-001")


def point(name: str, ends: tuple[float, float], words: str, example: float, *, required: bool) -> OpenApiParameter:
    """A coordinate."""
    beside = "" if required else f" Needs `{'lon' if name == 'lat' else 'lat'}` as well."
    return in_query(
        name,
        within(ends),
        f"WGS84 {words} in decimal degrees with a point, in Poland {ends[0]} to {ends[1]}.{beside}",
        example,
        required=required,
    )


def both_coordinates(*, required: bool) -> list[OpenApiParameter]:
    """lat and lon."""
    return [
        point("lat", params.LAT_RANGE, "latitude", 50.0614, required=required),
        point("lon", params.LON_RANGE, "longitude", 19.9366, required=required),
    ]


describe(
    "catalog.viewsets.LocationViewSet",
    list=extend_schema(
        operation_id="findLocations",
        extensions=samples(
            ("Places that begin with zakop", '"/api/v1/locations?q=zakop"'),
            ("A fragment of a postcode", '"/api/v1/locations?q=34-50"'),
        ),
        tags=[PLACES],
        summary="Find municipalities, localities and postcodes",
        description=(
            f"At most {MAX_SUGGESTIONS} suggestions for what somebody types: exact names before prefixes before "
            "fragments, municipalities before localities. Works without Polish diacritics, and with fragments of "
            "postcodes (`30-0`). An empty list when nothing fits."
        ),
        parameters=[
            in_query(
                "q",
                {"type": "string", "minLength": params.QUERY_MIN_LENGTH, "maxLength": MAX_VALUE_LENGTH},
                "Place name, municipality name or postcode, also a fragment. Surrounding blanks are not counted.",
                "zakop",
                required=True,
            )
        ],
        responses={
            (200, JSON): answer(
                array(ref("Location"), "Suggestions, the best first.", maxItems=MAX_SUGGESTIONS), "Suggestions."
            )
        },
    ),
)


describe(
    "catalog.viewsets.LocateViewSet",
    list=extend_schema(
        operation_id="locate",
        extensions=samples(
            ("The municipality of a point in Zakopane", '"/api/v1/locate?lat=49.2992&lon=19.9496"'),
        ),
        tags=[PLACES],
        summary="Find the municipality of a point",
        description=(
            "On a shared border the lower TERYT code answers. Up to 100 m outside every boundary the nearest "
            "municipality answers; farther away the answer is 404."
        ),
        parameters=both_coordinates(required=True),
        responses={(200, JSON): answer(ref("LocatedMunicipality"), "The municipality.")},
    ),
)


describe(
    "catalog.viewsets.StoreViewSet",
    list=extend_schema(
        operation_id="findStores",
        extensions=samples(
            (
                "Pellet within 10 km of a postcode",
                '"/api/v1/stores?postcode=30-001&fuel=pellet&radius=10&limit=5"',
            ),
            ("Depots of a municipality", '"/api/v1/stores?teryt=1261011"'),
            (
                "Around a point, as GeoJSON",
                '-H "Accept: application/geo+json" "/api/v1/stores?lat=50.0614&lon=19.9366"',
            ),
        ),
        tags=[DEPOTS],
        summary="List depots of a unit, or the nearest ones",
        description=(
            "Give `teryt`, or `postcode`, or `lat` and `lon`: with none of them the answer is 400; with several "
            "`teryt` comes first, then `postcode`. By `teryt` depots come by name; by a postcode or point nearest "
            "first, at most `radius` km away. GeoJSON by `format=geojson`, or by `Accept: application/geo+json` "
            "without `format`."
        ),
        parameters=[
            *both_coordinates(required=False),
            postcode("The reference point is the centre of its built-up area. Used instead of `lat` and `lon`."),
            teryt("Depots assigned to the unit, without distances. Takes precedence over a point."),
            in_query(
                "radius",
                within(params.RADIUS_KM_RANGE, "integer", default=params.RADIUS_KM_DEFAULT),
                "Search radius around the point, in km, in a straight line.",
                10,
            ),
            in_query(
                "fuel",
                FORM_OF_FUEL,
                "Only depots that offer this fuel. `wegiel` takes in its assortments: "
                + ", ".join(f"`{slug}`" for slug in fuels.assortments("wegiel")[1:])
                + ".",
                "pellet",
            ),
            in_query(
                "limit",
                within(params.LIMIT_RANGE, "integer", default=params.LIMIT_DEFAULT),
                "Most depots in the answer. How many there are in all stands in `X-Total-Count`.",
                5,
            ),
            in_query(
                "format",
                {"type": "string", "enum": list(params.FORMATS), "default": params.FORMATS[0]},
                "Form of the answer; beats the `Accept` header.",
                params.FORMATS[0],
            ),
        ],
        responses={
            (200, JSON): answer(array(ref("Store"), "Depots.", maxItems=params.LIMIT_RANGE[1]), "Depots."),
            (200, GEOJSON): answer(ref("StoreFeatureCollection"), "Depots."),
        },
    ),
)


DEPOT_ID = in_path("id", FORM_OF_DEPOT_ID, "The `id` of a depot from the list.", 1)
