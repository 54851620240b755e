"""Bringing in what is due, one source after another, each by itself: a source that fails leaves the others alone."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection
from django.utils import timezone

from catalog.importers.download import Download, DownloadBusy, Fetcher
from catalog.importers.fetched import step_of
from catalog.importers.publications import Publication
from catalog.importers.recorded import REFUSALS, Origin, failures_recorded, record, run_recorded
from catalog.importers.run import CommitUnsure, DataAreIn, ImportRunning, Step, complaint
from catalog.importers.sync import Options, Report
from catalog.models import Dataset, ImportRun
from catalog.runs import SourceState

logger = logging.getLogger(__name__)

REFRESH_LOCK = 0x464452465348
"""Key of the advisory lock that a refresh holds for as long as it runs: "FDRFSH" in ASCII."""

BUILT_ON = {
    Dataset.Slug.PLACES: (Dataset.Slug.UNITS,),
    Dataset.Slug.POSTCODES: (Dataset.Slug.UNITS,),
    Dataset.Slug.BOUNDARIES: (Dataset.Slug.UNITS,),
    Dataset.Slug.DEPOTS: (Dataset.Slug.UNITS, Dataset.Slug.BOUNDARIES),
    Dataset.Slug.SERIES: (Dataset.Slug.UNITS,),
}
"""Data sets by which rows are accepted or rejected: after a change of theirs the same file may give other rows."""

SAME = "the publisher's file is the one that was imported last"

Fetch = Callable[[Publication], tuple[Callable[[], Step], Download]]
"""Fetches a source; gives the file, and what makes the step that imports it."""


class RefreshRunning(Exception):
    """Another refresh holds the lock."""


@contextmanager
def one_refresh() -> Iterator[None]:
    """Nobody else refreshes meanwhile. Held by the session, since downloads are outside every transaction.

    Raises RefreshRunning.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [REFRESH_LOCK])
        if not cursor.fetchone()[0]:
            raise RefreshRunning("another refresh is running; wait until it has finished")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [REFRESH_LOCK])


def fetch_file(fetcher: Fetcher) -> Fetch:
    """How a source that is one file is fetched."""

    def fetch(publication: Publication) -> tuple[Callable[[], Step], Download]:
        download = fetcher.fetch(publication)
        return lambda: step_of(publication, download), download

    return fetch


def refresh_source(state: SourceState, options: Options, fetch: Fetch) -> tuple[ImportRun, list[Report]]:
    """Fetch a source and import it, unless its file is the one that was imported last. Leaves one record.

    The reports are empty when there was nothing to import or the source was refused; the record says which. Raises
    ImportRunning when an import or a download of the source holds the lock; then there is no record. Raises
    CommitUnsure when the connection broke at the end.
    """
    publication = state.publication
    started = timezone.now()
    asked = Origin(source=publication.id, dataset=publication.dataset, address=publication.url)
    reports: list[Report] = []
    try:
        with failures_recorded(asked, write=True):
            make_step, download = fetch(publication)
        origin = Origin.of_download(publication.dataset, download)
        earlier = imported_run(state, download)
        if earlier is not None:
            return record(origin, ImportRun.Outcome.UNCHANGED, started=started, message=SAME, earlier=earlier), []
        with failures_recorded(origin, write=True):
            step = make_step()
        reports = run_recorded([step], options, origins=lambda _: origin, started=started)
    except DownloadBusy as error:
        raise ImportRunning(str(error)) from error
    except REFUSALS:
        # It has its record by now.
        pass
    except DataAreIn as error:
        logger.warning("refresh of %s: %s", publication.id, error)
        reports = error.reports
    except (ImportRunning, CommitUnsure):
        raise
    except Exception as error:  # a fault of ours in one source must not keep the others from their day
        logger.exception("refresh of %s failed", publication.id)
        if isinstance(error, OperationalError):  # a full disk, say
            reason = complaint(error)
        else:
            reason = f"an error of the program: {type(error).__name__}; the log has the rest, please report it"
        record(asked, ImportRun.Outcome.REFUSED, started=started, message=reason)
    run = ImportRun.objects.filter(source=publication.id).order_by("-pk")[0]
    return run, reports


def imported_run(state: SourceState, download: Download) -> ImportRun | None:
    """The last good run when it was of this very file and nothing that it builds on has changed since."""
    if state.good is None or state.good.checksum != download.sha256:
        return None
    below = BUILT_ON.get(state.publication.dataset, ())
    newer = ImportRun.objects.filter(
        dataset__in=below, outcome=ImportRun.Outcome.IMPORTED, finished__gt=state.good.finished
    )
    return None if newer.exists() else state.good
