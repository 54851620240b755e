"""Transfer of data of former municipalities to their successors: depots, places, postcodes, boundaries, former codes.

A constant number of statements, however many municipalities change.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import shapely
from django.db import connection

from catalog import versions
from catalog.importers.records import UnitRecord
from catalog.importers.sync import Options
from catalog.importers.sync.successions import SuccessorVotes
from catalog.models import Boundary, Dataset, Depot, FormerMunicipality, PostcodeMunicipality
from fueldepot.data import history
from fueldepot.data.bulk import upsert

REVIEW = "Gmina, do której należał skład, zniknęła z rejestru: sprawdź, w której leży teraz."
"""Review text of a depot whose municipality was confirmed and had to be changed."""


@dataclass(frozen=True, slots=True)
class RetiredMunicipality:
    """A code that leaves the register, or is reused for another municipality.

    reused: whether the code stays in the register. moves: depot → code; other depots follow the successor.
    """

    unit: UnitRecord
    heirs: SuccessorVotes
    reused: bool
    moves: Mapping[int, str]


CodeChangeHandler = Callable[[Mapping[str, SuccessorVotes], Options], list[str]]

CODE_CHANGE_HANDLERS: list[CodeChangeHandler] = []
"""Handlers of apps above the catalog; each returns lines for the report, and writes only if told to.

Registered by `AppConfig.ready`.
"""

MOVE = """
    UPDATE {table} AS t SET municipality_id = moved.code
    FROM unnest(%s::varchar[], %s::varchar[]) AS moved(old, code)
    WHERE t.municipality_id = moved.old
"""

MOVE_DEPOTS = """
    UPDATE catalog_depot AS d
    SET municipality_id = moved.code,
        updated_at = %s,
        review = CASE
            WHEN moved.whole OR NOT ('municipality' = ANY (d.confirmed_fields)) THEN d.review ELSE %s
        END,
        confirmed_fields = CASE
            WHEN moved.whole THEN d.confirmed_fields ELSE array_remove(d.confirmed_fields, 'municipality')
        END
    FROM unnest(%s::bigint[], %s::varchar[], %s::boolean[]) AS moved(id, code, whole)
    WHERE d.id = moved.id
"""


def hand_over(departures: Sequence[RetiredMunicipality], options: Options) -> None:
    """Transfer all data of departing municipalities to their successors, and record the old codes.

    Call it after writing the successors and before deleting the departing ones.
    """
    if not departures:
        return
    successors = {departure.unit.teryt: departure.heirs.successor for departure in departures}
    if hand_over_depots(departures, options):
        versions.bump_version(Dataset.Slug.DEPOTS)
    with connection.cursor() as cursor:
        cursor.execute(MOVE.format(table="catalog_place"), [list(successors), list(successors.values())])
    hand_over_postcodes(successors)
    if hand_over_boundaries(departures):
        versions.bump_version(Dataset.Slug.BOUNDARIES)
    remember(departures, options)


def hand_over_depots(departures: Sequence[RetiredMunicipality], options: Options) -> int:
    """Move depots, including removed and held ones. Returns their number. Three statements.

    A confirmed municipality is kept under its new code. After a merger or division the new one is not confirmed: the
    confirmation ends, and the depot is marked for review.
    """
    by_code = {departure.unit.teryt: departure for departure in departures}
    rows = []
    depots = Depot.objects.select_for_update(of=("self",)).filter(municipality__in=by_code).order_by("pk")
    for pk, code in depots.values_list("pk", "municipality_id"):
        heirs = by_code[code].heirs
        rows.append((pk, by_code[code].moves.get(pk, heirs.successor), heirs.whole))
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(MOVE_DEPOTS, [options.today, REVIEW, *map(list, zip(*rows, strict=True))])
        reason = f"{history.IMPORTED}: gmina zniknęła z rejestru"
        history.record_bulk(Depot, [pk for pk, _, _ in rows], by=None, reason=reason)
    return len(rows)


def hand_over_postcodes(successors: Mapping[str, str]) -> None:
    """Move shares of postcodes, adding up numbers of addresses. Three queries."""
    shares = PostcodeMunicipality.objects.filter(municipality__in=successors)
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for postcode, code, addresses in shares.values_list("postcode_id", "municipality_id", "addresses"):
        sums[postcode, successors[code]] += addresses
    shares.delete()
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO catalog_postcodemunicipality AS s (postcode_id, municipality_id, addresses)
            SELECT * FROM unnest(%s::varchar[], %s::varchar[], %s::integer[])
            ON CONFLICT (postcode_id, municipality_id) DO UPDATE SET addresses = s.addresses + excluded.addresses
            """,
            [[postcode for postcode, _ in sums], [code for _, code in sums], list(sums.values())],
        )


def hand_over_boundaries(departures: Sequence[RetiredMunicipality]) -> bool:
    """Move areas to the successors. Returns whether there were any. At most three queries.

    The same municipality keeps its area. That of a merged or divided one goes to its successor as a whole, marked
    approximate until the next import of boundaries: a hole in the map would be worse.
    """
    codes = {code for departure in departures for code in (departure.unit.teryt, departure.heirs.successor)}
    stored = {row.municipality_id: row for row in Boundary.objects.filter(pk__in=codes)}
    leaving = {departure.unit.teryt for departure in departures}
    parts: dict[str, list[tuple[shapely.Geometry, bool]]] = defaultdict(list)
    for departure in departures:
        row = stored.get(departure.unit.teryt)
        if row is not None:
            exact = departure.heirs.whole and not row.approximate
            parts[departure.heirs.successor].append((shapely.from_wkb(bytes(row.area)), exact))
    if not parts:
        return False
    for code, areas in parts.items():
        row = stored.get(code)
        if row is not None and code not in leaving:
            areas.append((shapely.from_wkb(bytes(row.area)), not row.approximate))
    Boundary.objects.filter(pk__in=leaving).delete()
    upsert(
        [
            Boundary(
                municipality_id=code,
                area=shapely.to_wkb(shapely.union_all([area for area, _ in areas])),
                approximate=len(areas) > 1 or not areas[0][1],
            )
            for code, areas in parts.items()
        ],
        ["area", "approximate"],
    )
    return True


def remember(departures: Sequence[RetiredMunicipality], options: Options) -> None:
    """Record the old codes, and redirect older ones to the newest successors. At most three queries."""
    heirs = {departure.unit.teryt: departure.heirs for departure in departures}
    touched = []
    for row in FormerMunicipality.objects.order_by("pk"):
        before = SuccessorVotes(row.successor_id, tuple(row.others), row.whole)
        if heirs.keys() & set(before.all):
            after = before.followed_by(heirs)
            row.successor_id, row.others, row.whole = after.successor, list(after.others), after.whole
            touched.append(row)
    touched += [
        FormerMunicipality(
            teryt=departure.unit.teryt,
            name=departure.unit.name,
            successor_id=departure.heirs.successor,
            others=list(departure.heirs.others),
            whole=departure.heirs.whole,
            left_on=options.today,
        )
        for departure in departures
        if not departure.reused
    ]
    upsert(touched, ["name", "successor", "others", "whole", "left_on"])
