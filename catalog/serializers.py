"""The wire shapes of the catalog, field by field, in the order of the specification.

Plain functions: a list of a hundred depots is written in a fifth of the time that ModelSerializer takes.
"""

from functools import lru_cache
from typing import Any

import orjson

from catalog import fuels
from catalog.attribution import LICENCES, ORIGINS, describe_status
from catalog.boundaries import Located
from catalog.depots.snapshot import DepotList, DepotRow, Depots
from catalog.links import depot_url, municipality_url
from catalog.models import SearchEntry
from catalog.params import Point
from catalog.reading.hours import DAYS
from catalog.suggestions import Suggestion
from catalog.text import format_address

FUEL_NAMES = {fuel.slug: fuel.name for fuel in fuels.FUELS}


@lru_cache(maxsize=1000)
def week_in_order(hours: str) -> orjson.Fragment:
    """The week as JSON from Monday to Sunday; the database keeps the keys in an order of its own."""
    week = orjson.loads(hours)
    return orjson.Fragment(orjson.dumps({day: week[day] for day in DAYS}))


def suggestion(row: Suggestion) -> dict[str, Any]:
    """An element of `/locations`; `name` is absent for a postcode."""
    if row.kind == SearchEntry.Kind.POSTCODE:
        code = f"{row.fold[:2]}-{row.fold[2:]}"
        url = municipality_url(row.voivodeship_slug, row.slug, row.teryt, kod=code)
        return {"type": row.kind, "label": row.label, "description": row.description, "url": url}
    return {
        "type": row.kind,
        "label": row.label,
        "name": row.label,
        "description": row.description,
        "url": municipality_url(row.voivodeship_slug, row.slug, row.teryt),
    }


def located(municipality: Located, point: Point) -> dict[str, Any]:
    """The answer of `/locate`."""
    return {
        "municipality": municipality.name,
        "teryt": municipality.teryt,
        "description": municipality.description,
        "url": municipality_url(
            municipality.voivodeship_slug, municipality.slug, municipality.teryt, p=f"{point.lat},{point.lon}"
        ),
        "approximate": municipality.approximate,
    }


def kilometres(metres: float) -> float:
    """A distance as answers tell it."""
    return round(metres / 1000, 1)


def stores(listed: DepotList, depots: Depots) -> list[dict[str, Any]]:
    """Elements of `/stores`. Everything but the distance is made once for each depot of a snapshot."""
    made = depots.bodies
    found = []
    for row, distance_m in listed.measured():
        body = made.get(row.id)
        if body is None:
            body = made[row.id] = store(row)
        found.append(body if distance_m is None else {**body, "distance_km": kilometres(distance_m)})
    return found


def store(row: DepotRow) -> dict[str, Any]:
    """An element of `/stores`, without its distance."""
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
        "hours": None if row.hours is None else week_in_order(row.hours),
        "opening_hours": row.opening_hours or None,
        "featured": row.featured,
        "source": {
            "data_status": row.data_status,
            "description": describe_status(row.data_status, row.source),
            "origin": ORIGINS[row.source],
            "licence": LICENCES[row.source],
            "verified_at": row.verified_at,
            "updated_at": row.updated_at,
        },
    }


def feature_collection(stores: list[dict[str, Any]]) -> dict[str, Any]:
    """Stores as GeoJSON (RFC 7946): a point each, every other field as a property."""
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
