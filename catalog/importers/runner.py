"""Running of imports: one at a time, each run in one transaction, with version, statistics and index updates."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Model

from catalog import versions
from catalog.importers import as_of
from catalog.importers.sync import ImportRefused, Options, Report
from catalog.models import Boundary, Dataset, Depot, Municipality, Place, Postcode
from catalog.search import entries

IMPORT_LOCK = 0x464445504F54
"""Key of the advisory lock of imports: "FDEPOT" in ASCII."""

SEARCHED = frozenset({Dataset.Slug.UNITS, Dataset.Slug.PLACES, Dataset.Slug.POSTCODES, Dataset.Slug.BOUNDARIES})

MODELS = {
    Dataset.Slug.UNITS: Municipality,
    Dataset.Slug.PLACES: Place,
    Dataset.Slug.POSTCODES: Postcode,
    Dataset.Slug.BOUNDARIES: Boundary,
    Dataset.Slug.DEPOTS: Depot,
}


COMMANDS = {
    Dataset.Slug.UNITS: ("municipalities", "import_teryt"),
    Dataset.Slug.BOUNDARIES: ("boundaries", "import_boundaries"),
}
"""Data sets that others need: what they hold, and the command that imports it."""


class ImportRunning(Exception):
    """Another import holds the lock."""


class CommitOutcomeUnknown(Exception):
    """The connection broke on commit: the import was written with its record, or not at all."""

    def __init__(self, error: DatabaseError) -> None:
        super().__init__(
            "it is not known whether the data are in: the connection broke while they were committed, "
            f"{describe_error(error)}; they are if the admin has a record of this run, "
            "and running it again does no harm"
        )


class AnalyzeFailed(Exception):
    """An import was committed, but a later action failed. reports: of the import."""

    def __init__(self, reports: list[Report], error: DatabaseError) -> None:
        self.reports = reports
        super().__init__(
            f"the data are in, but the planner of the database was not told: {describe_error(error)}; run ANALYZE, "
            "or wait until autovacuum does"
        )


@dataclass(frozen=True, slots=True)
class ImportStep:
    """One step of a run. source: publisher. sync: compares and, if told to, writes.

    model: table of a data set of an app above the catalog.
    source_id: id of the source, "" for none; files: its files. For the record of the run.
    other_publishers: other publishers of the data set, with the day they are current to; called after `sync`.
    """

    dataset: Dataset.Slug
    source: str
    sync: Callable[[Options], Report]
    model: type[Model] | None = None
    source_id: str = ""
    files: tuple[Path, ...] = ()
    other_publishers: Callable[[], Mapping[str, date | None]] = dict


def describe_error(error: DatabaseError) -> str:
    """Return the first line of a database error: a full disk, a standby server, a lost connection."""
    lines = str(error).strip().splitlines()
    return f"the database refused: {lines[0] if lines else type(error).__name__}"


@contextmanager
def exclusive_import() -> Iterator[None]:
    """Open a transaction with the import lock. Raises ImportRunning."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [IMPORT_LOCK])
        if not cursor.fetchone()[0]:
            raise ImportRunning("another import is running; wait until it has finished")
        yield


def run(steps: Iterable[ImportStep], options: Options) -> list[Report]:
    """Run steps in order, in one transaction.

    Without `options.write`, steps before the last are written, since later ones depend on them, and rolled back. Raises
    what the steps raise, after a rollback. Raises CommitOutcomeUnknown if the outcome is unknown, and AnalyzeFailed if
    everything is written except the planner's statistics.
    """
    wire = None
    try:
        with exclusive_import():
            reports, changed = run_inside(list(steps), options)
            wire = connection.connection
    except DatabaseError as error:
        # If the server refused the commit, everything is rolled back; if it went away, it may have committed.
        if options.write and wire is not None and wire.closed:
            raise CommitOutcomeUnknown(error) from error
        raise
    if changed:
        try:
            analyse(changed.values())
        except DatabaseError as error:
            raise AnalyzeFailed(reports, error) from error
    return reports


def run_inside(steps: Sequence[ImportStep], options: Options) -> tuple[list[Report], dict[str, type[Model]]]:
    """Run steps in the caller's transaction. Returns their reports and the changed tables."""
    reports: list[Report] = []
    changed: dict[str, type[Model]] = {}
    for number, step in enumerate(steps, start=1):
        write = options.write or number < len(steps)
        report = step.sync(replace(options, write=write))
        refuse_later_day(step, report, options.today)
        reports.append(report)
        if report.changes and options.write:
            model = step.model or MODELS[step.dataset]
            record_change(step.dataset, {step.source: report.as_of, **step.other_publishers()}, model=model)
            changed[step.dataset] = model
    if SEARCHED & changed.keys():
        entries.rebuild_index()
    if not options.write:
        transaction.set_rollback(True)
    return reports, changed


def refuse_later_day(step: ImportStep, report: Report, today: date) -> None:
    """Raise ImportRefused for a source of a later day than tomorrow: every right one after it would be older."""
    tomorrow = as_of.last_valid_day(today)
    if report.as_of is not None and report.as_of > tomorrow:
        names = ", ".join(path.name for path in step.files) or report.title
        raise ImportRefused(
            f"{names} is of {report.as_of}, and may be of {tomorrow} at the latest; "
            "check the clock of this machine, or give the publisher's right file"
        )


def record_change(
    dataset: Dataset.Slug, published: Mapping[str, date | None], *, model: type[Model] | None = None
) -> None:
    """Bump the version of a data set with its publishers and day, in the transaction of the change.

    published: all publishers of its rows, with the day they are current to.
    """
    days = [day for day in published.values() if day is not None]
    day = min(days) if days and len(days) == len(published) else None
    rows = (model or MODELS[dataset])._default_manager.count()
    source = Dataset.AND.join(sorted(published))
    versions.bump_version(dataset, as_of=day, row_count=rows, source=source[:200])


def analyse(models: Iterable[type[Model]]) -> None:
    """Update the planner's statistics of changed tables."""
    tables: set[type[Model]] = {*MODELS.values(), *models}
    with connection.cursor() as cursor:
        for model in tables:
            cursor.execute(f"ANALYZE {model._meta.db_table}")


def require(dataset: Dataset.Slug) -> None:
    """Raise ImportRefused if a data set that others need is empty."""
    if not MODELS[dataset]._default_manager.exists():
        what, command = COMMANDS[dataset]
        raise ImportRefused(f"there are no {what} in the database yet; run {command} first")
