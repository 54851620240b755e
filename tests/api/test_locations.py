"""GET /locations."""

import pytest

from catalog import search
from tests import factories

pytestmark = pytest.mark.django_db

URL = "/api/v1/locations"


@pytest.fixture
def register():
    """A handful of places around Kraków, and the index over them."""
    krakow, zakopane = factories.krakow(), factories.zakopane()
    town, rural = factories.nowy_targ_town(), factories.nowy_targ_rural()
    factories.bielsko_biala()
    factories.PlaceFactory(name="Łopuszna", municipality=rural)
    factories.PlaceFactory(name="Zakopianka", kind="część wsi", main=False, municipality=rural)
    factories.PlaceFactory(name="Kraków", kind="miasto", municipality=krakow)
    factories.PlaceFactory(name="Stary Nowy Targ", kind="przysiółek", municipality=zakopane)
    factories.PostcodeFactory(code="30-001", places=["Kraków"], shares=[(krakow, 8)])
    factories.PostcodeFactory(code="30-002", places=["Kraków"], shares=[(krakow, 20)])
    factories.PostcodeFactory(
        code="34-400", places=["Gronków", "Nowy Targ"], shares=[(town, 3), (rural, 2000)], lat=49.48, lon=20.03
    )
    search.rebuild()


def labels(client, q):
    return [(hit["type"], hit["label"]) for hit in client.get(URL, {"q": q}).json()]


def test_municipality_golden(client, golden, register):
    answer = client.get(URL, {"q": "Kraków"})
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    golden("locations_krakow", answer.json())


def test_postcode_golden(client, golden, register):
    client.get(URL, {"q": "Kraków"})
    answer = client.get(URL, {"q": "34-400"})
    golden("locations_postcode", answer.json())


@pytest.mark.parametrize("q", ["krakow", "KRAKÓW", "Kraków", " kraków ", "krak"])
def test_diacritics_case_and_blanks_fold(client, register, q):
    assert labels(client, q)[0] == ("municipality", "Kraków")


@pytest.mark.parametrize("q", ["bielsko biala", "Bielsko-Biała", "bielsko  biała"])
def test_punctuation_folds(client, register, q):
    assert labels(client, q) == [("municipality", "Bielsko-Biała")]


def test_town_stands_before_the_rural_municipality_of_its_name_although_smaller(client, register):
    answer = client.get(URL, {"q": "nowy targ"}).json()
    assert [hit["description"].split(",")[0] for hit in answer[:2]] == ["gmina miejska", "gmina wiejska"]
    assert answer[2]["label"] == "Stary Nowy Targ"


def test_municipalities_stand_before_localities(client, register):
    assert labels(client, "zakop") == [("municipality", "Zakopane"), ("locality", "Zakopianka")]


def test_a_locality_named_like_its_municipality_is_not_repeated(client, register):
    assert labels(client, "kraków") == [("municipality", "Kraków")]


@pytest.mark.parametrize("q", ["30-0", "300", "30", "30-00", "30–0", "30\u20110", "３０-0"])
def test_fragments_of_postcodes(client, register, q):
    assert labels(client, q) == [("postcode", "30-001 Kraków"), ("postcode", "30-002 Kraków")]


def test_the_dash_says_where_the_digits_of_a_postcode_stand(client, register):
    factories.PostcodeFactory(code="03-001", places=["Warszawa"], shares=[(factories.krakow(), 1)])
    search.rebuild()
    assert "03-001 Warszawa" in [label for _, label in labels(client, "3001")]
    assert labels(client, "30-01") == []
    assert labels(client, "3-00")[0] == ("postcode", "03-001 Warszawa")
    assert [label for _, label in labels(client, "-001")] == ["03-001 Warszawa", "30-001 Kraków"]
    assert "03-001 Warszawa" not in [label for _, label in labels(client, "30-0")]


@pytest.mark.parametrize(
    "q",
    [
        "30-001",
        "30001",
        "30-001 Kraków",
        "Kraków 30-001",
        "30 001",
        "30–001",
        "30.001",
        "30\u2011001",
        "30−001",
        "30 - 001",
        "30 – 001",
        "３０－００１",
    ],
)
def test_whole_postcodes(client, register, q):
    (hit,) = client.get(URL, {"q": q}).json()
    assert hit["url"].endswith("/sklady/malopolskie/krakow-1261011/?kod=30-001")


@pytest.mark.parametrize("q", ["gmina zakopane", "gm. Zakopane", "miasto Zakopane", "m. Zakopane"])
def test_a_word_for_the_kind_in_front_is_not_part_of_the_name(client, register, q):
    assert labels(client, q)[0] == ("municipality", "Zakopane")


def test_a_no_break_space_is_a_blank(client, register):
    assert labels(client, "nowy\u00a0targ")[0] == ("municipality", "Nowy Targ")


def test_a_city_stands_before_the_rural_municipality_of_another_county(client):
    city = factories.MunicipalityFactory(teryt="1263011", name="Tarnów")
    rural = factories.MunicipalityFactory(teryt="1216092", name="Tarnów")
    factories.PostcodeFactory(code="33-100", places=["Tarnów"], shares=[(rural, 0), (city, 0)])
    factories.PostcodeFactory(code="33-101", places=["Tarnowiec"], shares=[(rural, 900)])
    search.rebuild()
    assert client.get(URL, {"q": "tarnow"}).json()[0]["description"].startswith("gmina miejska")
    assert "tarnow-1263011" in client.get(URL, {"q": "33-100"}).json()[0]["url"]


def test_postcodes_without_a_known_address_come_last(client):
    krakow = factories.krakow()
    factories.PostcodeFactory(code="30-000", shares=[(krakow, 0)])
    factories.PostcodeFactory(code="30-009", shares=[(krakow, 5)])
    search.rebuild()
    assert [label for _, label in labels(client, "30-0")] == ["30-009 Kraków", "30-000 Kraków"]


def test_part_of_a_large_city_stands_before_a_village_of_its_name(client):
    factories.PlaceFactory(name="Nowa Huta", kind="wieś", municipality=factories.nowy_targ_rural())
    factories.PlaceFactory(name="Nowa Huta", kind="część miasta", main=False, municipality=factories.krakow())
    search.rebuild()
    assert "Kraków" in client.get(URL, {"q": "nowa huta"}).json()[0]["description"]


def test_a_fragment_inside_a_word_is_found_last(client, register):
    assert labels(client, "opa") == [("municipality", "Zakopane")]
    assert labels(client, "op") == [("municipality", "Zakopane"), ("locality", "Łopuszna"), ("locality", "Zakopianka")]


@pytest.mark.parametrize("q", ["%%", "__", "--", "zzzz", "\\\\"])
def test_nothing_found_is_an_empty_list(client, register, q):
    answer = client.get(URL, {"q": q})
    assert (answer.status_code, answer.json()) == (200, [])


def test_at_most_eight(client):
    rural = factories.nowy_targ_rural()
    for number in range(12):
        factories.PlaceFactory(name=f"Nowa {chr(97 + number)}", municipality=rural)
    search.rebuild()
    assert len(client.get(URL, {"q": "nowa"}).json()) == 8
    assert len(client.get(URL, {"q": "no"}).json()) == 8


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "missing"),
        ("q=", "empty"),
        ("q=%20%20", "empty"),
        ("q=a", "too_short"),
        ("q=" + "a" * 101, "too_long"),
        ("q=ab&q=cd", "repeated"),
        ("q=%FF%FE", "malformed"),
        ("q=ab%00", "malformed"),
        ("q=ab%0A", "malformed"),
    ],
)
def test_refused(client, query, code):
    answer = client.get(f"{URL}?{query}")
    assert answer.status_code == 400
    assert [error["code"] for error in answer.json()["errors"]] == [code]
