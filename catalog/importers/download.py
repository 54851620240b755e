"""Downloads of publishers' files: complete or not at all. Until a transfer is checked, its file is a `.part`.

Neither a redirect nor a host name may lead into the internal network. Special-purpose addresses: RFC 6890; those that
embed another: RFC 3056, 4291, 6052.
"""

import fcntl
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import file_digest
from html.parser import HTMLParser
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from django.conf import settings
from django.utils import timezone
from django.utils.http import parse_http_date_safe
from pydantic import TypeAdapter

from catalog.importers.records import BadInput, DownloadFailed, ImportRunning
from catalog.importers.sources import DataSource, allowed_address, check
from catalog.text import one_line
from fueldepot.http.links import is_loopback

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that are retried."""

MOST_REDIRECTS = 5
MOST_PAGE_BYTES = 4_000_000

NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an IP address, or the one that it embeds, is public."""
    ip: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        ip = (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in NAT64 else ip.ipv4_mapped or ip.sixtofour) or ip
    return ip.is_global and not ip.is_multicast


def leads_inside(url: str) -> bool:
    """Whether any address of a URL's host is not public. Asks the resolver; an unknown name does not count."""
    parts = urlsplit(url)
    try:
        addresses = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not all(is_public(str(address[0])) for *_, address in addresses)


def may_follow(url: str, target: str) -> bool:
    """Whether a redirect may be followed: to the public internet, or from this machine to itself."""
    if is_loopback(target):
        return is_loopback(url)
    return not leads_inside(target)


MOST_FIELDS = 200


class _Fields(HTMLParser):
    """Parser of the inputs that a browser submits whichever button is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        field = {name: value or "" for name, value in attrs}
        if tag == "input" and field.get("type", "text").lower() in {"hidden", "text"} and field.get("name"):
            self.values[field["name"]] = field.get("value", "")


def fields_for(url: str, page: str, button: str) -> Mapping[str, str]:
    """Return the form data of pressing a button of an ASP.NET page. Raises DownloadFailed if the page has changed."""
    reader = _Fields()
    reader.feed(page)
    remedy = "download the file by hand and give it to the import command"
    if "__VIEWSTATE" not in reader.values or len(reader.values) > MOST_FIELDS:
        raise DownloadFailed(url, f"is no longer the form that is known; {remedy}")
    # The name is part of the link's JavaScript call, HTML-escaped.
    if not any(button.replace("$", mark) in page for mark in ("$", "&#36;", "_")):
        raise DownloadFailed(url, f"has no button {button}; {remedy}")
    return {**reader.values, "__EVENTTARGET": button, "__EVENTARGUMENT": ""}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits of a download, in seconds. longest_wait_s: of Retry-After. whole_s: for one file, pauses included."""

    attempts: int = 4
    first_wait_s: float = 5
    longest_wait_s: float = 300
    idle_s: float = 60
    whole_s: float = 3600


OVERPASS_PATIENCE = RetryPolicy(attempts=3, first_wait_s=60, idle_s=240, whole_s=1200)
"""The query may take 180 seconds on the server, and a slot becomes free about every half minute."""


@dataclass(frozen=True, slots=True)
class Download:
    """The complete file of a source. fresh: whether its bytes came just now."""

    path: Path
    url: str
    fetched_at: datetime
    size: int
    sha256: str
    etag: str = ""
    last_modified: str = ""
    fresh: bool = False


SIDECAR = TypeAdapter(Download)


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def user_agent() -> str:
    contact = f"; {settings.CONTACT_EMAIL}" if settings.CONTACT_EMAIL else ""
    return f"fueldepot/1 (+{settings.SITE_URL}{contact})".encode("ascii", "replace").decode()


class Store:
    """The kept file of a source, its JSON sidecar, and the `.part` that is being fetched."""

    def __init__(self, root: Path, source: DataSource) -> None:
        self.url = source.url
        self.folder = root / source.id
        self.file = self.folder / source.file
        self.part, self.sidecar = (self.folder / f"{source.file}{suffix}" for suffix in (".part", ".json"))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the lock on fetching this source; a `.part` left at its end is deleted.

        Raises ImportRunning, and DownloadFailed if the disk fails.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (self.folder / ".lock").open("a") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    reason = "is being filled by another download; wait until it ends"
                    raise ImportRunning(f"{self.folder}: {reason}") from None
                try:
                    yield
                finally:
                    with suppress(OSError):
                        self.part.unlink()
        except OSError as error:
            raise DownloadFailed(self.folder, f"cannot be written: {error.strerror}") from error

    def read(self) -> Download | None:
        """Return the kept file of this address, None for none or one that differs from its sidecar."""
        with suppress(OSError, ValueError):
            kept = replace(SIDECAR.validate_json(self.sidecar.read_bytes()), path=self.file, fresh=False)
            if kept.url == self.url and self.file.stat().st_size == kept.size and checksum(self.file) == kept.sha256:
                return kept
        return None

    def keep(self, etag: str = "", last_modified: str = "") -> Download:
        """Turn the `.part` into the kept file, unless that has the same bytes. `read` tells if this was interrupted."""
        digest, download = checksum(self.part), self.read()
        if download is None or download.sha256 != digest:
            size = self.part.stat().st_size
            download = Download(self.file, self.url, timezone.now(), size, digest, fresh=True)
            self.part.replace(self.file)
            # Up to 1.1, names began with a moment.
            for former in self.folder.glob(f"*Z-{self.file.name}*"):
                former.unlink()
        download = replace(download, etag=etag, last_modified=last_modified)
        self.sidecar.write_bytes(SIDECAR.dump_json(download, indent=2, exclude={"fresh"}))
        return download


class _Trouble(Exception):
    """A temporary failure. wait_s: the server's Retry-After."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches sources into `root`. Only tests set patience and sleep."""

    root: Path
    patience: RetryPolicy | None = None
    sleep: Callable[[float], None] = time.sleep

    def fetch(self, source: DataSource) -> Download:
        """Fetch the file of a source, whole each time if it has no validators. Raises DownloadFailed."""
        patience = self.patience or (OVERPASS_PATIENCE if source.query else RetryPolicy())
        store = Store(self.root, source)
        transfer = _Transfer(source, store.part, patience, self.sleep)
        with store.lock(), transfer.http:
            kept = store.read()
            response = transfer.run(kept)
            if response.status_code == httpx2.codes.NOT_MODIFIED and kept:
                return kept
            try:
                check(store.part, source)
            except BadInput as error:
                raise DownloadFailed(source.url, f"what came {error.reason}") from error
            return store.keep(response.headers.get("ETag", ""), response.headers.get("Last-Modified", ""))


class _Transfer:
    def __init__(self, source: DataSource, part: Path, patience: RetryPolicy, sleep: Callable[[float], None]) -> None:
        self.source, self.part, self.patience, self.sleep = source, part, patience, sleep
        self.begun = time.monotonic()
        self.sockets: list[socket.socket] = []
        self.http = httpx2.Client(
            headers={"User-Agent": user_agent()},
            timeout=patience.idle_s,
            follow_redirects=True,
            max_redirects=MOST_REDIRECTS,
            event_hooks={"response": [self.check_redirect]},
        )

    def run(self, kept: Download | None) -> httpx2.Response:
        """Fetch the file, or learn that the kept one is current (304). Raises DownloadFailed."""
        source = self.source
        if source.button:
            self.patiently(None, {"Accept-Encoding": "gzip"}, MOST_PAGE_BYTES)
            page = self.part.read_text(encoding="utf-8", errors="replace")
            form = fields_for(source.url, page, source.button)
            return self.patiently(form, {"Accept-Encoding": "identity"}, source.max_bytes)
        if source.query:
            if not settings.CONTACT_EMAIL and is_loopback(settings.SITE_URL) and not is_loopback(source.url):
                reason = "asks for a contact in every request; set CONTACT_EMAIL, then try again"
                raise DownloadFailed(source.url, reason)
            return self.patiently({"data": source.query}, {"Accept-Encoding": "gzip"}, source.max_bytes)
        validators = {"If-None-Match": kept.etag, "If-Modified-Since": kept.last_modified} if kept else {}
        headers = {name: value for name, value in validators.items() if value}
        return self.patiently(None, {"Accept-Encoding": "identity", **headers}, source.max_bytes)

    def patiently(self, form: Mapping[str, str] | None, headers: Mapping[str, str], max_bytes: int) -> httpx2.Response:
        """Send a request until it succeeds, within limits. Raises DownloadFailed."""
        url, patience = self.source.url, self.patience
        for number in range(1, patience.attempts + 1):
            try:
                with self.ended_in_time():
                    return self.save(form, headers, max_bytes)
            except _Trouble as error:
                trouble = error
            except (httpx2.TransportError, httpx2.DecodingError) as error:
                text = one_line(str(error))
                trouble = _Trouble(f"the connection failed ({type(error).__name__}{': ' if text else ''}{text})")
            except httpx2.TooManyRedirects as error:
                reason = f"leads on more than {MOST_REDIRECTS} times; check the file of sources"
                raise DownloadFailed(url, reason) from error
            except (httpx2.InvalidURL, ValueError) as error:
                raise DownloadFailed(url, f"answered something unreadable: {error}") from error
            wait_s = patience.first_wait_s * 2 ** (number - 1) if trouble.wait_s is None else trouble.wait_s
            if wait_s > patience.longest_wait_s:
                raise DownloadFailed(url, f"{trouble} and asks to wait {wait_s:.0f} seconds; try again later")
            if time.monotonic() - self.begun + wait_s > patience.whole_s:
                raise DownloadFailed(url, f"{trouble}, and its time is used up; try again later")
            if number < patience.attempts:
                self.sleep(wait_s)
        raise DownloadFailed(url, f"{trouble}, tried {patience.attempts} times; try again later")

    def save(self, form: Mapping[str, str] | None, headers: Mapping[str, str], max_bytes: int) -> httpx2.Response:
        """Send one request and write its body. httpx2 unpacks gzip, and refuses a body shorter than announced."""
        url = self.source.url
        method = "GET" if form is None else "POST"
        trace = {"trace": self.note_connection}
        with self.http.stream(method, url, headers=headers, data=form, extensions=trace) as response:
            status = response.status_code
            if status in PASSING:
                raise _Trouble(f"answered {status}", _retry_after(response.headers.get("Retry-After", "")))
            if status == httpx2.codes.NOT_MODIFIED and {"If-None-Match", "If-Modified-Since"} & headers.keys():
                return response
            if status != httpx2.codes.OK:
                raise DownloadFailed(url, f"answered {status}; check the address in the file of sources")
            announced = response.headers.get("Content-Length", "")
            if announced.isdigit() and int(announced) > max_bytes:
                raise DownloadFailed(url, f"has {announced} bytes, more than the {max_bytes} that may come")
            with self.part.open("wb") as part:
                for chunk in response.iter_bytes():
                    part.write(chunk)
                    if part.tell() > max_bytes:
                        raise DownloadFailed(url, f"has more bytes than the {max_bytes} that may come")
                    if time.monotonic() - self.begun > self.patience.whole_s:
                        limit = f"{part.tell()} bytes in {self.patience.whole_s:.0f} seconds"
                        raise DownloadFailed(url, f"is too slow: {limit}; try again later")
        return response

    def check_redirect(self, response: httpx2.Response) -> None:
        """Raise DownloadFailed for a redirect to anything but https, or into a private network."""
        if not response.has_redirect_location:
            return
        url = response.request.url
        target = str(url.join(response.headers["Location"]))
        if not allowed_address(target):
            reason = f"leads to {target[:200]}, which is not https; check the file of sources"
            raise DownloadFailed(self.source.url, reason)
        if not may_follow(str(url), target):
            reason = f"leads to {target[:200]}, into a private network; check the file of sources"
            raise DownloadFailed(self.source.url, reason)

    @contextmanager
    def ended_in_time(self) -> Iterator[None]:
        """Hang up when the time for one file plus one read is over: a slow trickle would last forever."""
        left_s = self.patience.whole_s - (time.monotonic() - self.begun) + self.patience.idle_s
        limit = threading.Timer(max(left_s, 0), self.hang_up)
        limit.daemon = True
        limit.start()
        try:
            yield
        finally:
            limit.cancel()

    def hang_up(self) -> None:
        for connection in self.sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def note_connection(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember the socket of a new connection, which TLS replaces by another."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            self.sockets.append(info["return_value"].get_extra_info("socket"))


def _retry_after(text: str) -> float | None:
    """Parse Retry-After, a number or a date, into seconds; None if invalid."""
    if text.isascii() and text.isdigit():
        return float(text[:9])
    moment = parse_http_date_safe(text)
    return None if moment is None else max(moment - time.time(), 0)
