"""The format of a file is told by its content; whatever happens to a file, a parser reads it or raises BadInput."""

import json
import re
from functools import partial
from pathlib import Path

from catalog.importers.parsers import boundaries, files
from catalog.importers.sources import formats, gugik, identify, recognise
from tests.catalog.importers.parsers import helpers
from tests.catalog.importers.parsers.helpers import (
    DATA,
    assert_refused,
    format_of,
    overwritten,
    refusals,
    sniff,
    text,
    write,
    zipped,
)
from tests.catalog.importers.parsers.test_boundaries import AREAS, packed_parts, shapefile_parts
from tests.catalog.importers.parsers.test_postcodes_and_places import UNITS

SLICES = {
    "terc.csv": "terc",
    "terc.xml": "terc",
    "simc.csv": "simc",
    "simc.xml": "simc",
    "polskie-miejscowosci.json": "places_json",
    "PL.txt": "geonames",
    "prg_postcodes.csv": "prg_postcodes",
    "gminy.geojson": "boundaries_geojson",
    "overpass.json": "overpass",
}

PARSE = {form.name: form.parse for _, form in formats()}
PARSE["places_json"] = lambda path: gugik.parse_places(path, UNITS)  # reads the units of the database otherwise
PARSERS = {name: PARSE[form] for name, form in SLICES.items()}


def test_content_decides_under_any_name_and_is_read_in_a_zip_as_by_itself(tmp_path):
    for name, form in SLICES.items():
        content = (DATA / name).read_bytes()
        path = write(tmp_path / "data.bin", content)
        assert sniff(path) == format_of(path, recognise) == form, name
        packed = zipped(tmp_path / "download", {"readme.txt": b"read me", "notes.pdf": b"%PDF", name: content})
        assert sniff(packed) == form, name
        assert PARSERS[name](packed) == PARSERS[name](DATA / name)
    assert sniff(write(tmp_path / "TERC_2031.csv", text("simc.csv"))) == "simc"


def test_shapefile_in_a_folder(tmp_path):
    for suffix, content in shapefile_parts(AREAS).items():
        write(tmp_path / f"gminy{suffix}", content)
    expected = {"gminy.shp": "boundaries", "gminy.shx": None, "gminy.dbf": None}
    assert {path.name: sniff(path) for path in tmp_path.glob("gminy*")} == expected
    # A layer of other units is not taken for municipalities.
    parts = shapefile_parts({"12": next(iter(AREAS.values()))})
    assert sniff(packed_parts(tmp_path, parts, "A01_Granice_wojewodztw")) is None


def test_geojson_with_its_areas_before_its_codes(tmp_path):
    ring = [[19 + i / 100_000, 50.0] for i in range(6000)] + [[19.0, 50.1], [19.0, 50.0]]
    feature = {"geometry": {"type": "Polygon", "coordinates": [ring]}, "properties": {"JPT_KOD_JE": "1206912"}}
    document = {"type": "FeatureCollection", "features": [{"type": "Feature"} | feature]}
    assert sniff(write(tmp_path / "a.json", json.dumps(document))) == "boundaries_geojson"


def test_unknown_content_has_no_format(tmp_path):
    collection = '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": %s, "geometry": %s}]}'
    for content in (
        *("RM;NAZWA_RM;STAN_NA\n01;wieś;2031-01-01\n", "a,b,c\n1,2,3\n", "zwykły tekst", "{}", "[]", "{"),
        '{"results": [], "totalRecords": 0}',
        collection % ('{"teryt": "1206912"}', '{"type": "Point", "coordinates": [19, 50]}'),
        collection % ("{}", '{"type": "Polygon", "coordinates": []}'),
        *("<html><body>Not found</body></html>", "<osm><node/></osm>", "PL\t98-701\tPróbka\n"),
        *(b"\xff\xfe\x00\x01", b"\x00\x00\x27\x0a", b"PK\x03\x04 not a zip"),
    ):
        path = write(tmp_path / "data.bin", content)
        assert sniff(path) is None, content
        assert format_of(path, recognise) is None
    assert format_of(write(tmp_path / "holiday.zip", b"PK\x03\x04"), recognise) is None


def test_what_is_no_file_with_content_has_no_format(tmp_path):
    (tmp_path / "folder").mkdir()
    write(tmp_path / "empty", b"")
    for name in ("absent", "folder", "empty"):
        assert sniff(tmp_path / name) is None
        assert_refused(r"does not exist|is a directory|is empty", identify, tmp_path / name)


def test_rubbish_never_raises(tmp_path):
    for seed in range(40):
        dice = helpers.chance(seed)
        start = dice.choice([b"PK\x03\x04", b"{", b"[", b"<", b"\x00\x00\x27\x0a", b"\xef\xbb\xbf", b""])
        assert sniff(write(tmp_path / "a", start + dice.randbytes(300))) is None, seed


def test_a_damaged_zip_with_a_known_name(tmp_path):
    whole = zipped(tmp_path / "whole", {"a.csv": helpers.chance(1).randbytes(5000)}).read_bytes()
    for name, form in (
        ("TERC_Urzedowy_2031-01-01.zip", "terc"),
        ("SIMC_Urzedowy_2031-01-01.zip", "simc"),
        ("PL.zip", "geonames"),
        ("00_jednostki_administracyjne.zip", "boundaries"),
        ("prg_postcodes.zip", "prg_postcodes"),
    ):
        path = write(tmp_path / name, whole[:2500])
        assert sniff(path) is None, name
        message = f"{name}: is named like {form.upper()} but the zip archive is damaged"
        assert_refused(message, recognise, path)
    bomb = zipped(tmp_path / "TERC_a.zip", {"TERC.csv": bytes(files.SMALL_BYTES + 1)})
    assert_refused("zip bomb", recognise, bomb)


def test_broken_file_with_a_known_name(tmp_path):
    for name, content, reason in (
        ("TERC_Urzedowy_2031-01-01.csv", b"", "is empty"),
        ("simc.xml", "<html>", "its content is something else"),
        ("PL.txt", "98-701;Próbka\n", "its content is something else"),
        ("depots.overpass.json", "<html>Too many requests</html>", "its content is something else"),
        ("gminy.geojson", "{", "its content is something else"),
        ("A03_Granice_gmin.shp", b"\x00\x00\x27\x0a", r"the shapefile has no \.dbf"),
    ):
        assert_refused(f"is named like .* but {reason}", recognise, write(tmp_path / name, content))


def test_little_is_read_of_a_large_file(tmp_path):
    def read_so_far():
        return int(re.search(r"rchar: (\d+)", Path("/proc/self/io").read_text())[1])

    path = write(tmp_path / "a.csv", text("terc.csv") + "x" * 3_000_000)
    before = read_so_far()
    assert sniff(path) == "terc"
    assert read_so_far() - before < 100_000


def test_a_file_that_goes_away_while_it_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "is_zip", lambda path, **limits: False)
    assert_refused("cannot be read: No such file", identify, tmp_path / "gone.csv")


def damaged(content, dice):
    changed = bytearray(content)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(changed))
        match dice.randrange(4):
            case 0:
                changed[at] = dice.randrange(256)
            case 1:
                del changed[at : at + dice.randrange(1, 30)]
            case 2:
                changed[at:at] = changed[at : at + dice.randrange(1, 40)]
            case _:
                changed[at:at] = bytes(dice.choices(b'0123456789{}[]",;<>&\n\t|', k=3))
    return bytes(changed)


def test_a_damaged_slice_raises_nothing_but_bad_input(tmp_path):
    for name, parse in PARSERS.items():
        content = (DATA / name).read_bytes()
        assert refusals(lambda path, parse=parse: (sniff(path), parse(path)), tmp_path / name, content, 60, damaged)


def test_a_damaged_shapefile_raises_nothing_but_bad_input(tmp_path):
    parts = shapefile_parts(AREAS)
    size = len(parts[".shp"])

    def parse(path):
        both = path.read_bytes()
        packed = packed_parts(tmp_path, parts | {".shp": both[:size], ".dbf": both[size:]})
        sniff(packed)
        boundaries.parse_shapefile(packed)

    both = parts[".shp"] + parts[".dbf"]
    assert refusals(parse, tmp_path / "both", both, 60, partial(overwritten, most=6))
