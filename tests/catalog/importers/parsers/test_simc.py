import csv
from datetime import date

import pytest

from catalog.importers.records import BadInput, PlaceRecord
from catalog.importers.sources import teryt
from tests.catalog.importers.parsers.helpers import DATA, shared, text, write, zipped


def changed(path, old, new):
    assert old in text("simc.csv")
    return teryt.parse_places(write(path / "SIMC_próba.csv", text("simc.csv").replace(old, new, 1)))


def test_a_register_in_csv_is_read():
    extract = teryt.parse_places(DATA / "simc.csv")
    assert extract.rows == (
        PlaceRecord("simc:9900018", "Żabia Wola Próbna", "wieś", "1206912"),
        PlaceRecord("simc:9900024", "Zagórze Próbne", "część", "1206912", main=False),
        PlaceRecord("simc:9900030", "Dolna Próba", "miasto", "1206924"),
        PlaceRecord("simc:9900047", "Próbny", "dzielnica", "1465918"),
    )
    assert extract.as_of == date(2031, 1, 1)


def test_a_register_in_xml_is_read():
    assert teryt.parse_places(DATA / "simc.xml").rows == (
        PlaceRecord("simc:9900053", "Leśny Kąt", "przysiółek", "1206912", main=False),
    )


def test_zip_with_both(tmp_path):
    path = zipped(tmp_path / "a.zip", {name: (DATA / name).read_bytes() for name in ("simc.xml", "simc.csv")})
    assert teryt.parse_places(path) == teryt.parse_places(DATA / "simc.csv")


def test_a_defect_is_told_with_its_row(tmp_path):
    for old, new, message in (
        ("SYMPOD", "SYM_POD", "row 1: the header lacks SYMPOD"),
        (";01;1;", ";08;1;", r"row 2: the kind of locality \(RM\) is '08'"),
        ("12;06;91;2", "12;06;91;7", "row 2: .* give '1206917'"),
        (";9900018;", ";990018;", "row 2: SYM is '990018'"),
        ("9900024", "9900018", r"row 3: the identifier \(SYM\) 9900018 is there twice"),
        ("2031-01-01", "2031-02-30", "row 2: STAN_NA: '2031-02-30' is not a day of the calendar"),
    ):
        with pytest.raises(BadInput, match=message):
            changed(tmp_path, old, new)


def test_what_is_no_whole_register_is_refused(tmp_path):
    for content, message in (
        (text("terc.csv"), "the header lacks RODZ_GMI, RM, SYM, SYMPOD"),
        (text("simc.csv").split("\n")[0] + "\n", "has no locality"),
        (text("simc.csv")[:-40], "row 5: has 4 columns, expected 10; is the file cut off"),
    ):
        with pytest.raises(BadInput, match=message):
            teryt.parse_places(write(tmp_path / "a.csv", content))


def test_newest_day_counts(tmp_path):
    assert changed(tmp_path, "2031-01-01", "2031-03-01").as_of == date(2031, 3, 1)


@pytest.mark.full_scale
def test_kinds_are_those_of_the_publisher():
    with shared("WMRODZ_2026-07-22.csv").open(encoding="utf-8-sig", newline="") as table:
        assert {
            row["RM"]: row["NAZWA_RM"] for row in csv.DictReader(table, delimiter=";") if row["RM"]
        } == teryt.PLACE_KINDS


@pytest.mark.full_scale
@pytest.mark.slow
def test_register_of_2020():
    extract = teryt.parse_places(shared("SIMC_Urzedowy_2020-09-26.zip"))
    assert len(extract.rows) == 102_913
    assert sum(place.main for place in extract.rows) == 53_452
    assert sum(place.kind == "miasto" for place in extract.rows) == 944
    assert extract.as_of == date(2020, 1, 1)
