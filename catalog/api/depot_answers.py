"""Answers about depots: their published fields, and the functions that make them."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Annotated, Any, cast

import orjson
from typing_extensions import TypeAliasType, TypedDict

from catalog.api.place_answers import Code, Feature, Name, Page
from catalog.depots import fuels
from catalog.depots.attribution import FUELS_SOURCES, LICENCES, ORIGINS, STATUS_DESCRIPTIONS, describe_status
from catalog.depots.snapshot import DepotRow
from catalog.links import depot_url, municipality_url
from catalog.models import Depot
from catalog.parsing.opening_hours import DAYS
from catalog.territory.coordinates import LAT_RANGE, LON_RANGE
from fueldepot.http.query import EXAMPLE_SITE, Day, OneOf, Url, example, field

FUEL_NAMES = dict(fuels.choices())

DepotNumber = Annotated[int, example(2371, "Identifier of the depot.", ge=1)]
FuelSlug = Annotated[str, OneOf(*FUEL_NAMES)]

RANGE_PATTERN = r"^([0-9]|1[0-9]|2[0-3]):[0-5][0-9]-([0-9]|1[0-9]|2[0-4]):[0-5][0-9]$"

DayHours = Annotated[
    str,
    example(
        "8:00-16:00",
        "A range `H:MM-H:MM` (round the clock is `0:00-24:00`), `nieczynne` (closed), or an empty string when the day "
        "has more than one range (see `hours_ranges`).",
        pattern=f"{RANGE_PATTERN}|^nieczynne$|^$",
    ),
]
# An alias with a name is a component, to which every day refers.
DayRanges = TypeAliasType(
    "DayRanges",
    Annotated[
        list[Annotated[str, field("A range `H:MM-H:MM`; `22:00-6:00` ends on the next day.", pattern=RANGE_PATTERN)]],
        example(["8:00-12:00", "13:00-16:00"], "The ranges in their order; none when closed."),
    ],
)


class StoreMunicipalityJson(TypedDict):
    """The municipality that a depot is assigned to."""

    name: Name
    teryt: Code
    url: Page


HoursJson: Any = TypedDict("HoursJson", dict.fromkeys(DAYS, DayHours))  # type: ignore[misc]
HoursJson.__doc__ = "Opening hours by day of the week; null when unknown. Confirm them at the depot."
HoursRangesJson: Any = TypedDict("HoursRangesJson", dict.fromkeys(DAYS, DayRanges))  # type: ignore[misc]
HoursRangesJson.__doc__ = (
    "Opening hours by day of the week with every range of each day, also of days with a break; null when unknown."
)


class StoreSourceJson(TypedDict):
    """Where an entry comes from and how sure it is. Quote the status together with the entry."""

    data_status: Annotated[str, OneOf(*Depot.DataStatus.values), example("unverified")]
    """`unverified`: from an open source, confirmed by nobody; `verified`: checked by the editors; `owner`: confirmed
    by the depot's owner."""
    description: Annotated[str, example(STATUS_DESCRIPTIONS[Depot.DataStatus.UNVERIFIED])]
    """The status in a Polish sentence; demonstration entries say so here."""
    origin: Annotated[str, example(ORIGINS[Depot.Source.OSM])]
    """Attribution of the origin. Repeat it wherever the entry is shown."""
    licence: Annotated[str, example("ODbL-1.0")]
    """Licence of the entry."""
    verified_at: Annotated[Day | None, example("2026-10-01")]
    """Day of the last check by the editors or the owner; null before."""
    updated_at: Annotated[Day, example("2026-10-03")]
    """Day on which the public content last changed."""


class StoreJson(TypedDict):
    """A fuel depot."""

    id: DepotNumber
    name: Annotated[str, example("Skład opału Przykład")]
    """Name of the company or depot."""
    url: Annotated[Url, example(f"{EXAMPLE_SITE}/sklad/2371-sklad-opalu-przyklad/")]
    """Page of the depot. Name it when you quote the entry."""
    address: Annotated[str, example("ul. Węglowa 1, 30-001 Kraków")]
    """Address in one line. Without a street it is the postcode and place, or the municipality."""
    nip: Annotated[str | None, example("1234563218", pattern="^[0-9]{10}$")]
    """Tax number, 10 digits; null when not known."""
    phone: Annotated[str | None, example("+48 12 345 67 89")]
    """Telephone; null when not known."""
    website: Annotated[Url | None, example("https://example.pl/")]
    """Web site; null when not known."""
    lat: Annotated[
        float, example(50.07182, doc=f"Latitude, WGS84, in decimal degrees ({LAT_RANGE[0]} to {LAT_RANGE[1]}).")
    ]
    lon: Annotated[
        float, example(19.94051, doc=f"Longitude, WGS84, in decimal degrees ({LON_RANGE[0]} to {LON_RANGE[1]}).")
    ]
    location_approximate: Annotated[bool, example(False)]
    """True when the position is approximate."""
    distance_km: Annotated[float | None, example(0.7, ge=0)]
    """Great-circle distance from the reference point in km, one decimal; null when asked by `teryt` and in
    `/stores/{id}`."""
    municipality: StoreMunicipalityJson
    fuels: list[Annotated[str, OneOf(*(FUEL_NAMES.values())), example("Pellet", doc="Display name of the fuel.")]]
    """Display names of the fuels offered (not the slugs), in the order of the catalog."""
    fuel_slugs: Annotated[list[FuelSlug], example(["pellet"])]
    """Slugs of the fuels, in the order of `fuels`."""
    fuels_source: Annotated[
        str | None,
        OneOf(*(FUELS_SOURCES), None),
        example(
            "source",
            doc="Where the fuels are from; null without fuels. "
            + " ".join((f"`{key}`: {meaning}." for key, meaning in FUELS_SOURCES.items())),
        ),
    ]
    hours: HoursJson | None
    hours_ranges: HoursRangesJson | None
    opening_hours: Annotated[str | None, example("Mo-Fr 08:00-16:00")]
    """Hours as the source writes them, in the grammar of OpenStreetMap; null when not known."""
    demonstration: Annotated[bool, example(False)]
    """True for an entry invented for trying the service out: do not cite it."""
    featured: Annotated[bool, example(False)]
    """Marked by the editors. It never changes the order."""
    source: StoreSourceJson


UNMEASURED = b'"distance_km":null'


def encode_depots(
    measured: Iterable[tuple[DepotRow, float | None]], encoded: dict[int, tuple[bytes, bytes]]
) -> Iterator[orjson.Fragment]:
    """Yield the JSON of depots with their distances in metres. encoded: cache of what stands before and after it."""
    for row, distance_m in measured:
        if row.id not in encoded:
            before, _, after = orjson.dumps(describe_depot(row)).partition(UNMEASURED)
            encoded[row.id] = before, after
        before, after = encoded[row.id]
        distance = UNMEASURED if distance_m is None else b'"distance_km":%.1f' % (distance_m / 1000)
        yield orjson.Fragment(before + distance + after)


def describe_depot(row: DepotRow) -> StoreJson:
    return {
        "id": row.id,
        "name": row.name,
        "url": depot_url(row.id, row.name),
        "address": row.address,
        "nip": row.nip,
        "phone": row.phone or None,
        "website": row.website or None,
        "lat": row.lat,
        "lon": row.lon,
        "location_approximate": row.location_approximate,
        "distance_km": None,
        "municipality": {
            "name": row.municipality,
            "teryt": row.teryt,
            "url": municipality_url(row.voivodeship_slug, row.municipality_slug, row.teryt),
        },
        "fuels": [FUEL_NAMES[slug] for slug in row.fuels],
        "fuel_slugs": row.fuels,
        "fuels_source": row.fuels_source,
        "hours": None if row.hours is None else cast("HoursJson", week_in_order(row.hours)),
        "hours_ranges": cast("HoursRangesJson | None", row.hours_ranges),
        "opening_hours": row.opening_hours or None,
        "demonstration": row.demonstration,
        "featured": row.featured,
        "source": {
            "data_status": row.data_status,
            "description": describe_status(row.data_status, row.source, row.fuels_by_name),
            "origin": ORIGINS[row.source],
            "licence": LICENCES[row.source],
            "verified_at": row.verified_at,
            "updated_at": row.updated_at,
        },
    }


@lru_cache(maxsize=1000)
def week_in_order(hours: str) -> orjson.Fragment:
    """Return the week as JSON from Monday to Sunday; jsonb has its own order of keys."""
    week = orjson.loads(hours)
    return orjson.Fragment(orjson.dumps({day: week[day] for day in DAYS}))


class PointJson(TypedDict):
    """Position of the depot."""

    type: Annotated[str, OneOf("Point"), example("Point")]
    """Always `Point`."""
    coordinates: Annotated[
        list[Annotated[float, example(19.94, doc="Degrees.")]],
        example([19.94051, 50.07182], min_length=2, max_length=2),
    ]
    """Longitude, then latitude, WGS84."""


class StoreFeatureJson(TypedDict):
    """A depot as a GeoJSON feature."""

    type: Feature
    id: DepotNumber
    geometry: PointJson
    properties: StoreJson


class StoreFeatureCollectionJson(TypedDict):
    """Depots as GeoJSON (RFC 7946)."""

    type: Annotated[str, OneOf("FeatureCollection"), example("FeatureCollection")]
    """Always `FeatureCollection`."""
    features: list[StoreFeatureJson]
    """The depots, in the order of the JSON answer."""


def describe_features(rows: Iterable[DepotRow], stores: Iterable[orjson.Fragment]) -> StoreFeatureCollectionJson:
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "id": row.id,
                "geometry": {"type": "Point", "coordinates": [row.lon, row.lat]},
                "properties": cast("StoreJson", store),
            }
            for row, store in zip(rows, stores, strict=True)
        ],
    }
