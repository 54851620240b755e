"""Tools about places and depots."""

from typing import Any

from django.urls import reverse
from django.utils import timezone

from catalog.api.params import LocationsQuery, StoreQuery, read_depot_id
from catalog.api.views import find_stores
from catalog.depots import fuels
from catalog.depots.attribution import ORIGINS, describe_status
from catalog.depots.openings import opening_of
from catalog.depots.snapshot import DepotRow, depots
from catalog.links import depot_url, municipality_url
from catalog.models import Dataset, Depot
from catalog.search.suggestions import suggest_locations
from catalog.territory.point import Point
from catalog.territory.snapshot import territory
from catalog.text import format_address
from fueldepot.data import snapshot
from fueldepot.http.links import site_url
from fueldepot.mcp.answers import Arguments, Citation, Findings, Row, read_arguments, route_url
from pages.territory import depots_as_of
from prices.api.depot_serializers import price_list_item
from prices.snapshot import ListedPrice, prices

MOST_PLACES, MOST_DEPOTS, USUAL_DEPOTS = 5, 4, 3

BEYOND_KM = 1_000
"""Radius that covers all of Poland from anywhere in it."""

DATASETS = "Dane: zbiory, źródła i licencje"
"""Title of the page that lists the data sets."""

REGISTER = "GUS, rejestr TERYT; położenia: PRNG i punkty adresowe"


def find_place(arguments: Arguments) -> Findings:
    """Return municipalities, localities and postcodes for a text."""
    query = LocationsQuery.parse(read_arguments(arguments))
    rows = [
        {
            "label": one.label,
            "description": one.description,
            "teryt": one.teryt,
            "lat": one.point[0] if one.point else None,
            "lon": one.point[1] if one.point else None,
            "position": one.position,
            **({"fuel": one.fuel} if one.fuel else {}),
            "page": municipality_url(one.voivodeship_slug, one.slug, one.teryt),
        }
        for one in suggest_locations(query.text).found
    ]
    as_of = snapshot.changed_on(Dataset.Slug.UNITS, Dataset.Slug.PLACES, Dataset.Slug.POSTCODES)
    citation = Citation(DATASETS, route_url("datasets"), as_of, [REGISTER])
    return Findings({"places": rows}, lambda _: citation, most={"places": MOST_PLACES})


def depots_near(arguments: Arguments) -> Findings:
    """Return depots of a unit, or nearest to a postcode or point, with the price of a fuel."""
    query = StoreQuery.parse(read_arguments({"limit": USUAL_DEPOTS, **arguments}))
    listed = find_stores(query)
    rows = [describe_depot(row, metres, query.fuel) for row, metres in listed.measured()]
    found: dict[str, Any] = {"total": listed.total, "depots": rows}
    if query.teryt:
        found["of_unit"] = query.teryt
    else:
        centre = None if query.postcode is None else territory.get().postcode(query.postcode).centre
        found |= describe_reference(query, query.point or centre)
    if listed.total and not rows:
        found["why_empty"] = f"offset {query.offset} is past the end; the last depot is at {listed.total - 1}"
    elif not rows:
        found["why_empty"] = f"Nie znamy tu żadnego składu{' z tym paliwem' if query.fuel else ''}."
    return Findings(found, cite_depots, page="depots", offset=query.offset)


def cite_depots(rows: list[DepotRow]) -> Citation:
    """Return the citation of a list of depots; of an empty one that of the whole catalog."""
    known = depots.get()
    return Citation(
        DATASETS,
        route_url("datasets"),
        depots_as_of(*(row.updated_at for row in rows)) if rows else known.updated_at,
        [*dict.fromkeys(ORIGINS[row.source] for row in rows)] or ["katalog składów"],
        any(row.source == Depot.Source.DEMO for row in rows) if rows else known.demonstration,
    )


def describe_reference(query: StoreQuery, point: Point | None) -> dict[str, Any]:
    """Return the reference point of distances, and if no depot is within the radius, the nearest beyond it."""
    assert point is not None  # noqa: S101 - the query has a unit, a postcode or a point
    what = f"centre of postcode {query.postcode}" if query.postcode else "point given"
    body: dict[str, Any] = {
        "distances_from": f"{what}: {point.lat},{point.lon}, in a straight line",
        "radius_km": query.radius_km,
    }
    if not depots.get().near(point, radius_km=query.radius_km, fuel=query.fuel, limit=1).total:
        beyond = depots.get().near(point, radius_km=BEYOND_KM, fuel=query.fuel, limit=1).measured()
        body["nearest_beyond"] = [describe_depot(row, metres, query.fuel) for row, metres in beyond]
    return body


def describe_depot(row: DepotRow, metres: float | None, fuel: str | None) -> Row:
    """Return a depot as an item of a list."""
    now = timezone.now()
    listed = prices.get().price_list(row.id, timezone.localdate(now))
    wanted = [one for one in listed if fuel is None or one.fuel in fuels.assortments(fuel)]
    cheapest = min(wanted, key=lambda one: one.price, default=None) if fuel else None
    body = {
        "id": row.id,
        "name": row.name,
        "km": None if metres is None else round(metres / 1000, 1),
        "address": format_address(row.street, row.house_number, row.postcode, row.place, row.municipality),
        "phone": row.phone or None,
        "now": opening_of(row, now).sentence,
        "status": row.data_status,
        "url": depot_url(row.id, row.name),
    }
    if cheapest:
        body["price"] = describe_price(cheapest)
    return Row(row, body)


def describe_price(listed: ListedPrice) -> dict[str, Any]:
    """Return a price without the names that repeat its codes."""
    item = price_list_item(listed)
    return {name: item[name] for name in ("fuel", "price", "unit", "date")}


def get_depot(arguments: Arguments) -> Findings:
    """Return one depot with its price list and hours."""
    row = depots.get().get(read_depot_id(str(arguments.get("id", ""))))
    now = timezone.now()
    listed = prices.get().price_list(row.id, timezone.localdate(now))
    found = {
        "name": row.name,
        "address": format_address(row.street, row.house_number, row.postcode, row.place, row.municipality),
        "teryt": row.teryt,
        "phone": row.phone or None,
        "website": row.website or None,
        "fuels": row.fuels,
        "hours": row.hours_ranges and {day: ", ".join(ranges) or "closed" for day, ranges in row.hours_ranges.items()},
        "now": opening_of(row, now).sentence,
        "status": row.data_status,
        "status_means": describe_status(row.data_status, row.source, row.fuels_by_name),
        "price_list": [describe_price(one) for one in listed],
        "correct_at": site_url(reverse("depot-correct", args=[row.id])),
    }
    citation = Citation(
        row.name,
        depot_url(row.id, row.name),
        max(filter(None, (row.updated_at, row.verified_at))),
        [ORIGINS[row.source]],
        row.source == Depot.Source.DEMO,
    )
    return Findings(found, lambda _: citation)
