"""Import of due sources, one after another; a failing source does not affect the others."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date

from django.db import OperationalError, connection
from django.utils import timezone

from catalog.importers import freshness
from catalog.importers.download import Download, Fetcher
from catalog.importers.freshness import SourceState
from catalog.importers.records import DownloadBusy
from catalog.importers.registry import fetch_step
from catalog.importers.runner import (
    REFUSALS,
    AnalyzeFailed,
    CommitOutcomeUnknown,
    ImportRunning,
    RunOrigin,
    describe_error,
    record,
    record_failures,
    run,
)
from catalog.importers.sync import Options, Report
from catalog.models import ImportRun

logger = logging.getLogger(__name__)

REFRESH_LOCK = 0x464452465348
"""Key of the advisory lock of a refresh: "FDRFSH" in ASCII."""

SAME = "the publisher's file is the one that was imported last"


class RefreshRunning(Exception):
    """Another refresh holds the lock."""


@contextmanager
def one_refresh() -> Iterator[None]:
    """Hold the lock of a refresh. A session lock, since downloads are outside every transaction.

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


def refresh_source(state: SourceState, options: Options, fetcher: Fetcher) -> tuple[ImportRun, list[Report]]:
    """Fetch a source and import it, unless the same file was imported last. Writes one record of the run.

    The reports are empty if there was nothing to import or the source was refused; the record tells which. Raises
    ImportRunning if another import or download of the source is running; then there is no record. Raises
    CommitOutcomeUnknown if the connection broke on commit.
    """
    source = state.source
    started = timezone.now()
    intended = RunOrigin.of_source(source)
    reports: list[Report] = []
    try:
        with record_failures(intended, write=True):
            make_step, download = fetch_step(source, fetcher)
        origin = RunOrigin.of_download(source, download)
        earlier = imported_run(state, download, options.today)
        if earlier is not None:
            return record(origin, ImportRun.Outcome.UNCHANGED, started=started, message=SAME, earlier=earlier), []
        with record_failures(origin, write=True):
            step = make_step()
        reports = run([replace(step, origin=origin, began=started)], options)
    except DownloadBusy as error:
        raise ImportRunning(str(error)) from error
    except REFUSALS:
        # `record_failures` or `run` has recorded it.
        pass
    except AnalyzeFailed as error:
        logger.warning("refresh of %s: %s", source.id, error)
        reports = error.reports
    except (ImportRunning, CommitOutcomeUnknown):
        raise
    except Exception as error:  # a bug in one source must not stop the others
        logger.exception("refresh of %s failed", source.id)
        if isinstance(error, OperationalError):  # for example a full disk
            reason = describe_error(error)
        else:
            reason = f"an error of the program: {type(error).__name__}; the log has the rest, please report it"
        record(intended, ImportRun.Outcome.REFUSED, started=started, message=reason)
    return ImportRun.objects.filter(source=source.id).order_by("-pk")[0], reports


def imported_run(state: SourceState, download: Download, today: date) -> ImportRun | None:
    """Return the last successful run if it imported this file and nothing it builds on has changed since.

    None also for a file of a later day than tomorrow, which an import refuses now.
    """
    if state.good is None or state.good.checksum != download.sha256:
        return None
    if state.good.file_date is not None and state.good.file_date > freshness.last_valid_day(today):
        return None
    newer = ImportRun.objects.filter(
        dataset__in=state.source.built_on, outcome=ImportRun.Outcome.IMPORTED, finished__gt=state.good.finished
    )
    return None if newer.exists() else state.good
