"""Parameters of the location endpoints, with the limits that the specification sets them."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic_core import PydanticCustomError

from catalog.depots import fuels
from catalog.territory.coordinates import LAT_RANGE, LON_RANGE, Point
from catalog.text import normalise_postcode
from fueldepot.http.params import (
    MAX_OFFSET,
    MAX_VALUE_LENGTH,
    ParameterError,
    Switch,
    choice,
    line,
    number,
    pattern,
    whole,
)
from fueldepot.http.query import Query, field

RADIUS_KM_RANGE = (1, 50)
LIMIT_RANGE = (1, 100)
QUERY_MIN_LENGTH = 2

POSTCODE_PATTERN = re.compile(r"^[0-9]{2}-?[0-9]{3}$", re.ASCII)
TERYT_PATTERN = re.compile(r"^[0-9]{2}([0-9]{2}([0-9]{3})?)?$", re.ASCII)
COUNTY_PATTERN = re.compile(r"^[0-9]{4}$", re.ASCII)
MUNICIPALITY_PATTERN = re.compile(r"^[0-9]{7}$", re.ASCII)
VOIVODESHIP_PATTERN = re.compile(r"^([0-9]{2}|[A-Za-zĄĆĘŁŃÓŚŹŻąćęłńóśźż]+([ -][A-Za-zĄĆĘŁŃÓŚŹŻąćęłńóśźż]+)*)$")

latitude, longitude = number(*LAT_RANGE), number(*LON_RANGE)

Latitude = Annotated[float, latitude]
Longitude = Annotated[float, longitude]
Teryt = Annotated[str, pattern(TERYT_PATTERN)]
Postcode = Annotated[str, pattern(POSTCODE_PATTERN, normalise_postcode)]
FuelSlug = Annotated[str, choice(fuels.BY_SLUG)]
Format = Annotated[
    str | None, choice(("json", "geojson")), field("Form of the answer; beats the `Accept` header.", "json")
]
Voivodeship = Annotated[
    str,
    pattern(VOIVODESHIP_PATTERN, max_length=MAX_VALUE_LENGTH),
    field(
        "The name, the slug or the 2-digit TERYT code of a voivodeship, for example małopolskie, malopolskie or 12.",
        "malopolskie",
    ),
]
Limit = Annotated[int, whole(*LIMIT_RANGE), field("A number of rows. `X-Total-Count` has the number of all.", 5)]
Offset = Annotated[int, whole(0, MAX_OFFSET), field("A number of rows to leave out.", 0)]

LATITUDE = "A WGS84 latitude in decimal degrees with a point."
LONGITUDE = "A WGS84 longitude in decimal degrees with a point."
POSTCODE = "A postcode such as 30-001 or 30001."
TERYT = "A TERYT code of 2, 4 or 7 digits (voivodeship, county, municipality)."


class LocationsQuery(Query):
    q: Annotated[
        str,
        line(QUERY_MIN_LENGTH),
        field(
            f"A place name, municipality name or postcode, also a fragment: {QUERY_MIN_LENGTH} to {MAX_VALUE_LENGTH} "
            "characters, surrounding blanks not counted.",
            "zakop",
        ),
    ]


class LocateQuery(Query):
    lat: Annotated[Latitude, field(LATITUDE, 50.0614)]
    lon: Annotated[Longitude, field(LONGITUDE, 19.9366)]

    @property
    def point(self) -> Point:
        return Point(self.lat, self.lon)

    @classmethod
    def compare(cls, texts: Mapping[str, str], errors: Mapping[str, ParameterError]) -> Iterator[ParameterError]:
        if {"lat", "lon"} <= errors.keys() and look_exchanged(texts):
            message = "lat and lon look exchanged; give each under the name of the other"
            yield ParameterError("lat", "out_of_range", message)


def look_exchanged(texts: Mapping[str, str]) -> bool:
    """Whether lat and lon would be a point under each other's name."""
    try:
        latitude.read(texts["lon"])
        longitude.read(texts["lat"])
    except (KeyError, PydanticCustomError):
        return False
    return True


class StoreQuery(Query):
    """Parameters of `/stores.geojson`. The first of teryt, postcode and point that is given counts."""

    lat: Annotated[Latitude | None, field(f"{LATITUDE} Needs `lon` as well.", 50.0614)] = None
    lon: Annotated[Longitude | None, field(f"{LONGITUDE} Needs `lat` as well.", 19.9366)] = None
    postcode: Annotated[
        Postcode | None,
        field(
            f"{POSTCODE} The reference point is the centre of its built-up area. Used instead of `lat` and `lon`.",
            "30-001",
        ),
    ] = None
    teryt: Annotated[
        Teryt | None,
        field(f"{TERYT} Depots assigned to the unit, without distances. Takes precedence over a point.", "1261011"),
    ] = None
    radius: Annotated[
        int, whole(*RADIUS_KM_RANGE), field("A radius in whole kilometres around the point, in a straight line.", 10)
    ] = 25
    fuel: Annotated[
        FuelSlug | None,
        field(
            "Only depots that offer this fuel. `wegiel` takes in its assortments: "
            + ", ".join(f"`{slug}`" for slug in fuels.assortments("wegiel")[1:])
            + ".",
            "pellet",
        ),
    ] = None
    limit: Limit = 20
    offset: Offset = 0

    @property
    def point(self) -> Point | None:
        return None if self.lat is None or self.lon is None else Point(self.lat, self.lon)

    @classmethod
    def compare(cls, texts: Mapping[str, str], errors: Mapping[str, ParameterError]) -> Iterator[ParameterError]:
        named = {*texts, *errors}
        absent, present = ("lon", "lat") if "lat" in named else ("lat", "lon")
        if present in named and absent not in named:
            message = f"{absent} is missing although {present} is given; give {cls.accepted(absent)}"
            yield ParameterError(absent, "missing", message)
        elif not errors and not {"teryt", "postcode", "lat"} & texts.keys():
            yield ParameterError("teryt", "missing", "no place is given; give teryt, or postcode, or lat and lon")
        yield from LocateQuery.compare(texts, errors)

    def query_string(self, *, offset: int, limit: int) -> str:
        """Return the parameters of another page, without those that a preceding one overrides. None needs quoting."""
        place = ("teryt",) if self.teryt else ("postcode", "radius") if self.postcode else ("lat", "lon", "radius")
        values = ((name, getattr(self, name, None)) for name in (*place, "fuel", "format"))
        page = (("limit", limit), ("offset", offset))
        return "&".join(f"{name}={value}" for name, value in (*values, *page) if value is not None)


class StoreListQuery(StoreQuery):
    """Parameters of `/stores`; `format` is for callers who know it from before `/stores.geojson`."""

    hidden = ("format",)

    format: Format = None


class MunicipalityQuery(Query):
    """Parameters of `/municipalities/{teryt}.geojson`."""

    teryt: Annotated[
        str,
        pattern(MUNICIPALITY_PATTERN),
        field("The 7-digit TERYT code of a municipality, for example 1261011.", "1261011"),
    ]


class MunicipalityJsonQuery(MunicipalityQuery):
    """Parameters of `/municipalities/{teryt}`; `format` as in `/stores`."""

    hidden = ("format",)

    brief: Annotated[Switch, field("Leaves out `postcodes`.", True)] = False
    format: Format = None


class MunicipalitiesQuery(Query):
    """Parameters of `/municipalities`. A county takes precedence."""

    county: Annotated[
        str | None,
        pattern(COUNTY_PATTERN),
        field("A TERYT code of a county, 4 digits. Takes precedence over `voivodeship`.", "1217"),
    ] = None
    voivodeship: Voivodeship | None = None

    @classmethod
    def compare(cls, texts: Mapping[str, str], errors: Mapping[str, ParameterError]) -> Iterator[ParameterError]:
        if not errors and not {"county", "voivodeship"} & texts.keys():
            yield ParameterError("voivodeship", "missing", "no unit is given; give voivodeship or county")


class PostcodeQuery(Query):
    code: Annotated[Postcode, field(POSTCODE, "30-001")]


class DepotQuery(Query):
    id: Annotated[int, whole(1), field("The id of a depot, a whole number.", 1)]
