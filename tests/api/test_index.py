import re

import pytest

from catalog.models import Dataset
from fueldepot.http import api_description
from tests import factories

pytestmark = pytest.mark.django_db


def test_every_operation_is_listed_by_its_address(client, settings):
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


def test_data_sets_have_a_version_and_a_day(client):
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    first = client.get("/api/v1")
    (depots,) = first.json()["data_sets"]
    assert (depots["slug"], depots["name"], depots["version"]) == ("depots", "składy opału", 1)
    Dataset.objects.bump_version(Dataset.Slug.DEPOTS)
    factories.DepotFactory()  # snapshots of a test are built anew after rows were written
    second = client.get("/api/v1")
    assert second.json()["data_sets"][0]["version"] == 2
    assert first["ETag"] != second["ETag"]


def test_invented_data_are_told(client):
    factories.DepotFactory()
    assert client.get("/api/v1").json()["demonstration"] is False
    factories.DepotFactory(source="demo")
    assert client.get("/api/v1").json()["demonstration"] is True
