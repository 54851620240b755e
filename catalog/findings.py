"""What an editor should look at, found over all depots at once and remembered until depots or territory change."""

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

import numpy as np
import shapely
from django.db import connection
from stdnum.pl import nip as nip_check

from catalog import plane
from catalog.boundaries import TOUCH_M
from catalog.models import Dataset, Depot, DistinctPair
from catalog.territory.snapshot import territory
from fueldepot.data import snapshot

NEAR_M = 150
"""Depots with a similar name this near to one another may be one."""

SIMILAR = 0.4
"""Least trigram similarity of two names that may mean one depot."""

# Either the same tax number, or near one another with similar names. The index over positions knows published depots;
# held ones are few and are compared with those, and by tax number with all. Every pair once, the lower number first.
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
                AND d.position <@ circle(a.position, {NEAR_M * plane.STRETCH})
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
    """Two depots that may be one. distance_m: on the plane. similarity: of the names, 0 to 1."""

    first: int
    second: int
    same_nip: bool
    distance_m: float
    similarity: float


@dataclass(frozen=True, slots=True)
class Findings:
    """Primary keys of depots that are not removed.

    outside: whose position lies in another municipality than theirs, by the rule of `catalog.boundaries`.
    bad_nip: whose tax number has a wrong check digit. pairs: likely duplicates, the likeliest first.
    """

    outside: frozenset[int]
    bad_nip: frozenset[int]
    pairs: tuple[Pair, ...]


class _Known:
    """What this process found last, and the version keys that it was found for."""

    findings: Findings | None = None
    key = ""
    looking = Lock()


def current() -> Findings:
    """The findings of the present state: no query while it has not changed, else two."""
    key = snapshot.current().key(Dataset.Slug.DEPOTS, Dataset.Slug.UNITS, Dataset.Slug.BOUNDARIES)
    with _Known.looking:
        if _Known.findings is None or _Known.key != key:
            _Known.findings, _Known.key = find(), key
        return _Known.findings


def forget() -> None:
    """Look anew at the next question."""
    _Known.findings = None


def find() -> Findings:
    """Look at every depot that is not removed. Two queries; the boundaries are those of the territory snapshot."""
    rows = list(
        Depot.objects.exclude(publication=Depot.Publication.REMOVED)
        .order_by("pk")
        .values_list("pk", "lat", "lon", "municipality_id", "nip")
    )
    return Findings(
        outside=find_outside(rows),
        bad_nip=frozenset(pk for pk, _, _, _, nip in rows if nip and not nip_check.is_valid(nip)),
        pairs=find_pairs(),
    )


def find_outside(rows: list[tuple[int, float, float, str, str | None]]) -> frozenset[int]:
    """Which depots lie in no boundary of their own municipality. Depots of one without a boundary are not judged.

    All points are tested at once; only those that fail are asked for one by one, since on a shared border and just
    outside the country another municipality than the nearest area may answer.
    """
    index = territory.get().boundaries
    if not rows or not len(index.areas):
        return frozenset()
    place = {municipality.teryt: at for at, municipality in enumerate(index.municipalities)}
    judged = [row for row in rows if row[3] in place]
    points = shapely.points(
        plane.to_plane_array(np.array([row[1] for row in judged]), np.array([row[2] for row in judged]))
    )
    areas = index.areas[[place[row[3]] for row in judged]]
    inside = shapely.dwithin(areas, points, TOUCH_M)
    suspects = (row for row, is_inside in zip(judged, inside, strict=True) if not is_inside)
    return frozenset(
        row[0] for row in suspects if (located := index.find(row[1], row[2])) is None or located.teryt != row[3]
    )


def find_pairs() -> tuple[Pair, ...]:
    """Likely duplicates, the likeliest first, those included that somebody found to be two. One query."""
    with connection.cursor() as cursor:
        cursor.execute(FIND_PAIRS)
        return tuple(Pair(*row) for row in cursor.fetchall())


def open_pairs() -> tuple[Pair, ...]:
    """Likely duplicates that nobody has found to be two depots. One query."""
    apart = set(DistinctPair.objects.values_list("first_id", "second_id"))
    return tuple(pair for pair in current().pairs if (pair.first, pair.second) not in apart)


def duplicates() -> frozenset[int]:
    """Depots of `open_pairs`. One query."""
    return frozenset(key for pair in open_pairs() for key in (pair.first, pair.second))


def twins_of(depot_id: int, pairs: tuple[Pair, ...]) -> Mapping[int, Pair]:
    """What a depot may be one with: pairs by the number of the other depot."""
    return {
        pair.second if pair.first == depot_id else pair.first: pair
        for pair in pairs
        if depot_id in (pair.first, pair.second)
    }
