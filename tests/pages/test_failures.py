"""What the site answers when there is no page to show."""

import json

import pytest
from django.db import InterfaceError, OperationalError
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from fueldepot import errors
from tests.conftest import ReadOnlyClient
from tests.pages.reading import KRAKOW, text_of

AWAY = [OperationalError("the connection is closed"), InterfaceError("the connection is closed")]


@pytest.fixture
def client():
    """A caller that sees the answer to a failure instead of the failure."""
    return ReadOnlyClient(raise_request_exception=False)


@pytest.fixture
def away(monkeypatch, request):
    """The database cannot be reached."""

    def fail(known):
        raise request.param

    monkeypatch.setattr("catalog.versions.look", fail)


@pytest.mark.parametrize("away", AWAY, indirect=True)
@pytest.mark.parametrize("path", ["/", KRAKOW, "/dotacja/", "/sitemap.xml"])
def test_without_a_database_a_page_says_so(client, away, path):
    """No database is allowed here, so the answer asks it nothing."""
    answer = client.get(path)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert answer["Cache-Control"] == "no-store"
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert "Chwilowa przerwa" in text_of(answer)


@pytest.mark.parametrize("away", AWAY[:1], indirect=True)
def test_without_a_database_a_twin_says_so(client, away):
    for answer in [client.get("/ceny.md"), client.get("/ceny/", headers={"Accept": "text/markdown"})]:
        assert answer.status_code == 503
        assert answer["Retry-After"] == "5"
        assert answer["Content-Type"] == "text/markdown; charset=utf-8"
        assert "Chwilowa przerwa" in answer.content.decode()


def test_without_a_database_the_api_says_so_in_its_own_way():
    """Also where no viewset was reached."""
    answer = errors.unavailable(RequestFactory().get("/api/v1/stores"), AWAY[0])
    assert answer.status_code == 503
    assert json.loads(answer.content)["code"] == "unavailable"
    assert answer["Retry-After"] == "5"


@pytest.mark.parametrize("name", ["400", "400_body", "400_host", "403", "403_csrf", "500", "503"])
def test_bare_pages_carry_no_style_of_their_own(name):
    html = render_to_string(f"{name}.html")
    assert "<style" not in html
    assert "style=" not in html
    assert '<meta name="robots" content="noindex">' in html


@pytest.mark.django_db
def test_a_bare_page_says_whose_it_is(settings):
    html = Client(enforce_csrf_checks=True).post("/admin/login/", {}).content.decode()
    assert f'<a class="site" href="/">{settings.SITE_NAME}</a>' in html
    assert f"<title>Formularz wygasł – {settings.SITE_NAME}</title>" in html


@pytest.mark.django_db
def test_a_form_from_elsewhere_is_refused_and_not_kept():
    answer = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "a", "password": "b"})
    assert answer.status_code == 403
    assert answer["Cache-Control"] == "no-store"
    assert "Otwórz stronę jeszcze raz" in text_of(answer)


@pytest.mark.django_db
def test_failures_are_not_kept(client, monkeypatch, settings):
    assert client.get("/nie-ma/")["Cache-Control"] == "no-store"
    monkeypatch.setattr("pages.views.home_page", lambda query: 1 / 0)
    client.raise_request_exception = False
    assert client.get("/")["Cache-Control"] == "no-store"
    settings.ALLOWED_HOSTS = ["example.pl"]
    answer = client.get("/")
    assert (answer.status_code, answer["Cache-Control"]) == (400, "no-store")
    assert f'<a href="{settings.SITE_URL}/">' in answer.content.decode()
