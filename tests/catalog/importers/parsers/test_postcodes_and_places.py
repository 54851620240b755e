"""Postcodes of GeoNames and of the address register, and places of the register of names."""

import json

import pytest

from catalog.importers.records import Note, PlaceRecord, PostcodeRecord
from catalog.importers.sources import geonames, gugik
from catalog.importers.sources.gugik import find_unit
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, text, write

ROW = "PL\t98-701\tPróbka\tLesser Poland\t77\tPowiat\t1206\tPróba\t120692\t50.1\t19.8\t4\n"
NO_NUMBER = r"PL\.txt, row 2: .* is not a number of degrees"


def parse_rows(path, *rows):
    return geonames.parse(write(path / "PL.txt", "".join(rows)))


def test_rows_of_one_postcode_are_merged():
    extract = geonames.parse(DATA / "PL.txt")
    assert extract.rows == (
        # The third point is 350 km off: a mean would carry the code into another voivodeship.
        PostcodeRecord(
            "98-701", (("120692", 2), ("120691", 1)), ("Próbka", "Dolna Próba", "Żabia Wola"), 50.2, 19.8, "geonames"
        ),
        PostcodeRecord("98-702", (), ("Zagórze",), 50.3, 19.5, "geonames"),
    )
    assert (extract.rejected, extract.as_of) == ((), None)


def test_a_byte_order_mark_crlf_and_a_blank_last_line_change_nothing(tmp_path):
    marked = write(tmp_path / "a.txt", "\ufeff" + text("PL.txt").replace("\n", "\r\n") + "\r\n")
    assert geonames.parse(marked) == geonames.parse(DATA / "PL.txt")


def test_row_without_municipality_still_gives_place_and_point(tmp_path):
    lacking = ROW.replace("120692", "").replace("Próbka", "Obok").replace("50.1", "50.3")
    (record,) = parse_rows(tmp_path, ROW, lacking).rows
    assert (record.municipalities, record.places) == ((("120692", 1),), ("Próbka", "Obok"))
    assert record.lat == pytest.approx(50.2)


def test_equal_shares_are_ordered_by_code_and_a_place_of_two_rows_is_named_once(tmp_path):
    (record,) = parse_rows(tmp_path, ROW, ROW.replace("120692", "120691")).rows
    assert (record.municipalities, record.places) == ((("120691", 1), ("120692", 1)), ("Próbka",))


def test_impossible_row_of_geonames_is_rejected(tmp_path):
    for old, new, reason in (
        ("98-701", "98701x", "not a postcode"),
        ("50.1\t", "60.1\t", "outside Poland"),
        ("120692", "1206923", "not six digits"),
        ("Próbka", "", "empty or too long"),
        ("Próbka", "Pr" * 61, "empty or too long"),
    ):
        extract = parse_rows(tmp_path, ROW, ROW.replace(old, new))
        assert (len(extract.rows), extract.rows[0].municipalities) == (1, (("120692", 1),)), old
        (note,) = extract.rejected
        assert note.key.startswith("row 2: ")
        assert reason in note.reason


def test_a_table_of_another_form_than_that_of_geonames_is_refused(tmp_path):
    for rows, message in (
        *(((ROW, ROW.replace("50.1", number)), NO_NUMBER) for number in ("", "5e1", "nan", "50,1", "٥٠.1")),
        ((ROW, ROW[:15]), "row 2: has 3 columns between tabs, expected 12; is the file cut off"),
        ((text("prg_postcodes.csv"),), "row 1: has 1 columns between tabs"),
        ((ROW.replace("PL\t", "CZ\t"),), "has no usable row of PL"),
    ):
        assert_refused(message, parse_rows, tmp_path, *rows)


def changed_postcodes(path, old, new):
    assert old in text("prg_postcodes.csv")
    return gugik.parse_postcodes(write(path / "a.csv", text("prg_postcodes.csv").replace(old, new, 1)))


def test_postcodes_are_read_with_their_municipalities():
    extract = gugik.parse_postcodes(DATA / "prg_postcodes.csv")
    assert extract.rows == (
        PostcodeRecord(
            "98-701", (("1206923", 12), ("1206912", 5)), ("Dolna Próba", "Próbka"), 50.10001, 19.80002, "prg"
        ),
        PostcodeRecord("98-702", (("1206912", 0),), ("Zagórze",), 50.3, 19.5, "filled"),
        PostcodeRecord("98-703", (("1206912", 1),), (), 50.31, 19.51, "prg"),
    )
    assert extract.rejected == ()


def test_shares_without_numbers_keep_their_order_and_a_centre_outside_poland_is_rejected(tmp_path):
    _, row, _ = changed_postcodes(tmp_path, "1206912:,", "1206923:|1206912:,").rows
    assert row.municipalities == (("1206923", 0), ("1206912", 0))
    extract = changed_postcodes(tmp_path, "50.3,19.5", "19.5,50.3")
    assert ([note.key for note in extract.rejected], len(extract.rows)) == (["98-702"], 2)


def test_a_wrong_value_of_a_postcode_is_refused(tmp_path):
    for old, new, reason in (
        ("98-702", "98-70", "row 3: not a postcode"),
        ("98-702", "98-701", "row 3: the postcode 98-701 is there twice"),
        ("1206912:5", "1206912", "row 2: municipalities has '1206912'; expected"),
        ("1206912:5", "1206914:5", "row 2: municipalities has '1206914:5'"),
        ("1206912:5", "1206912:-5", "row 2: municipalities has"),
        ("1206912:5", "1206923:5", "row 2: municipalities has 1206923 twice"),
        ("1206912:5|1206923:12", "", "row 2: municipalities has ''"),
        ("50.3,", "5e1,", "row 3: '5e1' is not a number of degrees"),
        (",17,", ",dużo,", "row 2: addresses is 'dużo'"),
        ("prg-2023", "osm-2023", "row 2: source is 'osm-2023'"),
        ("Zagórze", "Za" * 61, "row 3: the place .* is longer than 120"),
    ):
        assert_refused(reason, changed_postcodes, tmp_path, old, new)
    header = write(tmp_path / "a.csv", text("prg_postcodes.csv").split("\n")[0])
    assert_refused("has no usable postcode", gugik.parse_postcodes, header)


UNITS = {
    ("małopolskie", "krakowski", "Dolna Próba", 3): "1206923",
    ("małopolskie", "krakowski", "Żabia Wola-Próbna", 2): "1206912",
}


def changed_place(path, **changes):
    places = json.loads((DATA / "polskie-miejscowosci.json").read_text())
    places[0] |= changes
    return gugik.parse_places(write(path / "data.json", json.dumps(places)), UNITS)


def test_places_are_read_with_their_municipalities():
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
        extract = changed_place(tmp_path, **changes)
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


def test_a_wrong_field_of_a_place_is_refused(tmp_path):
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
        assert_refused(reason, changed_place, tmp_path, **change)


def test_json_of_another_form_is_refused(tmp_path):
    for content, message in (
        *((content, "is not a") for content in ('{"a": 1}', "[1]", '"text"')),
        ('[{"Id": "1", "Name": "Próba"}]', "row 1: lacks Type, Province"),
        ("[]", "no place is left of 0: empty"),
    ):
        assert_refused(message, gugik.parse_places, write(tmp_path / "a.json", content), UNITS)
    path = DATA / "polskie-miejscowosci.json"
    assert_refused("no place is left of 3: no municipality is called", gugik.parse_places, path, {})
