"""Running of imports: one at a time, each in one transaction, with records, versions, statistics and index."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from catalog.importers import freshness
from catalog.importers.download import Download, checksum
from catalog.importers.records import (
    BadInput,
    Diff,
    DownloadFailed,
    ImportRefused,
    ImportRunning,
    Note,
    Options,
    Report,
)
from catalog.importers.sources import DataSource
from catalog.models import Boundary, Dataset, Depot, ImportRun, Municipality, Place, Postcode, max_length
from catalog.search import entries
from catalog.text import one_line
from fueldepot.data.history import lock_rows

REFUSALS = (BadInput, ImportRefused)
"""What stops an import because of its file, as when more rows than `MOST_REMOVED` would go."""

MOST_REMOVED = 0.10
"""Share of stored rows that may disappear in one import without `--allow-removals`."""

MOST_DIFFERENCES = 200


def report_of(
    title: str, diff: Diff[Any], options: Options, rejected: Iterable[Note], skipped: Iterable[Note] = (), kept: int = 0
) -> Report:
    """Return the report of a difference. Raises ImportRefused. kept: removed rows that do not count for that."""
    added, changed, removed = len(diff.added), len(diff.changed), len(diff.removed)
    check_removals(title, removed=removed - kept, stored=diff.stored, options=options)
    report = Report(title, None, added, changed, removed, unchanged=diff.stored - changed - removed)
    report.rejected, report.skipped = [*rejected], [*skipped]
    return report


def check_removals(title: str, *, removed: int, stored: int, options: Options) -> None:
    """Raise ImportRefused if more than `MOST_REMOVED` of the stored rows would go, unless allowed."""
    if not options.allow_removals and removed > stored * MOST_REMOVED:
        raise ImportRefused(
            f"{title}: {removed} of {stored} rows would be removed, more than {MOST_REMOVED * 100:.0f} %; "
            "check the source, or add --allow-removals"
        )


Origin = Mapping[str, Any]
"""Input of a run, as columns of its record: id of the source, and its file if any."""


def source_origin(source: DataSource, download: Download | None = None) -> Origin:
    address = (download or source).url[: max_length(ImportRun, "address")]
    origin = {"source": source.id, "dataset": source.dataset, "address": address}
    if download is None:
        return origin
    return {**origin, "file_name": download.path.name, "file_size": download.size, "checksum": download.sha256}


def files_origin(step: "ImportStep") -> Origin:
    """Return the origin of files given by hand; the checksum of several is that of their checksums, in order."""
    files, sums = step.files, []
    for path in files:
        with suppress(OSError):  # the parser reports why it is unreadable
            sums.append(checksum(path))
    many = sha256("".join(sums).encode()).hexdigest() if len(files) > 1 else ""
    size = sum(path.stat().st_size for path in files if path.is_file()) if files else None
    names = ", ".join(path.name for path in files)[: max_length(ImportRun, "file_name")]
    file = {"file_name": names, "file_size": size}
    source = step.source.id if step.source else ""
    return {"source": source, "dataset": step.dataset, **file, "checksum": many or "".join(sums)}


def record(
    origin: Origin,
    outcome: ImportRun.Outcome,
    *,
    started: datetime,
    report: Report | None = None,
    message: str = "",
    earlier: ImportRun | None = None,
) -> ImportRun:
    """Write the record of a run that ends now. earlier: the run that imported the same file, if still valid."""
    counts: dict[str, Any] = {"rows": earlier.rows, "file_date": earlier.file_date} if earlier else {}
    differences: list[str] = []
    if report is not None:
        counts = {name: getattr(report, name) for name in ("rows", "added", "changed", "removed")}
        counts |= {"skipped": len(report.skipped), "rejected": len(report.rejected), "file_date": report.as_of}
        # Names of depots may be personal, so they are stored with the depot only.
        differences = [] if origin["dataset"] == Dataset.Slug.DEPOTS else report.lines[:MOST_DIFFERENCES]
    texts = {"message": one_line(message, max_length(ImportRun, "message")), "differences": "\n".join(differences)}
    finished = max(timezone.now(), started)
    return ImportRun.objects.create(**origin, **counts, **texts, started=started, finished=finished, outcome=outcome)


@contextmanager
def record_failures(origin: Origin, *, write: bool) -> Iterator[None]:
    """Record a failure before an import (fetching, recognising), and re-raise it."""
    started = timezone.now()
    try:
        yield
    except REFUSALS as error:
        if write:
            failed = isinstance(error, DownloadFailed)
            outcome = ImportRun.Outcome.FAILED if failed else ImportRun.Outcome.REFUSED
            record(origin, outcome, started=started, message=str(error))
        raise


IMPORT_LOCK = 0x464445504F54
"""Key of the advisory lock of imports: "FDEPOT" in ASCII."""

TOUCHES_DEPOTS = frozenset({Dataset.Slug.UNITS, Dataset.Slug.BOUNDARIES, Dataset.Slug.DEPOTS})
"""Data sets whose import may change depots.

It locks all of them first, as every service locks depots before prices and versions: otherwise a step that has bumped a
version waits for a depot whose editor waits for that version.
"""

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


class CommitOutcomeUnknown(Exception):
    """The connection broke on commit: the import was written with its record, or not at all."""

    def __init__(self, error: DatabaseError) -> None:
        super().__init__(
            "it is not known whether the data are in: the connection broke while they were committed, "
            f"{describe_error(error)}; they are if the admin has a record of this run, "
            "and running it again does no harm"
        )


@dataclass(frozen=True, slots=True)
class ImportStep:
    """One step of a run. credit: publisher. sync: compares and, if told to, writes.

    rows: returns those of the data set, None for the whole table in `MODELS`. source: None for starter data. files,
    origin, began: for the record. origin: of a fetched file, which is refused if doubtful: nobody has looked at it.
    """

    dataset: Dataset.Slug
    credit: str
    sync: Callable[[Options], Report]
    rows: Callable[[], QuerySet[Any]] | None = None
    source: DataSource | None = None
    files: tuple[Path, ...] = ()
    origin: Origin | None = None
    began: datetime | None = None


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
    """Run steps in order, in one transaction. Raises what they raise, and CommitOutcomeUnknown.

    Without `options.write`, steps before the last are written, since later ones depend on them, and rolled back.
    recorded: write records: of successful steps in the same transaction, of a failed one after the rollback, none of a
    dry run.
    """
    steps, wire = list(steps), None
    # Before the lock: reading large files takes a while.
    origins = []
    if recorded and options.write:
        origins = [step.origin or files_origin(step) for step in steps]
    begun: list[tuple[Origin, datetime]] = []
    try:
        with exclusive_import():
            reports = run_inside(steps, options, origins, begun)
            wire = connection.connection
    except REFUSALS as error:
        if begun:
            origin, started = begun[-1]
            record(origin, ImportRun.Outcome.REFUSED, started=started, message=str(error))
        raise
    except DatabaseError as error:
        # If the server refused the commit, everything is rolled back; if it went away, it may have committed.
        if options.write and wire is not None and wire.closed:
            raise CommitOutcomeUnknown(error) from error
        raise
    return reports


def run_inside(
    steps: Sequence[ImportStep], options: Options, origins: Sequence[Origin], begun: list[tuple[Origin, datetime]]
) -> list[Report]:
    """Run steps in the caller's transaction. Returns their reports. begun: receives started steps."""
    reports: list[Report] = []
    changed: dict[str, type[Model]] = {}
    if not TOUCHES_DEPOTS.isdisjoint(step.dataset for step in steps):
        lock_rows(Depot.objects.all(), no_key=True)
    for number, step in enumerate(steps):
        started = step.began or timezone.now()
        if origins:
            begun.append((origins[number], started))
        write = options.write or number + 1 < len(steps)
        report = step.sync(replace(options, write=write))
        if step.source and step.origin:
            refuse_doubtful(step.source, report, options)
        refuse_later_day(step, report, options.today)
        reports.append(report)
        if origins:
            # Recorded at once: later steps compare the days of their files with recorded ones.
            outcome = ImportRun.Outcome.IMPORTED if report.changes else ImportRun.Outcome.UNCHANGED
            if report.passed_over:  # an older file does not show that the source is current
                outcome = ImportRun.Outcome.REFUSED
            record(origins[number], outcome, started=started, report=report, message=report.title)
        if not options.write:
            continue
        rows = step.rows() if step.rows else MODELS[step.dataset]._default_manager.all()
        record_change(step, report, rows)
        if report.changes:
            changed[step.dataset] = rows.model
    if SEARCHED & changed.keys():
        entries.rebuild_index()
    if changed:
        analyse(changed.values())
    if not options.write:
        transaction.set_rollback(True)
    return reports


def refuse_doubtful(source: DataSource, report: Report, options: Options) -> None:
    """Raise ImportRefused for a fetched source that is older than stored, too small, or largely unusable."""
    stored = freshness.day_of_publication(source, until=freshness.last_valid_day(options.today))
    if not options.allow_older and report.as_of and stored and report.as_of < stored:
        raise ImportRefused(
            f"{report.title}: is of {report.as_of}, older than what is stored ({stored}); "
            "wait for a newer one, or add --allow-older"
        )
    rejected = len(report.rejected)
    rows = report.rows + len(report.skipped) + rejected
    if rejected > source.most_rejected * rows:
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


def record_change(step: ImportStep, report: Report, rows: QuerySet[Any]) -> None:
    """Bump the version of a data set if its rows changed, or are current to a later day than stored, or to a first one.

    They are current to the earliest day of their publishers, None if one is unknown. rows: all of the data set.
    """
    others = freshness.other_publishers(step.source) if step.source else {}
    published = {step.credit: report.as_of, **others}
    days = [day for day in published.values() if day is not None]
    day = min(days) if len(days) == len(published) else None
    stored = Dataset.objects.filter(slug=step.dataset)
    if report.changes or (day is not None and stored.exclude(as_of__gte=day).exists()):
        source = Dataset.AND.join(sorted(published))[: max_length(Dataset, "source")]
        Dataset.objects.bump_version(step.dataset, as_of=day, row_count=rows.count(), source=source)


def analyse(models: Iterable[type[Model]]) -> None:
    """Tell the planner of the database about the rows of an import, in its transaction.

    A table that a VACUUM holds is left to autovacuum: waiting for it would make every save of a depot wait.
    """
    tables: set[type[Model]] = {*MODELS.values(), *models}
    with connection.cursor() as cursor:
        for model in tables:
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {model._meta.db_table}")


def require(dataset: Dataset.Slug) -> None:
    """Raise ImportRefused if a data set that others need is empty."""
    if not MODELS[dataset]._default_manager.exists():
        what, command = COMMANDS[dataset]
        raise ImportRefused(f"there are no {what} in the database yet; run {command} first")
