"""Records of imports: one `ImportRun` per step, also for a refused step. `runner.run` writes those of its steps."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.utils import timezone

from catalog.importers.download import Download, checksum
from catalog.importers.records import BadInput, DownloadBusy, DownloadFailed
from catalog.importers.source import DataSource
from catalog.importers.sync import ImportRefused, Report, TooManyRemovals
from catalog.models import Dataset, ImportRun

REFUSALS = (BadInput, ImportRefused, TooManyRemovals)

MOST_DIFFERENCES = 200
"""Maximum number of stored differences."""


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """Input of a run, as columns of its record: id of the source, and its file if any."""

    source: str = ""
    dataset: str = ""
    address: str = ""
    file_name: str = ""
    file_size: int | None = None
    checksum: str = ""

    @classmethod
    def of_source(cls, source: DataSource) -> "RunOrigin":
        """Origin of a source that is to be fetched."""
        return cls(source.id, source.dataset, source.url[:500])

    @classmethod
    def of_download(cls, source: DataSource, download: Download) -> "RunOrigin":
        """Origin of a downloaded file."""
        return cls(source.id, source.dataset, download.url[:500], download.path.name, download.size, download.sha256)

    @classmethod
    def of_files(cls, source: str, dataset: str, files: Sequence[Path]) -> "RunOrigin":
        """Origin of files given by hand; the checksum of several is that of their checksums, in order."""
        sums = [_checksum(path) for path in files]
        many = sha256("".join(sums).encode()).hexdigest() if len(sums) > 1 else ""
        return cls(
            source=source,
            dataset=dataset,
            file_name=", ".join(path.name for path in files)[:200],
            file_size=sum(path.stat().st_size for path in files if path.is_file()) if files else None,
            checksum=many or "".join(sums),
        )


def _checksum(path: Path) -> str:
    """Checksum of a file, "" if it is unreadable: the parser reports why."""
    try:
        return checksum(path)
    except OSError:
        return ""


def record(
    origin: RunOrigin,
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
        counts = {
            "rows": report.rows,
            "added": report.added,
            "changed": report.changed,
            "removed": report.removed,
            "skipped": len(report.skipped),
            "rejected": len(report.rejected),
            "file_date": report.as_of,
        }
        # Names of depots may be personal, so they are stored with the depot only.
        differences = [] if origin.dataset == Dataset.Slug.DEPOTS else report.lines[:MOST_DIFFERENCES]
    return ImportRun.objects.create(
        **asdict(origin),
        started=started,
        finished=max(timezone.now(), started),
        outcome=outcome,
        message=" ".join(message.split())[:500],
        differences="\n".join(differences),
        **counts,
    )


@contextmanager
def record_failures(origin: RunOrigin, *, write: bool) -> Iterator[None]:
    """Record a failure before an import (fetching, recognising), and re-raise it."""
    started = timezone.now()
    try:
        yield
    except DownloadBusy:
        raise
    except REFUSALS as error:
        if write:
            failed = isinstance(error, DownloadFailed)
            outcome = ImportRun.Outcome.FAILED if failed else ImportRun.Outcome.REFUSED
            record(origin, outcome, started=started, message=str(error))
        raise
