"""Query parameters of the location endpoints, as the API description publishes them.

`params` parses them: a hundred times as fast as these classes, and stricter than DRF's fields. Every bound here is a
constant of `params`.
"""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.serializers import ChoiceField, FloatField, IntegerField, RegexField, Serializer

from catalog.api.params import (
    LIMIT_DEFAULT,
    LIMIT_RANGE,
    MUNICIPALITY_PATTERN,
    OFFSET_RANGE,
    POSTCODE_PATTERN,
    QUERY_MIN_LENGTH,
    QUERY_PATTERN,
    RADIUS_KM_DEFAULT,
    RADIUS_KM_RANGE,
    TERYT_PATTERN,
    VOIVODESHIP_PATTERN,
)
from catalog.depots import fuels
from catalog.territory.point import LAT_RANGE, LON_RANGE
from fueldepot.http.params import MAX_VALUE_LENGTH

LATITUDE = f"WGS84 latitude in decimal degrees with a point, in Poland {LAT_RANGE[0]} to {LAT_RANGE[1]}."
LONGITUDE = f"WGS84 longitude in decimal degrees with a point, in Poland {LON_RANGE[0]} to {LON_RANGE[1]}."


class TerytField(RegexField):
    """TERYT code of a unit of any level. use: its purpose at this endpoint."""

    def __init__(self, use: str, **kwargs: Any) -> None:
        words = f"TERYT code of a voivodeship (2 digits), county (4) or municipality (7). {use}"
        super().__init__(TERYT_PATTERN, help_text=words, style={"example": "1261011"}, **kwargs)


class PostcodeField(RegexField):
    """Postcode. use: its purpose at this endpoint."""

    def __init__(self, use: str, **kwargs: Any) -> None:
        words = f"Postcode, with or without its dash. {use}"
        super().__init__(POSTCODE_PATTERN, help_text=words, style={"example": "30-001"}, **kwargs)


class VoivodeshipField(RegexField):
    """Voivodeship by its slug or code."""

    def __init__(self, **kwargs: Any) -> None:
        words = "Name or slug of a voivodeship, or its 2-digit TERYT code."
        super().__init__(
            VOIVODESHIP_PATTERN,
            max_length=MAX_VALUE_LENGTH,
            help_text=words,
            style={"example": "malopolskie"},
            **kwargs,
        )


class LocationsParameters(Serializer[Any]):
    """Parameters of `/locations`."""

    q = RegexField(
        QUERY_PATTERN,
        min_length=QUERY_MIN_LENGTH,
        help_text="Place name, municipality name or postcode, also a fragment: "
        f"{QUERY_MIN_LENGTH} to {MAX_VALUE_LENGTH} characters, surrounding blanks not counted.",
        style={"example": "zakop"},
    )


class LocateParameters(Serializer[Any]):
    """Parameters of `/locate`."""

    lat = FloatField(min_value=LAT_RANGE[0], max_value=LAT_RANGE[1], help_text=LATITUDE, style={"example": 50.0614})
    lon = FloatField(min_value=LON_RANGE[0], max_value=LON_RANGE[1], help_text=LONGITUDE, style={"example": 19.9366})


class StoresParameters(Serializer[Any]):
    """Parameters of `/stores` and `/stores.geojson`."""

    lat = FloatField(
        required=False,
        min_value=LAT_RANGE[0],
        max_value=LAT_RANGE[1],
        help_text=f"{LATITUDE} Needs `lon` as well.",
        style={"example": 50.0614},
    )
    lon = FloatField(
        required=False,
        min_value=LON_RANGE[0],
        max_value=LON_RANGE[1],
        help_text=f"{LONGITUDE} Needs `lat` as well.",
        style={"example": 19.9366},
    )
    postcode = PostcodeField(
        "The reference point is the centre of its built-up area. Used instead of `lat` and `lon`.", required=False
    )
    teryt = TerytField("Depots assigned to the unit, without distances. Takes precedence over a point.", required=False)
    radius = IntegerField(
        default=RADIUS_KM_DEFAULT,
        min_value=RADIUS_KM_RANGE[0],
        max_value=RADIUS_KM_RANGE[1],
        help_text="Search radius around the point, in km, in a straight line.",
        style={"example": 10},
    )
    fuel = ChoiceField(
        list(fuels.BY_SLUG),
        required=False,
        help_text="Only depots that offer this fuel. `wegiel` takes in its assortments: "
        + ", ".join(f"`{slug}`" for slug in fuels.assortments("wegiel")[1:])
        + ".",
        style={"example": "pellet"},
    )
    limit = IntegerField(
        default=LIMIT_DEFAULT,
        min_value=LIMIT_RANGE[0],
        max_value=LIMIT_RANGE[1],
        help_text="Most depots in the answer. How many there are in all stands in `X-Total-Count`.",
        style={"example": 5},
    )
    offset = IntegerField(
        default=0,
        min_value=OFFSET_RANGE[0],
        max_value=OFFSET_RANGE[1],
        help_text="How many of the first depots are left out. The `Link` header has the addresses of the other pages.",
        style={"example": 5},
    )


DEPOT_ID = OpenApiParameter(
    "id",
    {"type": "integer", "minimum": 1},
    OpenApiParameter.PATH,
    description="The `id` of a depot from the list.",
    examples=[OpenApiExample("example", 1)],
)

MUNICIPALITY = OpenApiParameter(
    "teryt",
    {"type": "string", "pattern": MUNICIPALITY_PATTERN.pattern},
    OpenApiParameter.PATH,
    description="TERYT code of a municipality, 7 digits.",
    examples=[OpenApiExample("example", "1261011")],
)

POSTCODE = OpenApiParameter(
    "code",
    {"type": "string", "pattern": POSTCODE_PATTERN.pattern},
    OpenApiParameter.PATH,
    description="Postcode, with or without its dash.",
    examples=[OpenApiExample("example", "30-001")],
)
