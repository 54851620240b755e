"""The source of official averages: the BDL API of the statistical office, or its saved answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import orjson
from django.conf import settings

from catalog.importers import registry
from catalog.importers.download import Download, Fetcher, user_agent
from catalog.importers.parsers.files import FileStart
from catalog.importers.records import BadInput, DownloadFailed, Extract, Note
from catalog.importers.runner import ImportStep
from catalog.importers.source import DataSource, FileFormat
from catalog.importers.sync import ImportRefused, Options, Report, compare, report_of
from catalog.models import Dataset, Voivodeship
from prices.importers import bdl, bdl_variables
from prices.importers.bdl import BdlClient, BdlUnavailable, Data, ObservationRecord, VariableRecord
from prices.models import Observation, Series
from prices.series import PUBLISHER, SERIES


# No slots, as in `Extract`.
@dataclass(frozen=True)
class SeriesExtract(Extract[ObservationRecord]):
    """Averages, and the variables of their series by slug."""

    variables: Mapping[str, VariableRecord] = field(default_factory=dict)


def recognises(start: FileStart) -> bool:
    """Whether a file is a saved answer about values or variables. Reads it whole: its rows come first."""
    return start.path.suffix.lower() == ".json" and bdl.is_answer(start.path)


def extract_of(
    title: str,
    variables: Mapping[str, VariableRecord],
    pages: Iterable[tuple[str, Data, object]],
    rejected: list[Note],
) -> SeriesExtract:
    """Return the averages of pages: slug of the series, values, where from. Raises ImportRefused if there are none."""
    rows: dict[str, ObservationRecord] = {}
    updated = []
    for slug, data, where in pages:
        rows.update((row.key, row) for row in bdl.observations(slug, data, where, rejected))
        updated += [data.updated] if data.updated else []
    if not rows:
        reasons = "; ".join(f"{note.key}: {note.reason}" for note in rejected)
        raise ImportRefused(f"{title}: no average price found; {reasons or 'no values of a known variable'}")
    return SeriesExtract(tuple(rows.values()), max(updated, default=None), tuple(rejected), variables=variables)


def parse(*paths: Path, chosen: Mapping[str, int] | None = None) -> SeriesExtract:
    """Parse saved answers: pages of values, and descriptions of their variables.

    chosen: numbers of variables by slug of the series, from the operator. Raises BadInput and ImportRefused.
    """
    variables: dict[int, VariableRecord] = {}
    pages: list[tuple[Data, Path]] = []
    for path in paths:
        try:
            answer = bdl.read_json(path.read_bytes(), path)
        except OSError as error:
            raise BadInput(path, f"cannot be read: {error.strerror}") from error
        if "variableId" in answer:
            pages.append((bdl.data_of(answer, path), path))
            continue
        rows = [answer] if "measureUnitName" in answer else bdl.results_of(answer, path)
        if not all("measureUnitName" in row for row in rows):
            raise BadInput(path, "holds neither values of a variable nor variables")
        described = [bdl.variable_of(row, path) for row in rows]
        variables.update((variable.id, variable) for variable in described)
    series, notes = bdl_variables.choose(variables.values()) if variables else ({}, [])
    for slug, number in (chosen or {}).items():
        if number not in variables:
            raise BadInput(f"variable {number}", "is not described in the files; save the answer of /variables/ too")
        bdl_variables.check_chosen(slug, variables[number])
        series[slug] = variables[number]
    rejected = [note for note in notes if note.key not in (chosen or {})]
    by_number = {number: slug for slug, number in known_variables().items()}
    by_number |= {variable.id: slug for slug, variable in series.items()}
    for data, path in pages:
        if data.variable_id not in by_number:
            reason = f"variable {data.variable_id} is not known to be one of the series; give its description too"
            rejected.append(Note(path.name, reason))
    named = [(by_number[data.variable_id], data, path) for data, path in pages if data.variable_id in by_number]
    return extract_of(", ".join(path.name for path in paths), series, named, rejected)


def fetch(source: DataSource, fetcher: Fetcher, chosen: Mapping[str, int] | None = None) -> tuple[ImportStep, Download]:
    """Fetch the averages page by page. Returns the import step and the kept answers.

    Series of unknown number are searched by name below the category of prices. Raises DownloadFailed, ImportRefused and
    BadInput.
    """
    store = fetcher.store(source)
    with store.lock():
        try:
            with BdlClient(source.url, settings.BDL_CLIENT_ID, agent=user_agent()) as client:
                variables, rejected = find_variables(client, {**known_variables(), **(chosen or {})})
                pages = [(slug, data, "BDL") for slug, v in variables.items() for data in client.data(v.id)]
        except BdlUnavailable as error:
            raise DownloadFailed(source.url, f"{error}; try again later") from error
        store.part.write_bytes(orjson.dumps({url: orjson.loads(answer) for url, answer in client.answers}))
        download = store.keep()
    extract = extract_of("BDL API", variables, pages, rejected)
    fetched = registry.step([download.path], source, FileFormat("bdl", recognises, lambda _: extract))
    return replace(fetched, fetched=source), download


def find_variables(client: BdlClient, known: Mapping[str, int]) -> tuple[dict[str, VariableRecord], list[Note]]:
    """Return variables by slug: known ones checked, the others searched by name. Raises BadInput for a wrong unit."""
    variables = {slug: client.variable(variable_id) for slug, variable_id in known.items()}
    for slug, variable in variables.items():
        bdl_variables.check_chosen(slug, variable)
    if len(variables) == len(SERIES):
        return variables, []
    chosen, notes = bdl_variables.choose(client.variables_of(bdl.CATEGORY))
    return {**chosen, **variables}, [note for note in notes if note.key not in variables]


def known_variables() -> dict[str, int]:
    """Return the numbers found by earlier imports, by slug of the series."""
    rows = Series.objects.exclude(variable_id=None).values_list("slug", "variable_id")
    return {slug: number for slug, number in rows if number is not None}


def sync_series(extract: Extract[ObservationRecord], options: Options) -> Report:
    """Write averages, and the numbers of their variables. Imported averages replace those of the starter data.

    Stored averages that the source lacks stay: it may cover one level or a few years only.
    """
    incoming = {row.key: row for row in extract.rows}
    areas = set(Voivodeship.objects.values_list("teryt", flat=True)) | {""}
    unknown = [row for row in incoming.values() if row.area not in areas]
    located = {key: row for key, row in incoming.items() if row.area in areas}
    stored = {
        record.key: record
        for row in Observation.objects.all()
        for record in [ObservationRecord(row.series_id, row.voivodeship_id or "", row.year, row.value, row.source)]
    }
    diff = compare({key: row for key, row in stored.items() if key in located}, located)
    report = report_of("official averages", diff)
    report.rejected = [
        *extract.rejected,
        *(Note(row.key, f"no voivodeship has the code '{row.area}'") for row in unknown),
    ]
    touched = {row.series for row in located.values()}
    kept = [row for key, row in stored.items() if key not in located and row.series in touched]
    report.skipped = [Note(row.key, "kept, the source does not have it") for row in kept]
    report.lines = [f"changed: {key} from {old.value} to {new.value}" for key, (old, new) in diff.changed.items()]
    report.beside = sync_variables(getattr(extract, "variables", {}), report, options)
    report.changed += report.beside
    if options.write:
        for record in [*diff.added.values(), *(new for _, new in diff.changed.values())]:
            Observation.objects.update_or_create(
                series_id=record.series,
                voivodeship_id=record.area or None,
                year=record.year,
                defaults={"value": record.value, "source": record.source},
            )
    return report


def sync_variables(variables: Mapping[str, VariableRecord], report: Report, options: Options) -> int:
    """Store the numbers of variables. Returns the number of changed ones."""
    if options.write:
        Series.objects.bulk_create((Series(slug=kind.slug) for kind in SERIES), ignore_conflicts=True)
    stored = dict(Series.objects.values_list("slug", "variable_id"))
    report.lines += [f"{slug} is variable {v.id}: {v.name}, in {v.unit}" for slug, v in variables.items()]
    changed = {slug: variable for slug, variable in variables.items() if stored.get(slug) != variable.id}
    for slug, variable in changed.items() if options.write else ():
        Series.objects.filter(slug=slug).update(variable_id=variable.id, variable_name=variable.name[:300])
    return len(changed)


def file_step(paths: Iterable[Path], chosen: Mapping[str, int]) -> ImportStep:
    """Return the step that imports saved answers, whatever their names. chosen: as for `parse`."""
    return registry.step(list(paths), SOURCE, FileFormat("bdl", recognises, partial(parse, chosen=chosen)))


SOURCE = DataSource(
    id="gus-bdl",
    order=60,
    dataset=Dataset.Slug.SERIES,
    title="Bank Danych Lokalnych, średnie ceny nośników energii",
    publisher="Główny Urząd Statystyczny",
    credit=PUBLISHER,
    licence="do dowolnego wykorzystania z podaniem źródła i daty",
    terms="https://api.stat.gov.pl/Home/BdlApi",
    formats=(FileFormat("bdl", recognises, parse, in_parts=True),),
    write=sync_series,
    built_on=(Dataset.Slug.UNITS,),
    model=Observation,
    method="api",
    fetch=fetch,
    # The publisher documents the API. Without X-ClientId it answers 100 requests in a quarter of an hour.
    url="https://bdl.stat.gov.pl/api/v1",
    file="bdl.json",
    rhythm_days=30,
    min_rows=1,
    max_megabytes=50,
    confirmed=True,
)

SOURCES = (SOURCE,)
