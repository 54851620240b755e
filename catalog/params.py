"""What callers may ask the four location endpoints: every limit of the specification stands here and nowhere else."""

import re
from dataclasses import dataclass
from typing import Self

from catalog import fuels
from catalog.query_string import QueryString, quote
from catalog.text import normalise_postcode

LAT_RANGE = (48.8, 55.1)
LON_RANGE = (13.9, 24.3)
RADIUS_KM_RANGE = (1, 50)
RADIUS_KM_DEFAULT = 25
LIMIT_RANGE = (1, 100)
LIMIT_DEFAULT = 20
QUERY_MIN_LENGTH = 2
FORMATS = ("json", "geojson")

LAT = f"a WGS84 latitude from {LAT_RANGE[0]} to {LAT_RANGE[1]}, in decimal degrees with a point"
LON = f"a WGS84 longitude from {LON_RANGE[0]} to {LON_RANGE[1]}, in decimal degrees with a point"
POSTCODE = "a postcode such as 30-001 or 30001"
TERYT = "a TERYT code of 2, 4 or 7 digits (voivodeship, county, municipality)"
VOIVODESHIP = "the slug or the 2-digit TERYT code of a voivodeship, for example malopolskie or 12"
FUEL = f"one of {', '.join(fuels.BY_SLUG)}"
RADIUS = f"a whole number of kilometres from {RADIUS_KM_RANGE[0]} to {RADIUS_KM_RANGE[1]}"
LIMIT = f"a whole number from {LIMIT_RANGE[0]} to {LIMIT_RANGE[1]}"
TEXT = f"a place, municipality or postcode of {QUERY_MIN_LENGTH} to 100 characters"

POSTCODE_FORM = re.compile(r"[0-9]{2}-?[0-9]{3}", re.ASCII)
TERYT_FORM = re.compile(r"[0-9]{2}([0-9]{2}([0-9]{3})?)?", re.ASCII)
DEPOT_ID_FORM = re.compile(r"[0-9]{1,100}", re.ASCII)
VOIVODESHIP_FORM = re.compile(r"[0-9]{2}|[a-z]+(-[a-z]+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class LocationsQuery:
    """A question of `/locations`. text: at least two characters, as typed."""

    text: str

    @classmethod
    def parse(cls, raw: str) -> Self:
        """Read a query string; raises InvalidParameters."""
        given = QueryString(raw)
        text = given.text("q", TEXT, min_length=QUERY_MIN_LENGTH, required=True)
        given.finish()
        assert text is not None  # noqa: S101 - finish() has raised otherwise
        return cls(text)


@dataclass(frozen=True, slots=True)
class Point:
    """A WGS84 point within the ranges served."""

    lat: float
    lon: float


def read_point(given: QueryString, *, required: bool) -> Point | None:
    """lat and lon together; one without the other is an error of the missing one."""
    lat = given.number("lat", LAT, *LAT_RANGE, required=required)
    lon = given.number("lon", LON, *LON_RANGE, required=required)
    if not required and ("lat" in given.given) != ("lon" in given.given):
        absent, present, accepted = ("lon", "lat", LON) if "lat" in given.given else ("lat", "lon", LAT)
        given.refuse(absent, "missing", f"{absent} is missing although {present} is given; give {accepted}")
    if lat is None or lon is None:
        return None
    return Point(lat, lon)


@dataclass(frozen=True, slots=True)
class LocateQuery:
    """A question of `/locate`."""

    point: Point

    @classmethod
    def parse(cls, raw: str) -> Self:
        """Read a query string; raises InvalidParameters."""
        given = QueryString(raw)
        point = read_point(given, required=True)
        given.finish()
        assert point is not None  # noqa: S101 - finish() has raised otherwise
        return cls(point)


@dataclass(frozen=True, slots=True)
class StoreQuery:
    """A question of `/stores`. Of teryt, postcode and point the first given counts, in this order.

    postcode: "30-001". radius_km, limit: within their ranges. fuel: a slug or None. format: "json", "geojson" or None.
    """

    teryt: str | None
    postcode: str | None
    point: Point | None
    radius_km: int
    fuel: str | None
    limit: int
    format: str | None

    @classmethod
    def parse(cls, raw: str) -> Self:
        """Read a query string; raises InvalidParameters."""
        given = QueryString(raw)
        teryt = given.pattern("teryt", TERYT, TERYT_FORM)
        postcode = given.pattern("postcode", POSTCODE, POSTCODE_FORM)
        point = read_point(given, required=False)
        radius_km = given.integer("radius", RADIUS, *RADIUS_KM_RANGE, default=RADIUS_KM_DEFAULT)
        fuel = given.choice("fuel", FUEL, fuels.BY_SLUG)
        limit = given.integer("limit", LIMIT, *LIMIT_RANGE, default=LIMIT_DEFAULT)
        form = given.choice("format", " or ".join(FORMATS), FORMATS)
        if not given.errors and teryt is None and postcode is None and point is None:
            given.refuse("teryt", "missing", "no place is given; give teryt, or postcode, or lat and lon")
        given.finish()
        return cls(
            teryt=teryt,
            postcode=postcode and normalise_postcode(postcode),
            point=point,
            radius_km=radius_km,
            fuel=fuel,
            limit=limit,
            format=form,
        )


def read_depot_id(text: str) -> int:
    """The identifier in the path of `/stores/{id}`; raises InvalidParameters."""
    given = QueryString("")
    accepted = "the id of a depot, a whole number from 1"
    if not DEPOT_ID_FORM.fullmatch(text):
        given.refuse("id", "malformed", f"id is {quote(text)}; give {accepted}")
    elif int(text) < 1:
        given.refuse("id", "out_of_range", f"id is {quote(text)}; give {accepted}")
    given.finish()
    return int(text)
