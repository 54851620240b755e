"""Conditional requests: 304 without running the view."""

import pytest

from fueldepot.http.views import JSON
from tests import factories
from tests.regulations.factories import DeadlineFactory, ResolutionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

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


def test_an_answer_is_known_again(client):
    depot = factories.DepotFactory(municipality=factories.krakow())
    factories.BoundaryFactory(municipality=factories.krakow())
    ResolutionFactory(), DeadlineFactory()
    for path, lifetime_s in PATHS.items():
        address = "/api/v1/" + path.format(depot=depot.pk)
        known = client.get(address)
        assert (known.status_code, known["ETag"][0]) == (200, '"'), path
        assert known["Cache-Control"] == f"public, max-age={lifetime_s}", path
        told = ("ETag", "Cache-Control", "Vary", "Access-Control-Allow-Origin")
        for method, validator in (
            (client.get, known["ETag"]),
            (client.head, known["ETag"]),
            *[(client.get, " *")] * 2,
        ):
            again = method(address, headers={"if-none-match": validator})
            assert (again.status_code, again.content) == (304, b""), (path, validator)
            assert [again[name] for name in told] == [known[name] for name in told]
        assert known["Access-Control-Allow-Origin"] == "*"
        assert client.get(address, headers={"if-none-match": '"another"'}).status_code == 200
    assert client.get("/api/v1/stores/987654", headers={"if-none-match": "*"}).status_code == 404


@pytest.mark.parametrize("path", ["stores?teryt=1261011", "openapi.json"])
def test_a_failed_precondition_has_the_error_body(client, path):
    answer = client.get(f"/api/v1/{path}", headers={"if-match": '"another"'})
    assert (answer.status_code, answer["Content-Type"], answer["Cache-Control"]) == (412, JSON, "no-store")
    assert (answer.json()["status"], answer.json()["code"]) == (412, "invalid_parameter")
    for value in ("*", client.get(f"/api/v1/{path}")["ETag"]):
        assert client.get(f"/api/v1/{path}", headers={"if-match": value}).status_code == 200
    undated = {"if-unmodified-since": "Fri, 26 Nov 1999 16:00:00 GMT"}
    assert client.get(f"/api/v1/{path}", headers=undated).status_code == 200
