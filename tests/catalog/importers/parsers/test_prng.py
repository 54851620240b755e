import json

from catalog.importers.records import Note, PlaceRecord
from catalog.importers.sources import gugik
from catalog.importers.sources.gugik import find_unit
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, write

UNITS = {
    ("małopolskie", "krakowski", "Dolna Próba", 3): "1206923",
    ("małopolskie", "krakowski", "Żabia Wola-Próbna", 2): "1206912",
}


def parse_changed(path, **changes):
    places = json.loads((DATA / "polskie-miejscowosci.json").read_text())
    places[0] |= changes
    return gugik.parse_places(write(path / "data.json", json.dumps(places)), UNITS)


def test_places():
    extract = gugik.parse_places(DATA / "polskie-miejscowosci.json", UNITS)
    assert extract.rows == (
        PlaceRecord("prng:9001", "Dolna Próba", "miasto", "1206923", lat=50.1, lon=19.8),
        PlaceRecord("prng:9002", "Próbka", "wieś", "1206923", lat=50.12, lon=19.0),
        PlaceRecord("prng:9003", "Żabia Wola-Las", "wieś", "1206912", lat=50.05, lon=19.7),
    )
    assert (extract.rejected, extract.as_of) == ((), None)


def test_a_place_that_cannot_be_used_is_rejected(tmp_path):
    unknown = "Górna Próba-gmina wiejska", "Dolna Próba"
    for changes, reason in (
        *(({"Commune": name}, f"no municipality is called {name} in krakowski, małopolskie") for name in unknown),
        ({"Latitude": 19.8, "Longitude": 50.1}, "the position is outside Poland: '19.8, 50.1'"),
    ):
        extract = parse_changed(tmp_path, **changes)
        assert (len(extract.rows), extract.rejected) == (2, (Note("prng:9001 Dolna Próba", reason),))


def test_municipality_of_another_kind_today():
    for then, now, found in ((2, 3, True), (1, 3, True), (3, 2, True), (3, 1, True), (2, 1, False), (1, 2, False)):
        label = {1: "gmina miejska", 2: "gmina wiejska", 3: "gmina miejsko-wiejska"}[then]
        units = {("lubelskie", "opolski", "Próba", now): f"061299{now}"}
        assert find_unit(units, "lubelskie", "opolski", f"Próba-{label}") == (f"061299{now}" if found else None), then
    units = {("lubelskie", "opolski", "Próba", kind): f"061299{kind}" for kind in (1, 2, 3)}
    assert find_unit(units, "lubelskie", "opolski", "Próba-gmina wiejska") == "0612992"


def test_renamed_municipality_is_not_taken_for_the_town_beside_it():
    units = {
        ("kujawsko-pomorskie", "wąbrzeski", "Wąbrzeźno", 1): "0417011",
        ("kujawsko-pomorskie", "wąbrzeski", "Ryńsk", 2): "0417052",
    }
    assert find_unit(units, "kujawsko-pomorskie", "wąbrzeski", "Wąbrzeźno-gmina wiejska") == "0417052"
    assert find_unit(units, "kujawsko-pomorskie", "wąbrzeski", "Wąbrzeźno-gmina miejska") == "0417011"


def test_a_wrong_field_is_refused(tmp_path):
    for change, reason in (
        ({"Id": "9002"}, "row 2: the Id '9002' is there twice"),
        ({"Id": 9001}, "row 1: Id is 9001, not a text"),
        ({"Id": "a:b"}, "row 1: the Id 'a:b' .* cannot be one"),
        ({"Name": " "}, "row 1: .* cannot be one"),
        ({"Type": "hamlet"}, "row 1: the Type is 'hamlet'; expected city or village"),
        ({"Latitude": "50.1"}, "row 1: Latitude is '50.1', not a number"),
        ({"Longitude": True}, "row 1: Longitude is True, not a number"),
        ({"Latitude": None}, "row 1: Latitude is None, not a number"),
    ):
        assert_refused(reason, parse_changed, tmp_path, **change)


def test_json_of_another_form_is_refused(tmp_path):
    for content, message in (
        *((content, "is not a") for content in ('{"a": 1}', "[1]", '"text"')),
        ('[{"Id": "1", "Name": "Próba"}]', "row 1: lacks Type, Province"),
        ("[]", "no place is left of 0: empty"),
    ):
        assert_refused(message, gugik.parse_places, write(tmp_path / "a.json", content), UNITS)
    path = DATA / "polskie-miejscowosci.json"
    assert_refused("no place is left of 3: no municipality is called", gugik.parse_places, path, {})
