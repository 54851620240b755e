"""System checks."""

from types import SimpleNamespace

import pytest

from fueldepot import checks


@pytest.mark.django_db
def test_this_server_is_new_enough():
    assert checks.check_postgresql(databases=["default"]) == []


def test_an_old_server_is_an_error(monkeypatch):
    old = SimpleNamespace(
        ensure_connection=lambda: None, connection=SimpleNamespace(info=SimpleNamespace(server_version=140010))
    )
    monkeypatch.setattr(checks, "connections", {"default": old})
    (message,) = checks.check_postgresql(databases=["default"])
    assert message.id == "fueldepot.E001"


@pytest.mark.parametrize(("url", "warned"), [("https://sklady.example.pl", False), ("http://127.0.0.1:8000", True)])
def test_a_public_site_is_reached_by_https(settings, url, warned):
    settings.SITE_URL = url
    assert [message.id for message in checks.check_site_url()] == (["fueldepot.W001"] if warned else [])


@pytest.mark.parametrize(
    ("url", "proxies", "warned"),
    [
        ("https://sklady.example.pl", [], True),
        ("https://sklady.example.pl", ["127.0.0.1"], False),
        ("http://127.0.0.1:8000", [], False),
    ],
)
def test_behind_https_the_proxy_is_known(settings, url, proxies, warned):
    settings.SITE_URL, settings.TRUSTED_PROXIES = url, proxies
    assert [message.id for message in checks.check_proxies()] == (["fueldepot.W002"] if warned else [])
