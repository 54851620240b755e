"""Writing of official averages to the database. Imported numbers replace those of the starter data."""

from collections.abc import Iterable, Mapping
from datetime import date

from catalog.importers.records import Note
from catalog.importers.sync import Options, Report, compare, report_of
from catalog.models import Voivodeship
from prices.importers.records import ObservationRecord, VariableRecord
from prices.models import Observation, Series
from prices.series import SERIES

TITLE = "official averages"


def sync_series(
    rows: Iterable[ObservationRecord],
    options: Options,
    *,
    variables: Mapping[str, VariableRecord] | None = None,
    rejected: Iterable[Note] = (),
    as_of: date | None = None,
) -> Report:
    """Write averages, and the numbers of their variables. variables: by slug of the series.

    Stored averages that the source lacks stay: it may cover one level or a few years only.
    """
    incoming = {row.key: row for row in rows}
    areas = set(Voivodeship.objects.values_list("teryt", flat=True)) | {""}
    unknown = [row for row in incoming.values() if row.area not in areas]
    known = {key: row for key, row in incoming.items() if row.area in areas}
    stored = read_stored()
    diff = compare({key: row for key, row in stored.items() if key in known}, known)
    report = report_of(TITLE, diff)
    report.as_of = as_of
    report.rejected = [*rejected, *(Note(row.key, f"no voivodeship has the code '{row.area}'") for row in unknown)]
    touched = {row.series for row in known.values()}
    kept = [row for key, row in stored.items() if key not in known and row.series in touched]
    report.skipped = [Note(row.key, "kept, the source does not have it") for row in kept]
    report.lines = [f"changed: {key} from {old.value} to {new.value}" for key, (old, new) in diff.changed.items()]
    report.beside = note_variables(variables or {}, report, options)
    report.changed += report.beside
    if options.write:
        write([*diff.added.values(), *(new for _, new in diff.changed.values())])
    return report


def read_stored() -> dict[str, ObservationRecord]:
    """Return the stored averages by key."""
    rows = Observation.objects.all()
    records = (ObservationRecord(r.series_id, r.voivodeship_id or "", r.year, r.value, r.source) for r in rows)
    return {record.key: record for record in records}


def note_variables(variables: Mapping[str, VariableRecord], report: Report, options: Options) -> int:
    """Store the numbers of variables. Returns the number of changed ones."""
    if options.write:
        Series.objects.bulk_create((Series(slug=kind.slug) for kind in SERIES), ignore_conflicts=True)
    known = dict(Series.objects.values_list("slug", "variable_id"))
    changed = 0
    for slug, variable in variables.items():
        report.lines.append(f"{slug} is variable {variable.id}: {variable.name}, in {variable.unit}")
        if known.get(slug) != variable.id:
            changed += 1
            if options.write:
                values = {"variable_id": variable.id, "variable_name": variable.name[:300]}
                Series.objects.filter(slug=slug).update(**values)
    return changed


def write(records: Iterable[ObservationRecord]) -> None:
    """Add or overwrite averages."""
    for record in records:
        Observation.objects.update_or_create(
            series_id=record.series,
            voivodeship_id=record.area or None,
            year=record.year,
            defaults={"value": record.value, "source": record.source},
        )
