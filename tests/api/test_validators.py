"""Conditional requests: 304 without running the view."""

import pytest

from fueldepot.http.views import JSON
from tests import factories
from tests.regulations.factories import DeadlineFactory, ResolutionFactory

pytestmark = pytest.mark.django_db

DAY = 86_400
PATHS = {
    "locations?q=krak": DAY,
    "locate?lat=50.06&lon=19.94": DAY,
    "stores?teryt=1261011": 300,
    "stores?lat=50.06&lon=19.94": 300,
    "stores/{depot}": 300,
    "prices": DAY,
    "prices/pellet": 300,
    "prices/pellet?voivodeship=12": 300,
    "regulations?teryt=1261011": 300,
    "regulations/malopolskie.ics": 300,
}


@pytest.mark.parametrize("path", PATHS)
def test_an_answer_is_known_again(client, path):
    depot = factories.DepotFactory(municipality=factories.krakow())
    factories.BoundaryFactory(municipality=factories.krakow())
    ResolutionFactory()
    DeadlineFactory()
    address = "/api/v1/" + path.format(depot=depot.pk)
    known = client.get(address)
    assert known.status_code == 200, known.content
    assert (known["Cache-Control"], known["ETag"][0]) == (f"public, max-age={PATHS[path]}", '"')
    for method in (client.get, client.head):
        again = method(address, headers={"if-none-match": known["ETag"]})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", known["ETag"])
        assert (again["Cache-Control"], again["Vary"]) == (known["Cache-Control"], known["Vary"])
        assert again["Access-Control-Allow-Origin"] == "*"
    assert client.get(address, headers={"if-none-match": '"another"'}).status_code == 200
    for _ in range(2):
        whatever = client.get(address, headers={"if-none-match": " *"})
        assert (whatever.status_code, whatever.content, whatever["ETag"]) == (304, b"", known["ETag"])
        assert (whatever["Cache-Control"], whatever["Vary"]) == (known["Cache-Control"], known["Vary"])
    assert client.get("/api/v1/stores/987654", headers={"if-none-match": "*"}).status_code == 404


@pytest.mark.parametrize("path", ["stores?teryt=1261011", "openapi.json"])
def test_a_failed_precondition_has_the_error_body(client, path):
    factories.krakow()
    answer = client.get(f"/api/v1/{path}", headers={"if-match": '"another"'})
    assert (answer.status_code, answer["Content-Type"], answer["Cache-Control"]) == (412, JSON, "no-store")
    assert (answer.json()["status"], answer.json()["code"]) == (412, "invalid_parameter")
    for value in ("*", client.get(f"/api/v1/{path}")["ETag"]):
        assert client.get(f"/api/v1/{path}", headers={"if-match": value}).status_code == 200
    undated = {"if-unmodified-since": "Fri, 26 Nov 1999 16:00:00 GMT"}
    assert client.get(f"/api/v1/{path}", headers=undated).status_code == 200


def test_the_calculator_has_no_validator(client):
    answer = client.get("/api/v1/subsidy?people=2")
    assert answer["Cache-Control"] == "no-store"
    assert "ETag" not in answer
