"""Questions to the catalog: one query each, plain values in, plain rows out.

Depots and suggestions are asked for in SQL because building the same statements by the ORM takes longer than the
database takes to answer them.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from catalog import circles, databases, fuels, plane
from catalog.held import Held
from catalog.models import County, Dataset, Depot, FormerMunicipality, Municipality, Postcode, Voivodeship
from catalog.params import Point, StoreQuery
from catalog.typed import postcode_pattern, search_key

MAX_SUGGESTIONS = 8
MAX_ID = 2**63 - 1
"""Largest identifier that the database can hold."""


class UnknownUnit(Exception):
    """No voivodeship, county or municipality has this code.

    successor: who follows a code that has left the register; others: who else got a part of it.
    """

    def __init__(self, teryt: str, successor: str | None = None, others: tuple[str, ...] = ()) -> None:
        self.teryt, self.successor, self.others = teryt, successor, others
        super().__init__(teryt)


class UnknownVoivodeship(Exception):
    """No voivodeship has this slug or code."""


class UnknownPostcode(Exception):
    """No municipality has addresses with this postcode."""


class UnknownDepot(Exception):
    """No depot is published under this identifier. `successor` is the one that it was merged into."""

    def __init__(self, depot_id: int, successor: int | None = None) -> None:
        self.successor = successor
        super().__init__(depot_id)


class Suggestion(NamedTuple):
    """One suggestion of `/locations`. fold: for a postcode its five digits."""

    kind: str
    label: str
    fold: str
    description: str
    teryt: str
    slug: str
    voivodeship_slug: str


SUGGESTION_COLUMNS = "e.kind, e.label, e.fold, e.description, m.teryt, m.slug, v.slug"

FIND_SHORT = f"""
    SELECT {SUGGESTION_COLUMNS}
    FROM catalog_shortfragment f
    CROSS JOIN LATERAL unnest(f.ranks) WITH ORDINALITY AS hit(rank, place)
    JOIN catalog_searchentry e ON e.rank = hit.rank
    JOIN catalog_municipality m ON m.teryt = e.municipality_id
    JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
    WHERE f.text = %s
    ORDER BY hit.place
"""  # noqa: S608 - constants only

# The trigram index is asked only when fewer than eight names begin with the text. A range instead of LIKE for these, so
# that the index serves a prepared statement too: "{" follows "z". Texts stand in SELECTs of their own, so that the
# planner cannot look at them: it would find plans for each cheaper than one for all, and plan at every call, which
# takes four times as long as answering.
FIND_FRAGMENT = f"""
    SELECT {SUGGESTION_COLUMNS}
    FROM (
        (
            SELECT rank, CASE WHEN fold = (SELECT %(exact)s::text) THEN 0 ELSE 1 END AS class
            FROM catalog_searchentry
            WHERE fold >= (SELECT %(exact)s::text) AND fold < (SELECT %(after)s::text)
            ORDER BY class, rank
            LIMIT {MAX_SUGGESTIONS}
        )
        UNION ALL
        (
            SELECT rank, CASE WHEN fold LIKE (SELECT %(word)s::text) THEN 2 ELSE 3 END AS class
            FROM catalog_searchentry
            WHERE fold LIKE (SELECT %(inside)s::text)
                AND NOT (fold >= (SELECT %(exact)s::text) AND fold < (SELECT %(after)s::text))
            ORDER BY class, rank
            LIMIT {MAX_SUGGESTIONS}
        )
        LIMIT {MAX_SUGGESTIONS}
    ) hit
    JOIN catalog_searchentry e ON e.rank = hit.rank
    JOIN catalog_municipality m ON m.teryt = e.municipality_id
    JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
    ORDER BY hit.class, hit.rank
"""  # noqa: S608 - constants only

# A pattern with a blank for each digit that is not known. Where the first digits are known they are a range of the
# index; where they are not, which is rare, every postcode may be read.
FIND_POSTCODES = {
    known: f"""
        SELECT {SUGGESTION_COLUMNS}
        FROM catalog_searchentry e
        JOIN catalog_municipality m ON m.teryt = e.municipality_id
        JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
        WHERE e.kind = 'postcode' AND e.fold LIKE %(pattern)s {beginning}
        ORDER BY e.rank
        LIMIT {MAX_SUGGESTIONS}
    """  # noqa: S608 - constants only
    for known, beginning in {False: "", True: "AND e.fold >= %(first)s AND e.fold < %(after)s"}.items()
}


def suggest_locations(text: str) -> list[Suggestion]:
    """At most eight municipalities, localities and postcodes for a text, the best first.

    Exact names before prefixes, before beginnings of a later word, before fragments inside a word; within each the
    order of importance of `catalog.search`. One query.
    """
    pattern = postcode_pattern(text)
    if pattern:
        digits = pattern.partition("_")[0].rstrip("%")
        # ":" follows "9".
        asked = {"pattern": pattern, "first": digits, "after": f"{digits}:"}
        return _suggestions(FIND_POSTCODES[digits != ""], asked)
    key = search_key(text)
    if not key:
        return []
    if len(key) <= 3:
        return _suggestions(FIND_SHORT, [key])
    return _suggestions(FIND_FRAGMENT, {"exact": key, "after": f"{key}{{", "word": f"% {key}%", "inside": f"%{key}%"})


def _suggestions(statement: str, parameters: Any) -> list[Suggestion]:
    with databases.connection().cursor() as cursor:
        cursor.execute(statement, parameters)
        return [Suggestion._make(row) for row in cursor.fetchall()]


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
    SELECT {columns}, d.distance_m, CASE WHEN %(known)s = {stamp} THEN NULL ELSE (
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
    SELECT {columns}, NULL, f.total
    FROM (
        SELECT d.id, count(*) OVER () AS total
        FROM catalog_depot d
        WHERE d.publication = 'published' {offering}
            AND d.municipality_id ~>=~ %(unit)s AND d.municipality_id ~<~ %(after)s
        ORDER BY d.name_key, d.id
        LIMIT %(limit)s
    ) f
    JOIN {tables} ON d.id = f.id
    ORDER BY d.name_key, d.id
"""

GET_STORES = f"""
    SELECT {STORE_COLUMNS}, NULL, {circles.DEPOTS_STAMP}
    FROM {STORE_TABLES}
    WHERE d.publication = 'published' AND d.id = ANY(%s)
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
            stamp=circles.DEPOTS_STAMP,
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
    return Stores([StoreRow._make(row[:-1]) for row in rows], total=rows[0][-1] if rows else 0)


def find_stores_near(point: Point, *, radius_km: float, fuel: str | None = None, limit: int) -> Stores:
    """Depots within a radius of a point, nearest first by great-circle distance, then by id.

    One query, and one more where the positions of the depots are not held.
    """
    x, y = plane.to_plane(point.lat, point.lon)
    # Those that offer a fuel are counted by the database: what they offer is not held.
    known = circles.positions.current() if fuel is None and Held.lasting else None
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
    found = [StoreRow._make(row[:-1]) for row in rows]
    total = rows[0][-1] if rows else 0
    if total is None:
        assert known is not None  # noqa: S101 - nothing else can have been the state
        total = known.count(point.lat, point.lon, parameters["radius_m"]) if len(rows) == limit else len(rows)
    return Stores(found, total)


def _fuels(fuel: str | None) -> dict[str, Any]:
    return {} if fuel is None else {"fuels": list(fuels.assortments(fuel))}


def find_stores_by_id(ids: list[int]) -> tuple[list[StoreRow], str]:
    """Published depots in no order, and the state that they are of (`circles.DEPOTS_STAMP`), "" without any."""
    with databases.connection().cursor() as cursor:
        cursor.execute(GET_STORES, [ids])
        rows = cursor.fetchall()
    return [StoreRow._make(row[:-1]) for row in rows], rows[0][-1] or "" if rows else ""


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


def get_postcode_centre(code: str) -> Point:
    """Centre of the built-up area of a postcode. Raises UnknownPostcode."""
    centre = Postcode.objects.filter(code=code).values_list("lat", "lon").first()
    if centre is None:
        raise UnknownPostcode(code)
    return Point(*centre)


def check_unit(teryt: str) -> None:
    """Raise UnknownUnit unless a voivodeship, county or municipality has this code."""
    model = {2: Voivodeship, 4: County, 7: Municipality}[len(teryt)]
    if model._default_manager.filter(pk=teryt).exists():
        return
    raise unknown_unit(teryt)


def unknown_unit(teryt: str) -> UnknownUnit:
    """The error for a code that no unit has, with those that follow it. One query.

    A county or voivodeship is followed by those that its municipalities went to, the one with most of them first.
    """
    formers = FormerMunicipality.objects.filter(pk__startswith=teryt).values_list("successor_id", "others")
    counts = Counter(successor[: len(teryt)] for successor, _ in formers)
    found = sorted(counts, key=lambda code: (-counts[code], code))
    found += sorted({code[: len(teryt)] for _, others in formers for code in others} - {*found})
    return UnknownUnit(teryt, successor=found[0] if found else None, others=tuple(found[1:]))


def get_voivodeship(asked: str) -> Voivodeship:
    """A voivodeship by its slug or its two digits. Raises UnknownVoivodeship. No query while `voivodeships` is held."""
    for unit in voivodeships.current():
        if asked in (unit.slug, unit.teryt):
            return unit
    raise UnknownVoivodeship(asked)


voivodeships = Held(lambda: tuple(Voivodeship.objects.order_by("teryt")), Dataset.Slug.UNITS)
"""All of them, by TERYT."""
