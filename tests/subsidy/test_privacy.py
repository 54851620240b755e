"""Incomes are in no log of a real server, no error report, no database and no cache."""

import json
import sys

import httpx2
import pytest
from django.core.cache import cache
from django.core.signals import got_request_exception
from django.db import connection
from django.test import Client, RequestFactory
from django.views.debug import ExceptionReporter

from fueldepot.http.request_log import without_query
from subsidy.api import params, views
from tests import ROOT
from tests.bench.__main__ import served
from tests.fueldepot.once import static_files_collected
from tests.ops import databases
from tests.ports import exchange

INCOME, ANNUAL = "1234.56", "98765.43"
TRACES = ("1234.56", "1234,56", "98765.43", "income=")
QUERY = f"people=2&income={INCOME}&annual_income={ANNUAL}&eu=2&walls=10"
URL = "/api/v1/subsidy"


def ask(port, path, body=None, **headers):
    method, url = "POST" if body else "GET", f"http://127.0.0.1:{port}{path}"
    return httpx2.request(method, url, content=body, headers=headers, timeout=60, trust_env=False).status_code


def ask_in_every_way(port):
    """Send incomes by GET and POST in every encoding, invalid and broken ones too. Return the statuses."""
    form = "application/x-www-form-urlencoded"
    boundary = f'--x\r\nContent-Disposition: form-data; name="income"\r\n\r\n{INCOME}\r\n--x--\r\n'
    statuses = [
        ask(port, f"{URL}?{QUERY}", Referer=f"http://127.0.0.1/x?{QUERY}"),
        ask(port, f"/api/v1/%73ubsidy?{QUERY}"),
        ask(port, URL, QUERY.encode(), **{"Content-Type": form}),
        ask(port, URL, json.dumps({"people": 2, "income": INCOME}).encode(), **{"Content-Type": "application/json"}),
        ask(port, URL, boundary.encode(), **{"Content-Type": "multipart/form-data; boundary=x"}),
        ask(port, f"{URL}?{QUERY}&people=3"),
        ask(port, f"{URL}?{QUERY}x"),
        ask(port, URL, QUERY.encode(), **{"Content-Type": "text/plain"}),
        ask(port, "/dotacja/", QUERY.encode(), **{"Content-Type": form}),
        ask(port, f"/dotacja/?{QUERY}"),
        ask(port, f"/api/v1/nothing?{QUERY}"),
    ]
    exchange(port, f"GET {URL}?{QUERY} HTTP/9.9 x\r\n\r\n".encode())
    chunked = (
        f"POST {URL} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {form}\r\nConnection: close\r\n"
        f"Transfer-Encoding: chunked\r\n\r\n{len(QUERY):x}\r\n{QUERY}\r\n0\r\n\r\n"
    )
    return [*statuses, int(exchange(port, chunked.encode()).split()[1])]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("application", "statuses", "logged", "times"),
    [
        ("fueldepot.wsgi", [200, 200, 200, 200, 400, 400, 400, 415, 200, 200, 404, 200], URL, 8),
        ("tests.subsidy.failing", [500, 500, 500], "RuntimeError: cannot calculate Application(", 1),
    ],
)
def test_logs_of_a_real_server(tmp_path, application, statuses, logged, times):
    options = [f"--{kind}-logfile={tmp_path / kind}.log" for kind in ("access", "error")]
    options += ["--log-level=debug", "--workers=1"]
    options += ["--access-logformat", '%(h)s "%(r)s" %(q)s %(s)s "%(f)s" %({referer}i)s %({raw_uri}e)s']
    database = databases.url(connection.settings_dict["NAME"])
    with (
        (tmp_path / "output.log").open("wb") as log,
        static_files_collected(),
        served(application, *options, log=log, DATABASE_URL=database) as (port, _),
    ):
        assert ask_in_every_way(port)[: len(statuses)] == statuses
    logs = "".join(file.read_text(encoding="utf-8", errors="replace") for file in tmp_path.glob("*.log"))
    assert logs.count(logged) >= times
    assert not [trace for trace in TRACES if trace in logs]


@pytest.mark.parametrize("method", ["get", "post", "page"])
def test_error_reports(monkeypatch, settings, method):
    settings.DEBUG = False
    reports = []

    def fail(application, rules):
        raise RuntimeError(repr(application))

    monkeypatch.setattr(views, "calculate", fail)
    monkeypatch.setattr("pages.subsidy.calculate", fail)

    def note(sender, request, **kwargs):
        kind, value, trace = sys.exc_info()
        reporter = ExceptionReporter(request, kind, value, trace)
        reports.append(reporter.get_traceback_text() + reporter.get_traceback_html())

    got_request_exception.connect(note)
    client = Client(raise_request_exception=False)
    try:
        if method == "get":
            answer = client.get(f"{URL}?{QUERY}", headers={"referer": f"http://testserver/?{QUERY}"})
        else:
            path = URL if method == "post" else "/dotacja/"
            answer = client.post(path, QUERY, content_type="application/x-www-form-urlencoded")
    finally:
        got_request_exception.disconnect(note)
    assert answer.status_code == 500
    (report,) = reports
    assert "RuntimeError" in report
    assert not [trace for trace in TRACES if trace in report]


def test_nothing_is_asked_of_the_database_or_cached(db, django_assert_num_queries, monkeypatch):
    for name in ("set", "add", "set_many", "get_or_set"):
        monkeypatch.setattr(cache, name, lambda *args, **kwargs: pytest.fail("something was cached"))
    with django_assert_num_queries(0):
        for answer in (Client().get(f"{URL}?{QUERY}"), Client().post(URL, {"people": "2", "income": INCOME})):
            assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
            assert not answer.cookies


def test_the_request_forgets_its_parameters():
    request = RequestFactory().get(f"{URL}?{QUERY}")
    request.META["RAW_URI"] = f"{URL}?{QUERY}"
    assert ("income", INCOME) in params.take_query(request)
    assert INCOME not in repr(request) + repr(request.META)
    assert not request.GET
    request = RequestFactory().post(URL, QUERY, content_type="application/x-www-form-urlencoded")
    assert ("income", INCOME) in params.take_body(request)
    assert (request.body, dict(request.POST)) == (b"", {})


def test_queries_are_dropped():
    clean = {
        "GET /a?b=1 HTTP/1.1": "GET /a HTTP/1.1",
        "'/a?b=1&c=2'": "'/a'",
        "https://x.pl/a?b": "https://x.pl/a",
        "no query": "no query",
    }
    assert {text: without_query(text) for text in clean} == clean


def test_the_proxy_logs_no_queries():
    servers = (ROOT / "docs" / "deployment" / "fueldepot.nginx").read_text().split("\nserver {")[1:]
    assert servers
    for server in servers:
        assert "\n    access_log off;" in server
        # nginx repeats address and query of whatever an application did not answer.
        assert "\n    error_log /dev/null emerg;" in server
