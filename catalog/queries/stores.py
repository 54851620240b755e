"""Depots: of a unit, near a point, by their numbers."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from catalog import circles, databases, fuels, plane, versions
from catalog.models import Depot
from catalog.params import Point, StoreQuery
from catalog.queries.units import check_unit, get_postcode_centre

MAX_ID = 2**63 - 1
"""Largest identifier that the database can hold."""


class UnknownDepot(Exception):
    """No depot is published under this identifier. `successor` is the one that it was merged into."""

    def __init__(self, depot_id: int, successor: int | None = None) -> None:
        self.successor = successor
        super().__init__(depot_id)


class StoreRow(NamedTuple):
    """A depot as `/stores` needs it. hours: JSON text or None. distance_m: metres or None."""

    id: int
    name: str
    street: str
    house_number: str
    postcode: str
    place: str
    nip: str | None
    phone: str
    website: str
    lat: float
    lon: float
    location_approximate: bool
    fuels: list[str]
    hours: str | None
    opening_hours: str
    featured: bool
    data_status: str
    source: str
    verified_at: Any
    updated_at: Any
    teryt: str
    municipality: str
    municipality_slug: str
    voivodeship_slug: str
    distance_m: float | None


STORE_COLUMNS = """
    d.id, d.name, d.street, d.house_number, d.postcode, d.place, d.nip, d.phone, d.website, d.lat, d.lon,
    d.location_approximate, d.fuels, d.hours, d.opening_hours, d.featured, d.data_status, d.source,
    d.verified_at, d.updated_at, m.teryt, m.name, m.slug, v.slug
"""

UNITS = """
    catalog_municipality m ON m.teryt = d.municipality_id
    JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
"""

STORE_TABLES = f"catalog_depot d JOIN {UNITS}"

OFFERING = {False: "", True: "AND d.fuels && %(fuels)s::varchar[]"}

GREAT_CIRCLE_M = """
    2 * {radius} * asin(least(1.0, sqrt(
        sin((radians({lat}) - radians(%(lat)s)) / 2) ^ 2
        + cos(radians(%(lat)s)) * cos(radians({lat})) * sin((radians({lon}) - radians(%(lon)s)) / 2) ^ 2
    )))
"""

DISTANCE_M = GREAT_CIRCLE_M.format(radius=plane.EARTH_RADIUS_M, lat="d.lat", lon="d.lon")

# The same from the position alone (`plane.from_plane`), which stands in the index: counting reads no rows.
ACROSS = f"(d.position[0] / {plane.EARTH_RADIUS_M * plane.SCALE})"
ALONG = f"(d.position[1] / {plane.EARTH_RADIUS_M * plane.SCALE})"
INDEXED_DISTANCE_M = GREAT_CIRCLE_M.format(
    radius=plane.EARTH_RADIUS_M,
    lat=f"degrees(asin(sin({ALONG}) / cosh({ACROSS})))",
    lon=f"({plane.CENTRAL_MERIDIAN} + degrees(atan2(sinh({ACROSS}), cos({ALONG}))))",
)

# The plane finds candidates by index, the great circle decides. A neighbour that belongs among the first n lies on the
# plane no farther than the n-th one there times STRETCH / SHRINK; both constants hold for every pair of points served.
# The depots of the circle are counted only when the state of the data is not the one that the caller can count.
FIND_NEAR = """
    WITH reach AS (
        SELECT least(
            %(radius_m)s * {stretch},
            CASE WHEN count(*) < %(limit)s THEN 'Infinity' ELSE max(metres) * {ratio} END
        ) AS metres
        FROM (
            SELECT d.position <-> point(%(x)s, %(y)s) AS metres
            FROM catalog_depot d
            WHERE d.publication = 'published' {offering}
                AND d.position <@ circle(point(%(x)s, %(y)s), %(radius_m)s * {stretch})
            ORDER BY d.position <-> point(%(x)s, %(y)s)
            LIMIT %(limit)s
        ) AS nearest
    ), found AS (
        SELECT d.*, {distance} AS distance_m
        FROM reach CROSS JOIN catalog_depot d
        WHERE d.publication = 'published' {offering}
            AND d.position <@ circle(point(%(x)s, %(y)s), reach.metres)
    )
    SELECT {columns}, d.distance_m, {stamp}, CASE WHEN %(known)s = {stamp} THEN NULL ELSE (
        SELECT count(*)
        FROM catalog_depot d
        WHERE d.publication = 'published' {offering}
            AND d.position <@ circle(point(%(x)s, %(y)s), %(radius_m)s * {stretch})
            AND (d.position <-> point(%(x)s, %(y)s) < %(radius_m)s * {shrink} OR {indexed} <= %(radius_m)s)
    ) END
    FROM (SELECT * FROM found WHERE distance_m <= %(radius_m)s ORDER BY distance_m, id LIMIT %(limit)s) d
    JOIN {units}
    ORDER BY d.distance_m, d.id
"""

# A range instead of LIKE, so that the index serves a prepared statement too: ":" follows "9".
FIND_IN_UNIT = """
    SELECT {columns}, NULL, {stamp}, f.total
    FROM (
        SELECT d.id, count(*) OVER () AS total
        FROM catalog_depot d
        WHERE d.publication = 'published' {offering}
            AND d.municipality_id ~>=~ (SELECT %(unit)s::text) AND d.municipality_id ~<~ (SELECT %(after)s::text)
        ORDER BY d.name_key, d.id
        LIMIT (SELECT %(limit)s::bigint)
    ) f
    JOIN {tables} ON d.id = f.id
    ORDER BY d.name_key, d.id
"""

GET_STORES = f"""
    SELECT {STORE_COLUMNS}, NULL, {circles.STAMP}
    FROM {STORE_TABLES}
    WHERE d.publication = 'published' AND d.id = ANY((SELECT %s::bigint[])::bigint[])
"""  # noqa: S608 - constants only


def _statements(template: str) -> dict[bool, str]:
    """A template filled in with and without the filter on fuels."""
    return {
        filtered: template.format(
            columns=STORE_COLUMNS,
            tables=STORE_TABLES,
            units=UNITS,
            distance=DISTANCE_M,
            indexed=INDEXED_DISTANCE_M,
            stretch=plane.STRETCH,
            shrink=plane.SHRINK,
            ratio=plane.STRETCH / plane.SHRINK,
            stamp=circles.STAMP,
            offering=offering,
        )
        for filtered, offering in OFFERING.items()
    }


NEAR_STATEMENTS = _statements(FIND_NEAR)
UNIT_STATEMENTS = _statements(FIND_IN_UNIT)


@dataclass(frozen=True, slots=True)
class Stores:
    """Depots in the order of the answer, and how many there are without the limit."""

    rows: list[StoreRow]
    total: int


def find_stores(query: StoreQuery) -> Stores:
    """Depots of a unit by name, or near a point by distance; then by id.

    Raises UnknownUnit and UnknownPostcode. One query, and another for a postcode or for a unit without depots.
    """
    if query.teryt is not None:
        return find_stores_in_unit(query.teryt, fuel=query.fuel, limit=query.limit)
    return find_stores_near(find_point(query), radius_km=query.radius_km, fuel=query.fuel, limit=query.limit)


def find_point(query: StoreQuery) -> Point:
    """The point near which depots are asked for. Raises UnknownPostcode; a postcode costs a query."""
    if query.postcode is not None:
        return get_postcode_centre(query.postcode)
    assert query.point is not None  # noqa: S101 - StoreQuery.parse has refused anything else
    return query.point


def find_stores_in_unit(teryt: str, *, fuel: str | None, limit: int) -> Stores:
    """Depots assigned to a unit. Raises UnknownUnit; knowing that a unit without depots exists costs a query."""
    found = find_stores_in_known_unit(teryt, fuel=fuel, limit=limit)
    if not found.rows:
        check_unit(teryt)
    return found


def find_stores_in_known_unit(teryt: str, *, fuel: str | None = None, limit: int | None = None) -> Stores:
    """Depots assigned to a unit that exists, by name and id. limit: None for all of them. One query."""
    parameters: dict[str, Any] = {"unit": teryt, "after": f"{teryt}:", "limit": limit, **_fuels(fuel)}
    with databases.connection().cursor() as cursor:
        cursor.execute(UNIT_STATEMENTS[fuel is not None], parameters)
        rows = cursor.fetchall()
    _note_state(rows)
    return Stores([StoreRow._make(row[:-2]) for row in rows], total=rows[0][-1] if rows else 0)


def find_stores_near(point: Point, *, radius_km: float, fuel: str | None = None, limit: int) -> Stores:
    """Depots within a radius of a point, nearest first by great-circle distance, then by id.

    One query, and one more where the positions of the depots are not held.
    """
    x, y = plane.to_plane(point.lat, point.lon)
    # Those that offer a fuel are counted by the database: what they offer is not held.
    known = circles.positions.lasting() if fuel is None else None
    parameters: dict[str, Any] = {
        "x": x,
        "y": y,
        "lat": point.lat,
        "lon": point.lon,
        "radius_m": radius_km * 1000.0,
        "limit": limit,
        "known": known.stamp if known else "",
        **_fuels(fuel),
    }
    with databases.connection().cursor() as cursor:
        cursor.execute(NEAR_STATEMENTS[fuel is not None], parameters)
        rows = cursor.fetchall()
    _note_state(rows)
    found = [StoreRow._make(row[:-2]) for row in rows]
    total = rows[0][-1] if rows else 0
    if total is None:
        assert known is not None  # noqa: S101 - nothing else can have been the state
        total = known.count(point.lat, point.lon, parameters["radius_m"]) if len(rows) == limit else len(rows)
    return Stores(found, total)


def _note_state(rows: list[Any]) -> None:
    """Note the state that rows with a total at their end are of; without any, nobody knows it."""
    if rows:
        versions.answered_of(rows[0][-2], *circles.RESTS_ON)


def _fuels(fuel: str | None) -> dict[str, Any]:
    return {} if fuel is None else {"fuels": list(fuels.assortments(fuel))}


def find_stores_by_id(ids: list[int]) -> tuple[list[StoreRow], str]:
    """Published depots in no order, and the state that they are of (`circles.STAMP`), "" without any."""
    with databases.connection().cursor() as cursor:
        cursor.execute(GET_STORES, [ids])
        rows = cursor.fetchall()
    state = rows[0][-1] if rows else ""
    versions.answered_of(state, *circles.RESTS_ON)
    return [StoreRow._make(row[:-1]) for row in rows], state


def get_store(depot_id: int) -> tuple[StoreRow, str]:
    """One published depot, and its state as of `find_stores_by_id`.

    Raises UnknownDepot, which costs another query to name the successor.
    """
    if depot_id > MAX_ID:
        raise UnknownDepot(depot_id)
    rows, state = find_stores_by_id([depot_id])
    if not rows:
        raise UnknownDepot(depot_id, successor=get_successor(depot_id))
    return rows[0], state


def get_successor(depot_id: int) -> int | None:
    """The published depot that absorbed another one, None where there is none. One query."""
    merged = Depot.objects.filter(pk=depot_id, merged_into__publication=Depot.Publication.PUBLISHED)
    return merged.values_list("merged_into_id", flat=True).first()
