"""Answers about places: their published fields, and the functions that make them."""

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, cast

from typing_extensions import TypedDict

from catalog.depots import fuels
from catalog.depots.snapshot import Depots
from catalog.links import municipality_url
from catalog.models import Municipality, SearchEntry
from catalog.search.engine import Suggestion
from catalog.territory.boundaries import BoundaryIndex, Outline
from catalog.territory.coordinates import Point
from catalog.territory.snapshot import PostcodeArea, Territory
from fueldepot.http.links import route_url
from fueldepot.http.query import EXAMPLE_SITE, OneOf, Url, example

PAGE = f"{EXAMPLE_SITE}/sklady/malopolskie/krakow-1261011/"

KINDS = {Municipality.Kind.TOWN: "urban", Municipality.Kind.RURAL: "rural", Municipality.Kind.MIXED: "urban_rural"}

MunicipalityCode = Annotated[str, example("1261011", pattern="^[0-9]{7}$")]
Kind = Annotated[
    str,
    OneOf(*KINDS.values()),
    example("urban", "`urban`: a town; `rural`: villages; `urban_rural`: a town with the villages around it."),
]
Code = Annotated[str, example("1261011", "TERYT code of the municipality, 7 digits.", pattern="^[0-9]{7}$")]
Name = Annotated[str, example("Kraków", "Name of the municipality.")]
Page = Annotated[Url, example(PAGE, "Page of the municipality.")]
Bounds = Sequence[Annotated[float, example(19.79225, "Degrees, WGS84.")]]
bounds = example([19.79225, 49.96765, 20.21735, 50.12614], min_length=4, max_length=4)
Feature = Annotated[str, OneOf("Feature"), example("Feature", "Always `Feature`.")]
DepotCount = Annotated[int, example(61, "How many depots `stores` lists.", ge=0)]
VoivodeshipCode = Annotated[str, example("12", "TERYT code of the voivodeship, 2 digits.", pattern="^[0-9]{2}$")]
VoivodeshipName = Annotated[str, example("małopolskie", "Name of the voivodeship.")]
VoivodeshipSlug = Annotated[
    str, example("malopolskie", "Slug of the voivodeship: its name in lower case without diacritics.")
]


class LocationJson(TypedDict):
    """A suggestion of `/locations`."""

    type: Annotated[str, OneOf(*SearchEntry.Kind.values), example("municipality")]
    """Kind of match: a municipality, a locality (town, village or part of one) or a postcode."""
    label: Annotated[str, example("Kraków")]
    """Text to show. For a postcode the code and its places, cut short with an ellipsis when there are many."""
    name: NotRequired[Annotated[str, example("Kraków")]]
    """Name of the municipality or locality; absent for a postcode."""
    description: Annotated[str, example("gmina miejska, miasto na prawach powiatu, województwo małopolskie")]
    """Kind, county and voivodeship, so that namesakes can be told apart."""
    url: Annotated[Url, example(f"{PAGE}?kod=30-001")]
    """Page of the municipality. For a postcode it carries the code in the query parameter `kod`, for a locality its
    point in `p`, with its name in `miejsce` where the point is not its own, and a fuel that was typed beside the place
    in `paliwo`."""
    teryt: MunicipalityCode
    """TERYT code of the municipality."""
    lat: Annotated[float | None, example(50.06143)]
    """Latitude, WGS84; null when not known."""
    lon: Annotated[float | None, example(19.93658)]
    """Longitude, WGS84; null when not known."""
    position: Annotated[str | None, OneOf(*SearchEntry.Position.values, None), example(SearchEntry.Position.values[0])]
    """What `lat` and `lon` are of, the best that is known: `place`, the place itself; `postcode`, the middle of its
    postcodes, or of those of its district; `municipality`, the middle of the municipality. Null when nothing is
    known."""
    fuel: Annotated[str | None, OneOf(*fuels.BY_SLUG, None), example("pellet")]
    """Slug of the fuel that was typed beside the place; null without one."""


def describe_suggestion(suggestion: Suggestion) -> LocationJson:
    lat, lon = suggestion.point or (None, None)
    body: LocationJson = {
        "type": suggestion.kind,
        "label": suggestion.label,
        "name": suggestion.label,
        "description": suggestion.description,
        "url": municipality_url(suggestion.voivodeship_slug, suggestion.slug, suggestion.teryt, **suggestion.query),
        "teryt": suggestion.teryt,
        "lat": lat,
        "lon": lon,
        "position": suggestion.position,
        "fuel": suggestion.fuel,
    }
    if suggestion.kind == SearchEntry.Kind.POSTCODE:
        del body["name"]
    return body


class LocatedMunicipalityJson(TypedDict):
    """The municipality of a point."""

    municipality: Name
    teryt: Code
    description: Annotated[str, example("gmina miejska, miasto na prawach powiatu, województwo małopolskie")]
    """Kind, county and voivodeship."""
    url: Annotated[Url, example(f"{PAGE}?p=50.0614,19.9366")]
    """Page of the municipality; the query parameter `p` carries the point as latitude,longitude."""
    approximate: Annotated[bool, example(False)]
    """True while the boundary is approximated from places; false with the boundary of the national register, which
    is accurate to about 100 m."""


def describe_located(boundaries: BoundaryIndex, point: Point) -> LocatedMunicipalityJson:
    """Return the municipality of a point. Raises PointOutsideMunicipalities."""
    unit = boundaries.get(point.lat, point.lon)
    return {
        "municipality": unit.name,
        "teryt": unit.teryt,
        "description": unit.description,
        "url": municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt, p=f"{point.lat},{point.lon}"),
        "approximate": bool(boundaries.approximate[boundaries.positions[unit.teryt]]),
    }


class VoivodeshipUnitJson(TypedDict):
    """A voivodeship."""

    teryt: VoivodeshipCode
    name: VoivodeshipName
    slug: VoivodeshipSlug


class CountyUnitJson(TypedDict):
    """A county, or a city with the rights of one."""

    teryt: Annotated[str, example("1261", pattern="^[0-9]{4}$")]
    """TERYT code of the county, 4 digits."""
    name: Annotated[str, example("Kraków")]
    """Name of the county."""


class MunicipalityJson(TypedDict):
    """A municipality."""

    teryt: Code
    name: Name
    kind: Kind
    description: Annotated[str, example("gmina miejska, miasto na prawach powiatu, województwo małopolskie")]
    """Kind, county and voivodeship, in Polish."""
    county: CountyUnitJson
    voivodeship: VoivodeshipUnitJson
    lat: Annotated[float | None, example(50.05369)]
    """Latitude of the middle of the municipality, WGS84: the centre of the postcode with the least sum of distances to
    the others, addresses counted, inside the boundary; without postcodes the place that the municipality is named
    after, else any point inside. The same as in `/locations`; null where nothing is known."""
    lon: Annotated[float | None, example(19.97941)]
    """Longitude of that point, WGS84; null where it is not known."""
    bbox: Annotated[Bounds | None, bounds]
    """West, south, east and north end of the municipality (RFC 7946, section 5); null where its boundary is not
    known."""
    approximate: Annotated[bool | None, example(False)]
    """True while the boundary, and so `bbox`, is approximated from places; null where it is not known."""
    postcodes: NotRequired[Sequence[Annotated[str, example("30-001", "A postcode.", pattern="^[0-9]{2}-[0-9]{3}$")]]]
    """Postcodes with addresses in the municipality, ascending. Absent with `brief`."""
    depots: DepotCount
    url: Page
    stores: Annotated[Url, example(f"{EXAMPLE_SITE}/api/v1/stores?teryt=1261011")]
    """Its depots in this API."""
    regulations: Annotated[Url, example(f"{EXAMPLE_SITE}/api/v1/regulations?teryt=1261011")]
    """The anti-smog resolutions that bind there, in this API."""


def describe_municipality(
    unit: Municipality, outline: Outline | None, territory: Territory, depots: Depots
) -> MunicipalityJson:
    lat, lon = territory.centre(unit.teryt) or (None, None)
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
        "postcodes": territory.postcodes_in.get(unit.teryt, ()),
        "depots": depots.count_in(unit.teryt),
        "url": municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt),
        "stores": api_url("stores", f"teryt={unit.teryt}"),
        "regulations": api_url("regulations", f"teryt={unit.teryt}"),
    }


class CountedMunicipalityJson(TypedDict):
    """A municipality with the number of its depots."""

    teryt: Code
    name: Name
    kind: Kind
    lat: Annotated[float | None, example(50.05369)]
    """Latitude, as in `/municipalities/{teryt}`; null where it is not known."""
    lon: Annotated[float | None, example(19.97941)]
    """Longitude of that point; null where it is not known."""
    depots: DepotCount
    depots_by_fuel: Annotated[dict[str, int], example({"wegiel": 40, "pellet": 21})]
    """How many of them offer a fuel, by its slug, without zeros; `wegiel` takes in its assortments."""
    url: Page


def describe_counted(unit: Municipality, point: tuple[float, float] | None, depots: Depots) -> CountedMunicipalityJson:
    lat, lon = point or (None, None)
    return {
        "teryt": unit.teryt,
        "name": unit.name,
        "kind": KINDS[Municipality.Kind(unit.kind)],
        "lat": lat,
        "lon": lon,
        "depots": depots.count_in(unit.teryt),
        "depots_by_fuel": {slug: number for slug, number in depots.offered_in(unit.teryt).items() if number},
        "url": municipality_url(unit.voivodeship.slug, unit.slug, unit.teryt),
    }


class AreaGeometryJson(TypedDict):
    """A polygon or multipolygon (RFC 7946, section 3.1), WGS84, longitude first."""

    type: Annotated[str, OneOf("Polygon", "MultiPolygon"), example("Polygon")]
    """Kind of geometry."""
    coordinates: Annotated[list[list[list[Any]]], example([[[[19.9, 50.0], [20.0, 50.0], [20.0, 50.1], [19.9, 50.0]]]])]
    """Rings of positions; of a multipolygon, polygons of these."""


class MunicipalityFeatureJson(TypedDict):
    """A municipality with its area, as a GeoJSON feature (RFC 7946)."""

    type: Feature
    id: MunicipalityCode
    """TERYT code of the municipality."""
    bbox: NotRequired[Annotated[Bounds, bounds]]
    """West, south, east and north end; absent where the boundary is not known."""
    geometry: AreaGeometryJson | None
    properties: MunicipalityJson


def describe_municipality_feature(body: MunicipalityJson, outline: Outline | None) -> MunicipalityFeatureJson:
    """Return a municipality as a GeoJSON feature. Without a known boundary its geometry is null (RFC 7946)."""
    feature: MunicipalityFeatureJson = {
        "type": "Feature",
        "id": body["teryt"],
        "geometry": cast("AreaGeometryJson | None", outline and outline.geometry),
        "properties": body,
    }
    if outline:
        feature["bbox"] = outline.bbox
    return feature


class PostcodeShareJson(TypedDict):
    """A municipality in which a postcode has addresses."""

    teryt: Code
    name: Name
    share: Annotated[float | None, example(1.0, ge=0, le=1)]
    """Share of the addresses of the postcode, as a fraction; null where the source does not count them."""
    url: Annotated[Url, example(PAGE)]
    """Page of the municipality, for this postcode."""


class PostcodeJson(TypedDict):
    """A postcode."""

    postcode: Annotated[str, example("30-001", pattern="^[0-9]{2}-[0-9]{3}$")]
    """The postcode, with its dash."""
    lat: Annotated[float, example(50.07585)]
    """Latitude of the centre of its built-up area, WGS84."""
    lon: Annotated[float, example(19.941)]
    """Longitude of that centre, WGS84."""
    municipalities: list[PostcodeShareJson]
    """Where its addresses are, the municipality with most of them first."""
    voivodeships: list[VoivodeshipUnitJson]
    """The voivodeships of these municipalities, by TERYT code."""
    stores: Annotated[Url, example(f"{EXAMPLE_SITE}/api/v1/stores?postcode=30-001")]
    """The nearest depots in this API."""
    regulations: Annotated[Url, example(f"{EXAMPLE_SITE}/api/v1/regulations?postcode=30-001")]
    """The anti-smog resolutions that bind there, in this API."""


def describe_postcode(code: str, area: PostcodeArea, territory: Territory) -> PostcodeJson:
    shares = [(territory.municipalities[teryt], share) for teryt, share in area.shares()]
    voivodeships = {unit.voivodeship_id: describe_voivodeship(unit) for unit, _ in shares}
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
            for unit, share in shares
        ],
        "voivodeships": [voivodeships[teryt] for teryt in sorted(voivodeships)],
        "stores": api_url("stores", f"postcode={code}"),
        "regulations": api_url("regulations", f"postcode={code}"),
    }


def describe_voivodeship(unit: Municipality) -> VoivodeshipUnitJson:
    return {"teryt": unit.voivodeship_id, "name": unit.voivodeship.name, "slug": unit.voivodeship.slug}


def api_url(name: str, query: str) -> str:
    return f"{route_url(f'v1:{name}')}?{query}"
