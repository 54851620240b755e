"""The registers of units and of places, in CSV and XML."""

import csv
import zipfile
from datetime import date

import pytest

from catalog.importers.records import PlaceRecord, UnitRecord
from catalog.importers.sources import teryt
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, shared, text, write, zipped

HEADER = "WOJ;POW;GMI;RODZ;NAZWA;NAZWA_DOD;STAN_NA\n"
DAY = "2031-01-01"
ABOVE = f"12;;;;MAŁOPOLSKIE;województwo;{DAY}\n12;06;;;krakowski;powiat;{DAY}\n"
MUNICIPALITY = f"12;06;91;2;Próba;gmina wiejska;{DAY}\n"


def parse_rows(path, *rows):
    return teryt.parse_units(write(path / "TERC_próba.csv", HEADER + "".join(rows)))


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


def test_what_is_not_a_code_is_refused(tmp_path):
    for code in ("2;;;", "12;6;;", "12;;91;2", "12;06;91;", "12;06;;2", "12;06;91;x", "12;06;91;0", "١٢;;;", ";;;"):
        assert_refused(r"row 4: .*not a code", parse_rows, tmp_path, ABOVE, f"{code};Próba;gmina;{DAY}\n")


def test_a_defect_is_told_with_its_row(tmp_path):
    for rows, message in (
        ((ABOVE, f"12;06;91;7;Próba;gmina;{DAY}\n"), "the kind .* is 7"),
        ((ABOVE, MUNICIPALITY, MUNICIPALITY), "row 5: unit 1206912 is there twice, first in row 4"),
        ((ABOVE, MUNICIPALITY, MUNICIPALITY.replace(";2;", ";3;")), "1206912 and 1206913 differ in kind only"),
        (
            (ABOVE, MUNICIPALITY, f"12;07;01;2;Próba;gmina wiejska;{DAY}\n"),
            "row 5: unit 1207012 has no unit 1207 above",
        ),
        ((ABOVE.split("\n", 1)[1], MUNICIPALITY), "unit 1206 has no unit 12 above"),
        ((ABOVE, f"12;06;91;2;;gmina wiejska;{DAY}\n"), "row 4: has no name"),
        ((ABOVE, MUNICIPALITY.replace("Próba", "Pr" * 41)), "row 4: the name .* is longer than 80"),
        ((ABOVE, MUNICIPALITY.replace("Próba", "Pró\u202eba")), "control characters"),
        ((ABOVE,), "has no municipality"),
        ((), "has no municipality"),
        ((ABOVE, MUNICIPALITY.rstrip()[:-1]), "row 4: STAN_NA: '2031-01-0' is not a day.*cut off"),
        ((ABOVE, MUNICIPALITY, f"12;07;;;limanowski;powiat;{DAY}\n"), "row 5: ends abruptly: no unit follows 1207"),
    ):
        assert_refused(message, parse_rows, tmp_path, *rows)


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
