"""The nginx of docs/deployment alone, before a service that counts: what one caller is told reaches no other."""

import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.machines.callers import Answer, Caller
from tests.machines.servers import Nginx, free_ports, missing_programs

MISSING = {"nginx", "openssl"} & set(missing_programs())
pytestmark = [
    pytest.mark.machines,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed here: {', '.join(MISSING)}"),
]

PATH = "/api/v1/locations?q=zakopane"


class Counting(BaseHTTPRequestHandler):
    """Answers as the API does, each request with one less that is left."""

    left = 60

    def do_GET(self) -> None:
        Counting.left -= 1
        self.send_response(429 if self.path.startswith("/refused") else 200)
        self.send_header("Cache-Control", "no-store" if self.path.startswith("/refused") else "public, max-age=300")
        self.send_header("RateLimit-Policy", '"default";q=60;w=60')
        self.send_header("RateLimit", f'"default";r={Counting.left};t=1')
        self.send_header("X-Request-ID", self.headers["X-Request-ID"])
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module", params=[False, True], ids=["as it is", "with a cache"])
def nginx(request) -> Iterator[Nginx]:
    home = Path(tempfile.mkdtemp(prefix="fueldepot-nginx-"))
    home.chmod(0o755)
    service = ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    plain, tls = free_ports(2)
    application = SimpleNamespace(port=service.server_port)
    running = Nginx(home / "nginx", (plain, tls), [application, application])  # type: ignore[list-item]
    running.caches = request.param  # type: ignore[attr-defined]
    if request.param:
        site = running.home / "site"
        cache = f"proxy_cache_path {home / 'kept'} keys_zone=kept:1m;\n"
        site.write_text(cache + site.read_text().replace("location / {", "location / {\n        proxy_cache kept;"))
    try:
        running.ready()
        yield running
    finally:
        running.kill()
        service.shutdown()
        service.server_close()
        shutil.rmtree(home)


def ask(nginx: Nginx, path: str, address: str = "127.0.0.1") -> Answer:
    """One answer, over a connection of its own."""
    with closing(Caller(nginx.port, address)) as caller:
        return caller.get(path)


def test_what_is_one_callers_reaches_no_other(nginx):
    first, second = (ask(nginx, PATH, address) for address in ("127.0.4.1", "127.0.4.2"))
    assert first.status == second.status == 200
    assert re.fullmatch(r'"default";r=\d+;t=1', first.headers["RateLimit"])
    assert first.headers["RateLimit-Policy"] == '"default";q=60;w=60'
    assert re.fullmatch(r"[0-9a-f]{32}", second.headers["X-Request-ID"])
    assert second.headers["X-Request-ID"] != first.headers["X-Request-ID"]
    if nginx.caches:
        assert not {"RateLimit", "RateLimit-Policy"} & set(second.headers)
    else:
        assert second.headers["RateLimit"] != first.headers["RateLimit"]


def test_a_refusal_tells_of_the_limit(nginx):
    answer = ask(nginx, "/refused")
    assert answer.status == 429
    assert {"RateLimit", "RateLimit-Policy", "X-Request-ID"} <= set(answer.headers)
