"""Serializers of the location endpoints, published by drf-spectacular.

Docstrings and `help_text` are the published descriptions, `style["example"]` the examples.

Each class overrides `to_representation`: DRF's own takes ten times as long for a list of a hundred depots.
`tests/openapi` validates every response of the test suite against the declared fields.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import orjson
from drf_spectacular.utils import extend_schema_serializer
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    DateField,
    FloatField,
    IntegerField,
    ListField,
    RegexField,
    Serializer,
    URLField,
)

from catalog.depots import fuels
from catalog.depots.attribution import FUELS_SOURCES, LICENCES, ORIGINS, describe_status
from catalog.depots.snapshot import DepotRow
from catalog.links import depot_url, municipality_url
from catalog.models import Depot, SearchEntry
from catalog.parsing.opening_hours import DAYS
from catalog.search.suggestions import Suggestion
from catalog.territory.boundaries import LocatedMunicipality
from catalog.territory.point import LAT_RANGE, LON_RANGE, Point
from catalog.text import format_address

SITE = "https://sklady.example.pl"
"""Base URL of the examples."""

MUNICIPALITY = f"{SITE}/sklady/malopolskie/krakow-1261011/"

FUEL_NAMES = {fuel.slug: fuel.name for fuel in fuels.FUELS}

RANGE_PATTERN = r"^([0-9]|1[0-9]|2[0-3]):[0-5][0-9]-([0-9]|1[0-9]|2[0-4]):[0-5][0-9]$"
HOURS_PATTERN = f"{RANGE_PATTERN}|^nieczynne$|^$"


class LocationSerializer(Serializer[Any]):
    """A suggestion of `/locations`."""

    type = ChoiceField(
        SearchEntry.Kind.values,
        help_text="Kind of match: a municipality, a locality (town, village or part of one) or a postcode.",
        style={"example": "municipality"},
    )
    label = CharField(  # type: ignore[assignment] # a field of the answer, not the label of the serializer
        help_text="Text to show. For a postcode the code and its places, cut short with an ellipsis when there are "
        "many.",
        style={"example": "Kraków"},
    )
    name = CharField(
        required=False,
        help_text="Name of the municipality or locality; absent for a postcode.",
        style={"example": "Kraków"},
    )
    description = CharField(
        help_text="Kind, county and voivodeship, so that namesakes can be told apart.",
        style={"example": "gmina miejska, miasto na prawach powiatu, województwo małopolskie"},
    )
    url = URLField(
        help_text="Page of the municipality. For a postcode it carries the code in the query parameter `kod`, for a "
        "locality its point in `p`, and a fuel that was typed beside the place in `paliwo`.",
        style={"example": f"{MUNICIPALITY}?kod=30-001"},
    )
    teryt = RegexField("^[0-9]{7}$", help_text="TERYT code of the municipality.", style={"example": "1261011"})
    lat = FloatField(allow_null=True, help_text="Latitude, WGS84; null when not known.", style={"example": 50.06143})
    lon = FloatField(allow_null=True, help_text="Longitude, WGS84; null when not known.", style={"example": 19.93658})
    position = ChoiceField(
        SearchEntry.Position.values,
        allow_null=True,
        help_text="What `lat` and `lon` are of, the best that is known: `place`, the place itself; `postcode`, the "
        "middle of its postcodes, or of those of its district; `municipality`, the middle of the municipality. Null "
        "when nothing is known.",
        style={"example": SearchEntry.Position.values[0]},
    )
    fuel = ChoiceField(
        list(FUEL_NAMES),
        allow_null=True,
        help_text="Slug of the fuel that was typed beside the place; null without one.",
        style={"example": "pellet"},
    )

    def to_representation(self, instance: Suggestion) -> dict[str, Any]:
        """Return the fields; `name` is absent for a postcode."""
        lat, lon = instance.point or (None, None)
        name = {} if instance.kind == SearchEntry.Kind.POSTCODE else {"name": instance.label}
        return {
            "type": instance.kind,
            "label": instance.label,
            **name,
            "description": instance.description,
            "url": municipality_url(instance.voivodeship_slug, instance.slug, instance.teryt, **instance.query),
            "teryt": instance.teryt,
            "lat": lat,
            "lon": lon,
            "position": instance.position,
            "fuel": instance.fuel,
        }


class LocatedMunicipalitySerializer(Serializer[tuple[LocatedMunicipality, Point]]):
    """The municipality of a point."""

    municipality = CharField(help_text="Name of the municipality.", style={"example": "Kraków"})
    teryt = RegexField(
        "^[0-9]{7}$", help_text="TERYT code of the municipality, 7 digits.", style={"example": "1261011"}
    )
    description = CharField(
        help_text="Kind, county and voivodeship.",
        style={"example": "gmina miejska, miasto na prawach powiatu, województwo małopolskie"},
    )
    url = URLField(
        help_text="Page of the municipality; the query parameter `p` carries the point as latitude,longitude.",
        style={"example": f"{MUNICIPALITY}?p=50.0614,19.9366"},
    )
    approximate = BooleanField(
        help_text="True while the boundary is approximated from places; false with the boundary of the national "
        "register, which is accurate to about 100 m.",
        style={"example": False},
    )

    def to_representation(self, instance: tuple[LocatedMunicipality, Point]) -> dict[str, Any]:
        """Return the fields of a municipality and the requested point."""
        unit, point = instance
        return {
            "municipality": unit.name,
            "teryt": unit.teryt,
            "description": unit.description,
            "url": municipality_url(unit.voivodeship_slug, unit.slug, unit.teryt, p=f"{point.lat},{point.lon}"),
            "approximate": unit.approximate,
        }


class StoreMunicipalitySerializer(Serializer[Any]):
    """The municipality that a depot is assigned to."""

    name = CharField(help_text="Name of the municipality.", style={"example": "Kraków"})
    teryt = RegexField(
        "^[0-9]{7}$", help_text="TERYT code of the municipality, 7 digits.", style={"example": "1261011"}
    )
    url = URLField(help_text="Page of the municipality.", style={"example": MUNICIPALITY})


class HoursSerializer(Serializer[Any]):
    """Opening hours by day of the week; null when unknown. Confirm them at the depot."""

    def get_fields(self) -> dict[str, Any]:
        """Return a field for each day, from Monday to Sunday."""
        words = (
            "A range `H:MM-H:MM` (round the clock is `0:00-24:00`), `nieczynne` (closed), or an empty string when the "
            "day has more than one range (see `hours_ranges`)."
        )
        return {day: RegexField(HOURS_PATTERN, help_text=words, style={"example": "8:00-16:00"}) for day in DAYS}


class HoursRangesSerializer(Serializer[Any]):
    """Opening hours by day of the week with every range of each day, also of days with a break; null when unknown."""

    def get_fields(self) -> dict[str, Any]:
        """Return a field for each day, from Monday to Sunday."""
        words = "A range `H:MM-H:MM`; `22:00-6:00` ends on the next day."
        return {
            day: ListField(
                child=RegexField(RANGE_PATTERN, help_text=words),
                help_text="The ranges in their order; none when closed.",
                style={"example": ["8:00-12:00", "13:00-16:00"]},
            )
            for day in DAYS
        }


class StoreSourceSerializer(Serializer[Any]):
    """Where an entry comes from and how sure it is. Quote the status together with the entry."""

    data_status = ChoiceField(
        Depot.DataStatus.values,
        help_text="`unverified`: from an open source, confirmed by nobody; `verified`: checked by the editors; "
        "`owner`: confirmed by the depot's owner.",
        style={"example": "unverified"},
    )
    description = CharField(
        help_text="The status in a Polish sentence; demonstration entries say so here.",
        style={"example": "Dane z otwartego źródła, niepotwierdzone przez redakcję ani właściciela."},
    )
    origin = CharField(
        help_text="Attribution of the origin. Repeat it wherever the entry is shown.",
        style={"example": "© autorzy OpenStreetMap, licencja ODbL 1.0 (https://www.openstreetmap.org/copyright)"},
    )
    licence = CharField(help_text="Licence of the entry.", style={"example": "ODbL-1.0"})
    verified_at = DateField(
        allow_null=True,
        help_text="Day of the last check by the editors or the owner; null before.",
        style={"example": "2026-10-01"},
    )
    updated_at = DateField(help_text="Day on which the public content last changed.", style={"example": "2026-10-03"})


class StoreSerializer(Serializer[Any]):
    """A fuel depot."""

    id = IntegerField(min_value=1, help_text="Identifier of the depot.", style={"example": 2371})
    name = CharField(help_text="Name of the company or depot.", style={"example": "Skład opału Przykład"})
    url = URLField(
        help_text="Page of the depot. Name it when you quote the entry.",
        style={"example": f"{SITE}/sklad/2371-sklad-opalu-przyklad/"},
    )
    address = CharField(
        help_text="Address in one line. Without a street it is the postcode and place, or the municipality.",
        style={"example": "ul. Węglowa 1, 30-001 Kraków"},
    )
    nip = RegexField(
        "^[0-9]{10}$",
        allow_null=True,
        help_text="Tax number, 10 digits; null when not known.",
        style={"example": "1234563218"},
    )
    phone = CharField(
        allow_null=True, help_text="Telephone; null when not known.", style={"example": "+48 12 345 67 89"}
    )
    website = URLField(
        allow_null=True, help_text="Web site; null when not known.", style={"example": "https://example.pl/"}
    )
    lat = FloatField(
        help_text=f"Latitude, WGS84, in decimal degrees ({LAT_RANGE[0]} to {LAT_RANGE[1]}).",
        style={"example": 50.07182},
    )
    lon = FloatField(
        help_text=f"Longitude, WGS84, in decimal degrees ({LON_RANGE[0]} to {LON_RANGE[1]}).",
        style={"example": 19.94051},
    )
    location_approximate = BooleanField(help_text="True when the position is approximate.", style={"example": False})
    distance_km = FloatField(
        allow_null=True,
        min_value=0,
        help_text="Great-circle distance from the reference point in km, one decimal; null when asked by `teryt` and "
        "in `/stores/{id}`.",
        style={"example": 0.7},
    )
    municipality = StoreMunicipalitySerializer()
    fuels = ListField(
        child=ChoiceField(
            list(FUEL_NAMES.values()), help_text="Display name of the fuel.", style={"example": "Pellet"}
        ),
        help_text="Display names of the fuels offered (not the slugs), in the order of the catalog.",
    )
    fuel_slugs = ListField(
        child=ChoiceField(list(FUEL_NAMES)),
        help_text="Slugs of the fuels, in the order of `fuels`.",
        style={"example": ["pellet"]},
    )
    fuels_source = ChoiceField(
        list(FUELS_SOURCES),
        allow_null=True,
        help_text="Where the fuels are from; null without fuels. "
        + " ".join(f"`{key}`: {meaning}." for key, meaning in FUELS_SOURCES.items()),
        style={"example": "source"},
    )
    hours = HoursSerializer(allow_null=True)
    hours_ranges = HoursRangesSerializer(allow_null=True)
    opening_hours = CharField(
        allow_null=True,
        help_text="Hours as the source writes them, in the grammar of OpenStreetMap; null when not known.",
        style={"example": "Mo-Fr 08:00-16:00"},
    )
    demonstration = BooleanField(
        help_text="True for an invented entry, which serves for trying the service out: do not cite it.",
        style={"example": False},
    )
    featured = BooleanField(help_text="Marked by the editors. It never changes the order.", style={"example": False})
    source = StoreSourceSerializer()  # type: ignore[assignment] # a field of the answer

    def to_representation(self, instance: tuple[DepotRow, float | None]) -> dict[str, Any]:
        """Return the fields of a depot and its distance in metres, None without a reference point.

        context: `bodies` of the snapshot, a cache of the fields without the distance.
        """
        return describe_depots([instance], self.context["bodies"])[0]


def describe_depots(
    measured: Iterable[tuple[DepotRow, float | None]], bodies: dict[int, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the fields of `StoreSerializer` for depots with their distances in metres, None where not measured.

    bodies: cache of the snapshot with the fields without distance. One serializer per row, as with `many=True`, takes
    1.5 times as long for a hundred depots.
    """
    answer = []
    for row, distance_m in measured:
        body = bodies.get(row.id)
        if body is None:
            body = bodies[row.id] = describe_depot(row)
        answer.append(body if distance_m is None else {**body, "distance_km": round(distance_m / 1000, 1)})
    return answer


def describe_depot(row: DepotRow) -> dict[str, Any]:
    """Return the fields of `StoreSerializer` without a distance."""
    return {
        "id": row.id,
        "name": row.name,
        "url": depot_url(row.id, row.name),
        "address": format_address(row.street, row.house_number, row.postcode, row.place, row.municipality),
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
        "hours": None if row.hours is None else week_in_order(row.hours),
        "hours_ranges": row.hours_ranges,
        "opening_hours": row.opening_hours or None,
        "demonstration": row.source == Depot.Source.DEMO,
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


class PointSerializer(Serializer[Any]):
    """Position of the depot."""

    type = ChoiceField(["Point"], help_text="Always `Point`.", style={"example": "Point"})
    coordinates = ListField(
        child=FloatField(help_text="Degrees.", style={"example": 19.94}),
        min_length=2,
        max_length=2,
        help_text="Longitude, then latitude, WGS84.",
        style={"example": [19.94051, 50.07182]},
    )


class StoreFeatureSerializer(Serializer[Any]):
    """A depot as a GeoJSON feature."""

    type = ChoiceField(["Feature"], help_text="Always `Feature`.", style={"example": "Feature"})
    id = IntegerField(min_value=1, help_text="Identifier of the depot.", style={"example": 2371})
    geometry = PointSerializer()
    properties = StoreSerializer()


@extend_schema_serializer(many=False)
class StoreFeatureCollectionSerializer(Serializer[list[tuple[DepotRow, float | None]]]):
    """Depots as GeoJSON (RFC 7946)."""

    type = ChoiceField(
        ["FeatureCollection"], help_text="Always `FeatureCollection`.", style={"example": "FeatureCollection"}
    )
    features = StoreFeatureSerializer(many=True, help_text="The depots, in the order of the JSON answer.")

    def to_representation(self, instance: list[tuple[DepotRow, float | None]]) -> dict[str, Any]:
        """Return a point for each depot, with every field of the JSON answer as a property."""
        stores = describe_depots(instance, self.context["bodies"])
        return {
            "type": "FeatureCollection",
            "features": [
                {
                    "type": "Feature",
                    "id": store["id"],
                    "geometry": {"type": "Point", "coordinates": [store["lon"], store["lat"]]},
                    "properties": store,
                }
                for store in stores
            ],
        }
