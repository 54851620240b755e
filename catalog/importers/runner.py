"""Running of imports: one at a time, each run in one transaction, with records, versions, statistics and index."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from catalog import versions
from catalog.importers import freshness
from catalog.importers.run_log import REFUSALS, RunOrigin, record
from catalog.importers.source import DataSource
from catalog.importers.sync import ImportRefused, Options, Report
from catalog.models import Boundary, Dataset, Depot, ImportRun, Municipality, Place, Postcode
from catalog.search import entries

IMPORT_LOCK = 0x464445504F54
"""Key of the advisory lock of imports: "FDEPOT" in ASCII."""

BY_HAND = "look at it, and if it is right give it to the import command as a file"

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

    fetched: the source, if nobody has looked at the file: it is refused if doubtful. most_rejected: share of unusable
    rows above which it is. origin, began: what was fetched and since when, for the record.
    """

    dataset: Dataset.Slug
    source: str
    sync: Callable[[Options], Report]
    model: type[Model] | None = None
    source_id: str = ""
    files: tuple[Path, ...] = ()
    other_publishers: Callable[[], Mapping[str, date | None]] = dict
    fetched: DataSource | None = None
    most_rejected: float = 1.0
    origin: RunOrigin | None = None
    began: datetime | None = None

    def recorded_origin(self) -> RunOrigin:
        """Return the input of the step for its record. Reads the files, unless they were fetched."""
        return self.origin or RunOrigin.of_files(self.source_id, self.dataset, self.files)


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


def run(steps: Iterable[ImportStep], options: Options, *, recorded: bool = True) -> list[Report]:
    """Run steps in order, in one transaction.

    Without `options.write`, steps before the last are written, since later ones depend on them, and rolled back. Raises
    what the steps raise, after a rollback. Raises CommitOutcomeUnknown if the outcome is unknown, and AnalyzeFailed if
    everything is written except the planner's statistics.

    recorded: whether to write records. Those of successful steps are written in the same transaction, so neither exists
    without the other; a refused run leaves that of the failed step, after the rollback; a dry run none.
    """
    steps, wire = list(steps), None
    # Before the lock: reading large files takes a while.
    origins = [step.recorded_origin() for step in steps] if recorded and options.write else []
    began = [timezone.now()]
    try:
        with exclusive_import():
            reports, changed = run_inside(steps, options, origins, began)
            wire = connection.connection
    except REFUSALS as error:
        if origins:
            failed = origins[max(len(began) - 2, 0)]
            record(failed, ImportRun.Outcome.REFUSED, started=began[-1], message=str(error))
        raise
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


def run_inside(
    steps: Sequence[ImportStep], options: Options, origins: Sequence[RunOrigin], began: list[datetime]
) -> tuple[list[Report], dict[str, type[Model]]]:
    """Run steps in the caller's transaction. Returns their reports and the changed tables.

    origins: of the steps, to record them; empty for no records. began: gets the moment at which each step begins.
    """
    reports: list[Report] = []
    changed: dict[str, type[Model]] = {}
    for number, step in enumerate(steps):
        began.append(step.began or timezone.now())
        write = options.write or number + 1 < len(steps)
        report = step.sync(replace(options, write=write))
        if step.fetched:
            refuse_doubtful(step, step.fetched, report, options)
        refuse_later_day(step, report, options.today)
        reports.append(report)
        if origins:
            # Recorded at once: later steps compare the days of their files with recorded ones.
            outcome = ImportRun.Outcome.IMPORTED if report.changes else ImportRun.Outcome.UNCHANGED
            record(origins[number], outcome, started=began[-1], report=report, message=report.title)
        if report.changes and options.write:
            model = step.model or MODELS[step.dataset]
            record_change(step.dataset, {step.source: report.as_of, **step.other_publishers()}, model=model)
            changed[step.dataset] = model
    if SEARCHED & changed.keys():
        entries.rebuild_index()
    if not options.write:
        transaction.set_rollback(True)
    return reports, changed


def refuse_doubtful(step: ImportStep, source: DataSource, report: Report, options: Options) -> None:
    """Raise ImportRefused for a fetched source older than stored, too small, or largely unusable: nobody reads its
    report.

    The step has written by then; the refusal rolls it back with the transaction.
    """
    until = freshness.last_valid_day(options.today)
    stored = freshness.day_of_publication(source.id, source.dataset, publisher=step.source, until=until)
    if not options.allow_older and (newer := freshness.newer_day(report.as_of, stored)):
        raise ImportRefused(
            f"{report.title}: is of {report.as_of}, older than what is stored ({newer}); "
            "wait for a newer one, or add --allow-older"
        )
    rejected = len(report.rejected)
    rows = report.rows + len(report.skipped) + rejected
    if rejected > step.most_rejected * rows:
        note = report.rejected[0]
        raise ImportRefused(
            f"{report.title}: {rejected} of {rows} rows cannot be used, for example {note.key}: {note.reason}; "
            f"{BY_HAND}"
        )
    if rows < source.min_rows:
        raise ImportRefused(
            f"{report.title}: has {rows} rows, fewer than the {source.min_rows} that {source.id} must have; {BY_HAND}"
        )


def refuse_later_day(step: ImportStep, report: Report, today: date) -> None:
    """Raise ImportRefused for a source of a later day than tomorrow: every right one after it would be older."""
    tomorrow = freshness.last_valid_day(today)
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
