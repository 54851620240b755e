"""The log line of a request, its id, and excluded data."""

import json
import logging

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from fueldepot.http.request_log import JsonFormatter, drop_duplicate_db_errors, shown_path

PATH = "/api/v1/subsidy?people=2&income=1357,24"


@pytest.fixture
def lines(caplog):

    def read():
        formatter = JsonFormatter()
        return [json.loads(formatter.format(r)) for r in caplog.records if r.name == "fueldepot.request"]

    with caplog.at_level(logging.INFO, "fueldepot.request"):
        yield read


def test_a_request_is_one_line_with_status_and_time(lines):
    answer = Client().get(PATH)
    (line,) = lines()
    assert (line["method"], line["path"], line["status"]) == ("GET", "/api/v1/subsidy", 200)
    assert line["ms"] > 0
    assert answer["X-Request-ID"]
    assert "1357" not in json.dumps(line)


@pytest.mark.parametrize(
    ("trusted", "given", "kept"),
    [
        (["127.0.0.1"], "0123456789abcdef", True),
        (["127.0.0.1"], "short", False),
        (["127.0.0.1"], "a" * 65, False),
        (["127.0.0.1"], 'good-but"quoted', False),
        (["127.0.0.1"], "0123456789abcdef\n", False),
        ([], "0123456789abcdef", False),
    ],
)
def test_an_id_is_kept_where_a_trusted_proxy_gave_it(settings, trusted, given, kept):
    settings.TRUSTED_PROXIES = trusted
    assert (Client().get(PATH, headers={"x-request-id": given})["X-Request-ID"] == given) is kept


def test_odd_paths_and_methods_break_no_line(lines):
    Client().get('/api/v1/\n{"x":1}/%00/ł' + "x" * 1000)
    Client().generic("GE\x01T", "/api/v1/x")
    first, second = lines()
    assert len(first["path"]) < 400
    assert "\n" not in first["path"]
    assert second["method"] == "?"


def test_what_is_not_printable_is_spelled_out():
    assert shown_path("/a\x00b") == "/a\\x00b"
    assert shown_path("/łódź/") == "/łódź/"


def test_a_traceback_is_one_line():
    try:
        raise ValueError("bad")
    except ValueError:
        import sys

        record = logging.LogRecord("x", logging.ERROR, "f", 1, "it %s", ("failed",), sys.exc_info())
    text = JsonFormatter().format(record)
    assert "\n" not in text
    assert json.loads(text)["message"] == "it failed"
    assert "ValueError: bad" in json.loads(text)["traceback"]


def test_that_the_database_is_away_is_told_once_and_without_a_traceback():
    for name, status, error, written in (
        ("django.request", 503, None, False),
        ("django.request", 500, OperationalError("gone"), False),
        ("django.request", 500, InterfaceError("closed"), False),
        ("django.request", 500, ValueError("bad"), True),
        ("fueldepot.domain_errors", None, None, True),
    ):
        record = logging.LogRecord(name, logging.ERROR, "f", 1, "x", (), error and (type(error), error, None))
        record.status_code = status
        assert drop_duplicate_db_errors(record) is written, name
