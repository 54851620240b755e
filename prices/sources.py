"""The source of official averages: the BDL API of the statistical office, or its saved answers.

A variable, of which the office states no number, belongs to a series by name and unit, or by an operator's choice.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path

import orjson
from django.conf import settings

from catalog.importers import import_steps
from catalog.importers.download import Download, Fetcher, Store
from catalog.importers.parsers.files import FileStart
from catalog.importers.records import (
    BadInput,
    Extract,
    ImportRefused,
    Note,
    Options,
    Report,
    compare,
)
from catalog.importers.runner import ImportStep, report_of
from catalog.importers.sources import DataSource, FileFormat
from catalog.importers.sources.teryt import gus_source
from catalog.models import Dataset, Voivodeship
from prices import bdl
from prices.models import Observation, Series
from prices.official_series import BY_SLUG, PUBLISHER, SERIES, SeriesKind

MOST_CANDIDATES = 12
"""Most candidates per series; the years of each cost one request or more."""


# No slots, as in `Extract`.
@dataclass(frozen=True)
class SeriesExtract(Extract[bdl.ObservationRecord]):
    """Averages, and the variables of their series by slug."""

    variables: Mapping[str, bdl.VariableRecord] = field(default_factory=dict)


def choose(variables: Iterable[bdl.VariableRecord]) -> tuple[dict[str, bdl.VariableRecord], list[Note]]:
    """Return the variables by slug of the series, none where several fit, and the reasons against others."""
    chosen, notes = {}, []
    by_id = {variable.id: variable for variable in variables}
    for series in SERIES:
        named = {v: v.trouble_with_unit(series) for v in by_id.values() if v.is_named_like(series)}
        notes += [Note(series.slug, trouble) for trouble in named.values() if trouble]
        fitting = [variable for variable, trouble in named.items() if not trouble]
        if len(fitting) == 1:
            chosen[series.slug] = fitting[0]
        elif fitting:
            names = "; ".join(f"{variable.id} {variable.name}" for variable in fitting)
            reason = f"several variables fit, choose one by import_prices_gus --variable: {names!r}"
            notes.append(Note(series.slug, reason))
        else:
            notes.append(Note(series.slug, "no variable fits by name and unit"))
    return chosen, notes


def check_chosen(slug: str, variable: bdl.VariableRecord) -> None:
    """Raise BadInput unless a variable chosen by the operator has the unit of the series."""
    if trouble := variable.trouble_with_unit(BY_SLUG[slug]):
        raise BadInput(f"variable {variable.id}", trouble)


def find_candidates(client: bdl.BdlClient, series: SeriesKind) -> dict[bdl.VariableRecord, str]:
    """Return candidates of the search, else of the category of prices, best first. Raises like `BdlClient.get`."""
    variables = {variable.id: variable for term in series.search_terms for variable in client.search_variables(term)}
    if not any(v.is_named_like(series) and not v.trouble_with_unit(series) for v in variables.values()):
        below = client.variables_of(bdl.CATEGORY)
        variables |= {variable.id: variable for variable in below if variable.mentions(series.name_words[0])}
    ranked = sorted(
        variables.values(), key=lambda v: (not v.is_named_like(series), bool(v.trouble_with_unit(series)), v.id)
    )
    return {variable: describe_candidate(client, variable, series) for variable in ranked[:MOST_CANDIDATES]}


def describe_candidate(client: bdl.BdlClient, variable: bdl.VariableRecord, series: SeriesKind) -> str:
    """Return number, name, unit and years with a value for Poland, and whether the variable fits."""
    pages = client.data(variable.id, levels=(bdl.COUNTRY_LEVEL,))
    values = (value for page in pages for unit in page["results"] for value in unit.get("values") or [])
    plain = {bdl.read_year(value.get("year")) for value in values if value.get("attrId") == bdl.PLAIN_VALUE}
    years = sorted(year for year in plain if year is not None)
    span = f"{years[0]}–{years[-1]} ({len(years)} years)" if years else "no value for Poland"
    verdict = variable.trouble_with_unit(series) or ("fits" if variable.is_named_like(series) else "another name")
    return f"{variable.id}: {variable.name!r}, in {variable.unit}, {span}; {verdict}"


def find_variables(client: bdl.BdlClient, ids: Mapping[str, int]) -> tuple[dict[str, bdl.VariableRecord], list[Note]]:
    """Return variables by slug: `ids` are checked, the others searched by name. Raises BadInput for a wrong unit."""
    variables = {slug: client.variable(variable_id) for slug, variable_id in ids.items()}
    for slug, variable in variables.items():
        check_chosen(slug, variable)
    if len(variables) == len(SERIES):
        return variables, []
    chosen, notes = choose(client.variables_of(bdl.CATEGORY))
    return {**chosen, **variables}, [note for note in notes if note.key not in variables]


def known_variables() -> dict[str, int]:
    """Return the numbers found by earlier imports, by slug of the series."""
    return {slug: number for slug, number in Series.objects.values_list("slug", "variable_id") if number is not None}


def recognises(start: FileStart) -> bool:
    """Whether a file is a saved answer about variables or values. Reads it whole: its rows come first."""
    if start.path.suffix.lower() != ".json":
        return False
    try:
        answer = bdl.read_json(start.path.read_bytes(), start.path)
    except (BadInput, OSError):
        return False
    return "results" in answer and ("variableId" in answer or "totalRecords" in answer)


def extract_of(
    title: str,
    variables: Mapping[str, bdl.VariableRecord],
    pages: Iterable[tuple[str, bdl.Page, object]],
    rejected: list[Note],
) -> SeriesExtract:
    """Return the averages of pages: slug of the series, values, where from.

    Raises BadInput for two values of one year, and ImportRefused if there are no averages.
    """
    rows: dict[str, bdl.ObservationRecord] = {}
    updated = []
    for slug, page, where in pages:
        for row in bdl.observations(slug, page, where, rejected):
            first = rows.setdefault(row.key, row)
            if first.value != row.value:
                raise BadInput(where, f"{row.key} is there twice with different values: {first.value} and {row.value}")
        with suppress(ValueError):
            updated.append(date.fromisoformat(str(page.get("lastUpdate"))[:10]))
    if not rows:
        reasons = "; ".join(f"{note.key}: {note.reason}" for note in rejected)
        raise ImportRefused(f"{title}: no average price found; {reasons or 'no values of a known variable'}")
    return SeriesExtract(tuple(rows.values()), max(updated, default=None), tuple(rejected), variables=variables)


def parse(*paths: Path, chosen: Mapping[str, int] | None = None) -> SeriesExtract:
    """Parse saved answers. chosen: variables by slug, from the operator. Raises BadInput and ImportRefused."""
    chosen = chosen or {}
    variables: dict[int, bdl.VariableRecord] = {}
    pages: list[tuple[int, bdl.Page, Path]] = []
    for path in paths:
        try:
            answer = bdl.read_json(path.read_bytes(), path)
        except OSError as error:
            raise BadInput(path, f"cannot be read: {error.strerror}") from error
        if "variableId" in answer:
            pages.append((bdl.variable_id_of(answer, path), answer, path))
            continue
        rows = [answer] if "measureUnitName" in answer else bdl.rows_of(answer, path)
        if not all("measureUnitName" in row for row in rows):
            raise BadInput(path, "holds neither values of a variable nor variables")
        variables |= {variable.id: variable for variable in [bdl.variable_of(row, path) for row in rows]}
    series, notes = choose(variables.values()) if variables else ({}, [])
    for slug, number in chosen.items():
        if number not in variables:
            raise BadInput(f"variable {number}", "is not described in the files; save the answer of /variables/ too")
        check_chosen(slug, variables[number])
        series[slug] = variables[number]
    rejected = [note for note in notes if note.key not in chosen]
    slugs = {number: slug for slug, number in known_variables().items()}
    for number in slugs.keys() & variables.keys():
        if slugs[number] not in chosen:
            check_chosen(slugs[number], variables[number])
    slugs |= {variable.id: slug for slug, variable in series.items()}
    for number, _, path in pages:
        if number not in slugs:
            reason = f"variable {number} is not known to be one of the series; give its description too"
            rejected.append(Note(path.name, reason))
    named = [(slugs[number], page, path) for number, page, path in pages if number in slugs]
    return extract_of(", ".join(path.name for path in paths), series, named, rejected)


def fetch(source: DataSource, fetcher: Fetcher, chosen: Mapping[str, int] | None = None) -> tuple[ImportStep, Download]:
    """Fetch averages. Returns step and kept answers. Raises DownloadFailed, ImportRefused and BadInput."""
    store = Store(fetcher.root, source)
    with store.lock():
        with bdl.BdlClient(source.url, settings.BDL_CLIENT_ID) as client:
            variables, rejected = find_variables(client, {**known_variables(), **(chosen or {})})
            pages = [(slug, page, "BDL") for slug, v in variables.items() for page in client.data(v.id)]
        store.part.write_bytes(orjson.dumps({url: orjson.loads(answer) for url, answer in client.answers}))
        download = store.keep()
    extract = extract_of("BDL API", variables, pages, rejected)
    return import_steps.step([download.path], source, FileFormat("bdl", recognises, lambda _: extract)), download


def sync_series(extract: Extract[bdl.ObservationRecord], options: Options) -> Report:
    """Write averages and variables. Averages that the source lacks stay: it may cover a few years only."""
    areas = {"", *Voivodeship.objects.values_list("teryt", flat=True)}
    early = [row for row in extract.rows if row.year > options.today.year]
    unknown = [row for row in extract.rows if row.area not in areas]
    located = {row.key: row for row in extract.rows if row.area in areas and row.year <= options.today.year}
    rows = Observation.objects.all()
    records = (bdl.ObservationRecord(row.series_id, row.teryt, row.year, row.value, row.source) for row in rows)
    stored = {record.key: record for record in records}
    diff = compare({key: row for key, row in stored.items() if key in located}, located)
    rejected = [
        *extract.rejected,
        *(Note(row.key, f"no voivodeship has the code '{row.area}'") for row in unknown),
        *(Note(row.key, f"its year has not begun: '{row.value}'") for row in early),
    ]
    touched = {row.series for row in located.values()}
    kept = [row for key, row in stored.items() if key not in located and row.series in touched]
    skipped = [Note(row.key, "kept, the source does not have it") for row in kept]
    report = report_of("official averages", diff, options, rejected=rejected, skipped=skipped)
    report.lines = [f"changed: {key} from {old.value} to {new.value}" for key, (old, new) in diff.changed.items()]
    report.beside = sync_variables(getattr(extract, "variables", {}), report, options)
    report.changed += report.beside
    if options.write:
        Observation.objects.bulk_create(
            [
                Observation(
                    series_id=record.series,
                    voivodeship_id=record.area or None,
                    year=record.year,
                    value=record.value,
                    source=record.source,
                )
                for record in [*diff.added.values(), *(new for _, new in diff.changed.values())]
            ],
            update_conflicts=True,
            unique_fields=["series", "voivodeship", "year"],
            update_fields=["value", "source"],
        )
    return report


def sync_variables(variables: Mapping[str, bdl.VariableRecord], report: Report, options: Options) -> int:
    """Write the variables of series; one that was another's moves. Returns how many changed. Raises BadInput."""
    series_of: dict[int, str] = {}
    for slug, variable in variables.items():
        if (other := series_of.setdefault(variable.id, slug)) != slug:
            reason = f"is that of {other} and of {slug}; give each its own by import_prices_gus --variable"
            raise BadInput(f"variable {variable.id}", reason)
    if options.write:
        Series.objects.bulk_create((Series(slug=kind.slug) for kind in SERIES), ignore_conflicts=True)
    stored = dict(Series.objects.values_list("slug", "variable_id"))
    report.lines += [f"{slug} is variable {v.id}: {v.name}, in {v.unit}" for slug, v in variables.items()]
    changed = {slug: variable for slug, variable in variables.items() if stored.get(slug) != variable.id}
    if options.write:
        taken = Series.objects.filter(variable_id__in=[variable.id for variable in changed.values()])
        taken.update(variable_id=None, variable_name="")
    for slug, variable in changed.items() if options.write else ():
        Series.objects.filter(slug=slug).update(variable_id=variable.id, variable_name=variable.name[:300])
    return len(changed)


def file_step(paths: Iterable[Path], chosen: Mapping[str, int]) -> ImportStep:
    """Return the step that imports saved answers, whatever their names. chosen: as for `parse`."""
    return import_steps.step(list(paths), SOURCE, FileFormat("bdl", recognises, partial(parse, chosen=chosen)))


SOURCE = gus_source(
    id="gus-bdl",
    order=60,
    dataset=Dataset.Slug.SERIES,
    title="Bank Danych Lokalnych, średnie ceny nośników energii",
    credit=PUBLISHER,
    terms="https://api.stat.gov.pl/Home/BdlApi",
    formats=(FileFormat("bdl", recognises, parse, in_parts=True),),
    write=sync_series,
    built_on=(Dataset.Slug.UNITS,),
    model=Observation,
    fetch=fetch,
    # The publisher documents the API. Without X-ClientId it answers 100 requests in a quarter of an hour.
    url="https://bdl.stat.gov.pl/api/v1",
    file="bdl.json",
    rhythm_days=30,
    min_rows=1,
    most_rejected=1.0,
    confirmed=True,
)

SOURCES = (SOURCE,)
