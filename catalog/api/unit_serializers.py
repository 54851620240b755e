"""Serializers of one municipality and one postcode; see `serializers` for the conventions."""

from typing import Any, NamedTuple

from drf_spectacular.utils import extend_schema_field
from rest_framework.serializers import (
    BooleanField,
    CharField,
    ChoiceField,
    FloatField,
    IntegerField,
    JSONField,
    ListField,
    RegexField,
    Serializer,
    URLField,
)

from catalog.api.serializers import MUNICIPALITY, SITE
from catalog.links import municipality_url
from catalog.models import Municipality
from catalog.territory.boundaries import Outline
from catalog.territory.snapshot import PostcodeArea, Territory
from fueldepot.http.links import route_path, site_url

KINDS = {Municipality.Kind.TOWN: "urban", Municipality.Kind.RURAL: "rural", Municipality.Kind.MIXED: "urban_rural"}


class VoivodeshipUnitSerializer(Serializer[Any]):
    """A voivodeship."""

    teryt = RegexField("^[0-9]{2}$", help_text="TERYT code of the voivodeship, 2 digits.", style={"example": "12"})
    name = CharField(help_text="Name of the voivodeship.", style={"example": "małopolskie"})
    slug = CharField(
        help_text="Slug of the voivodeship: its name in lower case without diacritics.",
        style={"example": "malopolskie"},
    )


class CountyUnitSerializer(Serializer[Any]):
    """A county, or a city with the rights of one."""

    teryt = RegexField("^[0-9]{4}$", help_text="TERYT code of the county, 4 digits.", style={"example": "1261"})
    name = CharField(help_text="Name of the county.", style={"example": "Kraków"})


class KnownMunicipality(NamedTuple):
    """A municipality with data of other data sets. outline: None if its boundary is unknown."""

    unit: Municipality
    outline: Outline | None
    point: tuple[float, float] | None
    postcodes: tuple[str, ...]
    depots: int


class MunicipalitySerializer(Serializer[KnownMunicipality]):
    """A municipality."""

    teryt = RegexField(
        "^[0-9]{7}$", help_text="TERYT code of the municipality, 7 digits.", style={"example": "1261011"}
    )
    name = CharField(help_text="Name of the municipality.", style={"example": "Kraków"})
    kind = ChoiceField(
        list(KINDS.values()),
        help_text="`urban`: a town; `rural`: villages; `urban_rural`: a town with the villages around it.",
        style={"example": "urban"},
    )
    description = CharField(
        help_text="Kind, county and voivodeship, in Polish.",
        style={"example": "gmina miejska, miasto na prawach powiatu, województwo małopolskie"},
    )
    county = CountyUnitSerializer()
    voivodeship = VoivodeshipUnitSerializer()
    lat = FloatField(
        allow_null=True,
        help_text="Latitude of the middle of the municipality, WGS84: the centre of the postcode with the least sum of "
        "distances to the others, addresses counted, inside the boundary; without postcodes the place that the "
        "municipality is named after, else any point inside. The same as in `/locations`; null where nothing is known.",
        style={"example": 50.05369},
    )
    lon = FloatField(
        allow_null=True,
        help_text="Longitude of that point, WGS84; null where it is not known.",
        style={"example": 19.97941},
    )
    bbox = ListField(
        child=FloatField(help_text="Degrees, WGS84.", style={"example": 19.79225}),
        allow_null=True,
        min_length=4,
        max_length=4,
        help_text="West, south, east and north end of the municipality (RFC 7946, section 5); null where its boundary "
        "is not known.",
        style={"example": [19.79225, 49.96765, 20.21735, 50.12614]},
    )
    approximate = BooleanField(
        allow_null=True,
        help_text="True while the boundary, and so `bbox`, is approximated from places; null where it is not known.",
        style={"example": False},
    )
    postcodes = ListField(
        child=RegexField("^[0-9]{2}-[0-9]{3}$", help_text="A postcode.", style={"example": "30-001"}),
        help_text="Postcodes with addresses in the municipality, ascending.",
    )
    depots = IntegerField(min_value=0, help_text="How many depots `stores` lists.", style={"example": 61})
    url = URLField(help_text="Page of the municipality.", style={"example": MUNICIPALITY})
    stores = URLField(help_text="Its depots in this API.", style={"example": f"{SITE}/api/v1/stores?teryt=1261011"})
    regulations = URLField(
        help_text="The anti-smog resolutions that bind there, in this API.",
        style={"example": f"{SITE}/api/v1/regulations?teryt=1261011"},
    )

    def to_representation(self, instance: KnownMunicipality) -> dict[str, Any]:
        """Return the fields of a municipality."""
        unit, outline = instance.unit, instance.outline
        lat, lon = instance.point or (None, None)
        return {
            "teryt": unit.teryt,
            "name": unit.name,
            "kind": KINDS[Municipality.Kind(unit.kind)],
            "description": unit.description,
            "county": {"teryt": unit.county_id, "name": unit.county.name},
            "voivodeship": describe_voivodeship(unit),
            "lat": lat,
            "lon": lon,
            "bbox": outline and outline.bbox,
            "approximate": outline and outline.approximate,
            "postcodes": instance.postcodes,
            "depots": instance.depots,
            "url": municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt),
            "stores": api_url("stores", f"teryt={unit.teryt}"),
            "regulations": api_url("regulations", f"teryt={unit.teryt}"),
        }


@extend_schema_field(
    {
        "type": "object",
        "description": "A polygon or multipolygon (RFC 7946, section 3.1), WGS84, longitude first.",
        "required": ["type", "coordinates"],
        "properties": {
            "type": {
                "type": "string",
                "enum": ["Polygon", "MultiPolygon"],
                "description": "Kind of geometry.",
                "examples": ["Polygon"],
            },
            "coordinates": {
                "type": "array",
                "items": {"type": "array", "items": {"type": "array", "items": {}}},
                "description": "Rings of positions; of a multipolygon, polygons of these.",
                "examples": [[[[19.9, 50.0], [20.0, 50.0], [20.0, 50.1], [19.9, 50.0]]]],
            },
        },
    },
    component_name="AreaGeometry",
)
class GeometryField(JSONField):
    """The area of a municipality."""


class MunicipalityFeatureSerializer(Serializer[KnownMunicipality]):
    """A municipality with its area, as a GeoJSON feature (RFC 7946)."""

    type = ChoiceField(["Feature"], help_text="Always `Feature`.", style={"example": "Feature"})
    id = RegexField("^[0-9]{7}$", help_text="TERYT code of the municipality.", style={"example": "1261011"})
    bbox = ListField(
        child=FloatField(help_text="Degrees, WGS84.", style={"example": 19.79225}),
        required=False,
        min_length=4,
        max_length=4,
        help_text="West, south, east and north end; absent where the boundary is not known.",
        style={"example": [19.79225, 49.96765, 20.21735, 50.12614]},
    )
    geometry = GeometryField(allow_null=True)
    properties = MunicipalitySerializer()

    def to_representation(self, instance: KnownMunicipality) -> dict[str, Any]:
        """Return the feature. Without a known boundary its geometry is null (RFC 7946)."""
        outline = instance.outline
        return {
            "type": "Feature",
            "id": instance.unit.teryt,
            **({"bbox": outline.bbox} if outline else {}),
            "geometry": outline and outline.geometry,
            "properties": MunicipalitySerializer().to_representation(instance),
        }


class PostcodeShareSerializer(Serializer[Any]):
    """A municipality in which a postcode has addresses."""

    teryt = RegexField(
        "^[0-9]{7}$", help_text="TERYT code of the municipality, 7 digits.", style={"example": "1261011"}
    )
    name = CharField(help_text="Name of the municipality.", style={"example": "Kraków"})
    share = FloatField(
        allow_null=True,
        min_value=0,
        max_value=1,
        help_text="Share of the addresses of the postcode, as a fraction; null where the source does not count them.",
        style={"example": 1.0},
    )
    url = URLField(help_text="Page of the municipality, for this postcode.", style={"example": MUNICIPALITY})


class PostcodeSerializer(Serializer[tuple[str, PostcodeArea]]):
    """A postcode."""

    postcode = RegexField("^[0-9]{2}-[0-9]{3}$", help_text="The postcode, with its dash.", style={"example": "30-001"})
    lat = FloatField(help_text="Latitude of the centre of its built-up area, WGS84.", style={"example": 50.07585})
    lon = FloatField(help_text="Longitude of that centre, WGS84.", style={"example": 19.941})
    municipalities = PostcodeShareSerializer(
        many=True, help_text="Where its addresses are, the municipality with most of them first."
    )
    voivodeships = VoivodeshipUnitSerializer(
        many=True, help_text="The voivodeships of these municipalities, by TERYT code."
    )
    stores = URLField(
        help_text="The nearest depots in this API.", style={"example": f"{SITE}/api/v1/stores?postcode=30-001"}
    )
    regulations = URLField(
        help_text="The anti-smog resolutions that bind there, in this API.",
        style={"example": f"{SITE}/api/v1/regulations?postcode=30-001"},
    )

    def to_representation(self, instance: tuple[str, PostcodeArea]) -> dict[str, Any]:
        """Return the fields of a postcode. context: `territory`, the snapshot that it belongs to."""
        code, area = instance
        known: Territory = self.context["territory"]
        units = [(known.municipalities[teryt], share) for teryt, share in area.shares()]
        voivodeships = {unit.voivodeship_id: describe_voivodeship(unit) for unit, _ in units}
        return {
            "postcode": code,
            "lat": area.centre.lat,
            "lon": area.centre.lon,
            "municipalities": [
                {
                    "teryt": unit.teryt,
                    "name": unit.name,
                    "share": None if share is None else round(share, 4),
                    "url": municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt, kod=code),
                }
                for unit, share in units
            ],
            "voivodeships": [voivodeships[teryt] for teryt in sorted(voivodeships)],
            "stores": api_url("stores", f"postcode={code}"),
            "regulations": api_url("regulations", f"postcode={code}"),
        }


def describe_voivodeship(unit: Municipality) -> dict[str, str]:
    """Return the fields of the voivodeship of a municipality."""
    return {
        "teryt": unit.voivodeship_id,
        "name": unit.voivodeship.name,
        "slug": unit.voivodeship.slug,
    }


def api_url(name: str, query: str) -> str:
    """Return the URL of another API resource."""
    return f"{site_url(route_path(f'v1:{name}'))}?{query}"
