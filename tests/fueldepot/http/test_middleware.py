"""Views with sessions, accounts and the database; addresses behind proxies; the line of a request in the log."""

import json
import logging

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import get_resolver, resolve

from fueldepot.http.caller_address import find_caller, forwarded_headers, read_networks
from fueldepot.http.request_log import JsonFormatter, drop_duplicate_db_errors, request_id
from fueldepot.http.views import is_private
from tests import factories

FORMS = {
    *("depot-add", "depot-claim", "depot-correct", "depot-delete", "depot-gone", "depot-price"),
    *("owner", "owner-branches", "owner-object", "owner-renew", "owner-undo"),
    *("submission-answer", "submission-confirm", "submission-restore", "submission-status"),
    *("alerts", "alerts-confirm", "alerts-end", "alerts-mine"),
}


def test_the_forms_are_marked_and_no_page():
    marked = {
        pattern.name
        for pattern in get_resolver("pages.urls").url_patterns
        if getattr(pattern.callback, "is_private", False)
    }
    assert marked == FORMS


def test_the_whole_desk_is_private(rf):
    for private, paths in (
        (True, ("/admin/", "/admin/login/", "/admin/nothing/", "/admin/dziennik/", "/admin/dziennik/dni/")),
        (True, ("/admin/haslo/", "/admin/haslo/MQ/set-password/", "/admin/catalog/depotrequest/1/")),
        (True, ("/sklad/1/popraw/",)),
        (False, ("/sklad/1-nazwa/", "/api/v1/stores", "/healthz")),
    ):
        for path in paths:
            request = rf.get(path)
            request.resolver_match = resolve(path)
            assert is_private(request) is private, path


@pytest.mark.django_db
def test_the_desk_opens_to_its_networks(client, settings):
    for networks, caller, status in (
        ([], "203.0.113.9", 200),
        (["10.0.0.0/8"], "10.1.2.3", 200),
        (["10.0.0.0/8", "2001:db8::/32"], "2001:db8::1", 200),
        (["10.0.0.0/8"], "::ffff:10.1.2.3", 200),
        (["10.0.0.0/8"], "203.0.113.9", 404),
        (["10.0.0.0/8"], "", 404),
    ):
        settings.ADMIN_NETWORKS = networks
        for path, expected in (("/admin/login/", status), ("/admin/haslo/", status), ("/sklady/dodaj/", 200)):
            assert client.get(path, REMOTE_ADDR=caller).status_code == expected, (networks, caller, path)


PROXIES = read_networks(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"])


def test_the_caller_is_who_the_trusted_proxies_name():
    callers = {
        "": "10.0.0.1",
        "203.0.113.5": "203.0.113.5",
        " 203.0.113.5 ": "203.0.113.5",
        "9.9.9.9, 203.0.113.5": "203.0.113.5",  # the caller invented the first
        "9.9.9.9, 203.0.113.5, 10.0.0.2, 192.0.2.7": "203.0.113.5",
        "nonsense, 203.0.113.5": "203.0.113.5",
        "203.0.113.5, nonsense": "10.0.0.1",
        "203.0.113.5,": "10.0.0.1",
        "203.0.113.5:8080": "10.0.0.1",
        "[2001:db9::1]": "10.0.0.1",
        "2001:DB9::1": "2001:db9::1",
        "::ffff:203.0.113.5": "203.0.113.5",
        "fe80::1%eth0": "10.0.0.1",
        "010.1.1.1": "10.0.0.1",
        "10.0.0.3, 10.0.0.2": "10.0.0.3",  # a request of the proxies' own network
        "203.0.113.5" + ", 10.0.0.2" * 30: "10.0.0.1",
        "1" * 10_000: "10.0.0.1",
    }
    assert {forwarded: find_caller("10.0.0.1", forwarded, PROXIES) for forwarded in callers} == callers


def test_a_header_counts_of_a_trusted_proxy_alone(settings):
    for trusted, peer, proto, expected in (
        (["10.0.0.0/8"], "203.0.113.5", "https", ("203.0.113.5", False)),  # the header of a peer that is no proxy
        (["10.0.0.0/8"], "nonsense", "https", ("nonsense", False)),
        (["10.0.0.2"], "10.0.0.1", "https", ("10.0.0.1", False)),
        ([], "10.0.0.1", "https", ("10.0.0.1", False)),
        (["10.0.0.0/8"], "", "https", ("", False)),  # a Unix socket has to be named
        (["unix"], "", "", ("1.2.3.4", False)),
        (["10.0.0.0/8"], "::ffff:10.0.0.1", "", ("1.2.3.4", False)),
        (["2001:db8::/32"], "2001:db8::1", "", ("1.2.3.4", False)),
        (["10.0.0.1"], "10.0.0.1", "https", ("1.2.3.4", True)),
        (["10.0.0.1"], "10.0.0.1", "HTTPS", ("1.2.3.4", True)),
        (["10.0.0.1"], "10.0.0.1", "http", ("1.2.3.4", False)),
        (["10.0.0.1"], "10.0.0.1", "https,http", ("1.2.3.4", False)),
    ):
        settings.TRUSTED_PROXIES, requests = trusted, []
        view = forwarded_headers(lambda request, seen=requests: seen.append(request) or HttpResponse())
        headers = {"x-forwarded-for": "1.2.3.4", "x-forwarded-proto": proto}
        view(RequestFactory().get("/", REMOTE_ADDR=peer, headers=headers))
        assert (requests[0].META["REMOTE_ADDR"], requests[0].is_secure()) == expected, (trusted, peer, proto)


PATH = "/api/v1/subsidy?people=2&income=1357,24"


@pytest.fixture
def lines(caplog):

    def read():
        formatter = JsonFormatter()
        return [json.loads(formatter.format(r)) for r in caplog.records if r.name == "fueldepot.request"]

    with caplog.at_level(logging.INFO, "fueldepot.request"):
        yield read


def test_a_request_is_one_line_with_status_and_time_whatever_its_path_and_method(lines):
    answer = Client().get(PATH)
    Client().get('/api/v1/\n{"x":1}/%00/ł' + "x" * 1000)
    Client().generic("GE\x01T", "/api/v1/x")
    assert request_id.get() == "", "what follows is of no request"
    line, odd_path, odd_method = lines()
    assert (line["method"], line["path"], line["status"]) == ("GET", "/api/v1/subsidy", 200)
    assert line["ms"] > 0
    assert answer["X-Request-ID"]
    assert "1357" not in json.dumps(line)
    assert len(odd_path["path"]) < 400
    assert "\n" not in odd_path["path"]
    assert odd_method["method"] == "?"


def test_an_id_is_kept_where_a_trusted_proxy_gave_it(settings):
    good = "0123456789abcdef"
    for trusted, given, kept in (
        (["127.0.0.1"], good, True),
        *((["127.0.0.1"], bad, False) for bad in ("short", "a" * 65, 'good-but"quoted', f"{good}\n")),
        ([], good, False),
    ):
        settings.TRUSTED_PROXIES = trusted
        assert (Client().get(PATH, headers={"x-request-id": given})["X-Request-ID"] == given) is kept, (trusted, given)


def record_of(error, name="x", status=None):
    """A record of the log about an error, as it was raised."""
    raised = error and (type(error), error, error.__traceback__)
    record = logging.LogRecord(name, logging.ERROR, "f", 1, "it %s", ("failed",), raised)
    record.status_code = status
    return record


def test_a_traceback_is_one_line():
    with pytest.raises(ValueError, match="bad") as failure:
        raise ValueError("bad")
    text = JsonFormatter().format(record_of(failure.value))
    assert "\n" not in text
    assert json.loads(text)["message"] == "it failed"
    assert "ValueError: bad" in json.loads(text)["traceback"]


def test_a_traceback_repeats_no_row_of_the_database(db):
    """Its details have the whole row, line breaks included."""
    message = "Moje dane\n\njan.nowak@opal.pl"
    with pytest.raises(IntegrityError) as failure:
        factories.SubmissionFactory(message=message, state="accepted")
    text = json.loads(JsonFormatter().format(record_of(failure.value)))["traceback"]
    assert text.count("depotrequest_decided_by_somebody_some_day") == 2
    assert "direct cause" in text
    assert "jan.nowak" not in text


def test_that_the_database_is_away_is_told_once_and_without_a_traceback():
    for name, status, error, written in (
        ("django.request", 503, None, False),
        ("django.request", 500, OperationalError("gone"), False),
        ("django.request", 500, InterfaceError("closed"), False),
        ("django.request", 500, ValueError("bad"), True),
        ("fueldepot.errors", None, None, True),
    ):
        assert drop_duplicate_db_errors(record_of(error, name, status)) is written, name
