"""Likely duplicates: depots with one tax number, or near one another with similar names."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

from catalog.territory import projection

NEAR_M = 150
"""Radius within which depots with similar names are likely duplicates."""

PROPOSED_NEAR_M = 300
"""Radius around a proposed depot in which others may be the same, whatever their names; an editor looks at them."""

SIMILAR = 0.4
"""Least trigram similarity of names of likely duplicates."""

# Same tax number, or near one another with similar names. The index over positions covers published depots; held ones
# are few, and are compared with published ones, and by tax number with all. Each pair once, lower id first.
FIND_PAIRS = f"""
    WITH alive AS (SELECT id, name, nip, publication, position FROM catalog_depot WHERE publication <> 'removed'),
    pairs AS (
        SELECT least(a.id, b.id) AS first, greatest(a.id, b.id) AS second
        FROM alive a
        JOIN alive b ON b.nip = a.nip AND a.id < b.id
        UNION
        SELECT least(a.id, b.id), greatest(a.id, b.id)
        FROM alive a
        CROSS JOIN LATERAL (
            SELECT d.id
            FROM catalog_depot d
            WHERE d.publication = 'published' AND d.id <> a.id
                AND d.position <@ circle(a.position, {NEAR_M * projection.MAX_SCALE})
                AND similarity(lower(d.name), lower(a.name)) >= {SIMILAR}
        ) b
    )
    SELECT p.first, p.second, a.nip IS NOT NULL AND a.nip = b.nip, a.position <-> b.position,
        similarity(lower(a.name), lower(b.name))
    FROM pairs p
    JOIN alive a ON a.id = p.first
    JOIN alive b ON b.id = p.second
    ORDER BY 3 DESC, 5 DESC, 4, 1, 2
"""  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class Pair:
    """A likely duplicate. distance_m: on the plane. similarity: trigram similarity of the names, 0 to 1."""

    first: int
    second: int
    same_nip: bool
    distance_m: float
    similarity: float


def find_pairs() -> tuple[Pair, ...]:
    """Return likely duplicates, likeliest first, including those marked as distinct. One query."""
    with connection.cursor() as cursor:
        cursor.execute(FIND_PAIRS)
        return tuple(Pair(*row) for row in cursor.fetchall())


def duplicates_of(depot_id: int, pairs: tuple[Pair, ...]) -> Mapping[int, Pair]:
    """Return the pairs of a depot by the id of the other depot."""
    return {
        pair.second if pair.first == depot_id else pair.first: pair
        for pair in pairs
        if depot_id in (pair.first, pair.second)
    }
