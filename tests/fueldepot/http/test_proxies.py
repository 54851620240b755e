"""Client addresses behind trusted and other proxies."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from fueldepot.http.rate_limit import find_caller, forwarded_headers, read_networks

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


@pytest.mark.parametrize(
    ("trusted", "peer", "caller"),
    [
        (["10.0.0.0/8"], "203.0.113.5", "203.0.113.5"),  # the header of a peer that is no proxy is ignored
        (["10.0.0.0/8"], "nonsense", "nonsense"),
        (["10.0.0.0/8"], "::ffff:10.0.0.1", "1.2.3.4"),
        (["2001:db8::/32"], "2001:db8::1", "1.2.3.4"),
        (["unix"], "", "1.2.3.4"),
        (["10.0.0.0/8"], "", ""),  # a Unix socket has to be named
    ],
)
def test_whose_header_counts(settings, trusted, peer, caller):
    assert seen(settings, trusted, peer, **{"x-forwarded-for": "1.2.3.4"})[0] == caller


def seen(settings, trusted, peer, **headers):
    settings.TRUSTED_PROXIES = trusted
    requests = []
    view = forwarded_headers(lambda request: requests.append(request) or HttpResponse())
    view(RequestFactory().get("/", REMOTE_ADDR=peer, headers=headers))
    return requests[0].META["REMOTE_ADDR"], requests[0].is_secure()


@pytest.mark.parametrize(
    ("trusted", "proto", "expected"),
    [
        (["10.0.0.1"], "https", ("203.0.113.5", True)),
        (["10.0.0.1"], "HTTPS", ("203.0.113.5", True)),
        (["10.0.0.1"], "http", ("203.0.113.5", False)),
        (["10.0.0.1"], "https,http", ("203.0.113.5", False)),
        (["10.0.0.2"], "https", ("10.0.0.1", False)),
        ([], "https", ("10.0.0.1", False)),
    ],
)
def test_https_only_by_the_word_of_a_proxy(settings, trusted, proto, expected):
    headers = {"x-forwarded-for": "203.0.113.5", "x-forwarded-proto": proto}
    assert seen(settings, trusted, "10.0.0.1", **headers) == expected
