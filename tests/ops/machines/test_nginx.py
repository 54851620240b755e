"""The nginx of docs/deployment alone, before a service that counts its requests: what is kept, how long, for whom."""

import json
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import pytest

from fueldepot.http.cache_control import SHARED
from tests.fueldepot.sharers import eventually
from tests.ops.live import Answer
from tests.ops.machines.callers import TLS, Caller, ask
from tests.ops.machines.counting import ENTRY, OUTAGE_S, Application, Service
from tests.ops.machines.servers import Nginx, missing_programs, only_with, open_folder
from tests.ports import exchange, free_port, free_ports

pytestmark = only_with(*{"nginx", "openssl"}.intersection(missing_programs()))

FRESH_S, STALE_S = (int(found) for found in re.findall(r"(?:s-maxage|stale-while-revalidate)=(\d+)", SHARED))
API = "/api/v1/locations?q="
PAGE = "/ceny/pellet/?"
TRIED_AGAIN_S = 3.1
"""After `fail_timeout`, which nginx counts in whole seconds."""


@pytest.fixture(scope="module")
def nginx() -> Iterator[Nginx]:
    service = Service(("127.0.0.1", 0), Application)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    plain, tls = free_ports(2)
    with open_folder("nginx") as home, ExitStack() as stack:
        running = Nginx(home / "nginx", (plain, tls), (service.server_port, service.server_port))
        for end in (service.server_close, service.shutdown, running.kill):
            stack.callback(end)
        running.ready()
        yield running


@pytest.fixture
def path(request: pytest.FixtureRequest) -> str:
    """An address that no other test asks, of the API."""
    return API + re.sub(r"\W+", "-", request.node.name)


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    Application.asked.clear()
    Application.left = 60
    yield
    if Application.away:
        time.sleep(TRIED_AGAIN_S)
    Application.version, Application.status, Application.away = 1, 200, False


def keep(nginx: Nginx, path: str, **headers: str) -> Answer:
    """Ask until the answer is kept: what is asked once is not."""
    ask(nginx, path, **headers)
    answer = ask(nginx, path, **headers)
    Application.asked.clear()
    return answer


def test_what_is_kept_is_not_asked_for_again_and_who_has_it_hears_304(nginx, path):
    first = keep(nginx, path)
    again = [ask(nginx, path) for _ in range(20)]
    same = 200, first.body, first.headers["ETag"]
    assert {(answer.status, answer.body, answer.headers["ETag"]) for answer in again} == {same}
    known = ask(nginx, path, If_None_Match=first.headers["ETag"])
    assert (known.status, known.body) == (304, "")
    # One may be renewed meanwhile.
    assert len(Application.asked) <= 1


def test_a_change_is_public_within_the_promised_seconds_also_of_what_is_asked_all_the_time(nginx, path):
    keep(nginx, path)
    Application.version = 2
    began = time.monotonic()
    assert eventually(lambda: ask(nginx, path).body.startswith("plain 2"), 30)
    assert time.monotonic() - began < FRESH_S + STALE_S + 1


def test_of_what_nobody_has_asked_for_longer_the_first_answer_is_the_new_one_be_it_that_it_is_gone(nginx, path):
    """Errors that are somebody's answer are no reason to give what was kept."""
    keep(nginx, path)
    Application.version = 2
    for status in (200, 404, 410):
        Application.status = status
        time.sleep(FRESH_S + STALE_S + 1.1)
        answer = ask(nginx, path)
        assert (answer.status, answer.body.split(" ")[:2]) == (status, ["plain", "2"])


@pytest.mark.parametrize("status", [404, 410])
def test_a_removed_entry_is_replaced_and_comes_back_in_no_outage(nginx, status):
    entry = f"{ENTRY}{status}"
    keep(nginx, entry)
    Application.status = status
    time.sleep(FRESH_S + STALE_S + 1.1)
    assert ask(nginx, entry).status == status
    kept_files = [path.read_bytes() for path in (nginx.home / "kept").rglob("*") if path.is_file()]
    [copy] = [content for content in kept_files if f"KEY: sklady.example.pl{entry} ".encode() in content]
    assert f"HTTP/1.0 {status} ".encode() in copy
    Application.away = True
    time.sleep(FRESH_S + STALE_S + 1.1)
    assert [ask(nginx, entry).status for _ in range(3)] == [status] * 3


def test_an_entry_removed_in_an_outage_or_before_is_not_shown(nginx):
    """Nobody asked between its removal and the outage."""
    keep(nginx, f"{ENTRY}1")
    Application.status, Application.away = 404, True
    time.sleep(FRESH_S + STALE_S + 1.1)
    assert [ask(nginx, f"{ENTRY}1").status for _ in range(3)] == [503] * 3


def test_a_list_is_shown_in_an_outage_for_the_promised_time_however_often_it_is_asked_for(nginx, path):
    first = keep(nginx, f"{path}-brief")
    Application.away = True
    statuses = []
    began = time.monotonic()
    while time.monotonic() < began + FRESH_S + OUTAGE_S + 3:
        answer = ask(nginx, f"{path}-brief")
        assert answer.body == first.body or answer.status == 503
        statuses.append(answer.status)
        time.sleep(0.2)
    assert (statuses[0], statuses[-1]) == (200, 503)
    assert statuses == sorted(statuses)


@pytest.mark.parametrize(
    "spelling", ["*/*", "application/json", "text/html,application/xhtml+xml,*/*;q=0.8", "application/json, text/plain"]
)
def test_every_caller_of_the_usual_form_shares_one_copy(nginx, path, spelling):
    keep(nginx, path)
    assert ask(nginx, path, Accept=spelling).body.startswith("plain")
    assert {accept for _, accept, _ in Application.asked} <= {"*/*"}
    assert len(Application.asked) <= 1


@pytest.mark.parametrize(
    ("accept", "form"),
    [("text/markdown", "markdown"), ("text/html;q=0.5, text/markdown", "markdown"), ("application/geo+json", "geo")],
)
def test_markdown_and_geojson_stay_apart(nginx, path, accept, form):
    usual = keep(nginx, path)
    other = keep(nginx, path, Accept=accept)
    assert other.body.startswith(form)
    for _ in range(3):
        assert ask(nginx, path, Accept=accept).body == other.body
        assert ask(nginx, path).body == usual.body
    assert len(Application.asked) <= 2


PACKINGS = {"gzip": True, "gzip, deflate, br, zstd": True, "br;q=1, GZIP;q=0.5": True}
PACKINGS |= dict.fromkeys(("identity", "gzip;q=0", "br, gzip;q=0.0, deflate"), False)


@pytest.mark.parametrize(("spelling", "packed"), PACKINGS.items())
def test_packed_and_plain_stay_apart_however_they_are_asked_for(nginx, path, spelling, packed):
    keep(nginx, path)
    keep(nginx, path, Accept_Encoding="gzip")
    answer = ask(nginx, path, Accept_Encoding=spelling)
    assert (answer.headers.get("Content-Encoding") == "gzip") == packed
    assert answer.headers["ETag"].endswith('-gzip"') == packed
    assert len(Application.asked) <= 2


@pytest.mark.parametrize(("spelling", "packed"), [("gzip", True), ("identity", False)])
def test_a_cache_in_front_learns_that_nginx_compresses_pages(nginx, spelling, packed):
    headers = ask(nginx, f"{PAGE}{spelling}", Accept_Encoding=spelling).headers
    assert (headers.get("Content-Encoding") == "gzip") == packed
    assert set(headers["Vary"].split(", ")) == {"Accept", "Accept-Encoding"}


def test_what_is_one_callers_reaches_no_other(nginx, path):
    first = ask(nginx, path, "127.0.4.1")
    assert re.fullmatch(r'"default";r=\d+;t=1', first.headers["RateLimit"])
    assert first.headers["RateLimit-Policy"] == '"default";q=60;w=60'
    ask(nginx, path, "127.0.4.1")
    Application.asked.clear()
    others = [ask(nginx, path, f"127.0.4.{number}") for number in range(2, 6)]
    assert len(Application.asked) <= 1
    numbers = {answer.headers["X-Request-ID"] for answer in [first, *others]}
    assert len(numbers) == 5
    assert all(re.fullmatch("[0-9a-f]{32}", number) for number in numbers)
    limit = {"ratelimit", "ratelimit-policy"}
    assert limit <= first.headers.keys()
    assert not any(limit & answer.headers.keys() for answer in others)


def test_a_refusal_tells_of_the_limit_and_is_not_kept(nginx):
    for _ in range(3):
        answer = ask(nginx, "/refused")
        assert answer.status == 429
        assert {"ratelimit", "ratelimit-policy", "x-request-id"} <= answer.headers.keys()
    assert len(Application.asked) == 3


@pytest.mark.parametrize("header", ["Cookie", "Authorization"])
def test_who_is_known_is_neither_given_what_is_kept_nor_kept(nginx, path, header):
    known = {header: "sessionid=x"}
    for headers in (known, known, known, {}):
        ask(nginx, path, **headers)
    assert len(Application.asked) == 4
    keep(nginx, path)
    ask(nginx, path, **known)
    assert len(Application.asked) == 1


POSITIONS = "/api/v1/locate?lat=50.01&lon=19.01", "/sklady/x/y/?p=50.01,19.01", "/sklady/x/y.md?a=b&p=50.01,19.01"


@pytest.mark.parametrize(("method", "address"), [("POST", f"{API}sent"), *(("GET", path) for path in POSITIONS)])
def test_what_is_sent_and_the_position_of_a_reader_are_never_kept(nginx, method, address):
    for _ in range(3):
        ask(nginx, address, method=method)
    assert len(Application.asked) == 3


def test_numbers_for_operators_and_the_version_of_nginx_are_not_public(nginx):
    answer = ask(nginx, "/metrics")
    assert (answer.status, answer.headers["Server"]) == (404, "nginx")
    assert Application.asked == []


@pytest.mark.parametrize("address", [API, PAGE])
def test_too_much_at_once_is_refused_in_the_form_of_the_service(nginx, address):
    for status, page, how in (
        (413, "Za duży plik", {"method": "POST", "form": {"x": "x" * 6_000_000}}),
        (431, "Za długie nagłówki", {"Cookie": "x" * 70_000}),  # nginx does not read them
    ):
        check_error(ask(nginx, address, **how), status, "payload_too_large" if address == API else page)


@contextmanager
def open_slowly(nginx: Nginx, count: int, address: str) -> Iterator[list[socket.socket]]:
    """Connections of one address that send the beginning of a request and nothing more: half of them with TLS."""
    with ExitStack() as stack:
        connections = []
        for number in range(count):
            plain = stack.enter_context(socket.create_connection(("127.0.0.1", nginx.port), 5, (address, 0)))
            connection = stack.enter_context(TLS.wrap_socket(plain)) if number % 2 else plain
            connection.sendall(b"GET / HTTP/1.1\r\nHost: skl" if number % 2 else b"\x16\x03")
            connections.append(connection)
        yield connections


def test_slow_connections_of_one_caller_close_the_site_to_nobody(nginx, path):
    with open_slowly(nginx, 2000, "127.0.6.1"):
        answers = [ask(nginx, f"{path}{number}", f"127.0.7.{number % 250 + 1}") for number in range(400)]
    assert Counter(answer.status for answer in answers) == {200: 400}
    print({"slowest of 400 beside 2,000 slow connections, ms": round(1000 * max(answer.took_s for answer in answers))})


def test_a_request_that_does_not_arrive_is_given_up(nginx):
    with open_slowly(nginx, 2, "127.0.6.2") as connections:
        began = time.monotonic()
        for connection in connections:
            connection.settimeout(15)
            with suppress(OSError):
                assert connection.recv(1000) == b""
        assert 8 < time.monotonic() - began < 14


@pytest.mark.parametrize("address", [API, PAGE])
def test_a_caller_has_a_hundred_requests_in_work_at_most(nginx, address):
    with ThreadPoolExecutor(130) as pool:
        answers = list(pool.map(lambda number: ask(nginx, f"{address}lasting{number}", "127.0.6.3"), range(130)))
        other = ask(nginx, f"{address}other", "127.0.6.4")
    assert Counter(answer.status for answer in answers) == {200: 100, 429: 30}
    assert other.status == 200
    refused = next(answer for answer in answers if answer.status == 429)
    check_error(refused, 429, "too_many_requests" if address == API else "Za dużo pytań naraz")


def test_no_file_of_nginx_has_an_address_or_a_query_of_a_caller(nginx):
    address, query = "127.0.5.9", "income=123454321"
    ask(nginx, f"{API}x&{query}", address)
    ask(nginx, f"{API}x&{query}", address, method="POST", form={"x": "x" * 6_000_000})
    ask(nginx, f"/x?{query}", address, Cookie="x" * 70_000)
    # As if the disk were full: nginx logs that at a higher level.
    bodies = nginx.home / "client_body"
    bodies.rename(nginx.home / "moved")
    bodies.touch()
    assert Caller(nginx.port, address).ask("POST", f"{API}x&{query}", {"x": "x" * 100_000}).status == 500
    bodies.unlink()
    (nginx.home / "moved").rename(bodies)
    Application.away = True
    assert ask(nginx, f"{API}y&{query}", address).status == 503
    for request in (
        f"GET /.well-known/acme-challenge/x?{query} HTTP/1.1\r\nHost: sklady.example.pl\r\n\r\n",
        f"GET /x?{query} HTTP/1.1\r\nHost: other.example\r\n\r\n",
        f"GET /x?{query} HTTP/9.9\r\n\r\n",
    ):
        exchange(nginx.plain_port, request.encode(), address)
    exchange(nginx.port, b"no TLS", address)
    written = b"".join(path.read_bytes() for path in nginx.home.rglob("*") if path.is_file())
    assert address.encode() not in written
    assert query.encode() not in written


def test_another_host_gets_no_answer(nginx):
    assert ask(nginx, "/", Host="other.example").status == 0
    assert exchange(nginx.plain_port, b"GET / HTTP/1.1\r\nHost: other.example\r\n\r\n") == b""


def check_error(answer: Answer, status: int, said: str) -> None:
    """JSON of the usual form where a code is said, else a page in Polish."""
    assert (answer.status, answer.headers["Cache-Control"]) == (status, "no-store")
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-ID"])
    if said in {"unavailable", "payload_too_large", "too_many_requests"}:
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        body = json.loads(answer.body)
        assert body.keys() == {"status", "code", "message", "errors", "documentation"}
        assert (body["status"], body["code"], body["errors"]) == (status, said, [])
        assert body["documentation"] == "https://sklady.example.pl/api/"
    else:
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert f"<h1>{said}</h1>" in answer.body
        assert "lang=pl" in answer.body
    if status in {429, 503}:
        assert int(answer.headers["Retry-After"]) > 0


def test_while_the_application_is_away_what_is_kept_is_read_and_all_else_says_so(nginx):
    """The last test: it takes the service away."""
    kept = [keep(nginx, address + "kept") for address in (API, PAGE)]
    site = nginx.home / "site"
    port = free_port()
    site.write_text(re.sub(r"(server 127\.0\.0\.1:)\d+ max_fails", rf"\g<1>{port} max_fails", site.read_text()))
    nginx.kill()
    nginx.ready()
    time.sleep(FRESH_S + STALE_S + 1.1)
    for address, before in zip((API, PAGE), kept, strict=True):
        for _ in range(3):
            answer = ask(nginx, address + "kept")
            assert (answer.status, answer.body) == (200, before.body)
    check_error(ask(nginx, API + "new"), 503, "unavailable")
    check_error(ask(nginx, PAGE + "new"), 503, "Chwilowa przerwa")
    check_error(ask(nginx, "/api/v1/subsidy", method="POST"), 503, "unavailable")
