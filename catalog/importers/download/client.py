"""Download of one file over HTTP: retried within limits, resumed where the server allows it, one-line errors.

RFC 9110: 10.2.3 (Retry-After), 13 (conditional requests), 14 (ranges), 15.4 (redirections).
"""

import re
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx2
import orjson

from catalog.importers.download.destinations import may_follow
from catalog.importers.download.store import DownloadFailed, Store
from catalog.importers.publications import allowed_address

MOST_REDIRECTS = 5
MOST_PAGE_BYTES = 4_000_000
"""Maximum size of an HTML page with a form."""

UNPACKED_BYTES = 1 << 20
"""Bytes of a compressed response that are unpacked at once."""

T = TypeVar("T")

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that are retried."""

_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,15})-[0-9]{1,15}/([0-9]{1,15}|\*)")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retry limits and timeouts, in seconds.

    attempts: requests for one file, the first included. longest_wait_s: a longer Retry-After ends the download. idle_s:
    silence after which the connection counts as broken. whole_s: time for one file, pauses included.
    """

    attempts: int = 4
    first_wait_s: float = 5
    longest_wait_s: float = 300
    idle_s: float = 60
    whole_s: float = 3600


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A request for a file. form: sent by POST; without it GET. packed: whether gzip may be used in transit.

    etag, last_modified: validators of the stored download, "" for none.
    """

    url: str
    form: Mapping[str, str] | None = None
    packed: bool = False
    etag: str = ""
    last_modified: str = ""

    @property
    def conditional(self) -> bool:
        """Whether a stored download exists, which 304 confirms."""
        return bool(self.etag or self.last_modified)


@dataclass(frozen=True, slots=True)
class ServerResponse:
    """Validators of a file whose bytes are in the store's `.part`."""

    etag: str
    last_modified: str


class _Trouble(Exception):
    """A temporary failure. wait_s: the server's Retry-After."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.wait_s = reason, wait_s


@dataclass(slots=True)
class Client:
    """HTTP client with a User-Agent. sleep and clock are replaced by tests only."""

    agent: str
    patience: RetryPolicy = field(default_factory=RetryPolicy)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    http: httpx2.Client = field(init=False)
    _sockets: list[socket.socket] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.http = httpx2.Client(headers={"User-Agent": self.agent}, timeout=self.patience.idle_s, trust_env=True)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.http.close()

    def page(self, url: str) -> str:
        """Return a small page as text. Raises DownloadFailed."""
        begun = self.clock()

        def read() -> str:
            with self._send(FileRequest(url, packed=True), {"Accept-Encoding": "gzip"}) as response:
                _check_status(url, response.status_code, response.headers)
                body = bytearray()
                for chunk in _body(response):
                    body += chunk
                    if len(body) > MOST_PAGE_BYTES:
                        raise DownloadFailed(url, f"is a page of more than {MOST_PAGE_BYTES} bytes")
                    self._check_time(url, len(body), begun)
                return body.decode("utf-8", "replace")

        return self._patiently(url, begun, read)

    def file(self, ask: FileRequest, store: Store, max_bytes: int) -> ServerResponse | None:
        """Fetch a file into the store's `.part`; None if the stored one is still current. Raises DownloadFailed."""
        begun = self.clock()
        return self._patiently(ask.url, begun, lambda: self._try_file(ask, store, max_bytes, begun))

    def _patiently(self, url: str, begun: float, attempt: Callable[[], T]) -> T:
        """Run an attempt, retrying temporary failures. Raises DownloadFailed."""
        patience = self.patience
        for number in range(1, patience.attempts + 1):
            try:
                with self._ended_in_time(begun):
                    return attempt()
            except _Trouble as error:
                trouble = error
            except httpx2.TransportError as error:
                said = " ".join(str(error).split())
                trouble = _Trouble(f"the connection failed ({type(error).__name__}{': ' if said else ''}{said})")
            except (httpx2.InvalidURL, httpx2.DecodingError, ValueError) as error:
                raise DownloadFailed(url, f"answered something unreadable: {error}") from error
            wait = patience.first_wait_s * 2 ** (number - 1) if trouble.wait_s is None else trouble.wait_s
            if wait > patience.longest_wait_s:
                raise DownloadFailed(url, f"{trouble.reason} and asks to wait {wait:.0f} seconds; try again later")
            if self.clock() - begun + wait > patience.whole_s:
                raise DownloadFailed(url, f"{trouble.reason}, and its time is used up; try again later")
            if number < patience.attempts:
                self.sleep(wait)
        raise DownloadFailed(url, f"{trouble.reason}, tried {patience.attempts} times; try again later")

    @contextmanager
    def _ended_in_time(self, begun: float) -> Iterator[None]:
        """Hang up when the time for one file plus one read is over, even in the middle of a header.

        The client's own limit is per read: a byte now and then would keep it waiting forever.
        """
        left_s = self.patience.whole_s - (self.clock() - begun) + self.patience.idle_s
        limit = threading.Timer(max(left_s, 0), self._hang_up)
        limit.daemon = True
        limit.start()
        try:
            yield
        finally:
            limit.cancel()

    def _hang_up(self) -> None:
        for connection in self._sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _note_connection(self, event: str, info: Mapping[str, Any]) -> None:
        """Keep the socket of a new connection, which TLS replaces by another."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            self._sockets.append(info["return_value"].get_extra_info("socket"))

    def _try_file(self, ask: FileRequest, store: Store, max_bytes: int, begun: float) -> ServerResponse | None:
        headers = {"Accept-Encoding": "gzip" if ask.packed else "identity"}
        come = self._come_so_far(ask, store)
        if come:
            headers |= {"Range": f"bytes={come[0]}-", "If-Range": come[1]}
        else:
            headers |= {"If-None-Match": ask.etag} if ask.etag else {}
            headers |= {"If-Modified-Since": ask.last_modified} if ask.last_modified else {}
        with self._send(ask, headers) as response:
            status = response.status_code
            if status == httpx2.codes.NOT_MODIFIED and ask.conditional and not come:
                return None
            if status == httpx2.codes.RANGE_NOT_SATISFIABLE and come:
                store.discard()
                raise _Trouble("cannot continue where the last attempt broke off", wait_s=0)
            _check_status(ask.url, status, response.headers)
            answer = ServerResponse(response.headers.get("ETag", ""), response.headers.get("Last-Modified", ""))
            start, total = _place_of(response, come[0] if come else 0)
            if start == 0:
                # A compressed body has another number of bytes than the file.
                self._note_part(ask, store, answer, continuable=ask.form is None and not _coding(response))
            try:
                self._save(ask, response, store, start, max_bytes, begun)
                if total is not None and store.part.stat().st_size != total:
                    raise _Trouble(f"ended after {store.part.stat().st_size} of {total} bytes")
            except (_Trouble, httpx2.TransportError):
                if not store.part_sidecar.exists():
                    store.discard()
                raise
            return answer

    def _come_so_far(self, ask: FileRequest, store: Store) -> tuple[int, str] | None:
        """Return the number of bytes in the `.part` of this file, with their validator; None for none."""
        try:
            said = orjson.loads(store.part_sidecar.read_bytes())
            size = store.part.stat().st_size
            if said["url"] == ask.url and ask.form is None and size:
                return size, str(said["validator"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        store.discard()
        return None

    def _note_part(self, ask: FileRequest, store: Store, answer: ServerResponse, *, continuable: bool) -> None:
        """Record which file the `.part` belongs to, where a validator allows resuming."""
        store.discard()
        validator = answer.last_modified if answer.etag.startswith("W/") or not answer.etag else answer.etag
        if validator and continuable:
            store.part_sidecar.write_bytes(orjson.dumps({"url": ask.url, "validator": validator}))

    def _save(
        self, ask: FileRequest, response: httpx2.Response, store: Store, start: int, max_bytes: int, begun: float
    ) -> None:
        announced = response.headers.get("Content-Length", "")
        if announced.isdigit() and start + int(announced) > max_bytes:
            store.discard()
            raise DownloadFailed(
                ask.url, f"has {start + int(announced)} bytes, more than the {max_bytes} that may come"
            )
        size = start
        with store.part.open("ab" if start else "wb") as part:
            for chunk in _body(response):
                size += len(chunk)
                if size > max_bytes:
                    store.discard()
                    raise DownloadFailed(ask.url, f"has more bytes than the {max_bytes} that may come")
                part.write(chunk)
                self._check_time(ask.url, size, begun)

    def _check_time(self, url: str, size: int, begun: float) -> None:
        """Raise DownloadFailed when the time for one file is over."""
        whole_s = self.patience.whole_s
        if self.clock() - begun > whole_s:
            raise DownloadFailed(url, f"is too slow: {size} bytes in {whole_s:.0f} seconds; try again later")

    @contextmanager
    def _send(self, ask: FileRequest, headers: Mapping[str, str]) -> Iterator[httpx2.Response]:
        """Send a request and follow redirects: to https only, and never into a private network."""
        url, form = ask.url, ask.form
        for _ in range(MOST_REDIRECTS + 1):
            request = self.http.build_request(
                "POST" if form is not None else "GET",
                url,
                headers=headers,
                data=form,
                extensions={"trace": self._note_connection},
            )
            response = self.http.send(request, stream=True)
            try:
                if not response.has_redirect_location:
                    yield response
                    return
                target = str(request.url.join(response.headers["Location"]))
                if response.status_code in {301, 302, 303}:
                    form = None
            finally:
                response.close()
            if not allowed_address(target):
                raise DownloadFailed(ask.url, f"leads to {target[:200]}, which is not https; check the file of sources")
            if not may_follow(url, target):
                raise DownloadFailed(
                    ask.url, f"leads to {target[:200]}, into a private network; check the file of sources"
                )
            url = target
        raise DownloadFailed(ask.url, f"leads on more than {MOST_REDIRECTS} times; check the file of sources")


def _check_status(url: str, status: int, headers: httpx2.Headers) -> None:
    if status in {httpx2.codes.OK, httpx2.codes.PARTIAL_CONTENT}:
        return
    if status in PASSING:
        raise _Trouble(f"answered {status}", _retry_after(headers.get("Retry-After", "")))
    raise DownloadFailed(url, f"answered {status}; check the address in the file of sources")


def _retry_after(text: str) -> float | None:
    """Parse Retry-After, a number or a date, into seconds; None if invalid."""
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0)


def _place_of(response: httpx2.Response, come: int) -> tuple[int, int | None]:
    """Return the offset of a response, and the size of the whole file if a partial response states it.

    Raises _Trouble for another part than requested.
    """
    if response.status_code != httpx2.codes.PARTIAL_CONTENT:
        return 0, None
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if match is None or int(match[1]) != come or not come or _coding(response):
        raise _Trouble("answered with another part of the file than was asked for")
    return come, None if match[2] == "*" else int(match[2])


def _coding(response: httpx2.Response) -> str:
    """Return the content coding, "" for none."""
    coding: str = response.headers.get("Content-Encoding", "").strip().lower()
    return "" if coding == "identity" else coding


def _body(response: httpx2.Response) -> Iterator[bytes]:
    """Yield the unpacked body. Raises _Trouble if gzip ends early; httpx2 itself checks the announced length."""
    coding = _coding(response)
    if not coding:
        # In raw chunks: httpx2 would buffer an incomplete chunk and lose it when the connection breaks.
        yield from response.iter_raw()
        return
    if coding not in {"gzip", "x-gzip"}:
        raise _Trouble(f"answered in the coding {coding!r}, which was not asked for")
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    for chunk in response.iter_raw():
        waiting = chunk
        while waiting:
            try:
                yield unpacker.decompress(waiting, UNPACKED_BYTES)
            except zlib.error as error:
                raise _Trouble(f"answered with damaged gzip: {error}") from error
            waiting = unpacker.unconsumed_tail
    if not unpacker.eof:
        raise _Trouble("answered with gzip that ends early")
