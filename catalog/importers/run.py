"""Running imports: one at a time, each run in one transaction, with the bookkeeping that follows every change."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Model

from catalog import search
from catalog.importers.sync import ImportRefused, Options, Report
from catalog.models import Boundary, Dataset, Depot, Municipality, Place, Postcode
from fueldepot.data import versions

IMPORT_LOCK = 0x464445504F54
"""Key of the advisory lock that every import holds: "FDEPOT" in ASCII."""

SEARCHED = frozenset({Dataset.Slug.UNITS, Dataset.Slug.PLACES, Dataset.Slug.POSTCODES})

MODELS = {
    Dataset.Slug.UNITS: Municipality,
    Dataset.Slug.PLACES: Place,
    Dataset.Slug.POSTCODES: Postcode,
    Dataset.Slug.BOUNDARIES: Boundary,
    Dataset.Slug.DEPOTS: Depot,
}


class ImportRunning(Exception):
    """Another import holds the lock."""


class CommitUnsure(Exception):
    """The connection broke while an import was committed: it is in, with its record, or it is not."""

    def __init__(self, error: DatabaseError) -> None:
        super().__init__(
            f"it is not known whether the data are in: the connection broke while they were committed, "
            f"{complaint(error)}; they are if the admin has a record of this run, and running it again does no harm"
        )


class DataAreIn(Exception):
    """An import is committed, and what should have followed failed. reports: of the import."""

    def __init__(self, reports: list[Report], error: DatabaseError) -> None:
        self.reports = reports
        super().__init__(
            f"the data are in, but the planner of the database was not told: {complaint(error)}; run ANALYZE, "
            "or wait until autovacuum does"
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One data set of a run. source: who published it. sync: compares and, when told to, writes.

    model: the table of a data set that apps above the catalog keep; the catalog knows its own.
    form: what its files are, as catalog/sources.yaml calls it; files: what it reads. For the record of the run.
    beside: who else published rows of the data set, with the day they are current to; asked after `sync`.
    """

    dataset: Dataset.Slug
    source: str
    sync: Callable[[Options], Report]
    model: type[Model] | None = None
    form: str = ""
    files: tuple[Path, ...] = ()
    beside: Callable[[], Mapping[str, date | None]] = dict


def complaint(error: DatabaseError) -> str:
    """What the database says against an import: a full disk, a standby server, a lost connection. The first line."""
    lines = str(error).strip().splitlines()
    return f"the database refused: {lines[0] if lines else type(error).__name__}"


@contextmanager
def one_import() -> Iterator[None]:
    """A transaction that no other import runs beside. Raises ImportRunning."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [IMPORT_LOCK])
        if not cursor.fetchone()[0]:
            raise ImportRunning("another import is running; wait until it has finished")
        yield


def run(steps: Iterable[Step], options: Options) -> list[Report]:
    """Run steps in order, in one transaction.

    Without `options.write` nothing is changed: the steps before the last are written, since later ones build on
    them, and then undone. Raises what the steps raise; then the database is as it was. Raises CommitUnsure where that
    cannot be told, and DataAreIn when all is written and only the statistics of the planner are missing.
    """
    wire = None
    try:
        with one_import():
            reports, changed = run_inside(list(steps), options)
            wire = connection.connection
    except DatabaseError as error:
        # A server that refused to commit has undone everything; one that went away may have committed before.
        if options.write and wire is not None and wire.closed:
            raise CommitUnsure(error) from error
        raise
    if changed:
        try:
            analyse(changed.values())
        except DatabaseError as error:
            raise DataAreIn(reports, error) from error
    return reports


def run_inside(steps: Sequence[Step], options: Options) -> tuple[list[Report], dict[str, type[Model]]]:
    """Run steps in the transaction that the caller has begun. Returns their reports, and the tables that changed."""
    reports: list[Report] = []
    changed: dict[str, type[Model]] = {}
    for number, step in enumerate(steps, start=1):
        write = options.write or number < len(steps)
        report = step.sync(replace(options, write=write))
        reports.append(report)
        if report.changes and options.write:
            model = step.model or MODELS[step.dataset]
            record_change(step.dataset, {step.source: report.as_of, **step.beside()}, model=model)
            changed[step.dataset] = model
    if SEARCHED & changed.keys():
        search.rebuild()
    if not options.write:
        transaction.set_rollback(True)
    return reports, changed


def record_change(
    dataset: Dataset.Slug, published: Mapping[str, date | None], *, model: type[Model] | None = None
) -> None:
    """Raise the version of a data set, and say what it is now. Call it in the transaction of the change.

    published: everybody whose rows it holds, with the day they are current to.
    """
    days = [day for day in published.values() if day is not None]
    as_of = min(days) if days and len(days) == len(published) else None
    rows = (model or MODELS[dataset])._default_manager.count()
    source = Dataset.AND.join(sorted(published))
    versions.bump_version(dataset, as_of=as_of, row_count=rows, source=source[:200])


def analyse(models: Iterable[type[Model]]) -> None:
    """Tell the planner about the new rows, or it plans for an empty database."""
    tables: set[type[Model]] = {*MODELS.values(), *models}
    with connection.cursor() as cursor:
        for model in tables:
            cursor.execute(f"ANALYZE {model._meta.db_table}")


def require(model: type[Model], what: str, command: str) -> None:
    """Raise ImportRefused when a step has nothing to build on."""
    if not model._default_manager.exists():
        raise ImportRefused(f"there are no {what} in the database yet; run {command} first")
