"""Downloads on disk: one directory per source, every file with a JSON sidecar.

    var/downloads/<source>/20261121T050000Z-PL.zip
    var/downloads/<source>/20261121T050000Z-PL.zip.json

A file without a matching sidecar does not count. The sidecar is written last.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import orjson

from catalog.importers.records import BadInput

MAX_DOWNLOADS = 3
"""Downloads kept per source."""

CHUNK_BYTES = 1 << 20


class DownloadFailed(BadInput):
    """A source could not be fetched; stored data are unchanged. States address, cause and remedy."""


class DownloadBusy(DownloadFailed):
    """Another process fetches the same source."""


@dataclass(frozen=True, slots=True)
class Download:
    """A complete file of a source.

    fetched_at: when its bytes arrived; checked_at: when the publisher last confirmed that it is current.

    etag, last_modified: its validators, "" for none. fresh: whether its bytes arrived just now.
    """

    path: Path
    source: str
    url: str
    fetched_at: datetime
    checked_at: datetime
    size: int
    sha256: str
    etag: str = ""
    last_modified: str = ""
    fresh: bool = False


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


class Store:
    """Directory of one source."""

    def __init__(self, root: Path, source: str, file: str) -> None:
        self.source, self.file = source, file
        self.folder = root / source
        self.part = self.folder / f"{file}.part"
        self.part_sidecar = self.folder / f"{file}.part.json"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the lock on fetching this source. Raises DownloadBusy, and DownloadFailed without a directory."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.folder / ".lock", os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise DownloadFailed(self.folder, f"cannot be written: {error.strerror}") from error
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise DownloadBusy(self.folder, "is being filled by another download; wait until it ends") from None
            yield
        finally:
            os.close(handle)

    def whole(self) -> list[Download]:
        """Return complete downloads (whose size matches their sidecar), newest first."""
        found = []
        for sidecar in sorted(self.folder.glob(f"*-{self.file}.json"), reverse=True):
            try:
                said = orjson.loads(sidecar.read_bytes())
                path = self.folder / sidecar.name.removesuffix(".json")
                download = Download(
                    path=path,
                    source=str(said["source"]),
                    url=str(said["url"]),
                    fetched_at=datetime.fromisoformat(said["fetched_at"]),
                    checked_at=datetime.fromisoformat(said["checked_at"]),
                    size=int(said["size"]),
                    sha256=str(said["sha256"]),
                    etag=str(said["etag"]),
                    last_modified=str(said["last_modified"]),
                )
                if path.stat().st_size == download.size:
                    found.append(download)
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return found

    def newest(self) -> Download | None:
        """Return the newest download whose checksum matches its sidecar, or None."""
        return next((download for download in self.whole() if checksum(download.path) == download.sha256), None)

    def keep(self, *, url: str, etag: str, last_modified: str, now: datetime) -> Download:
        """Turn the `.part` into a download. If an equal file was downloaded before, that one is confirmed instead."""
        digest, size = checksum(self.part), self.part.stat().st_size
        last = self.newest()
        if last is not None and last.sha256 == digest:
            self.discard()
            return self.confirm(replace(last, url=url, etag=etag, last_modified=last_modified), now)
        path = self.folder / f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{self.file}"
        with self.part.open("rb") as stream:
            os.fsync(stream.fileno())
        self.part.replace(path)
        self.part_sidecar.unlink(missing_ok=True)
        download = Download(path, self.source, url, now, now, size, digest, etag, last_modified, fresh=True)
        self._write_sidecar(download)
        self.prune()
        return download

    def confirm(self, download: Download, now: datetime) -> Download:
        """Record that the publisher confirmed the file as current."""
        confirmed = replace(download, checked_at=now, fresh=False)
        self._write_sidecar(confirmed)
        return confirmed

    def discard(self) -> None:
        """Delete the `.part`."""
        self.part.unlink(missing_ok=True)
        self.part_sidecar.unlink(missing_ok=True)

    def prune(self) -> None:
        """Delete all but the newest downloads, and files without a sidecar."""
        kept = {download.path for download in self.whole()[:MAX_DOWNLOADS]}
        for path in self.folder.glob(f"*-{self.file}"):
            if path not in kept:
                path.with_name(f"{path.name}.json").unlink(missing_ok=True)
                path.unlink()

    def _write_sidecar(self, download: Download) -> None:
        said = asdict(download)
        for name in ("path", "fresh"):
            del said[name]
        path = download.path.with_name(f"{download.path.name}.json")
        draft = path.with_suffix(".draft")
        draft.write_bytes(orjson.dumps(said, option=orjson.OPT_INDENT_2))
        draft.replace(path)
