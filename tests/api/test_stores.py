import re
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("krakow_stays")]

URL = "/api/v1/stores"
HERE = {"lat": "50.0617", "lon": "19.9373"}


def names(client, **query):
    answer = client.get(URL, query)
    assert answer.status_code == 200, answer.content
    return [depot["name"] for depot in answer.json()]


def test_unit_golden(client, golden):
    factories.DepotFactory(pk=1, whole=True, name="Skład opału Żak")
    factories.DepotFactory(pk=2, name="Skład opału Zięba", verified=True, approximate=True, fuels=[])
    factories.DepotFactory(pk=3, demonstration=True)
    answer = client.get(URL, {"teryt": "1261011"})
    assert answer["X-Total-Count"] == "3"
    golden("stores_of_krakow", answer.json())


def test_fuels_by_name_are_found_and_said_to_be(client):
    by_name = {"fuels": ["wegiel", "pellet"], "fuels_in_name": ["pellet"]}
    factories.DepotFactory(pk=1, name="A", **by_name)
    factories.DepotFactory(pk=2, name="B", **by_name, verified=True)
    factories.DepotFactory(pk=3, name="C", fuels=["pellet"])
    factories.DepotFactory(pk=4, name="D", fuels=["pellet"], source="editor", source_id="")
    factories.DepotFactory(pk=5, name="E", fuels=[], fuels_in_name=["pellet"])
    found = {depot["id"]: depot for depot in client.get(URL, {"teryt": "12", "fuel": "pellet"}).json()}
    sources = {pk: depot["fuels_source"] for pk, depot in found.items()}
    assert sources == {1: "name", 2: "person", 3: "source", 4: "person"}
    assert found[1]["fuel_slugs"] == ["wegiel", "pellet"]
    assert found[1]["source"]["description"].endswith(" Paliwa według nazwy: pellet.")
    assert "według nazwy" not in found[2]["source"]["description"]
    without = client.get(f"{URL}/5").json()
    assert (without["fuel_slugs"], without["fuels_source"]) == ([], None)


def test_near_golden_within_the_radius(client, golden):
    factories.DepotFactory(pk=1, name="Bliski", lat=50.07, source_id="node/1")
    factories.DepotFactory(pk=2, name="Daleki", lat=50.2, source_id="node/2")
    factories.DepotFactory(pk=3, name="Za daleki", lat=50.4, source_id="node/3")
    golden("stores_near_krakow", client.get(URL, HERE).json())
    within = {radius: len(names(client, **HERE, radius=radius)) for radius in ("1", "15", "16", "37", "38")}
    assert within == {"1": 1, "15": 1, "16": 2, "37": 2, "38": 3}


def test_geojson_golden(client, golden):
    factories.DepotFactory(pk=1, source_id="node/1")
    answer = client.get(URL, {"teryt": "12", "format": "geojson"})
    assert answer["Content-Type"] == "application/geo+json"
    golden("stores_geojson", answer.json())
    assert client.get(URL, {"teryt": "12"}, headers={"accept": "application/geo+json"}).json() == answer.json()


def test_geojson_has_an_address_of_its_own_with_which_links_stay(client, settings):
    depot, *_ = (factories.DepotFactory(name=name) for name in ("Opał", "Żak", "Żar"))
    answer = client.get(f"{URL}.geojson", {"teryt": "12", "limit": "1"}, headers={"accept": "application/json"})
    assert answer["Content-Type"] == "application/geo+json"
    assert [feature["id"] for feature in answer.json()["features"]] == [depot.pk]
    assert answer.content == client.get(URL, {"teryt": "12", "limit": "1", "format": "geojson"}).content
    assert answer["X-Total-Count"] == "3"
    assert "Accept," not in f"{answer['Vary']},"
    addresses = re.findall(r"<([^>]+)>", client.get(f"{URL}.geojson?teryt=12&limit=1&offset=1&format=json")["Link"])
    at = f"{settings.SITE_URL}{URL}.geojson?teryt=12&limit=1&offset="
    assert addresses == [f"{at}{offset}" for offset in (0, 0, 2, 2)]
    assert client.get(addresses[2].removeprefix(settings.SITE_URL))["Content-Type"] == "application/geo+json"
    refused = client.get(f"{URL}.geojson?radius=0")
    assert (refused.status_code, refused["Content-Type"]) == (400, "application/json")


def test_geojson_by_accept_is_told_to_caches(client):
    factories.DepotFactory()
    for accept, geojson in (
        ("APPLICATION/GEO+JSON", True),
        ("text/html, application/geo+json;q=0.9", True),
        ("application/geo+jsonx", False),
        ("application/geo+json;q=0", False),
        ("application/json, application/geo+json;q=0.5", False),
        ("application/geo+json, application/json;q=0.9", True),
        *((other, False) for other in ("text/html", "application/xml", "*/*", "text/markdown", "image/png")),
    ):
        answer = client.get(URL, {"teryt": "12"}, headers={"accept": accept})
        expected = "application/geo+json" if geojson else "application/json"
        assert (answer.status_code, answer["Content-Type"]) == (200, expected), accept
        assert "Accept" in answer["Vary"]
        explicit = client.get(URL, {"teryt": "12", "format": "json"}, headers={"accept": accept})
        assert explicit["Content-Type"] == "application/json"


def test_a_unit_is_ordered_by_polish_name_then_id(client):
    for pk, name in enumerate(["Żak", "żaba", "Zebra", "Łoś", "Lis", "Lis", "ćma", "Czapla", "Źrebak", "2 kosy"], 1):
        factories.DepotFactory(pk=pk, name=name, featured=name == "Żak")  # which changes no order
    expected = ["2 kosy", "Czapla", "ćma", "Lis", "Lis", "Łoś", "Zebra", "Źrebak", "żaba", "Żak"]
    assert names(client, teryt="1261011") == expected
    assert [depot["id"] for depot in client.get(URL, {"teryt": "12"}).json() if depot["name"] == "Lis"] == [5, 6]


def test_units_of_every_level_and_without_a_depot_an_empty_list(client):
    factories.DepotFactory(name="w Krakowie")
    factories.DepotFactory(name="w Bielsku", municipality=factories.bielsko_biala())
    factories.zakopane(), factories.warszawa()
    for teryt in ("12", "1261", "1261011"):
        assert names(client, teryt=teryt) == ["w Krakowie"], teryt
    for teryt in ("14", "1217", "1217011"):
        assert names(client, teryt=teryt) == [], teryt
    assert names(client, lat="55.0", lon="17.0") == []


def test_teryt_goes_before_postcode_before_point(client):
    factories.DepotFactory(name="krakowski")
    factories.DepotFactory(name="bielski", lat=49.82, lon=19.05, municipality=factories.bielsko_biala())
    factories.PostcodeFactory(code="43-300", lat=49.82, lon=19.05, shares=[(factories.bielsko_biala(), 1)])
    assert names(client, teryt="1261011", postcode="43-300", lat="49.82", lon="19.05") == ["krakowski"]
    assert names(client, postcode="43-300", **HERE) == ["bielski"]
    assert names(client, postcode="43300") == ["bielski"]


def test_a_cut_list_says_how_many_there_were_and_beyond_its_last_page_is_an_empty_one(client):
    for offset in range(5):
        factories.DepotFactory(lat=50.06 + offset / 1000)
    for place in (HERE, {"teryt": "12"}):
        answer = client.get(URL, {**place, "limit": "2"})
        assert (len(answer.json()), answer["X-Total-Count"]) == (2, "5")
    answer = client.get(f"{URL}?teryt=12&offset=10000")
    assert (answer.json(), answer["X-Total-Count"]) == ([], "5")
    assert links(answer) == dict.fromkeys(("first", "prev", "last"), "teryt=12&limit=20&offset=0")


def test_coal_includes_its_assortments(client):
    for fuel in ("wegiel", "ekogroszek", "wegiel-kostka", "wegiel-orzech", "wegiel-groszek", "mial-weglowy"):
        factories.DepotFactory(name=fuel, fuels=[fuel])
    factories.DepotFactory(name="pellet", fuels=["pellet"])
    assert len(names(client, **HERE, fuel="wegiel")) == 6
    assert len(names(client, teryt="12", fuel="wegiel")) == 6
    assert names(client, **HERE, fuel="ekogroszek") == ["ekogroszek"]
    assert names(client, teryt="12", fuel="pellet") == ["pellet"]


@pytest.mark.parametrize("trait", ["removed", "held"])
def test_what_is_not_published_is_nowhere(client, trait):
    depot = factories.DepotFactory(**{trait: True})
    assert names(client, **HERE) == names(client, teryt="12") == []
    assert client.get(f"{URL}/{depot.pk}").status_code == 404


def test_an_integer_may_be_written_with_a_point(client):
    """JSON Schema accepts `4.0` as an integer, and some clients send it."""
    depot = factories.DepotFactory()
    assert names(client, teryt="12", limit="1.0", radius="5.00") == [depot.name]
    assert client.get(f"{URL}/{depot.pk}.0").json()["id"] == depot.pk


def test_a_divided_municipality_and_a_county_that_is_gone_name_theirs(client):
    for code, others in (("1299012", ["1217011"]), ("1299022", [])):
        factories.FormerMunicipalityFactory(teryt=code, others=others)
    factories.FormerMunicipalityFactory(teryt="1299032", successor=factories.zakopane())
    for teryt, successor, other in (("1299012", "1261011", "1217011"), ("1299", "1261", "1217")):
        message = client.get(URL, {"teryt": teryt}).json()["message"]
        gone = f"teryt {teryt} has left the register; its successor is {successor}, and parts of it went to {other}."
        assert message == gone


def links(answer):
    """Return the queries of the pages in `Link`."""
    return {name: url.partition("?")[2] for url, name in re.findall(r'<([^>]+)>; rel="(\w+)"', answer["Link"])}


@pytest.mark.parametrize("place", ["teryt=1261011", "lat=50.0614&lon=19.9366"])
def test_pages_of_a_list_make_the_list(client, place):
    for number in range(7):
        factories.DepotFactory(lat=50.06 + number / 1000, lon=19.94)
    whole = client.get(f"{URL}?{place}&limit=100").json()
    for limit in (1, 3, 7, 8):
        first = answer = client.get(f"{URL}?{place}&limit={limit}")
        found = [answer.json()]
        assert "prev" not in links(answer)
        while following := links(answer).get("next"):
            back, answer = answer, client.get(f"{URL}?{following}")
            assert answer["X-Total-Count"] == "7"
            assert client.get(f"{URL}?{links(answer)['prev']}").content == back.content
            found.append(answer.json())
        assert [depot for page in found for depot in page] == whole
        assert client.get(f"{URL}?{links(answer)['first']}").json() == first.json()
        assert client.get(f"{URL}?{links(answer)['last']}").json() == found[-1]


def test_links_ask_the_same_question(client, settings):
    factories.DepotFactory.create_batch(3, fuels=["pellet"])
    asked = "postcode=30001&lat=50.1&lon=20&fuel=pellet&radius=7&format=geojson&limit=1&utm=%3E"
    factories.PostcodeFactory(lat=50.0614, lon=19.9366)
    answer = client.get(f"{URL}?{asked}&offset=1")
    query = "postcode=30-001&radius=7&fuel=pellet&format=geojson&limit=1"
    offsets = {"first": 0, "prev": 0, "next": 2, "last": 2}
    assert links(answer) == {name: f"{query}&offset={offset}" for name, offset in offsets.items()}
    assert answer["Link"].startswith(f"<{settings.SITE_URL}{URL}?")


def test_the_last_page_is_none_before_the_present_one_and_the_page_before_ends_where_that_begins(client):
    factories.DepotFactory.create_batch(4)
    for limit, offset, last in ((100, 2, 2), (100, 7, 0), (2, 1, 3), (3, 1, 1), (3, 3, 3), (3, 5, 2), (3, 7, 1)):
        answer = client.get(f"{URL}?teryt=12&limit={limit}&offset={offset}")
        assert links(answer)["last"] == f"teryt=12&limit={limit}&offset={last}", (limit, offset)
    for limit, offset, before in ((3, 1, (1, 0)), (3, 2, (2, 0)), (3, 3, (3, 0)), (2, 3, (2, 1)), (100, 3, (3, 0))):
        answer = client.get(f"{URL}?teryt=12&limit={limit}&offset={offset}")
        assert links(answer)["prev"] == "teryt=12&limit={}&offset={}".format(*before), (limit, offset)
        both = client.get(f"{URL}?{links(answer)['prev']}").json() + answer.json()
        assert len({depot["id"] for depot in both}) == len(both)


BEHIND_CACHE = {"Surrogate-Capability": 'nginx="Surrogate/1.0"'}


@pytest.mark.parametrize("path", [f"{URL}/{{}}", "/sklad/{}-x/", "/sklad/{}-x.md"])
def test_an_answer_about_a_removed_depot_replaces_the_depot_in_caches(client, path):
    address = path.format(factories.DepotFactory(removed=True).pk)
    assert client.get(address)["Cache-Control"] == "public, max-age=60"
    assert client.get(address, headers=BEHIND_CACHE)["Cache-Control"].startswith("public, max-age=60, s-maxage=1, ")


def test_no_other_error_of_a_depot_is_kept_such_as_of_an_unknown_one(client):
    held = factories.DepotFactory(held=True)
    for pk in (held.pk, held.pk + 1):
        for path in (f"{URL}/{pk}", f"/sklad/{pk}-x/"):
            answer = client.get(path, headers=BEHIND_CACHE)
            assert (answer.status_code, answer["Cache-Control"]) == (404, "no-store")
    for pk in ("8", "999999999999999999", str(2**63 - 1), str(2**63), "9" * 30):
        answer = client.get(f"{URL}/{pk}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), pk


def test_an_outage_shows_lists_for_an_hour_and_no_depot_of_its_own(client):
    depot = factories.DepotFactory(name="Skład", municipality=factories.krakow())
    for path in (f"{URL}/{depot.pk}", f"/sklad/{depot.pk}-sklad/", f"/sklad/{depot.pk}-sklad.md"):
        assert "stale-if-error" not in client.get(path, headers=BEHIND_CACHE)["Cache-Control"]
    for path in (f"{URL}?teryt=1261011", "/sklady/malopolskie/krakow-1261011/", "/ceny/"):
        assert client.get(path, headers=BEHIND_CACHE)["Cache-Control"].endswith(", stale-if-error=3600")


def price(depot, fuel="pellet", amount="1500", day=date(2026, 11, 1), **extra):
    return factories.DepotPriceFactory(depot=depot, fuel=fuel, price=Decimal(amount), day=day, **extra)


def price_list(client, depot):
    return client.get(f"{URL}/{depot.pk}").json()["price_list"]


def test_store_with_price_list_golden(client, golden, the_day):
    depot = factories.DepotFactory(pk=7, source_id="node/7")
    price(depot, "drewno-kominkowe", "480.50")
    price(depot, "pellet", "1400", date(2026, 10, 1))
    price(depot, "pellet", "1450.99", date(2026, 10, 2))
    price(depot, "ekogroszek", "1500", from_reader=True)
    price(depot, "brykiet", "1400", pending=True)
    price(depot, "wegiel", "1400", rejected=True)
    price(factories.DepotFactory(pk=8), "wegiel", "1300")  # its neighbour
    golden("store_with_price_list", client.get(f"{URL}/7").json())


def test_a_price_list_goes_back_twelve_months_and_on_one_day_beats_a_reader(client, the_day):
    for day, listed in ((date(2025, 11, 21), 1), (date(2025, 11, 20), 0), (date(2026, 11, 22), 0)):
        depot = factories.DepotFactory()
        price(depot, day=day)
        assert len(price_list(client, depot)) == listed, day
    depot = factories.DepotFactory()
    price(depot, amount="1500")
    price(depot, amount="1400", from_reader=True, decided_at=datetime(2026, 11, 20, tzinfo=UTC))
    assert [row["price"] for row in price_list(client, depot)] == [1500.0]
