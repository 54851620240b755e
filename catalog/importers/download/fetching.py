"""Download of a source by its entry in catalog/sources.yaml."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone

from catalog.importers.download import integrity
from catalog.importers.download.client import Client, FileRequest, RetryPolicy
from catalog.importers.download.html_forms import fields_for
from catalog.importers.download.store import Download, DownloadFailed, Store
from catalog.importers.publications import Publication, is_loopback
from catalog.importers.records import BadInput

OVERPASS_PATIENCE = RetryPolicy(attempts=3, first_wait_s=60, idle_s=240, whole_s=1200)
"""The query may take 180 seconds on the server, and a slot becomes free about every half minute."""


def user_agent() -> str:
    """Return the User-Agent with a contact address."""
    contact = f"; {settings.CONTACT_EMAIL}" if settings.CONTACT_EMAIL else ""
    return f"fueldepot/1 (+{settings.SITE_URL}{contact})".encode("ascii", "replace").decode()


def names_a_contact() -> bool:
    """Whether the User-Agent has a usable contact: an e-mail address, or a site that is not this machine."""
    return bool(settings.CONTACT_EMAIL) or not is_loopback(urlsplit(settings.SITE_URL).hostname or "")


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches sources into `root`. Only tests set patience, sleep and clock."""

    root: Path = field(default_factory=lambda: Path(settings.DOWNLOADS_DIR))
    patience: RetryPolicy | None = None
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def store(self, publication: Publication) -> Store:
        """Return the store of a source."""
        return Store(self.root, publication.id, publication.file)

    def client(self, publication: Publication) -> Client:
        """Return a client with the retry limits of a source."""
        own = OVERPASS_PATIENCE if publication.method == "overpass" else RetryPolicy()
        return Client(user_agent(), self.patience or own, sleep=self.sleep, clock=self.clock)

    def fetch(self, publication: Publication) -> Download:
        """Fetch the current file of a source. `fresh` tells whether its bytes are new. Raises DownloadFailed.

        A source without validators is fetched completely every time.
        """
        if publication.method not in {"file", "form", "overpass"}:
            raise DownloadFailed(publication.url, f"{publication.id} is not a file that can be fetched")
        store = self.store(publication)
        with store.lock(), self.client(publication) as client:
            try:
                return self._fetch(publication, store, client)
            except OSError as error:
                raise DownloadFailed(store.folder, f"cannot be written: {error.strerror}") from error

    def _fetch(self, publication: Publication, store: Store, client: Client) -> Download:
        last = store.newest()
        ask = self._ask(publication, client)
        if last is not None and last.url == publication.url and publication.method == "file":
            ask = replace(ask, etag=last.etag, last_modified=last.last_modified)
        answer = client.file(ask, store, publication.max_bytes)
        now: datetime = timezone.now()
        if answer is None:
            assert last is not None  # noqa: S101 - 304 is an answer only to who sent validators
            return store.confirm(last, now)
        try:
            integrity.check(store.part, publication)
        except BadInput as error:
            store.discard()
            raise DownloadFailed(publication.url, f"what came {error.reason}") from error
        return store.keep(url=publication.url, etag=answer.etag, last_modified=answer.last_modified, now=now)

    def _ask(self, publication: Publication, client: Client) -> FileRequest:
        if publication.method == "form":
            page = client.page(publication.url)
            return FileRequest(publication.url, form=fields_for(publication.url, page, publication.button))
        if publication.method == "overpass":
            if not names_a_contact() and not is_loopback(urlsplit(publication.url).hostname or ""):
                raise DownloadFailed(
                    publication.url, "asks for a contact in every request; set CONTACT_EMAIL, then try again"
                )
            return FileRequest(publication.url, form={"data": publication.query}, packed=True)
        return FileRequest(publication.url)
