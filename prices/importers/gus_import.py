"""Import steps of official averages: from the BDL API or from its saved responses."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import orjson
from django.conf import settings
from django.utils import timezone

from catalog.importers.download import Download, DownloadFailed, Fetcher
from catalog.importers.download.fetching import user_agent
from catalog.importers.publications import Publication
from catalog.importers.records import BadInput, Note
from catalog.importers.runner import ImportStep
from catalog.importers.sync import ImportRefused, Options, Report
from catalog.importers.validation import check_row_count
from catalog.models import Dataset
from prices.importers import bdl_parser
from prices.importers.bdl_client import CATEGORY, BdlClient, BdlUnavailable
from prices.importers.bdl_parser import Data
from prices.importers.records import ObservationRecord, VariableRecord
from prices.importers.sync_series import sync_series
from prices.models import Observation, Series
from prices.series import PUBLISHER, SERIES


def step_of(
    title: str,
    variables: Mapping[str, VariableRecord],
    found: Iterable[tuple[str, Data, object]],
    rejected: list[Note],
) -> ImportStep:
    """Return the step that imports values. found: slug of the series, values, source. Raises ImportRefused."""
    rows: dict[str, ObservationRecord] = {}
    updated: list[date] = []
    for slug, data, where in found:
        rows.update((row.key, row) for row in bdl_parser.observations(slug, data, where, rejected))
        updated += [data.updated] if data.updated else []
    if not rows:
        reasons = "; ".join(f"{note.key}: {note.reason}" for note in rejected)
        raise ImportRefused(f"{title}: no average price found; {reasons or 'no values of a known variable'}")

    def sync(options: Options) -> Report:
        report = sync_series(
            rows.values(), options, variables=variables, rejected=rejected, as_of=max(updated, default=None)
        )
        report.title = f"{Dataset.Slug.SERIES} from {title}"
        return report

    return ImportStep(Dataset.Slug.SERIES, PUBLISHER, sync, model=Observation, form="bdl")


def download_step(publication: Publication, chosen: Mapping[str, int], fetcher: Fetcher) -> tuple[ImportStep, Download]:
    """Download the averages. Returns the import step and the stored responses.

    chosen: numbers of variables by slug of the series, from the operator. Series of unknown number are searched by name
    below the category of prices. Raises DownloadFailed, ImportRefused and BadInput.
    """
    known = {**known_variables(), **chosen}
    store = fetcher.store(publication)
    with store.lock():
        try:
            with BdlClient(publication.url, settings.BDL_CLIENT_ID, agent=user_agent()) as client:
                variables, rejected = find_variables(client, known)
                found = [(slug, data, "BDL") for slug, v in variables.items() for data in client.data(v.id)]
            store.part.write_bytes(orjson.dumps({url: orjson.loads(answer) for url, answer in client.answers}))
            download = store.keep(url=publication.url, etag="", last_modified="", now=timezone.now())
        except BdlUnavailable as error:
            raise DownloadFailed(publication.url, f"{error}; try again later") from error
        except OSError as error:
            raise DownloadFailed(store.folder, f"cannot be written: {error.strerror}") from error
    return check_row_count(step_of("BDL API", variables, found, rejected), publication), download


def find_variables(client: BdlClient, known: Mapping[str, int]) -> tuple[dict[str, VariableRecord], list[Note]]:
    """Return variables by slug: known ones checked, the others searched by name. Raises BadInput for a wrong unit."""
    found = {slug: client.variable(variable_id) for slug, variable_id in known.items()}
    for slug, variable in found.items():
        bdl_parser.check_chosen(slug, variable)
    if len(found) == len(SERIES):
        return found, []
    chosen, notes = bdl_parser.choose(client.variables_of(CATEGORY))
    return {**chosen, **found}, [note for note in notes if note.key not in found]


def file_step(paths: Iterable[Path], chosen: Mapping[str, int]) -> ImportStep:
    """Return the step that imports saved responses: pages of values, and descriptions of their variables.

    Raises BadInput and ImportRefused.
    """
    paths = list(paths)
    variables: dict[int, VariableRecord] = {}
    data: list[tuple[Data, Path]] = []
    for path in paths:
        try:
            answer = bdl_parser.read_json(path.read_bytes(), path)
        except OSError as error:
            raise BadInput(path, f"cannot be read: {error.strerror}") from error
        if "variableId" in answer:
            data.append((bdl_parser.data_of(answer, path), path))
        elif "measureUnitName" in answer:
            variable = bdl_parser.variable_of(answer, path)
            variables[variable.id] = variable
        else:
            rows = bdl_parser.results_of(answer, path)
            described = [bdl_parser.variable_of(row, path) for row in rows if "measureUnitName" in row]
            if len(described) < len(rows):
                raise BadInput(path, "holds neither values of a variable nor variables")
            variables.update((variable.id, variable) for variable in described)
    series, rejected = choose_from_files(variables, chosen)
    by_number = {number: slug for slug, number in known_variables().items()}
    by_number |= {variable.id: slug for slug, variable in series.items()}
    found = []
    for row, path in data:
        if row.variable_id in by_number:
            found.append((by_number[row.variable_id], row, path))
        else:
            reason = f"variable {row.variable_id} is not known to be one of the series; give its description too"
            rejected.append(Note(path.name, reason))
    return replace(step_of(", ".join(path.name for path in paths), series, found, rejected), files=tuple(paths))


def choose_from_files(
    variables: Mapping[int, VariableRecord], chosen: Mapping[str, int]
) -> tuple[dict[str, VariableRecord], list[Note]]:
    """Return variables by slug of the series. Raises BadInput for a chosen variable that does not fit."""
    found, notes = bdl_parser.choose(variables.values()) if variables else ({}, [])
    for slug, number in chosen.items():
        if number not in variables:
            raise BadInput(f"variable {number}", "is not described in the files; save the answer of /variables/ too")
        bdl_parser.check_chosen(slug, variables[number])
        found[slug] = variables[number]
    return found, [note for note in notes if note.key not in chosen]


def known_variables() -> dict[str, int]:
    """Return the numbers found by earlier imports, by slug of the series."""
    rows = Series.objects.exclude(variable_id=None).values_list("slug", "variable_id")
    return {slug: number for slug, number in rows if number is not None}
