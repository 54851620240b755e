"""Headers: conditional requests, answered with 304 without running the view, and `X-Ignored-Parameters`."""

import re

import pytest
from django.utils import timezone

from fueldepot.http import api_description
from fueldepot.http.query import LONGEST_IGNORED
from fueldepot.http.views import JSON
from tests import factories
from tests.openapi.description import example_of
from tests.regulations.factories import DeadlineFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

DAY = 86_400
PATHS = dict.fromkeys(("locations?q=krak", "locate?lat=50.06&lon=19.94", "prices"), DAY)
PATHS |= dict.fromkeys(("stores?teryt=1261011", "stores?lat=50.06&lon=19.94", "stores/{depot}"), 300)
PATHS |= dict.fromkeys(("prices/pellet", "prices/pellet?voivodeship=12", "regulations?teryt=1261011"), 300)
PATHS |= {"regulations/malopolskie.ics": 300, "openapi.json": 3600, "docs": 3600}


def test_an_answer_is_known_again(client, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: factories.NOW)  # shortly before midnight lifetimes are shorter
    depot = factories.DepotFactory(municipality=factories.krakow())
    factories.BoundaryFactory(municipality=factories.krakow())
    DeadlineFactory()
    for path, lifetime_s in PATHS.items():
        address = "/api/v1/" + path.format(depot=depot.pk)
        known = client.get(address)
        assert (known.status_code, known["ETag"][0]) == (200, '"'), path
        assert known["Cache-Control"] == f"public, max-age={lifetime_s}", path
        told = ("ETag", "Cache-Control", "Vary", "Access-Control-Allow-Origin")
        for method, validator in ((client.get, known["ETag"]), (client.head, known["ETag"]), *[(client.get, " *")] * 2):
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


STORES = "/api/v1/stores?teryt=12"


def ignored(answer):
    return answer.get("X-Ignored-Parameters")


def test_what_is_no_parameter_is_named_by_errors_too(client):
    for query, names in (
        ("", None),
        ("&voivodship=lodzkie", "voivodship"),
        ("&utm=%FF&utm=2&Limit=5", "utm, Limit"),
        ("&voivodship=&fbclid", "voivodship, fbclid"),
        ("&=x&%20=x", None),
        ("&a,b=1&%0d%0aSet-Cookie:=1&%FF=1&%C5%82=1", "a%2Cb, %0D%0ASet-Cookie%3A, %EF%BF%BD, %C5%82"),
    ):
        answer = client.get(STORES + query)
        assert (answer.status_code, ignored(answer)) == (200, names), query
    for path, status in (("stores?teryt=1&wat=1", 400), ("stores?teryt=99&wat=1", 404), ("stores/9?wat=1", 404)):
        answer = client.get(f"/api/v1/{path}")
        assert (answer.status_code, ignored(answer)) == (status, "wat")
    assert ignored(client.post("/api/v1/stores?wat=1")) is None  # no view has read the query


def test_ten_short_names_at_most(client):
    names = [f"{'ł' * 100}{number}" for number in range(30)]
    listed = ignored(client.get(STORES + "".join(f"&{name}=1" for name in names))).split(", ")
    assert len(listed) == 10
    assert all(re.fullmatch(r"(%C5%82)+(%C5)?\.\.\.", name) for name in listed)
    assert max(map(len, listed)) <= LONGEST_IGNORED + len("...")


def test_a_cache_keeps_the_header_with_its_answer(client):
    """The query is part of the validator, so a 304 is always about the answer with the same header."""
    plain, answer = client.get(STORES), client.get(f"{STORES}&wat=1")
    assert plain.content == answer.content
    assert plain["ETag"] != answer["ETag"]
    again = client.get(f"{STORES}&wat=1", headers={"if-none-match": answer["ETag"]})
    assert (again.status_code, ignored(again)) == (304, None)


def test_the_calculator_names_those_of_the_address(client):
    assert ignored(client.get("/api/v1/subsidy?people=2&dochod_typ=osoba&wals=10&wale=")) == "wals"
    answer = client.post("/api/v1/subsidy?income=1&x=1", {"people": 2, "wals": 10})
    assert (answer.status_code, ignored(answer)) == (200, "income, x")
    assert any("wals" in note for note in answer.json()["notes"])
    assert ignored(client.post("/api/v1/subsidy?x=1", "{", content_type="application/json")) == "x"


def test_no_described_parameter_is_ignored(client):
    for path in api_description.document()["paths"]:
        rows = api_description.document()["paths"][path]["get"].get("parameters", [])
        query = {row["name"]: example_of(row) for row in rows if row["in"] == "query" and not row.get("deprecated")}
        for row in rows:
            path = path.replace("{" + row["name"] + "}", str(example_of(row)))
        answer = client.get(f"/api/v1{path}", {**query, "wat": 1})
        assert ignored(answer) == "wat", answer.content
