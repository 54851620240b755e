"""Serving of the OpenAPI description as a file and as a page."""

import re
from html.parser import HTMLParser

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from fueldepot.http import cache_control
from fueldepot.openapi import served
from fueldepot.openapi.page import inline, reference_page

FILE, PAGE, REFERENCE = "/api/v1/openapi.json", "/api/v1/docs", "/api/v1/reference"


def test_the_file(client, settings):
    answer = client.get(FILE)  # without a database: pytest-django would refuse a query
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Cache-Control"] == cache_control.DESCRIPTION
    document = answer.json()
    assert document["servers"][0]["url"] == f"{settings.SITE_URL}/api/v1"
    assert document["info"]["contact"]["name"] == settings.OPERATOR_NAME
    assert set(document["paths"]) == set(served.document()["paths"])


@pytest.mark.parametrize("path", [FILE, PAGE, REFERENCE])
def test_validator(client, path):
    answer = client.get(path)
    again = client.get(path, headers={"if-none-match": answer["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", answer["ETag"])
    assert again["Cache-Control"] == answer["Cache-Control"]


@pytest.mark.parametrize("path", [FILE, PAGE, REFERENCE])
def test_methods(path):
    caller = Client(enforce_csrf_checks=True)
    head = caller.head(path)
    assert (head.status_code, head.content) == (200, b"")
    asked = caller.options(path)
    assert (asked["Allow"], asked.content, asked.get("Content-Type")) == ("GET, HEAD, OPTIONS", b"", None)
    for method in ("post", "put", "patch", "delete"):
        refused = getattr(caller, method)(path)
        assert (refused.status_code, refused["Allow"]) == (405, "GET, HEAD, OPTIONS")
        assert refused["Cache-Control"] == "no-store"
        assert refused.json()["code"] == "method_not_allowed"


@pytest.mark.parametrize("path", [f"{FILE}/", f"{PAGE}/", f"{PAGE}/x", "/api/v1/openapi.yaml"])
def test_addresses_beside_are_unknown(client, path):
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


class Reader(HTMLParser):
    """Collects violations of the Content-Security-Policy, and links."""

    def __init__(self):
        super().__init__()
        self.refused, self.links, self.loaded, self.ids = [], [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        data = given.get("type") == "application/ld+json"  # not run, so no policy concerns it
        inline = tag == "script" and "src" not in given
        if (tag in {"style", "iframe"} or (inline and not data)) or any(
            name == "style" or name.startswith("on") for name in given
        ):
            self.refused.append((tag, given))
        if tag == "a":
            self.links.append(given["href"])
        if tag in {"link", "img", "script"} and given.get("rel") != "canonical" and not data:
            self.loaded.append(given.get("href") or given.get("src"))
        if "id" in given:
            self.ids.append(given["id"])


@pytest.fixture
def page(client):
    answer = client.get(REFERENCE)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    return answer.content.decode()


@pytest.mark.parametrize("path", [PAGE, REFERENCE])
def test_the_page_keeps_to_the_policy(client, path):
    reader = Reader()
    reader.feed(client.get(path).content.decode())
    assert reader.refused == []
    assert all(address.startswith(("/static/", "data:", "/api/", "/manifest.webmanifest")) for address in reader.loaded)
    assert any(address.endswith("swagger-ui-bundle.js") for address in reader.loaded) is (path == PAGE)


def test_what_swagger_ui_needs_is_installed():
    for name in ("swagger-ui-bundle.js", "swagger-ui.css"):
        assert finders.find(f"drf_spectacular_sidecar/swagger-ui-dist/{name}")
    assert finders.find("api/docs.js")


def test_without_a_script_the_page_leads_to_the_short_one(client):
    page = client.get(PAGE).content.decode()
    assert f'href="{REFERENCE}"' in page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert f'data-description="{FILE}"' in page


def test_links_of_the_page_lead_somewhere(page, settings):
    reader = Reader()
    reader.feed(page)
    assert len(set(reader.ids)) == len(reader.ids)
    assert {link[1:] for link in reader.links if link.startswith("#")} <= set(reader.ids)
    assert all(link.startswith(("#", "/", settings.SITE_URL)) for link in reader.links)


def test_the_page_shows_the_whole_document(page):
    document = served.document()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert f"{method.upper()} {path}</code>" in page
            assert f'id="{operation["operationId"]}"' in page
            assert all(f"<code>{one['name']}</code>" in page for one in operation.get("parameters", []))
    for name, form in document["components"]["schemas"].items():
        assert f'id="form-{name}"' in page
        assert all(f"<code>{field}</code>" in page for field in form.get("properties", {}))
    assert "Deprecation" in page
    assert "Sunset" in page


def test_languages_are_marked(page):
    assert '<html lang="pl">' in page
    assert re.search(r'<section [^>]*lang="en">', page)


def test_the_rules_of_use_lead_here(client, db):
    rules = client.get("/api/").content.decode()
    assert f'href="{PAGE}"' in rules
    assert f'href="{FILE}"' in rules


def test_general_part_is_read_whole():
    headings = [heading for heading, _ in reference_page().rules]
    assert headings == ["", "Rules of use", "Limits and caching", "Requests", "Versions and changes"]
    rules = dict(reference_page().rules)["Rules of use"]
    assert [kind for kind, _ in rules] == ["ol", "p"]
    assert len(rules[0][1]) == 11


def test_markup_of_the_description_is_escaped():
    assert inline("a `<b>` & [c](https://example.pl/)") == (
        'a <code>&lt;b&gt;</code> &amp; <a href="https://example.pl/">c</a>'
    )
    assert inline("[x](javascript:alert)") == "[x](javascript:alert)"


def test_the_contact_has_an_address_where_there_is_one(settings):
    settings.CONTACT_EMAIL = "redakcja@example.pl"
    served.document.cache_clear()
    try:
        assert served.document()["info"]["contact"]["email"] == "redakcja@example.pl"
    finally:
        served.document.cache_clear()
