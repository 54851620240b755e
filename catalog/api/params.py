"""Parsing of the parameters of the location endpoints. Every limit of the specification is defined here only."""

import re
from dataclasses import dataclass
from typing import Self

from catalog.depots import fuels
from catalog.territory.point import LAT_RANGE, LON_RANGE, Point
from catalog.text import normalise_postcode, voivodeship_slug
from fueldepot.http.params import InvalidParameters, ParameterError, ParamReader, quote, read_integer, text_pattern

RADIUS_KM_RANGE = (1, 50)
RADIUS_KM_DEFAULT = 25
LIMIT_RANGE = (1, 100)
LIMIT_DEFAULT = 20
OFFSET_RANGE = (0, 10_000)
QUERY_MIN_LENGTH = 2
FORMATS = ("json", "geojson")

LAT = f"a WGS84 latitude from {LAT_RANGE[0]} to {LAT_RANGE[1]}, in decimal degrees with a point"
LON = f"a WGS84 longitude from {LON_RANGE[0]} to {LON_RANGE[1]}, in decimal degrees with a point"
MUNICIPALITY = "the 7-digit TERYT code of a municipality, for example 1261011"
POSTCODE = "a postcode such as 30-001 or 30001"
TERYT = "a TERYT code of 2, 4 or 7 digits (voivodeship, county, municipality)"
VOIVODESHIP = (
    "the name, the slug or the 2-digit TERYT code of a voivodeship, for example małopolskie, malopolskie or 12"
)
FUEL = f"one of {', '.join(fuels.BY_SLUG)}"
RADIUS = f"a whole number of kilometres from {RADIUS_KM_RANGE[0]} to {RADIUS_KM_RANGE[1]}"
LIMIT = f"a whole number from {LIMIT_RANGE[0]} to {LIMIT_RANGE[1]}"
OFFSET = f"a whole number from {OFFSET_RANGE[0]} to {OFFSET_RANGE[1]}"
TEXT = f"a place, municipality or postcode of {QUERY_MIN_LENGTH} to 100 characters"

# Published in the API description, so each has its anchors.
QUERY_PATTERN = re.compile(text_pattern(QUERY_MIN_LENGTH))
POSTCODE_PATTERN = re.compile(r"^[0-9]{2}-?[0-9]{3}$", re.ASCII)
TERYT_PATTERN = re.compile(r"^[0-9]{2}([0-9]{2}([0-9]{3})?)?$", re.ASCII)
MUNICIPALITY_PATTERN = re.compile(r"^[0-9]{7}$", re.ASCII)
DEPOT_ID_PATTERN = re.compile(r"[0-9]{1,100}(\.0{1,20})?", re.ASCII)
VOIVODESHIP_PATTERN = re.compile(r"^([0-9]{2}|[A-Za-zĄĆĘŁŃÓŚŹŻąćęłńóśźż]+([ -][A-Za-zĄĆĘŁŃÓŚŹŻąćęłńóśźż]+)*)$")


@dataclass(frozen=True, slots=True)
class LocationsQuery:
    """Parameters of `/locations`. text: at least two characters, as typed."""

    text: str

    @classmethod
    def parse(cls, given: ParamReader) -> Self:
        """Read the parameters; raises InvalidParameters."""
        text = given.text("q", TEXT, min_length=QUERY_MIN_LENGTH, required=True)
        given.raise_for_errors()
        assert text is not None  # noqa: S101 - raise_for_errors() has raised otherwise
        return cls(text)


def read_point(given: ParamReader, *, required: bool) -> Point | None:
    """Parse lat and lon. If only one is given, the other is reported as missing."""
    lat = given.number("lat", LAT, *LAT_RANGE, required=required)
    lon = given.number("lon", LON, *LON_RANGE, required=required)
    if not required and ("lat" in given.given) != ("lon" in given.given):
        absent, present, accepted = ("lon", "lat", LON) if "lat" in given.given else ("lat", "lon", LAT)
        given.add_error(absent, "missing", f"{absent} is missing although {present} is given; give {accepted}")
    if lat is None and lon is None and look_exchanged(given):
        given.add_error("lat", "out_of_range", "lat and lon look exchanged; give each under the name of the other")
    if lat is None or lon is None:
        return None
    return Point(lat, lon)


def look_exchanged(given: ParamReader) -> bool:
    """Whether lat and lon would be a point under each other's name."""
    names = ((b"lat", "lon"), (b"lon", "lat"))
    exchanged = ParamReader.of_pairs((name, value) for name, other in names for value in given.given.get(other, ()))
    lat, lon = exchanged.number("lat", LAT, *LAT_RANGE), exchanged.number("lon", LON, *LON_RANGE)
    return lat is not None and lon is not None


def read_voivodeship(given: ParamReader) -> str | None:
    """Return the slug or the two digits of the parameter `voivodeship`, which also takes a name as it is written."""
    text = given.pattern("voivodeship", VOIVODESHIP, VOIVODESHIP_PATTERN)
    return text and voivodeship_slug(text)


@dataclass(frozen=True, slots=True)
class LocateQuery:
    """Parameters of `/locate`."""

    point: Point

    @classmethod
    def parse(cls, given: ParamReader) -> Self:
        """Read the parameters; raises InvalidParameters."""
        point = read_point(given, required=True)
        given.raise_for_errors()
        assert point is not None  # noqa: S101 - raise_for_errors() has raised otherwise
        return cls(point)


@dataclass(frozen=True, slots=True)
class StoreQuery:
    """Parameters of `/stores` and `/stores.geojson`. The first of teryt, postcode and point that is given counts.

    postcode: "30-001". radius_km, limit: within their ranges. fuel: a slug or None. format: "json", "geojson" or None.
    """

    teryt: str | None
    postcode: str | None
    point: Point | None
    radius_km: int
    fuel: str | None
    limit: int
    offset: int
    format: str | None

    @classmethod
    def parse(cls, given: ParamReader, *, has_format: bool = True) -> Self:
        """Read the parameters; raises InvalidParameters. has_format: whether `format` is one of them."""
        teryt = given.pattern("teryt", TERYT, TERYT_PATTERN)
        postcode = given.pattern("postcode", POSTCODE, POSTCODE_PATTERN)
        point = read_point(given, required=False)
        radius_km = given.integer("radius", RADIUS, *RADIUS_KM_RANGE, default=RADIUS_KM_DEFAULT)
        fuel = given.choice("fuel", FUEL, fuels.BY_SLUG)
        limit = given.integer("limit", LIMIT, *LIMIT_RANGE, default=LIMIT_DEFAULT)
        offset = given.integer("offset", OFFSET, *OFFSET_RANGE, default=0)
        form = read_format(given) if has_format else None
        if not given.errors and teryt is None and postcode is None and point is None:
            given.add_error("teryt", "missing", "no place is given; give teryt, or postcode, or lat and lon")
        given.raise_for_errors()
        return cls(
            teryt=teryt,
            postcode=postcode and normalise_postcode(postcode),
            point=point,
            radius_km=radius_km,
            fuel=fuel,
            limit=limit,
            offset=offset,
            format=form,
        )

    def query_string(self) -> str:
        """Return the parameters without `offset` and those that a preceding one overrides. No value needs quoting."""
        if self.teryt is not None:
            place = f"teryt={self.teryt}"
        elif self.postcode is not None:
            place = f"postcode={self.postcode}&radius={self.radius_km}"
        else:
            assert self.point is not None  # noqa: S101 - parse() has refused anything else
            place = f"lat={self.point.lat}&lon={self.point.lon}&radius={self.radius_km}"
        fuel = f"&fuel={self.fuel}" if self.fuel else ""
        form = f"&format={self.format}" if self.format else ""
        return f"{place}{fuel}{form}&limit={self.limit}"


def read_format(given: ParamReader) -> str | None:
    """Return the form that the parameter `format` asks for."""
    return given.choice("format", " or ".join(FORMATS), FORMATS)


@dataclass(frozen=True, slots=True)
class MunicipalityQuery:
    """Parameters of `/municipalities/{teryt}` and its GeoJSON. format: "json", "geojson" or None."""

    teryt: str
    format: str | None

    @classmethod
    def parse(cls, teryt: str, given: ParamReader, *, has_format: bool = True) -> Self:
        """Read the path and the query; raises InvalidParameters. has_format: whether `format` is a parameter."""
        if not MUNICIPALITY_PATTERN.fullmatch(teryt):
            given.add_error("teryt", "malformed", f"teryt is {quote(teryt)}; give {MUNICIPALITY}")
        form = read_format(given) if has_format else None
        given.raise_for_errors()
        return cls(teryt, form)


def read_postcode(text: str) -> str:
    """Parse the postcode in the path of `/postcodes/{code}`. Returns it with its dash. Raises InvalidParameters."""
    if not POSTCODE_PATTERN.fullmatch(text):
        raise InvalidParameters([ParameterError("code", "malformed", f"code is {quote(text)}; give {POSTCODE}")])
    return normalise_postcode(text)


def read_depot_id(text: str) -> int:
    """Parse the id in the path of `/stores/{id}`. Raises InvalidParameters."""
    number = read_integer(text) if DEPOT_ID_PATTERN.fullmatch(text) else None
    if number is None or number < 1:
        code = "malformed" if number is None else "out_of_range"
        message = f"id is {quote(text)}; give the id of a depot, a whole number from 1"
        raise InvalidParameters([ParameterError("id", code, message)])
    return number
