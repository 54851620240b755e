"""Writing of localities: each source updates its own rows."""

from dataclasses import astuple, replace

from catalog.importers.records import Extract, Note, PlaceRecord
from catalog.importers.sync import Options, Report, check_removals, compare, report_of
from catalog.importers.sync.resolve import MunicipalityCodes, district_of
from catalog.models import Place
from fueldepot.data.bulk import insert, upsert

TITLE = "places"

COLUMNS = ("id", "name", "kind", "municipality_id", "main", "lat", "lon", "district")
"""Columns of a place, in the order of the fields of its record."""


def sync_places(extract: Extract[PlaceRecord], options: Options) -> Report:
    """Update the places of one source from its file. Raises TooManyRemovals before anything is written."""
    codes = MunicipalityCodes()
    incoming: dict[str, PlaceRecord] = {}
    rejected = list(extract.rejected)
    for place in options.progress(extract.rows, TITLE):
        municipality = codes.find(place.unit)
        if municipality is None:
            rejected.append(Note(f"{place.id} {place.name}", f"no municipality has the code {place.unit}"))
            continue
        incoming[place.id] = replace(place, unit=municipality, district=district_of(place.unit))
    sources = {key.split(":")[0] for key in incoming}
    stored = {
        row[0]: PlaceRecord(*row)
        for source in sources
        for row in Place.objects.filter(id__startswith=f"{source}:").values_list(*COLUMNS)
    }
    diff = compare(stored, incoming)
    check_removals(TITLE, removed=len(diff.removed), stored=diff.stored, options=options)
    report = report_of(TITLE, diff)
    report.rejected = rejected
    if options.write:
        insert(Place, COLUMNS, map(astuple, diff.added.values()))
        changed = [Place(**dict(zip(COLUMNS, astuple(place), strict=True))) for _, place in diff.changed.values()]
        upsert(changed, ["name", "kind", "municipality", "main", "lat", "lon", "district"])
        Place.objects.filter(pk__in=diff.removed).delete()
    return report
