"""The OpenAPI description as a file and as a page, and the index of the API, which lists its operations."""

import re

from django.contrib.staticfiles import finders

from catalog.models import Dataset
from fueldepot.http import api_description, cache_control
from tests import factories
from tests.fueldepot.http.test_security import INLINE
from tests.openapi.description import faults_of
from tests.pages.reading import missing

FILE, PAGE = "/api/v1/openapi.json", "/api/v1/docs"


def test_the_file_is_served_without_a_query(client, settings):
    answer = client.get(FILE)  # without a database: pytest-django would refuse a query
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert (answer["Access-Control-Allow-Origin"], answer["Cache-Control"]) == ("*", cache_control.DESCRIPTION)
    document = answer.json()
    assert document["servers"][0]["url"] == f"{settings.SITE_URL}/api/v1"
    assert document["info"]["contact"]["name"] == settings.OPERATOR_NAME
    assert set(document["paths"]) == set(api_description.document()["paths"])
    assert len(answer.content) <= 190_000  # some 50,000 tokens of a language model


def test_the_compact_form_is_valid_and_small(client):
    whole, compact = client.get(FILE), client.get(f"{FILE}?compact=1")
    document = compact.json()
    assert faults_of(document) == []
    assert len(compact.content) < 34_000
    assert compact["ETag"] != whole["ETag"]
    assert document["paths"].keys() == whole.json()["paths"].keys()
    for path, methods in whole.json()["paths"].items():
        short = document["paths"][path]["get"]["parameters"] if "parameters" in methods["get"] else []
        assert [one["name"] for one in short] == [one["name"] for one in methods["get"].get("parameters", [])]


def test_anything_else_is_answered_with_the_whole_description(client):
    for query, ignored in (
        ("compact=0", None),
        ("compact=maybe", "compact"),
        ("compact=1&compact=1", "compact"),
        ("wat=1&compact=%ff", "compact, wat"),
        ("Compact=1", "Compact"),
    ):
        answer = client.get(f"{FILE}?{query}")
        assert answer.content == client.get(FILE).content
        assert answer.get("X-Ignored-Parameters") == ignored, query


def test_the_page_keeps_to_the_policy(client):
    page = client.get(PAGE).content.decode()
    assert INLINE.findall(page) == []
    loaded = re.findall(r'(?:src|rel="(?!canonical)[^>]*href)="([^"]*)"', page)
    assert all(address.startswith(("/static/", "data:", "/api/", "/manifest.webmanifest")) for address in loaded)
    files = [address.removeprefix("/static/") for address in loaded if address.startswith("/static/")]
    assert {"swagger-ui-bundle.js", "swagger-ui.css", "docs.js"} <= {file.rpartition("/")[2] for file in files}
    assert all(finders.find(file) for file in files)


def test_without_a_script_pages_lead_to_the_table_which_leads_here(client, db):
    page = client.get(PAGE).content.decode()
    assert 'href="/api/"' in page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert not missing(page, f'data-description="{FILE}"', '„<span lang="en">Execute</span>”')
    former = client.get("/api/v1/reference")
    assert (former.status_code, former["Location"]) == (301, "/api/")
    assert not missing(client.get("/api/").content.decode(), f'href="{PAGE}"', f'href="{FILE}"')


def test_the_contact_has_an_address_where_there_is_one(settings):
    settings.CONTACT_EMAIL = "redakcja@example.pl"
    api_description.document.cache_clear()
    try:
        assert api_description.document()["info"]["contact"]["email"] == "redakcja@example.pl"
    finally:
        api_description.document.cache_clear()


def test_every_operation_is_listed_by_its_address(client, db, settings):
    body = client.get("/api/v1").json()
    found = {(one["operation"], one["method"]): one["url"] for one in body["operations"]}
    for path, methods in api_description.document()["paths"].items():
        for method, operation in methods.items():
            url = found.pop((operation["operationId"], method.upper()))
            assert url.partition("{?")[0] == f"{settings.SITE_URL}/api/v1{path}"
            query = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
            assert re.findall(r"\{\?(.*)\}$", url) == ([",".join(query)] if query else [])
    assert not found
    for address in ("openapi", "docs", "rules"):
        assert client.get(body[address].removeprefix(settings.SITE_URL)).status_code == 200
    assert client.get("/api/v1/").json() == body


def test_data_sets_have_a_version_and_invented_data_are_told(client, db):
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    first = client.get("/api/v1")
    (depots,) = first.json()["data_sets"]
    assert (depots["slug"], depots["name"], depots["version"]) == ("depots", "składy opału", 1)
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    factories.DepotFactory()  # snapshots of a test are built anew after rows were written
    second = client.get("/api/v1")
    assert second.json()["data_sets"][0]["version"] == 2
    assert first["ETag"] != second["ETag"]
    assert second.json()["demonstration"] is False
    factories.DepotFactory(source="demo")
    assert client.get("/api/v1").json()["demonstration"] is True
