"""From files to steps of an import; steps of the starter data; import of due sources, independent of each other."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

from django.db import DatabaseError, connection
from django.utils import timezone

from catalog import starter
from catalog.importers import freshness, runner
from catalog.importers.download import Download, Fetcher
from catalog.importers.freshness import SourceState
from catalog.importers.records import (
    BadInput,
    BoundaryRecord,
    Extract,
    ImportRefused,
    ImportRunning,
    Note,
    Options,
    Report,
)
from catalog.importers.runner import ImportStep
from catalog.importers.sources import DataSource, FileFormat, Recognised, formats, identify, recognise
from catalog.importers.sync_depots import plain_values, write_depots
from catalog.importers.sync_places import sync_boundaries, sync_places, sync_postcodes
from catalog.importers.sync_units import sync_units
from catalog.models import Dataset, Depot, ImportRun
from catalog.territory.boundaries import BoundaryIndex
from fueldepot.data.snapshot import is_away


def step(
    paths: Sequence[Path], source: DataSource, format_: FileFormat, *, pass_over_older: bool = False
) -> ImportStep:
    """Return a step that parses and imports when it runs. pass_over_older: skip an older file instead of raising."""

    def sync(options: Options) -> Report:
        if source.needs:
            runner.require(source.needs)
        extract = format_.parse(*paths)
        names = ", ".join(path.name for path in paths)
        title = f"{source.dataset} from {names}" if format_.named else str(source.dataset)
        if source.dated and not options.allow_older:
            stored = freshness.stored_day(source, until=freshness.last_valid_day(options.today))
            if extract.as_of and stored and extract.as_of < stored:
                if pass_over_older:
                    reason = f"of {extract.as_of}, older than what is stored ({stored})"
                    return Report(title, skipped=[Note(names, reason)], passed_over=True)
                raise ImportRefused(
                    f"{names} is of {extract.as_of}, and what is stored of {stored}: it would undo newer changes; "
                    "give a newer file, or add --allow-older"
                )
        try:
            report = source.write(extract, options)
        except ImportRefused as error:
            raise ImportRefused(f"{names}: {error}" if format_.named or len(paths) == 1 else str(error)) from error
        report.title, report.as_of = title, extract.as_of
        return report

    rows = source.model._default_manager.all if source.model else None
    return ImportStep(source.dataset, source.credit, sync, rows, source=source, files=tuple(paths))


def steps_of(files: Iterable[tuple[Path, Recognised]], *, pass_over_older: bool = False) -> list[ImportStep]:
    """Return steps for recognised files, in order; the parts of a source are one step, in the place of the first."""
    together: dict[tuple[str, str, Path | None], tuple[list[Path], Recognised]] = {}
    for path, recognised in files:
        source, format_ = recognised
        key = source.id, format_.name, None if format_.in_parts else path
        together.setdefault(key, ([], recognised))[0].append(path)
    return [step(paths, *recognised, pass_over_older=pass_over_older) for paths, recognised in together.values()]


def steps_for(paths: Iterable[Path], dataset: Dataset.Slug) -> list[ImportStep]:
    """Return steps that import files of one data set. Raises BadInput for other files and repeated ones."""
    files = []
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise BadInput(path, "is given twice")
        seen.add(path.resolve())
        recognised = identify(path)
        if recognised is None or recognised[0].dataset != dataset:
            names = ", ".join(format_.name for source, format_ in formats() if source.dataset == dataset)
            kind = f"looks like {recognised[1].name}" if recognised else "is of no known form"
            raise BadInput(path, f"{kind}; this command reads: {names}")
        files.append((path, recognised))
    return steps_of(files)


def directory_steps(directory: Path) -> tuple[list[ImportStep], list[str]]:
    """Return steps for a directory's importable files by format and name, and the other names. Raises BadInput."""
    if not directory.is_dir():
        raise BadInput(directory, "is not a directory")
    # A dangling symlink is a missing file.
    paths = sorted(path for path in directory.iterdir() if path.is_file() or (path.is_symlink() and not path.exists()))
    by_path = {path: recognise(path) for path in paths}
    files = [(path, kind) for kind in formats() for path, recognised in by_path.items() if recognised == kind]
    if not files:
        raise BadInput(directory, "holds no file that can be imported")
    # A directory may keep old registers beside new ones, and importing it again must change nothing.
    return steps_of(files, pass_over_older=True), [path.name for path, kind in by_path.items() if kind is None]


def fetch_step(source: DataSource, fetcher: Fetcher, *, write: bool) -> tuple[ImportStep, Download]:
    """Fetch a source; record a failure if `write`. Returns step and file. Raises DownloadFailed and BadInput."""
    with runner.record_failures(runner.source_origin(source), write=write):
        if source.fetch:
            fetched, download = source.fetch(source, fetcher)
        else:
            download = fetcher.fetch(source)
            (fetched,) = steps_for([download.path], source.dataset)
    return replace(fetched, source=source, origin=runner.source_origin(source, download)), download


logger = logging.getLogger(__name__)

REFRESH_LOCK = 0x464452465348
"""Key of the advisory lock of a refresh: "FDRFSH" in ASCII."""

SAME = "the publisher's file is the one that was imported last"


@contextmanager
def one_refresh() -> Iterator[None]:
    """Hold the lock of a refresh, of the session: downloads are outside every transaction. Raises ImportRunning."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [REFRESH_LOCK])
        if not cursor.fetchone()[0]:
            raise ImportRunning("another refresh is running; wait until it has finished")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [REFRESH_LOCK])


def refresh_source(state: SourceState, options: Options, fetcher: Fetcher) -> tuple[ImportRun, list[Report]]:
    """Import a source unless its file was imported last; record it. Raises ImportRunning, CommitOutcomeUnknown."""
    source = state.source
    started = timezone.now()
    intended = runner.source_origin(source)
    reports: list[Report] = []
    try:
        fetched, download = fetch_step(source, fetcher, write=True)
        if earlier := imported_run(state, download, options.today):
            origin, same = runner.source_origin(source, download), ImportRun.Outcome.UNCHANGED
            return runner.record(origin, same, started=started, message=SAME, earlier=earlier), []
        reports = runner.run([replace(fetched, began=started)], options)
    except runner.REFUSALS:
        # `record_failures` or `run` has recorded it.
        pass
    except (ImportRunning, runner.CommitOutcomeUnknown):
        raise
    except Exception as error:  # a bug in one source must not stop the others
        if isinstance(error, DatabaseError) and is_away(error):  # for example a full disk
            reason = runner.describe_error(error)
        else:
            logger.exception("refresh of %s failed", source.id)
            reason = f"an error of the program: {type(error).__name__}; the log has the rest, please report it"
        runner.record(intended, ImportRun.Outcome.REFUSED, started=started, message=reason)
    return ImportRun.objects.filter(source=source.id).order_by("-pk")[0], reports


def imported_run(state: SourceState, download: Download, today: date) -> ImportRun | None:
    """Return the last successful run if it imported this file, nothing it builds on has changed, and it may be kept."""
    if state.good is None or state.good.checksum != download.sha256:
        return None
    if state.good.file_date is not None and state.good.file_date > freshness.last_valid_day(today):
        return None
    below = [*state.source.built_on, *filter(None, [state.source.needs])]
    newer = ImportRun.objects.filter(
        dataset__in=below, outcome=ImportRun.Outcome.IMPORTED, finished__gt=state.good.finished
    )
    return None if newer.exists() else state.good


def missing_steps() -> Iterator[ImportStep]:
    """Yield a step for every empty data set. Later steps depend on earlier ones."""
    for dataset, credit, load in (
        (Dataset.Slug.UNITS, starter.UNITS_CREDIT, load_units),
        (Dataset.Slug.PLACES, starter.PLACES_CREDIT, load_places),
        (Dataset.Slug.POSTCODES, starter.POSTCODES_CREDIT, load_postcodes),
        (Dataset.Slug.BOUNDARIES, starter.BOUNDARIES_CREDIT, load_boundaries),
    ):
        if not runner.MODELS[dataset]._default_manager.exists():
            yield ImportStep(dataset, credit, load)
    # If demonstration depots were removed on purpose, the data set exists and they stay removed.
    if not Depot.objects.exists() and not Dataset.objects.filter(slug=Dataset.Slug.DEPOTS).exists():
        yield ImportStep(Dataset.Slug.DEPOTS, starter.DEMONSTRATION_CREDIT, load_demonstration)


def load_units(options: Options) -> Report:
    return replace(sync_units(Extract(tuple(starter.read_units())), options), as_of=starter.UNITS_AS_OF)


def load_places(options: Options) -> Report:
    return replace(sync_places(Extract(tuple(starter.read_places())), options), as_of=starter.PLACES_AS_OF)


def load_postcodes(options: Options) -> Report:
    return replace(sync_postcodes(Extract(tuple(starter.read_postcodes())), options), as_of=starter.POSTCODES_AS_OF)


def load_boundaries(options: Options) -> Report:
    areas = starter.approximate(starter.read_places(), starter.read_postcodes(), starter.read_abroad())
    rows = tuple(BoundaryRecord(code, "", area) for code, area in sorted(areas.items()))
    return replace(sync_boundaries(Extract(rows), options, approximate=True), as_of=starter.PLACES_AS_OF)


def load_demonstration(options: Options) -> Report:
    """Load demonstration depots into the municipalities that they lie in. Raises ImportRefused beside real depots."""
    if Depot.objects.exclude(source=Depot.Source.DEMO).exists():
        raise ImportRefused("there are real depots, which invented ones must not stand beside")
    index = BoundaryIndex.load()
    common = {"source": Depot.Source.DEMO, "updated_at": options.today}
    rows = [
        Depot(**plain_values(record), **common, municipality_id=unit.teryt, source_id=record.source_id)
        for record in starter.read_demonstration()
        if (unit := index.find(record.lat, record.lon))
    ]
    if options.write:
        write_depots(Depot.Source.DEMO, added=rows)
    return Report("depots (demonstration)", added=len(rows))
