"""Registers of units, places and postcodes, in CSV, XML, JSON and the table of GeoNames."""

import csv
import json
import zipfile
from datetime import date

import pytest

from catalog.importers.records import BadInput, Note, PlaceRecord, PostcodeRecord, UnitRecord
from catalog.importers.sources import geonames, gugik, teryt
from catalog.models import Place, max_length
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, shared, text, write, zipped

HEADER = "WOJ;POW;GMI;RODZ;NAZWA;NAZWA_DOD;STAN_NA\n"
DAY = "2031-01-01"
ABOVE = f"12;;;;MAŁOPOLSKIE;województwo;{DAY}\n12;06;;;krakowski;powiat;{DAY}\n"
MUNICIPALITY = f"12;06;91;2;Próba;gmina wiejska;{DAY}\n"


def test_a_register_in_csv_or_xml_is_read():
    """Parts of municipalities and districts of cities, which the file has too, are none."""
    extract = teryt.parse_units(DATA / "terc.csv")
    assert extract.rows == (
        UnitRecord("12", "małopolskie"),
        UnitRecord("14", "mazowieckie"),
        UnitRecord("1206", "krakowski"),
        UnitRecord("1261", "Kraków"),
        UnitRecord("1465", "Warszawa"),
        UnitRecord("1206912", "Żabia Wola Próbna", 2),
        UnitRecord("1206923", "Dolna Próba", 3),
        UnitRecord("1261011", "Kraków", 1),
        UnitRecord("1465011", "Warszawa", 1),
    )
    assert extract.as_of == date(2031, 1, 1)
    kept = UnitRecord("12", "małopolskie"), UnitRecord("1206", "krakowski"), extract.rows[5]
    extract = teryt.parse_units(DATA / "terc.xml")
    assert (extract.rows, extract.as_of) == (kept, date(2030, 1, 1))


def test_a_register_of_another_form_is_refused(tmp_path):
    # Names under the heading of kinds.
    exchanged = HEADER.replace("NAZWA;NAZWA_DOD", "NAZWA_DOD;NAZWA") + ABOVE + MUNICIPALITY
    for name, content, message in (
        ("a.csv", exchanged, "row 2: NAZWA_DOD of the voivodeship 12 is 'MAŁOPOLSKIE'"),
        ("a.csv", text("terc.csv").replace("RODZ", "RODZAJ"), r"a\.csv, row 1: the header lacks RODZ;"),
    ):
        assert_refused(message, teryt.parse_units, write(tmp_path / name, content))


def test_of_a_zip_with_both_the_csv_is_read(tmp_path):
    for parse, register in ((teryt.parse_units, "terc"), (teryt.parse_places, "simc")):
        both = {name: (DATA / name).read_bytes() for name in (f"{register}.xml", f"{register}.csv")}
        assert parse(zipped(tmp_path / "a.zip", both)) == parse(DATA / f"{register}.csv")


def test_a_defect_is_told_with_its_row(tmp_path):
    no_codes = (
        "2;;;",
        "12;6;;",
        "12;;91;2",
        "12;06;91;",
        "12;06;;2",
        "12;06;91;x",
        "12;06;91;0",
        "12;06;91;7",
        "١٢;;;",
        ";;;",
    )
    for rows, message in (
        *(((ABOVE, f"{code};Próba;gmina;{DAY}\n"), "row 4: .*not a code") for code in no_codes),
        ((ABOVE, MUNICIPALITY, MUNICIPALITY), "row 5: unit 1206912 is there twice, first in row 4"),
        ((ABOVE, MUNICIPALITY, MUNICIPALITY.replace(";2;", ";3;")), "1206912 and 1206913 differ in kind only"),
        ((ABOVE, MUNICIPALITY, f"12;07;01;2;Próba;gmina;{DAY}\n"), "row 5: unit 1207012 has no unit 1207 above"),
        ((ABOVE.split("\n", 1)[1], MUNICIPALITY), "unit 1206 has no unit 12 above"),
        ((ABOVE, f"12;06;91;2;;gmina wiejska;{DAY}\n"), "row 4: has no name"),
        ((ABOVE, MUNICIPALITY.replace("Próba", "Pr" * 41)), "row 4: the name .* is longer than 80"),
        ((ABOVE, MUNICIPALITY.replace("Próba", "Pró\u202eba")), "control characters"),
        ((ABOVE,), "has no municipality"),
        ((), "has no municipality"),
        ((ABOVE, MUNICIPALITY.rstrip()[:-1]), "row 4: STAN_NA: '2031-01-0' is not a day.*cut off"),
        ((ABOVE, MUNICIPALITY, f"12;07;;;limanowski;powiat;{DAY}\n"), "row 5: ends abruptly: no unit follows 1207"),
    ):
        assert_refused(message, teryt.parse_units, write(tmp_path / "TERC_próba.csv", HEADER + "".join(rows)))


@pytest.mark.full_scale
def test_xml_and_csv_of_one_state_agree(tmp_path):
    path = shared("history/TERC_Urzedowy_2025-11-18.zip")
    with zipfile.ZipFile(path) as archive:
        inside = write(tmp_path / "TERC.xml", archive.read("TERC_Urzedowy_2025-11-18.xml"))
    assert teryt.parse_units(inside) == teryt.parse_units(path)


def changed(path, old, new):
    assert old in text("simc.csv")
    return teryt.parse_places(write(path / "SIMC_próba.csv", text("simc.csv").replace(old, new, 1)))


def test_places_in_csv_or_xml_are_read():
    extract = teryt.parse_places(DATA / "simc.csv")
    assert extract.rows == (
        PlaceRecord("simc:9900018", "Żabia Wola Próbna", "wieś", "1206912"),
        PlaceRecord("simc:9900024", "Zagórze Próbne", "część", "1206912", main=False),
        PlaceRecord("simc:9900030", "Dolna Próba", "miasto", "1206924"),
        PlaceRecord("simc:9900047", "Próbny", "dzielnica", "1465918"),
    )
    assert extract.as_of == date(2031, 1, 1)
    (place,) = teryt.parse_places(DATA / "simc.xml").rows
    assert place == PlaceRecord("simc:9900053", "Leśny Kąt", "przysiółek", "1206912", main=False)


def test_a_defect_of_a_place_is_told_with_its_row(tmp_path):
    for old, new, message in (
        (";01;1;", ";08;1;", r"row 2: the kind of locality \(RM\) is '08'"),
        ("12;06;91;2", "12;06;91;7", "row 2: .* give '1206917'"),
        (";9900018;", ";990018;", "row 2: SYM is '990018'"),
        ("9900024", "9900018", r"row 3: the identifier \(SYM\) 9900018 is there twice"),
    ):
        assert_refused(message, changed, tmp_path, old, new)


def test_what_is_no_whole_register_of_places_is_refused_and_of_days_the_newest_counts(tmp_path):
    for content, message in (
        (text("terc.csv"), "the header lacks RODZ_GMI, RM, SYM, SYMPOD"),
        (text("simc.csv").split("\n")[0] + "\n", "has no locality"),
    ):
        assert_refused(message, teryt.parse_places, write(tmp_path / "a.csv", content))
    assert changed(tmp_path, "2031-01-01", "2031-03-01").as_of == date(2031, 3, 1)


@pytest.mark.full_scale
def test_kinds_are_those_of_the_publisher():
    with shared("WMRODZ_2026-07-22.csv").open(encoding="utf-8-sig", newline="") as table:
        kinds = {row["RM"]: row["NAZWA_RM"] for row in csv.DictReader(table, delimiter=";") if row["RM"]}
    assert kinds == teryt.PLACE_KINDS


ROW = "PL\t98-701\tPróbka\tLesser Poland\t77\tPowiat\t1206\tPróba\t120692\t50.1\t19.8\t4\n"
NO_NUMBER = r"PL\.txt, row 2: .* is not a number of degrees"


def parse_codes(path, *rows):
    return geonames.parse(write(path / "PL.txt", "".join(rows)))


def test_rows_of_one_postcode_are_merged():
    extract = geonames.parse(DATA / "PL.txt")
    shares, places = (("120692", 2), ("120691", 1)), ("Próbka", "Dolna Próba", "Żabia Wola")
    assert extract.rows == (
        # The third point is 350 km off: a mean would carry the code into another voivodeship.
        PostcodeRecord("98-701", shares, places, 50.2, 19.8, "geonames"),
        PostcodeRecord("98-702", (), ("Zagórze",), 50.3, 19.5, "geonames"),
    )
    assert (extract.rejected, extract.as_of) == ((), None)


def test_a_byte_order_mark_crlf_and_a_blank_last_line_change_nothing(tmp_path):
    marked = write(tmp_path / "a.txt", "\ufeff" + text("PL.txt").replace("\n", "\r\n") + "\r\n")
    assert geonames.parse(marked) == geonames.parse(DATA / "PL.txt")


def test_rows_of_a_code_share_it_in_the_order_of_codes_and_name_each_place_once(tmp_path):
    (record,) = parse_codes(tmp_path, ROW, ROW.replace("120692", "120691")).rows
    assert (record.municipalities, record.places) == ((("120691", 1), ("120692", 1)), ("Próbka",))
    # One without a municipality still gives its place and point.
    lacking = ROW.replace("120692", "").replace("Próbka", "Obok").replace("50.1", "50.3")
    (record,) = parse_codes(tmp_path, ROW, lacking).rows
    assert (record.municipalities, record.places, record.lat) == ((("120692", 1),), ("Próbka", "Obok"), 50.2)


def test_impossible_row_of_geonames_is_rejected(tmp_path):
    for old, new, reason in (
        ("98-701", "98701x", "not a postcode"),
        ("50.1\t", "60.1\t", "outside Poland"),
        ("120692", "1206923", "not six digits"),
        ("Próbka", "", "empty or too long"),
        ("Próbka", "Pr" * 61, "empty or too long"),
    ):
        extract = parse_codes(tmp_path, ROW, ROW.replace(old, new))
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
        assert_refused(message, parse_codes, tmp_path, *rows)


def changed_postcodes(path, old, new):
    assert old in text("prg_postcodes.csv")
    return gugik.parse_postcodes(write(path / "a.csv", text("prg_postcodes.csv").replace(old, new, 1)))


def test_postcodes_are_read_with_their_municipalities():
    extract = gugik.parse_postcodes(DATA / "prg_postcodes.csv")
    shares = ("1206923", 12), ("1206912", 5)
    assert extract.rows == (
        PostcodeRecord("98-701", shares, ("Dolna Próba", "Próbka"), 50.10001, 19.80002, "prg"),
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


WHERE = "małopolskie", "krakowski"
UNITS = {(*WHERE, "Dolna Próba", 3): "1206923", (*WHERE, "Żabia Wola-Próbna", 2): "1206912"}


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


def test_municipality_of_another_kind_or_name_today():
    for then, now, found in ((2, 3, True), (1, 3, True), (3, 2, True), (3, 1, True), (2, 1, False), (1, 2, False)):
        label = {1: "gmina miejska", 2: "gmina wiejska", 3: "gmina miejsko-wiejska"}[then]
        units = {("lubelskie", "opolski", "Próba", now): f"061299{now}"}
        expected = f"061299{now}" if found else None
        assert gugik.find_unit(units, "lubelskie", "opolski", f"Próba-{label}") == expected, then
    units = {("lubelskie", "opolski", "Próba", kind): f"061299{kind}" for kind in (1, 2, 3)}
    assert gugik.find_unit(units, "lubelskie", "opolski", "Próba-gmina wiejska") == "0612992"
    # A renamed one is not taken for the town beside it.
    where = "kujawsko-pomorskie", "wąbrzeski"
    units = {(*where, "Wąbrzeźno", 1): "0417011", (*where, "Ryńsk", 2): "0417052"}
    assert gugik.find_unit(units, *where, "Wąbrzeźno-gmina wiejska") == "0417052"
    assert gugik.find_unit(units, *where, "Wąbrzeźno-gmina miejska") == "0417011"


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


def test_the_longest_name_that_a_column_takes_is_read_from_each_register_of_places(tmp_path):
    longest = "W" * max_length(Place, "name")
    for name_in in (
        lambda name: changed(tmp_path, "Żabia Wola Próbna", name).rows[0].name,
        lambda name: parse_codes(tmp_path, ROW.replace("Próbka", name)).rows[0].places[0],
        lambda name: changed_postcodes(tmp_path, "Zagórze", name).rows[1].places[0],
        lambda name: changed_place(tmp_path, Name=name).rows[0].name,
    ):
        assert name_in(longest) == longest
        with pytest.raises(BadInput):
            name_in(longest + "W")
