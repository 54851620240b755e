"""The nearest depots found by PostgreSQL, as version 1.0 did: what the snapshot is held against.

The plane finds candidates by index, the haversine decides. A neighbour that belongs among the first n lies on the plane
no farther than the n-th one there times MAX_SCALE / MIN_SCALE.
"""

from django.db import connection

from catalog.depots import fuels
from catalog.territory import coordinates
from catalog.territory.coordinates import EARTH_RADIUS_M

FIND_NEAR = f"""
    WITH reach AS (
        SELECT least(
            %(radius_m)s * {coordinates.MAX_SCALE},
            CASE WHEN count(*) < %(limit)s THEN 'Infinity'
            ELSE max(metres) * {coordinates.MAX_SCALE / coordinates.MIN_SCALE} END
        ) AS metres
        FROM (
            SELECT d.position <-> point(%(x)s, %(y)s) AS metres
            FROM catalog_depot d
            WHERE d.publication = 'published' AND (%(fuels)s::varchar[] IS NULL OR d.fuels && %(fuels)s::varchar[])
                AND d.position <@ circle(point(%(x)s, %(y)s), %(radius_m)s * {coordinates.MAX_SCALE})
            ORDER BY d.position <-> point(%(x)s, %(y)s)
            LIMIT %(limit)s
        ) AS nearest
    ), found AS (
        SELECT d.id, 2 * {EARTH_RADIUS_M} * asin(least(1.0, sqrt(
            sin((radians(d.lat) - radians(%(lat)s)) / 2) ^ 2
            + cos(radians(%(lat)s)) * cos(radians(d.lat)) * sin((radians(d.lon) - radians(%(lon)s)) / 2) ^ 2
        ))) AS metres
        FROM reach CROSS JOIN catalog_depot d
        WHERE d.publication = 'published' AND (%(fuels)s::varchar[] IS NULL OR d.fuels && %(fuels)s::varchar[])
            AND d.position <@ circle(point(%(x)s, %(y)s), reach.metres)
    )
    SELECT id, metres FROM found WHERE metres <= %(radius_m)s ORDER BY metres, id LIMIT %(limit)s
"""  # noqa: S608 - constants only


def find_near(lat: float, lon: float, *, radius_km: int, fuel: str | None, limit: int) -> list[tuple[int, float]]:
    """Identifiers and distances in metres, nearest first."""
    x, y = coordinates.project(lat, lon)
    asked = None if fuel is None else list(fuels.assortments(fuel))
    given = {"x": x, "y": y, "lat": lat, "lon": lon, "radius_m": radius_km * 1000.0, "limit": limit, "fuels": asked}
    with connection.cursor() as cursor:
        cursor.execute(FIND_NEAR, given)
        return cursor.fetchall()
