"""A service that counts its requests. Its answers have the headers of the catalog."""

import gzip
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

from fueldepot.http.cache_control import CATALOG, GONE, NO_STORE, behind_cache

ENTRY = "/api/v1/stores/"
OUTAGE_S = 4
"""How long a list may be served in an outage here."""


class Application(BaseHTTPRequestHandler):
    """Answers as the service does. asked: path, Accept and Accept-Encoding of every request that arrived."""

    asked: list[tuple[str, str, str]] = []
    version = 1
    status = 200
    left = 60
    away = False

    def cache_control(self) -> str:
        """The header of the service, for a depot of its own and for lists."""
        request: Any = SimpleNamespace(META={"HTTP_" + name.upper().replace("-", "_"): "" for name in self.headers})
        entry = self.path.startswith(ENTRY)
        if self.status == 200 and "refused" not in self.path:
            value = behind_cache(CATALOG, request, in_outage=not entry)
        else:
            value = behind_cache(GONE, request) if entry else NO_STORE
        return re.sub(r"(?<=stale-if-error=)\d+", str(OUTAGE_S), value) if "brief" in self.path else value

    def do_GET(self) -> None:
        if self.away:
            return
        if "lasting" in self.path:
            time.sleep(3)
        accept, coding = self.headers.get("Accept", ""), self.headers.get("Accept-Encoding", "")
        Application.asked.append((self.path, accept, coding))
        Application.left -= 1
        form = "markdown" if "markdown" in accept else "geo" if "geo" in accept else "plain"
        packs = coding and self.path.startswith("/api/")  # nginx compresses pages
        etag = f'"{self.version}-{form}{"-gzip" if packs else ""}"'
        kept = self.status == 200 and "refused" not in self.path
        known = kept and self.headers.get("If-None-Match") == etag
        body = b"" if known else f"{form} {self.version}".encode() + b" " * 600
        self.send_response(304 if known else 429 if "refused" in self.path else self.status)
        self.send_header("Cache-Control", self.cache_control())
        if kept:
            self.send_header("ETag", etag)
            self.send_header("Vary", "Accept, Accept-Encoding" if self.path.startswith("/api/") else "Accept")
        if packs and not known:
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("RateLimit-Policy", '"default";q=60;w=60')
        self.send_header("RateLimit", f'"default";r={Application.left};t=1')
        self.send_header("X-Request-ID", self.headers["X-Request-ID"])
        self.send_header("Content-Type", "application/json" if self.path.startswith("/api/") else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class Service(ThreadingHTTPServer):
    request_queue_size = 200  # connections that wait to be accepted
