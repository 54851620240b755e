"""Writing of boundaries, and reassignment of depots to the municipality of their position."""

from collections.abc import Collection, Iterable

import shapely

from catalog import versions
from catalog.importers.records import BoundaryRecord, Extract, Note
from catalog.importers.sync import Options, Report, check_removals, compare, report_of
from catalog.models import Boundary, Dataset, Depot, Municipality
from catalog.territory import boundaries
from fueldepot.data import history
from fueldepot.data.bulk import upsert

TITLE = "boundaries"


def stored_areas() -> dict[str, tuple[bytes, bool]]:
    """Return WKB and `approximate` of every stored boundary, by code."""
    rows = Boundary.objects.values_list("municipality_id", "area", "approximate")
    return {code: (bytes(area), approximate) for code, area, approximate in rows}


def sync_boundaries(extract: Extract[BoundaryRecord], options: Options, *, approximate: bool = False) -> Report:
    """Update boundaries from a file.

    Approximate boundaries of the starter are replaced; official boundaries missing in the file stay if it covers other
    voivodeships only. Depots whose municipality is not confirmed follow their position.

    Raises TooManyRemovals before anything is written.
    """
    registered = set(Municipality.objects.values_list("teryt", flat=True))
    codes = current_codes(registered, {row.teryt for row in extract.rows})
    rejected = list(extract.rejected)
    incoming: dict[str, tuple[bytes, bool]] = {}
    for row in options.progress(extract.rows, TITLE):
        code = codes.get(row.teryt)
        if code is None:
            rejected.append(Note(f"{row.teryt} {row.name}", "no municipality has this code"))
            continue
        incoming[code] = (shapely.to_wkb(row.area), approximate)
    covered = {code[:2] for code in incoming}
    stored = stored_areas()
    mine = {code: area for code, area in stored.items() if area[1] or code[:2] in covered}
    diff = compare(mine, incoming)
    official_removed = [code for code, (_, was_approximate) in diff.removed.items() if not was_approximate]
    check_removals(TITLE, removed=len(official_removed), stored=diff.stored, options=options)
    report = report_of(TITLE, diff)
    report.rejected = rejected
    report.lines += extract.remarks
    report.lines += [
        f"without a boundary: {code}" for code in sorted(registered - set(incoming)) if code[:2] in covered
    ]
    if options.write and not diff.empty:
        touched = [*diff.added, *diff.changed]
        upsert(
            [Boundary(municipality_id=code, area=incoming[code][0], approximate=approximate) for code in touched],
            ["area", "approximate"],
        )
        Boundary.objects.filter(pk__in=diff.removed).delete()
        report.lines += reassign_depots(options)
    return report


def current_codes(registered: Collection[str], stated: Collection[str]) -> dict[str, str]:
    """Map codes of a file to codes of the register, whose year and thus kinds may differ.

    Unknown codes are omitted, and those of another kind if the file has the right one too.
    """
    by_number = {code[:6]: code for code in registered if code not in stated}
    current = {code: code if code in registered else by_number.get(code[:6]) for code in stated}
    return {code: present for code, present in current.items() if present}


def reassign_depots(options: Options) -> Iterable[str]:
    """Move depots to the municipality of their position. Returns a line for each."""
    index = boundaries.BoundaryIndex.load()
    moved: dict[int, str] = {}
    for depot in Depot.objects.exclude(confirmed_fields__contains=["municipality"]).order_by("pk"):
        located = index.find(depot.lat, depot.lon)
        if located and located.teryt != depot.municipality_id:
            moved[depot.pk] = f"depot {depot.pk} {depot.name}: {depot.municipality_id} → {located.teryt}"
            Depot.objects.filter(pk=depot.pk).update(municipality=located.teryt, updated_at=options.today)
    if moved:
        history.record_bulk(Depot, moved.keys(), by=None, reason=f"{history.IMPORTED}: granice gmin")
        # Medians of voivodeships depend on the municipality of depots.
        versions.bump_version(Dataset.Slug.DEPOTS)
    return moved.values()
