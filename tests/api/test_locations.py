import pytest

from catalog.search import entries
from tests import factories
from tests.client import shared_rows

pytestmark = pytest.mark.django_db

URL = "/api/v1/locations"


@shared_rows
def register():
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
    entries.rebuild_index()


def labels(client, q):
    return [(hit["type"], hit["label"]) for hit in client.get(URL, {"q": q}).json()]


# First those without the register, which stays until the end of the module.


def test_a_city_stands_before_the_rural_municipality_of_another_county(client):
    city = factories.MunicipalityFactory(teryt="1263011", name="Tarnów")
    rural = factories.MunicipalityFactory(teryt="1216092", name="Tarnów")
    factories.PostcodeFactory(code="33-100", places=["Tarnów"], shares=[(rural, 0), (city, 0)])
    factories.PostcodeFactory(code="33-101", places=["Tarnowiec"], shares=[(rural, 900)])
    entries.rebuild_index()
    assert client.get(URL, {"q": "tarnow"}).json()[0]["description"].startswith("gmina miejska")
    assert "tarnow-1263011" in client.get(URL, {"q": "33-100"}).json()[0]["url"]


def test_a_town_whose_addresses_the_source_lacks_stands_before_a_village_with_a_few(client):
    city = factories.MunicipalityFactory(teryt="2861011", name="Elbląg")
    rural = factories.MunicipalityFactory(teryt="2804052", name="Milejewo")
    factories.PostcodeFactory(code="82-300", places=["Elbląg", "Stoboje"], shares=[(rural, 25), (city, 0)])
    entries.rebuild_index()
    assert "elblag-2861011" in client.get(URL, {"q": "82-300"}).json()[0]["url"]
    assert client.get("/api/v1/postcodes/82-300").json()["municipalities"][0]["name"] == "Elbląg"


def test_postcodes_without_a_known_address_come_last(client):
    krakow = factories.krakow()
    factories.PostcodeFactory(code="30-000", shares=[(krakow, 0)])
    factories.PostcodeFactory(code="30-009", shares=[(krakow, 5)])
    entries.rebuild_index()
    assert [label for _, label in labels(client, "30-0")] == ["30-009 Kraków", "30-000 Kraków"]


def test_part_of_a_large_city_stands_before_a_village_of_its_name_and_of_a_town_after(client):
    village = {"kind": "wieś", "main": False, "municipality": factories.nowy_targ_rural()}
    for name, town in (("Nowa Huta", factories.krakow()), ("Kowaniec", factories.nowy_targ_town())):
        factories.PlaceFactory(name=name, **village)
        factories.PlaceFactory(name=name, kind="część miasta", main=False, municipality=town)
    entries.rebuild_index()
    assert "Kraków" in client.get(URL, {"q": "nowa huta"}).json()[0]["description"]
    assert client.get(URL, {"q": "kowaniec"}).json()[0]["description"].startswith("wieś")


def test_hits_carry_the_best_position_that_is_known(client):
    rural = factories.nowy_targ_rural()
    for name, lat, lon in (("Ludźmierz", 49.46861, 19.98), ("Gronków", None, None), ("Ostrowsko", None, None)):
        factories.PlaceFactory(name=name, municipality=rural, lat=lat, lon=lon)

    def position(q):
        entries.rebuild_index()
        hit = client.get(URL, {"q": q}).json()[0]
        return hit["lat"], hit["lon"], hit["position"], hit["url"].partition("/nowy-targ-1211092/")[2]

    assert position("Ostrowsko") == (None, None, None, "")
    factories.PostcodeFactory(code="34-433", places=["Gronków", "Nowy Targ"], shares=[(rural, 5)], lat=49.44, lon=20.11)
    assert position("Ludźmierz") == (49.46861, 19.98, "place", "?p=49.46861,19.98")
    assert position("Gronków") == (49.44, 20.11, "postcode", "?p=49.44,20.11&miejsce=Gronk%C3%B3w")
    assert position("Ostrowsko") == (49.44, 20.11, "municipality", "?p=49.44,20.11&miejsce=Ostrowsko")
    assert position("Nowy Targ") == (49.44, 20.11, "municipality", "")
    assert position("34-433") == (49.44, 20.11, "postcode", "?kod=34-433")


def test_at_most_eight(client):
    rural = factories.nowy_targ_rural()
    for number in range(12):
        factories.PlaceFactory(name=f"Nowa {chr(97 + number)}", municipality=rural)
    entries.rebuild_index()
    assert (len(client.get(URL, {"q": "nowa"}).json()), len(client.get(URL, {"q": "no"}).json())) == (8, 8)


def test_locations_golden(client, golden, register):
    answer = client.get(URL, {"q": "Kraków"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    golden("locations_krakow", answer.json())
    golden("locations_postcode", client.get(URL, {"q": "34-400"}).json())


def test_town_stands_before_the_rural_municipality_of_its_name_although_smaller(client, register):
    answer = client.get(URL, {"q": "nowy targ"}).json()
    assert [hit["description"].split(",")[0] for hit in answer[:2]] == ["gmina miejska", "gmina wiejska"]
    assert answer[2]["label"] == "Stary Nowy Targ"


def test_the_dash_says_where_the_digits_of_a_postcode_stand(client, register):
    factories.PostcodeFactory(code="03-001", places=["Warszawa"], shares=[(factories.krakow(), 1)])
    entries.rebuild_index()
    assert "03-001 Warszawa" in [label for _, label in labels(client, "3001")]
    assert labels(client, "30-01") == []
    assert labels(client, "3-00")[0] == ("postcode", "03-001 Warszawa")
    assert [label for _, label in labels(client, "-001")] == ["03-001 Warszawa", "30-001 Kraków"]
    assert "03-001 Warszawa" not in [label for _, label in labels(client, "30-0")]


def test_whole_postcodes_and_fragments(client, register):
    for q in (
        *("30-001", "30001", "30-001 Kraków", "Kraków 30-001", "30 001", "30–001", "30.001", "30\u2011001", "30−001"),
        *("30 - 001", "30 – 001", "３０－００１"),
    ):
        (hit,) = client.get(URL, {"q": q}).json()
        assert hit["url"].endswith("/sklady/malopolskie/krakow-1261011/?kod=30-001"), q
    for q in ("30-0", "300", "30", "30-00", "30–0", "30\u20110", "３０-0"):
        assert labels(client, q) == [("postcode", "30-001 Kraków"), ("postcode", "30-002 Kraków")]


def test_a_word_for_the_kind_an_unknown_postcode_and_abbreviations_are_read(client, register):
    for q in ("gmina zakopane", "gm. Zakopane", "miasto Zakopane", "m. Zakopane", "99-999 Zakopane", "zakpane"):
        assert labels(client, q)[0] == ("municipality", "Zakopane"), q
    for q in ("nowy\N{NO-BREAK SPACE}targ", "n. targ", "nowytarg", "now tar"):
        assert labels(client, q)[0] == ("municipality", "Nowy Targ"), q


def test_a_fuel_in_the_question_becomes_the_filter_of_the_page(client, register):
    hit = client.get(URL, {"q": "węgiel orzech Zakopane"}).json()[0]
    assert (hit["label"], hit["fuel"]) == ("Zakopane", "wegiel-orzech")
    assert hit["url"].endswith("/zakopane-1217011/?paliwo=wegiel-orzech")
    assert client.get(URL, {"q": "pellet 30-001"}).json()[0]["url"].endswith("?kod=30-001&paliwo=pellet")
    assert labels(client, "pellet") == []


def test_nothing_found_is_an_empty_list(client, register):
    for q in ("%%", "__", "--", "asdfgh", "\\\\"):
        answer = client.get(URL, {"q": q})
        assert (answer.status_code, answer.json()) == (200, []), q
