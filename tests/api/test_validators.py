"""Every answer that may be kept is known again, before anything is asked of the database."""

import pytest

from catalog import circles, search
from catalog.models import Dataset
from fueldepot.data import versions
from tests import factories
from tests.regulations.factories import DeadlineFactory

LOOK_AGAIN = versions.is_current
"""As it is; other tests do without."""

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
def test_304_costs_no_query(client, path, django_assert_num_queries):
    depot = factories.DepotFactory(municipality=factories.krakow())
    factories.BoundaryFactory(municipality=factories.krakow())
    DeadlineFactory()
    address = "/api/v1/" + path.format(depot=depot.pk)
    known = client.get(address)
    assert known.status_code == 200, known.content
    assert known["Cache-Control"] == f"public, max-age={PATHS[path]}"
    assert known["ETag"][0] == '"'
    for method in (client.get, client.head):
        with django_assert_num_queries(0):
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


@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("locations?q=krak", Dataset.Slug.UNITS),
        ("locations?q=30-0", Dataset.Slug.POSTCODES),
        ("stores?teryt=1261011", Dataset.Slug.DEPOTS),
        ("stores?lat=50.06&lon=19.94", Dataset.Slug.DEPOTS),
        ("stores/{depot}", Dataset.Slug.DEPOTS),
        ("stores/{depot}", Dataset.Slug.PRICES),
        ("prices/pellet", Dataset.Slug.PRICES),
    ],
)
def test_an_answer_that_saw_a_change_says_so_although_the_process_had_not_noticed(
    client, monkeypatch, path, slug, positions
):
    monkeypatch.setattr(versions, "is_current", LOOK_AGAIN)
    if not positions:
        monkeypatch.setattr(circles.positions, "lasting", lambda: None)
    depot = factories.DepotFactory(municipality=factories.krakow(), lat=50.06, lon=19.94)
    factories.PostcodeFactory()
    search.rebuild()
    for each in Dataset.Slug:
        versions.bump_version(each)
    # What the process may hold is of the state before.
    circles.positions.current()
    assert client.get("/api/v1/prices/ekogroszek").status_code == 200
    versions.bump_version(slug)
    address = "/api/v1/" + path.format(depot=depot.pk)
    answer = client.get(address)
    assert answer.status_code == 200, answer.content
    versions.forget()
    again = client.get(address)
    assert (answer["ETag"], answer.content) == (again["ETag"], again.content)


def test_the_calculator_has_no_validator(client):
    answer = client.get("/api/v1/subsidy?people=2")
    assert answer["Cache-Control"] == "no-store"
    assert "ETag" not in answer
