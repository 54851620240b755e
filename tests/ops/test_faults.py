"""What may happen to a running service, done to a real one: each test breaks something, looks, and mends it.

The tests from `send_line` on break nothing: they send what no browser sends, and read the log.
"""

import json
import os
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest

from fueldepot.local.postgres import server_pids
from tests.fueldepot.sharers import LIMIT_S, eventually, run_python, server_pid
from tests.ops.live import Site
from tests.pages.reading import present
from tests.ports import exchange

pytestmark = pytest.mark.slow

API = "/api/v1/stores?lat=50.06&lon=19.94&limit=3"
PAGE = "/sklady/malopolskie/"
FORM_PAGE = "/sklady/dodaj/"
STATEMENT_S = 10.0
SOON_S = 2.0
"""The time in which a caller hears that the database does not answer, on a machine that has nothing else to do."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with Site(tmp_path_factory.mktemp("site")).running() as site:
        yield site


@pytest.fixture
def mended(site):
    """The service works before the test and after it, and its workers all know that it does."""
    assert eventually(lambda: is_back(site))
    yield
    assert eventually(lambda: is_back(site))


@pytest.fixture
def soon_s(site, mended):
    """A limit: `SOON_S`, and what this machine needs now for as many good answers as a test asks for at once."""
    return SOON_S + max(answer.took_s for answer in site.get_all([API, PAGE] * 8))


def check_unavailable(answer, within_s):
    assert (answer.status, answer.headers["Cache-Control"]) == (503, "no-store")
    assert answer.took_s < within_s
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "Chwilowa przerwa" in answer.body


@pytest.mark.usefixtures("mended")
def test_a_database_that_was_killed_comes_back_and_costs_no_request_afterwards(site):
    before = server_pid(site.data)
    os.kill(before, signal.SIGKILL)
    answers = []

    def back():
        # Connections outlive their server by an answer or two, so a good one counts only from a new server.
        started = anew()
        answers.append(site.get(API))
        return started and answers[-1].status == 200

    def anew():
        try:
            return server_pid(site.data) != before
        except (FileNotFoundError, IndexError):  # it is being written
            return False

    assert eventually(back)
    assert {answer.status for answer in answers} == {200}
    assert eventually(lambda: {answer.status for answer in site.get_all([FORM_PAGE, "/readyz"] * 8)} == {200})
    assert [answer.status for answer in site.get_all([API, PAGE] * 16)] == [200] * 32


def test_a_database_that_stays_away(site, soon_s):
    cluster = site.data / "cluster"
    (cluster / "postgresql.conf").rename(cluster / "away")
    try:
        os.kill(server_pid(site.data), signal.SIGKILL)
        assert eventually(lambda: not server_pids(cluster))
        assert eventually(lambda: is_away(site))
        check_reading_goes_on(site)
        check_unavailable(site.get(FORM_PAGE), soon_s)
        assert site.get("/healthz").status == 200
        said = json.loads(site.get("/readyz").body)
        assert (said["checks"], said["serving"]) == ({"database": {"ok": False}}, "reading only, from memory")
    finally:
        (cluster / "away").rename(cluster / "postgresql.conf")


def test_a_frozen_database(site, soon_s):
    already = len(site.log.read_text())
    with site.frozen():
        check_reading_goes_on(site)
        assert eventually(lambda: is_away(site))
        answers = site.get_all([FORM_PAGE] * 8)
        check_reading_goes_on(site)
    for answer in answers:
        check_unavailable(answer, soon_s)
        lines = [line for line in site.lines() if line.get("request_id") == answer.headers["X-Request-ID"]]
        # A worker that learns of the outage while it answers says so in a line of its own.
        assert [line["level"] for line in lines if line["logger"] == "fueldepot.request"] == ["INFO"]
    assert not present(site.log.read_text()[already:], "Service Unavailable", "Traceback")
    assert any(line.get("message", "").startswith("the database does not answer") for line in site.lines())
    assert eventually(lambda: site.get("/readyz").status == 200)


@pytest.mark.usefixtures("mended")
def test_who_waits_for_a_database_that_froze_is_let_go_before_it_thaws(site):
    """Another server may have taken over by then, and every thread that waits is one that answers nobody."""
    session = {"Cookie": f"sessionid={'a' * 32}"}
    with site.frozen():
        # At once, before anybody knows: more than there are threads.
        with ThreadPoolExecutor(12) as pool:
            answers = pool.map(lambda _: site.get("/admin/", timeout_s=LIMIT_S, **session), range(12))
        assert [answer.status for answer in answers] == [503] * 12
        check_reading_goes_on(site)
    assert eventually(lambda: site.get("/readyz").status == 200)


def is_away(site):
    """Whether every worker knows that the database does not answer; the empty form asks nothing of it."""
    return {answer.status for answer in site.get_all([FORM_PAGE] * 8)} == {503}


def is_back(site):
    """Whether every worker knows that the database answers; reading alone would not say so, as it needs memory only."""
    paths = [API, PAGE, FORM_PAGE, "/readyz"] * 8
    return site.get("/readyz").status == 200 and {answer.status for answer in site.get_all(paths)} == {200}


def check_reading_goes_on(site):
    """Everything public is answered from memory."""
    for answer in site.get_all([API, PAGE, "/api/v1/prices/pellet", "/api/v1/locations?q=krak", "/sitemap.xml"] * 4):
        assert answer.status == 200
    assert (site.get("/api/v1/subsidy?people=2").status, site.get("/api/v1/nothing").status) == (200, 404)


@pytest.mark.usefixtures("mended")
def test_a_statement_that_waits_too_long_is_given_up_by_the_server(site):
    said_before = len(server_log(site))
    with psycopg.connect(site.database_url) as other:
        other.execute("LOCK TABLE django_session IN ACCESS EXCLUSIVE MODE")
        answer = site.get("/admin/", timeout_s=LIMIT_S, Cookie=f"sessionid={'a' * 32}")
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        assert other.execute(waiting).fetchone() == (0,)
        other.rollback()
    assert answer.status == 503
    assert answer.took_s >= STATEMENT_S
    assert "canceling statement due to statement timeout" in server_log(site)[said_before:]


def test_a_change_becomes_public_by_itself(site):
    """Made by a process of its own, as an import is; no worker is told. How soon, `tests/ops/machines` measure."""
    name = f"Skład {time.monotonic_ns()}"
    with psycopg.connect(site.database_url) as other:
        (depot,) = other.execute("SELECT min(id) FROM catalog_depot WHERE publication = 'published'").fetchone()
        other.execute("UPDATE catalog_depot SET name = %s WHERE id = %s", [name, depot])
        other.execute("UPDATE catalog_dataset SET version = version + 1, changed_at = now() WHERE slug = 'depots'")
    paths = [f"/api/v1/stores/{depot}"] * 8
    assert eventually(lambda: all(json.loads(answer.body)["name"] == name for answer in site.get_all(paths)))


def server_log(site):
    return (site.data / "log").read_text()


@pytest.mark.usefixtures("mended")
def test_a_worker_killed_in_mid_request_harms_no_other(site):
    callers, victim = 4, site.workers()[0]
    with ThreadPoolExecutor(callers) as pool:
        answers = [pool.submit(site.get, API) for _ in range(100)]
        assert eventually(lambda: sum(answer.done() for answer in answers) > 20)
        os.kill(victim, signal.SIGKILL)
        statuses = Counter(answer.result().status for answer in answers)
    assert statuses.keys() <= {0, 200}
    assert statuses[0] <= callers  # what the victim was answering
    assert eventually(lambda: victim not in site.workers() and len(site.workers()) == 2)


def send_line(site, request_line):
    head = f"Host: 127.0.0.1:{site.port}\r\nConnection: close\r\n\r\n"
    return exchange(site.port, request_line + b" HTTP/1.1\r\n" + head.encode())


@contextmanager
def one_line_of_the_log(site):
    """Yield a dictionary that holds, after the block, the one line that was logged in it."""
    already, line = len(site.log.read_text().splitlines()), {}
    yield line
    (written,) = site.log.read_text().splitlines()[already:]
    line |= json.loads(written)


FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
CUT = f"{FORM}Content-Length: 500\r\n\r\npeople=2"
BAD_CHUNK = f"{FORM}Transfer-Encoding: chunked\r\n\r\nzz\r\npeople=2\r\n0\r\n\r\n"
CUT_CHUNK = f"{FORM}Transfer-Encoding: chunked\r\n\r\n8\r\npeop"


@pytest.mark.parametrize("body", [CUT, BAD_CHUNK, CUT_CHUNK], ids=["cut", "bad chunk", "cut chunk"])
@pytest.mark.parametrize("path", ["/api/v1/subsidy", "/dotacja/", "/sklady/dodaj/", "/api/v1/stores"])
def test_a_body_that_does_not_come_whole_is_400_and_one_line_of_the_log(site, path, body):
    with one_line_of_the_log(site) as line:
        found = exchange(site.port, f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n{body}".encode())
    assert found.startswith(b"HTTP/1.1 400 ")
    assert found.count(b"HTTP/1.1 ") == 1
    assert (b'"code":"malformed_body"' if path.startswith("/api/") else b"<h1>Formularz") in found
    assert (line["logger"], line["path"], line["status"]) == ("fueldepot.request", path, 400)


@pytest.mark.parametrize("path", ["/api/v1/locations?q=krak", "/", "/static/pages/site.css", "/healthz"])
@pytest.mark.parametrize("host", ["evil.example", "a b"])
def test_a_host_that_is_not_served_costs_one_line_of_the_log(site, path, host):
    with one_line_of_the_log(site) as line:
        answer = site.get(path, Host=host)
    assert answer.status in {200, 400}
    assert (line["logger"], line["status"]) == ("fueldepot.request", answer.status)


def test_polish_letters_that_come_without_percent_signs(site):
    names = "kościelisko".encode(), b"ko%C5%9Bcielisko"
    found, escaped = (send_line(site, b"GET /api/v1/locations?q=" + name) for name in names)
    assert found.startswith(b"HTTP/1.1 200 ")
    assert found.partition(b"\r\n\r\n")[2] == escaped.partition(b"\r\n\r\n")[2]
    assert b'"code":"invalid_parameter"' in send_line(site, "GET /api/v1/locations?q=kościelisko".encode("iso-8859-2"))
    assert "'/api/v1/składy' is not an address".encode() in send_line(site, "GET /api/v1/składy".encode())
    assert b"\r\nLocation: /sklady/malopolskie/\r\n" in send_line(site, "GET /sklady/małopol%73kie/".encode())


@pytest.mark.parametrize("path", ["/?", "/sklady/dodaj/?", "/api/v1/locations?q=krak&"])
def test_a_charset_of_a_request_without_a_body_is_not_used(site, path):
    for charset in ("=idna", "=utf-16", "=utf-8", "=nothing", "*=nothing''utf-8"):
        answer = site.get(f"{path}x=%5Cud800..", **{"Content-Type": f"text/plain; charset{charset}"})
        assert answer.status == 200, charset
        refused = site.get("/admin/login/?" + "a&" * 2_001, **{"Content-Type": f"text/plain; charset{charset}"})
        assert (refused.status, "X-Request-ID" in refused.headers) == (400, True), charset


def test_of_a_request_that_is_refused_unread_only_the_reason_is_logged(site):
    already = len(site.lines())
    for line in (b"GET /api/v1/subsidy?people=2 &income=1357.24", b"get /api/v1/subsidy?people=2&income=1357.24"):
        assert send_line(site, line).startswith(b"HTTP/1.1 400 ")
    assert eventually(lambda: len(site.lines()) >= already + 2)
    told = [line["message"] for line in site.lines()[already:] if line["logger"] == "gunicorn.error"]
    assert told == [f"a request was refused unread: Invalid{what}" for what in ("HTTPVersion", "RequestMethod")]


def test_a_line_per_request_says_nothing_of_people(site):
    secret = "income=1357,24"
    answer = site.get(f"/api/v1/subsidy?people=2&{secret}", Referer=f"http://x/?{secret}", **{"X-Request-ID": "a" * 20})
    found = answer.headers["X-Request-ID"]
    assert found != "a" * 20  # nobody trusted gave it
    assert eventually(lambda: any(line.get("request_id") == found for line in site.lines()))
    (line,) = [line for line in site.lines() if line.get("request_id") == found]
    assert set(line) == {"time", "level", "logger", "method", "path", "status", "ms", "request_id"}
    assert (line["method"], line["path"], line["status"]) == ("GET", "/api/v1/subsidy", 200)
    assert not present(site.log.read_text(), secret, "1357,24")


def test_importing_into_a_database_that_takes_nothing(site):
    read_only = {"DATABASE_URL": site.database_url, "PGOPTIONS": "-c default_transaction_read_only=on"}
    done = run_python("manage.py", "import_regulations", "regulations/data", "--commit", **read_only)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("CommandError: nothing was imported: the database refused: cannot execute")
