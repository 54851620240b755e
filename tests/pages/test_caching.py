"""Validators of pages: an unchanged page costs no query, a changed one is made anew."""

from datetime import date

import pytest

from catalog import actions, held
from fueldepot.data import versions
from tests import factories
from tests.pages.reading import KRAKOW

pytestmark = pytest.mark.django_db

PAGES = [
    "/",
    "/?q=krakow",
    "/api/",
    "/dane/",
    "/prywatnosc/",
    "/dotacja/",
    "/sklady/malopolskie/",
    KRAKOW,
    f"{KRAKOW}?p=50.07,19.94",
    "/przepisy/",
    "/przepisy/malopolskie/",
    "/ceny/",
    "/ceny/pellet/",
    "/ceny/pellet/malopolskie/",
    "/ceny.md",
    f"{KRAKOW[:-1]}.md",
]


@pytest.mark.parametrize("path", PAGES)
def test_an_unchanged_page_costs_no_query(
    client, depot, path, django_assert_num_queries, django_assert_max_num_queries
):
    held.prepare()
    with django_assert_max_num_queries(3):
        first = client.get(path)
    assert first.status_code == 200
    assert not first.cookies
    with django_assert_num_queries(0):
        again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    assert again["Cache-Control"] == first["Cache-Control"] == "public, max-age=300"
    assert not again.content


@pytest.mark.parametrize("path", ["/", "/dane/", "/sklady/malopolskie/", KRAKOW, "/ceny/"])
def test_an_editor_makes_pages_new(client, depot, path):
    known = client.get(path)["ETag"]
    actions.verify_depot(depot=depot, by=factories.UserFactory(), on=date(2026, 11, 21))
    versions.forget()
    assert client.get(path, headers={"If-None-Match": known}).status_code == 200


def test_the_formats_of_an_address_have_validators_of_their_own(client, depot):
    html = client.get(KRAKOW)["ETag"]
    answer = client.get(KRAKOW, headers={"Accept": "text/markdown", "If-None-Match": html})
    assert answer.status_code == 200
    assert answer["ETag"] != html


@pytest.mark.parametrize("path", ["/ceny/", "/przepisy/", "/dotacja/"])
def test_midnight_makes_dated_pages_new(client, path, monkeypatch):
    known = client.get(path)["ETag"]
    monkeypatch.setattr("catalog.validators.timezone.localdate", lambda: date(2027, 1, 1))
    assert client.get(path, headers={"If-None-Match": known}).status_code == 200
