"""The register of units in the database: an update of the register keeps every depot."""

from collections import Counter
from dataclasses import dataclass

from catalog import boundaries, history
from catalog.bulk import upsert
from catalog.importers.records import Extract, UnitRecord
from catalog.importers.sync import ImportRefused, Options, Report, check_removals, compare, report_of
from catalog.models import (
    Boundary,
    County,
    Depot,
    FormerMunicipality,
    Municipality,
    Place,
    PostcodeMunicipality,
    Voivodeship,
)
from catalog.text import slug

TITLE = "units"


def stored_units() -> dict[str, UnitRecord]:
    """Every unit in the database by code."""
    units = {code: UnitRecord(code, name) for code, name in Voivodeship.objects.values_list("teryt", "name")}
    units |= {code: UnitRecord(code, name) for code, name in County.objects.values_list("teryt", "name")}
    units |= {
        code: UnitRecord(code, name, kind)
        for code, name, kind in Municipality.objects.values_list("teryt", "name", "kind")
    }
    return units


@dataclass(frozen=True, slots=True)
class Departure:
    """A municipality code that leaves the register.

    successor: the code that its address leads to. moves: depot → code, for depots that do not follow the successor.
    """

    unit: UnitRecord
    successor: str
    moves: dict[int, str]


def plan_departures(removed: list[UnitRecord], remaining: set[str]) -> list[Departure]:
    """Say where the depots of vanishing municipalities go.

    A change of kind keeps the first six digits, and everything follows. A municipality that was merged or split has
    no such heir: its depots follow their position, into the nearest remaining boundary.
    Raises ImportRefused when neither decides.
    """
    by_number = {code[:6]: code for code in remaining}
    departures = []
    orphans = []
    for unit in removed:
        heir = by_number.get(unit.teryt[:6])
        if heir:
            departures.append(Departure(unit, heir, {}))
        else:
            orphans.append(unit)
    if orphans:
        departures += follow_position(orphans, remaining)
    return departures


def follow_position(orphans: list[UnitRecord], remaining: set[str]) -> list[Departure]:
    """Find for each depot of the orphans the remaining municipality that lies nearest to it."""
    index = boundaries.BoundaryIndex.load(only=remaining)
    areas = {row.municipality_id: row for row in Boundary.objects.filter(pk__in=[unit.teryt for unit in orphans])}
    departures = []
    for unit in orphans:
        moves = {
            pk: index.nearest(lat, lon)
            for pk, lat, lon in Depot.objects.filter(municipality=unit.teryt).values_list("pk", "lat", "lon")
        }
        middle = boundaries.middle_of(areas[unit.teryt]) if unit.teryt in areas else None
        successor = index.nearest(*middle) if middle else None
        if successor is None and moves:
            successor = Counter(moves.values()).most_common(1)[0][0]
        if successor is None or None in moves.values():
            raise ImportRefused(
                f"municipality {unit.teryt} {unit.name} leaves the register without an heir of the same number, and "
                "no boundary says who follows it; import boundaries first"
            )
        departures.append(Departure(unit, successor, {pk: code for pk, code in moves.items() if code}))
    return departures


def sync_units(extract: Extract[UnitRecord], options: Options) -> Report:
    """Bring the units to the state of a register file.

    Raises TooManyRemovals and ImportRefused before anything is written.
    """
    incoming = {unit.teryt: unit for unit in extract.rows}
    diff = compare(stored_units(), incoming)
    report = report_of(TITLE, diff)
    report.rejected.extend(extract.rejected)
    check_removals(TITLE, removed=len(diff.removed), stored=diff.stored, options=options)

    gone = [unit for code, unit in diff.removed.items() if len(code) == 7]
    remaining = {code for code in incoming if len(code) == 7}
    departures = plan_departures(gone, remaining)
    report.lines += describe_changes(diff.added if diff.stored else {}, diff.changed, departures)
    if options.write and not diff.empty:
        write(incoming, [*diff.added, *diff.changed], departures, list(diff.removed), options)
    return report


def describe_changes(
    added: dict[str, UnitRecord], changed: dict[str, tuple[UnitRecord, UnitRecord]], departures: list[Departure]
) -> list[str]:
    """A readable line for every unit that is new, renamed or gone. The first load is not news."""
    lines = [f"new: {unit.teryt} {unit.name}" for unit in added.values()]
    lines += [f"renamed: {code} {old.name} → {new.name}" for code, (old, new) in changed.items()]
    for departure in departures:
        line = f"gone: {departure.unit.teryt} {departure.unit.name} → {departure.successor}"
        if departure.moves:
            line += f", {len(departure.moves)} depots follow their position"
        lines.append(line)
    return lines


def write(
    units: dict[str, UnitRecord], touched: list[str], departures: list[Departure], removed: list[str], options: Options
) -> None:
    """Write units from the largest down, move what hangs on vanishing ones, then delete these."""
    records = [units[code] for code in touched]
    upsert(
        [Voivodeship(teryt=u.teryt, name=u.name, slug=slug(u.name)) for u in records if len(u.teryt) == 2],
        ["name", "slug"],
    )
    upsert(
        [County(teryt=u.teryt, name=u.name, voivodeship_id=u.teryt[:2]) for u in records if len(u.teryt) == 4],
        ["name"],
    )
    upsert(
        [
            Municipality(
                teryt=u.teryt,
                name=u.name,
                kind=u.kind,
                slug=slug(u.name),
                county_id=u.teryt[:4],
                voivodeship_id=u.teryt[:2],
            )
            for u in records
            if len(u.teryt) == 7
        ],
        ["name", "slug"],
    )
    FormerMunicipality.objects.filter(pk__in=touched).delete()
    for departure in departures:
        hand_over(departure, options)
    Municipality.objects.filter(pk__in=removed).delete()
    County.objects.filter(pk__in=removed).delete()
    Voivodeship.objects.filter(pk__in=removed).delete()


def hand_over(departure: Departure, options: Options) -> None:
    """Give everything that hangs on a vanishing municipality to its successor, and remember the old code."""
    code, successor = departure.unit.teryt, departure.successor
    moved = list(Depot.objects.filter(municipality=code).values_list("pk", flat=True))
    for depot_id, target in departure.moves.items():
        Depot.objects.filter(pk=depot_id).update(municipality=target, updated_at=options.today)
    Depot.objects.filter(municipality=code).update(municipality=successor, updated_at=options.today)
    history.record(Depot, moved, by=None, reason=f"{history.IMPORTED}: gmina {code} wykreślona z rejestru")
    Place.objects.filter(municipality=code).update(municipality=successor)
    for share in PostcodeMunicipality.objects.filter(municipality=code):
        heir, created = PostcodeMunicipality.objects.get_or_create(
            postcode_id=share.postcode_id, municipality_id=successor, defaults={"addresses": share.addresses}
        )
        if not created:
            PostcodeMunicipality.objects.filter(postcode=heir.postcode_id, municipality=successor).update(
                addresses=heir.addresses + share.addresses
            )
    PostcodeMunicipality.objects.filter(municipality=code).delete()
    if successor[:6] == code[:6] and not Boundary.objects.filter(pk=successor).exists():
        Boundary.objects.filter(pk=code).update(municipality=successor)
    FormerMunicipality.objects.filter(successor=code).update(successor=successor)
    FormerMunicipality.objects.update_or_create(
        teryt=code,
        defaults={"name": departure.unit.name, "successor_id": successor, "left_on": options.today},
    )
