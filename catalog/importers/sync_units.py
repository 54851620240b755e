"""Writing of the register of units: an update keeps every depot."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import shapely
from django.db.models import Count, F, ProtectedError, QuerySet, Value
from django.db.models.functions import Concat

from catalog.importers.records import Diff, Extract, ImportRefused, Options, Report, UnitRecord, compare
from catalog.importers.runner import report_of
from catalog.importers.successions import (
    CODE_CHANGE_HANDLERS,
    Candidates,
    Departure,
    Heirs,
    Units,
    county_heirs,
    find_successions,
    hand_over,
    most_common,
    municipalities,
)
from catalog.models import Boundary, County, Depot, FormerMunicipality, Municipality, Place, Voivodeship
from catalog.territory import boundaries
from catalog.territory.coordinates import distance_m
from catalog.text import slug
from fueldepot.data.history import upsert


def stored_units() -> dict[str, UnitRecord]:
    larger = [*Voivodeship.objects.values_list("teryt", "name"), *County.objects.values_list("teryt", "name")]
    units = [UnitRecord(code, name) for code, name in larger]
    units += [UnitRecord(*row) for row in Municipality.objects.values_list("teryt", "name", "kind")]
    return {unit.teryt: unit for unit in units}


def sync_units(extract: Extract[UnitRecord], options: Options) -> Report:
    """Update units; what belongs to departing municipalities goes to their successors.

    Raises ImportRefused before anything is written, and while rules refer to a unit.
    """
    incoming = {unit.teryt: unit for unit in extract.rows}
    stored = stored_units()
    diff = compare(stored, incoming)
    recoded, dissolved = find_successions(stored, incoming)
    # A unit under a new code is not removed.
    kept = sum(not departure.reused for departure in recoded)
    report = report_of("units", diff, options, kept=kept, rejected=extract.rejected)
    departures = plan_departures(recoded, dissolved, incoming)
    if diff.stored:
        report.lines += describe_changes(diff, incoming, departures)
    if options.write and report.changes:
        write(incoming, [*diff.added, *diff.changed], departures, list(diff.removed), options)
    heirs = {departure.unit.teryt: departure.heirs for departure in departures}
    if heirs:
        for follow in CODE_CHANGE_HANDLERS:
            report.lines += follow(heirs, options)
    return report


def plan_departures(recoded: list[Departure], dissolved: Candidates, incoming: Units) -> list[Departure]:
    """Return all departures by code, with where depots go: by position where there is no heir. Raises ImportRefused."""
    # Areas of those whose one successor is known are stored under the former code.
    current = {code: code for code in municipalities(incoming.values())}
    current |= {departure.unit.teryt: departure.heirs.successor for departure in recoded}
    current |= {unit.teryt: candidates[0] for unit, candidates in dissolved.items() if len(candidates) == 1}
    departures = list(recoded)
    for unit, candidates in dissolved.items():
        if len(candidates) == 1:
            departures.append(Departure(unit, Heirs(candidates[0], whole=False)))
        else:
            departures.append(divide(unit, candidates, incoming) if candidates else merge(unit, current))
    return sorted(departures, key=lambda departure: departure.unit.teryt)


def depots_of(unit: UnitRecord) -> QuerySet[Depot, tuple[int, float, float]]:
    return Depot.objects.filter(municipality=unit.teryt).values_list("pk", "lat", "lon")


def merge(unit: UnitRecord, current: Mapping[str, str]) -> Departure:
    """Merge a municipality into its neighbours by the map. Raises ImportRefused if that does not tell. Four queries.

    current: code of the register by the code that an area may be stored under.
    """
    # None merges beyond its voivodeship, unless nothing stays there.
    own = {code for code, heir in current.items() if heir[:2] == unit.teryt[:2]}
    index = boundaries.BoundaryIndex.load(only=own or current)
    moves = {pk: index.nearest(lat, lon) for pk, lat, lon in depots_of(unit)}
    targets = {pk: current[code] for pk, code in moves.items() if code}
    area = Boundary.objects.filter(pk=unit.teryt).first()
    neighbour = index.neighbour(shapely.from_wkb(bytes(area.area))) if area else None
    successor = current[neighbour] if neighbour else None
    if successor is None and targets:
        successor = most_common(targets.values())
    if successor is None or len(targets) < len(moves):
        raise ImportRefused(
            f"municipality {unit.teryt} {unit.name} leaves the register without an heir of the same number or "
            "name, and no boundary says who follows it; import boundaries first"
        )
    return Departure(unit, heirs_of(successor, targets.values()), moves=targets)


def divide(unit: UnitRecord, candidates: tuple[str, ...], incoming: Units) -> Departure:
    """Divide a municipality among new ones: depots go to the nearest place of their names, else all to one."""
    located = Place.objects.filter(municipality=unit.teryt).order_by("main", "pk")
    places = {row.name: (row.lat, row.lon) for row in located if row.lat is not None and row.lon is not None}
    seats = {code: places[incoming[code].name] for code in candidates if incoming[code].name in places}
    moves = {}
    for pk, lat, lon in depots_of(unit) if seats else ():
        moves[pk] = min(seats, key=lambda code: (distance_m(lat, lon, *seats[code]), code))
    successor = most_common(moves.values()) if moves else min(seats or candidates)
    return Departure(unit, heirs_of(successor, candidates), moves=moves)


def heirs_of(successor: str, codes: Iterable[str]) -> Heirs:
    return Heirs(successor, tuple(sorted(set(codes) - {successor})), whole=False)


def describe_changes(diff: Diff[UnitRecord], incoming: Units, departures: list[Departure]) -> list[str]:
    """Return a line for every new, renamed or removed unit, and for a change of kind or code."""
    reused = {departure.unit.teryt for departure in departures if departure.reused}
    heirs = {departure.unit.teryt: departure.heirs.successor for departure in departures if not departure.reused}
    continued = {departure.heirs.successor for departure in departures if departure.heirs.whole}
    takers = {code for row in departures for code in (row.heirs.successor, *row.moves.values())}
    lines = []
    for code, unit in diff.added.items():
        if code not in continued:
            lacking = "" if code in takers else ", and its depots elsewhere,"
            note = f"; without a boundary of its own{lacking} until import_boundaries brings one"
            lines.append(f"new: {code} {unit.name}{note if len(code) == 7 else ''}")
    for code, (old, new) in diff.changed.items():
        lines.append(f"renamed: {code} {old.name} → {new.name}" if code not in reused else f"new: {code} {new.name}")
    depots = Depot.objects.filter(municipality__in=[departure.unit.teryt for departure in departures])
    counts = dict(depots.values_list("municipality").annotate(Count("pk")))
    lines += [describe_departure(departure, incoming, counts.get(departure.unit.teryt, 0)) for departure in departures]
    gone = {code: unit for code, unit in diff.removed.items() if len(code) < 7}
    followers = county_heirs(gone, heirs)
    for code, unit in gone.items():
        after = f" → {followers[code]} {incoming[followers[code]].name}" if code in followers else ""
        lines.append(f"gone: {code} {unit.name}{after}")
    return lines


def describe_departure(departure: Departure, incoming: Units, depots: int) -> str:
    unit, heirs = departure.unit, departure.heirs
    successor = incoming[heirs.successor]
    line = f"{unit.teryt} {unit.name} → {successor.teryt}"
    if heirs.whole and heirs.successor[:6] == unit.teryt[:6]:
        kinds = (Municipality.Kind(kind).label for kind in (unit.kind, successor.kind))
        line = f"kind: {line} ({' → '.join(kinds)})"
    elif heirs.whole:
        line = f"{'code reused' if departure.reused else 'new code'}: {line}"
    else:
        line = f"gone: {line} {successor.name}"
        line += "".join(f", {code} {incoming[code].name}" for code in heirs.others)
    if successor.name != unit.name and heirs.whole:
        line += f", renamed {successor.name}"
    if depots:
        targets = Counter(departure.moves.values())
        where = ", ".join(f"{count} to {code}" for code, count in sorted(targets.items())) if len(targets) > 1 else ""
        line += f"; {depots} {'depot follows' if depots == 1 else 'depots follow'}{': ' + where if where else ''}"
    return line


def write(
    units: Units, touched: list[str], departures: list[Departure], removed: Collection[str], options: Options
) -> None:
    """Write units from the largest down, then delete departing ones. Raises ImportRefused where rules refer to one."""
    records = [units[code] for code in touched]
    # Clear slugs first: two voivodeships may swap names, and slugs are unique.
    Voivodeship.objects.filter(pk__in=touched).update(slug=Concat(Value("-"), F("teryt")))
    first, second, third = ([unit for unit in records if len(unit.teryt) == digits] for digits in (2, 4, 7))
    upsert([Voivodeship(teryt=u.teryt, name=u.name, slug=slug(u.name)) for u in first], ["name", "slug"])
    upsert([County(teryt=u.teryt, name=u.name, voivodeship_id=u.teryt[:2]) for u in second], ["name"])
    rows = [Municipality(teryt=u.teryt, name=u.name, kind=u.kind, slug=slug(u.name)) for u in third]
    for row in rows:
        row.county_id, row.voivodeship_id = row.teryt[:4], row.teryt[:2]
    upsert(rows, ["name", "slug"])
    FormerMunicipality.objects.filter(pk__in=touched).delete()
    hand_over(departures, options)
    try:
        Municipality.objects.filter(pk__in=removed).delete()
        County.objects.filter(pk__in=removed).delete()
        Voivodeship.objects.filter(pk__in=removed).delete()
    except ProtectedError as error:
        kinds = sorted({str(row._meta.verbose_name_plural) for row in error.protected_objects})
        gone = ", ".join(code for code in sorted(removed) if len(code) == 2)
        raise ImportRefused(
            f"voivodeship {gone} leaves the register, and {', '.join(kinds)} still belong to it; "
            "give these to the voivodeship that follows it first"
        ) from error
