"""Publishers on this machine: files with validators, a form, an Overpass, and every way to misbehave.

`python -m tests.ops.rehearsal` runs the whole chain against it; see docs/refresh.md.
"""

import gzip
import hashlib
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.prices.importers.bdl_server import FakeBdl

PAGE = """<!DOCTYPE html><html><body><form method="post" action="./pliki_pelne.aspx">
<input type="hidden" name="__VIEWSTATE" value="dDwtNTE&lt;3&#39;" />
<input type="hidden" name="__EVENTVALIDATION" value="w/+=" />
<input name="ctl00$body$TBData" type="text" value="21 listopada 2026" />
<input type="submit" name="search" value="Szukaj" />
{links}</form></body></html>"""

FORM_FILES = {"ctl00$body$BTERCUrzedowyPobierz": "terc.zip", "ctl00$body$BSIMCUrzedowyPobierz": "simc.zip"}

PATHS = {
    "teryt-terc": "/pliki_pelne.aspx",
    "teryt-simc": "/pliki_pelne.aspx",
    "prg-boundaries": "/granice.zip",
    "geonames-postcodes": "/PL.zip",
    "osm-depots": "/interpreter",
    "gus-bdl": "/bdl",
}
"""Where each source is on this server; the files are called like the paths, and depots.json and the two of the form."""


@dataclass
class Publishers:
    """What is published, what was asked, and how to misbehave.

    troubles: path → what to do at each request in turn, "" for nothing; the last one goes on for ever when `always`.
    An integer is a status; (status, headers) one with headers. The others are described in `Handler.misbehave`.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    troubles: dict[str, list[Any]] = field(default_factory=dict)
    always: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    validators: bool = True
    bdl: FakeBdl = field(default_factory=FakeBdl)
    url: str = ""

    def requests(self, path: str) -> list[tuple[str, dict[str, str], bytes]]:
        """Method, headers and body of every request for a path."""
        return [(method, headers, body) for asked, method, headers, body in self.asked if asked == path]

    def sources(self, path: Path, **changes: dict[str, Any]) -> Path:
        """Write a file of sources whose addresses are this server's. changes: keys of single sources, dashes as _."""
        content = {
            name: {"url": self.url + where} | changes.get(name.replace("-", "_"), {}) for name, where in PATHS.items()
        }
        # JSON is YAML, and written in no time.
        path.write_text(json.dumps(content, ensure_ascii=False, default=str), encoding="utf-8")
        return path


@contextmanager
def serve(publishers: Publishers) -> Iterator[Publishers]:
    """Publishers with a server, in threads of this process, while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or the body waits 40 ms until the head is acknowledged

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            parts = urlsplit(self.path)
            publishers.asked.append((parts.path, self.command, dict(self.headers), body))
            waiting = publishers.troubles.get(parts.path, [])
            trouble = waiting.pop(0) if waiting else publishers.always.get(parts.path, "")
            if parts.path.startswith(PATHS["gus-bdl"]):
                self.query = {key: values[0] for key, values in parse_qs(parts.query).items()}
                path = parts.path.removeprefix(PATHS["gus-bdl"])
                trouble = publishers.bdl.note(path, self.query, dict(self.headers)) or trouble
            if isinstance(trouble, int):
                trouble = (trouble, {})
            if isinstance(trouble, tuple):
                self.reply(trouble[0], b"trouble", trouble[1])
                return
            found = self.find(parts.path, body, trouble)
            if found is None:
                self.reply(404, b"nothing here", {})
            else:
                self.give(parts.path, found, trouble)

        def do_POST(self) -> None:
            self.do_GET()

        def find(self, path: str, body: bytes, trouble: str) -> bytes | None:
            """What is published under a path; for the form and Overpass what the request names."""
            if path == PATHS["teryt-terc"]:
                if self.command == "GET":
                    links = "".join(f"<a href=\"javascript:__doPostBack('{name}','')\">" for name in FORM_FILES)
                    return PAGE.format(links=links).encode()
                form = {key: values[0] for key, values in parse_qs(body.decode(), keep_blank_values=True).items()}
                if form.get("__VIEWSTATE") != "dDwtNTE<3'" or form.get("__EVENTVALIDATION") != "w/+=":
                    return b"<html><body>Server Error in '/eTeryt' Application.</body></html>"
                return publishers.files.get(FORM_FILES.get(form["__EVENTTARGET"], ""))
            if path == PATHS["osm-depots"]:
                asked = parse_qs(body.decode()).get("data", [""])[0]
                return publishers.files.get("depots.json") if "[timeout:" in asked else b""
            if path.startswith(PATHS["gus-bdl"]):
                answer = publishers.bdl.answer(path.removeprefix(PATHS["gus-bdl"]), self.query, trouble)
                return None if answer is None else json.dumps(answer).encode()
            return publishers.files.get(path.lstrip("/"))

        def give(self, path: str, content: bytes, trouble: str) -> None:
            """A file, in good order or not."""
            etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            fixed = publishers.validators and path not in {PATHS["teryt-terc"], PATHS["osm-depots"]}
            headers = {"ETag": etag, "Last-Modified": formatdate(1_790_000_000, usegmt=True)} if fixed else {}
            if fixed and self.headers.get("If-None-Match") == etag:
                self.reply(304, b"", headers)
                return
            self.misbehave(trouble, content, headers)

        def misbehave(self, trouble: str, content: bytes, headers: dict[str, str]) -> None:
            half = content[: len(content) // 2]
            announced, closing = {"Content-Length": str(len(content))}, {"Connection": "close"}
            cut_off = {
                "drop": announced,  # the connection is reset in the middle
                "short": announced | closing,  # a good-bye before the announced length
                "unannounced": closing,  # half of it, without any length: only the content tells
                "chunked": {"Transfer-Encoding": "chunked"} | closing,  # chunks that never come to their end
            }
            if trouble in cut_off:
                self.start(200, headers | cut_off[trouble])
                self.wfile.write(b"%x\r\n%s\r\n" % (len(half), half) if trouble == "chunked" else half)
                if trouble == "drop":
                    self.reset()
                self.close_connection = True
            elif trouble == "refuse":  # nothing at all comes
                self.reset()
            elif trouble.endswith("gzip"):
                packed = gzip.compress(content)
                if trouble == "half gzip":  # whole by its length, and yet cut off
                    packed = packed[: len(packed) // 2]
                elif trouble == "damaged gzip":
                    packed = packed[:10] + b"\xff" + packed[11:]  # the kind of the first block
                self.reply(200, packed, headers | {"Content-Encoding": "gzip"})
            elif trouble == "slow":
                self.start(200, headers | announced)
                for byte in content:
                    self.wfile.write(bytes([byte]))
                    time.sleep(0.02)
            elif trouble == "slow header":  # a byte now and then, and never the end of it
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                for _ in range(100):
                    self.wfile.write(b"x")
                    time.sleep(0.1)
                self.close_connection = True
            elif trouble == "silent":  # the line stays open and nothing comes
                self.start(200, headers | announced)
                time.sleep(1.5)
                self.close_connection = True
            elif trouble == "html":
                self.reply(200, b"<!DOCTYPE html><html><body>Przerwa techniczna</body></html>", {})
            else:  # "half" is announced as the whole
                self.reply(200, {"half": half, "empty": b""}.get(trouble, content), headers)

        def start(self, status: int, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.start(status, {**headers, "Content-Length": str(len(body))})
            if status != 304:
                self.wfile.write(body)

        def reset(self) -> None:
            """Close without good-bye."""
            self.wfile.flush()
            time.sleep(0.05)  # a reset would throw away what the caller has not read yet
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True

        def handle(self) -> None:
            with suppress(OSError, ValueError):
                super().handle()

        def finish(self) -> None:
            with suppress(OSError, ValueError):
                super().finish()

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    publishers.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield publishers
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
