"""Files, values and formats, told by content; whatever happens to a file, a parser reads it or raises BadInput."""

import json
import os
import re
import tracemalloc
import zipfile
from datetime import date
from functools import partial
from pathlib import Path

import pytest

from catalog.importers.parsers import boundaries, files, xml_registers
from catalog.importers.parsers.files import csv_rows, load_json, open_source, text_lines
from catalog.importers.parsers.xml_registers import read_rows
from catalog.importers.records import BadInput, cut, parse_day, parse_degrees, tidy
from catalog.importers.sources import formats, gugik, identify, recognise
from catalog.territory.coordinates import in_poland
from tests.catalog.importers.parsers import helpers
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, format_of, refusals, sniff, write, zipped
from tests.catalog.importers.parsers.test_boundaries import AREAS, packed_parts, shapefile_parts
from tests.catalog.importers.parsers.test_registers import UNITS


def test_days_and_degrees_are_read_and_what_is_none_is_refused():
    assert (parse_day("2031-02-28"), parse_degrees("51.3504"), parse_degrees("-7")) == (date(2031, 2, 28), 51.3504, -7)
    days = "", "2031-2-8", "20310228", "2031-02-29", "28.02.2031", "2031-02-28\n", "٢٠٣١-٠٢-٢٨"
    degrees = "", ".", "1e5", "inf", "nan", "1,5", "+1", "1.", "1" * 30, "١"
    for parse, texts, message in (parse_day, days, "not a day"), (parse_degrees, degrees, "not a number of degrees"):
        for text in texts:
            with pytest.raises(ValueError, match=message):
                parse(text)


def test_box_around_poland():
    assert in_poland(48.8, 13.9)
    assert in_poland(55.1, 24.3)
    outside = (48.79999, 19), (55.10001, 19), (52, 13.89999), (52, 24.30001), (float("nan"), 19), (52, float("inf"))
    assert not any(in_poland(*point) for point in outside)


def test_a_text_is_tidied_and_over_its_limit_cut():
    clean = {"  Skład \t opału\n": "Skład opału", "Sk\x00ład": "Sk ład", "Sk\u200bład\u202e": "Skład"}
    clean |= {"o\u0301": "ó", "a\u00a0b": "a b", "\ue000": ""}
    assert {text: tidy(text) for text in clean} == clean
    short = {("Skład opału", 11): "Skład opału", ("Skład opału", 10): "Skład…"}
    short |= {("Składopału", 5): "Skła…", ("a bcdefghijk", 8): "a bcdef…", ("Skład u J. Nowaka", 14): "Skład u J.…"}
    assert {(text, limit): cut(text, limit) for text, limit in short} == short


def content(path: Path, *suffixes: str, max_bytes: int = files.MAX_BYTES) -> bytes:
    with open_source(path, suffixes, max_bytes=max_bytes) as source:
        return source.stream.read()


def rows(path: Path, columns: str) -> list[tuple[int, dict[str, str]]]:
    with open_source(path, (".csv",)) as source:
        return list(csv_rows(source, columns.split(), delimiter=";"))


def overwritten(content: bytes, changes: dict[int, int]) -> bytes:
    return bytes(changes.get(at, byte) for at, byte in enumerate(content))


def test_a_plain_file_is_read_whatever_its_suffix_and_of_a_zip_the_member_of_the_first_suffix(tmp_path):
    assert content(write(tmp_path / "a.csv", b"abc"), ".txt") == b"abc"
    for members, suffixes in (
        ({"a.xml": b"<a/>", "folder/a.CSV": b"abc"}, (".csv", ".xml")),
        # The publisher's notes and files of a system are none.
        ({"readme.txt": b"x", "__MACOSX/._PL.txt": b"x", ".hidden.txt": b"x", "PL.txt": b"abc"}, (".txt",)),
    ):
        assert content(zipped(tmp_path / "download", members), *suffixes) == b"abc"
    assert len(content(zipped(tmp_path / "a.zip", {"a.csv": bytes(1 << 20)}), ".csv")) == 1 << 20  # tightly packed


def test_what_is_no_file_with_content_and_of_its_size_is_refused_and_a_pipe_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    packed = partial(zipped, tmp_path / "b.zip")
    for path, message, limits in (
        (tmp_path / "absent.csv", r"absent\.csv: does not exist", {}),
        (Path("a\0b"), "cannot be read", {}),  # a name that no file can have
        (tmp_path, "is a directory", {}),
        (tmp_path / "pipe", "not an ordinary file", {}),
        (write(tmp_path / "empty.csv", b""), "is empty", {}),
        (write(tmp_path / "a.zip", b"<html>Not found</html>"), r"a\.zip: is no zip archive", {}),
        (write(tmp_path / "a.csv", b"x" * 11), "has 11 bytes, more than the 10", {"max_bytes": 10}),
    ):
        assert_refused(message, content, path, ".csv", **limits)
    for members, message, limits in (
        ({"a.csv": b"1", "b.csv": b"2"}, r"more than one \.csv file \(a\.csv, b\.csv\)", {}),
        ({"a.pdf": b"1"}, r"holds no \.csv or \.xml file, only a\.pdf", {}),
        ({}, "archive is empty", {}),
        ({"a.csv": b""}, r"b\.zip/a\.csv: is empty", {}),
        ({"a.csv": bytes(files.SMALL_BYTES + 1)}, "zip bomb", {}),
        ({"a.csv": b"x" * 11}, "unpacks to 11 bytes", {"max_bytes": 10}),
    ):
        assert_refused(message, content, packed(members), ".csv", ".xml", **limits)


def test_a_damaged_zip_is_refused_and_a_scrambled_one_raises_nothing_but_bad_input(tmp_path):
    def parse(path):
        assert content(path, ".csv") in (b"abc;def\n" * 30, b"<a/>")

    whole = zipped(tmp_path / "a.zip", {"a.csv": b"abc;def\n" * 30, "b.xml": b"<a/>"}).read_bytes()
    assert refusals(parse, tmp_path / "b.zip", whole, 60, partial(helpers.damaged, most=12))
    whole = zipped(tmp_path / "a.zip", {"a.csv": helpers.chance(1).randbytes(5000)}).read_bytes()
    with zipfile.ZipFile(tmp_path / "plain.zip", "w") as archive:
        archive.writestr("a.csv", b"x" * 100)
    plain = (tmp_path / "plain.zip").read_bytes()
    directory, of_plain = whole.index(b"PK\x01\x02"), plain.index(b"PK\x01\x02")
    for damaged, message in (
        (whole[:3000], "damaged or cut off"),
        (overwritten(whole, {2000: whole[2000] ^ 0xFF}), r"b\.zip/a\.csv: the zip archive is damaged"),
        (overwritten(whole, {directory + 8: whole[directory + 8] | 1}), "is encrypted; unpack it"),
        (overwritten(whole, {directory + 10: 99, 8: 99}), "compression"),
        # A member larger than it states.
        (plain[: of_plain + 20] + (10).to_bytes(4, "little") * 2 + plain[of_plain + 28 :], "damaged"),
    ):
        assert_refused(message, content, write(tmp_path / "b.zip", damaged), ".csv")


def test_a_table_is_read_however_written(tmp_path):
    for table, expected in (
        (b"\xef\xbb\xbfA;B\r\n1;\xc5\x82\r\n", [(2, {"A": "1", "B": "ł"})]),  # byte order mark and CRLF
        ("A;B\n\n1;2\n;\n\n", [(3, {"A": "1", "B": "2"})]),  # blank lines count
        ("X;B;A\n1;2;3\n", [(2, {"X": "1", "B": "2", "A": "3"})]),  # another order, another column
    ):
        assert rows(write(tmp_path / "a.csv", table), "A B") == expected


def test_a_defect_of_a_table_is_told_with_its_row(tmp_path):
    for table, message in (
        ("A;C\n1;2\n", r"a\.csv, row 1: the header lacks B; expected A, B, found A, C"),
        ("A;B;A\n1;2;3\n", "has A more than once"),
        ("\n\n", "has no header; expected the columns A, B"),
        ("A;B\n1;2\n3", r"a\.csv, row 3: has 1 columns, expected 2; is the file cut off"),
        ("A;B\n1;\0\n", "row 2: contains a NUL"),
        (f"A;B\n1;{'x' * 200_000}\n", "row 2: is not readable as a table"),
        (b"A;B\n1;2\n3;\xb3\n", "row 3: is not UTF-8"),
    ):
        assert_refused(message, rows, write(tmp_path / "a.csv", table), "A B")


def test_a_line_over_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 10)
    with open_source(write(tmp_path / "a.csv", b"x" * 11), ()) as source:
        assert_refused("row 1: the line is longer than 10", list, text_lines(source))


def test_json_may_begin_with_a_byte_order_mark_and_come_in_a_zip_but_not_be_cut_off(tmp_path):
    assert load_json(write(tmp_path / "a.json", b'\xef\xbb\xbf{"a": 1}')) == {"a": 1}
    assert load_json(zipped(tmp_path / "a.zip", {"a.json": b"[1]"})) == [1]
    for broken in (b'{"a": [1, 2', b"<html>", b'{"a": NaN}', b"[" * 100_000, b"\xff"):
        assert_refused("not complete JSON", load_json, write(tmp_path / "a.json", broken))


def test_message_is_one_line_whatever_the_source_says():
    assert str(BadInput("a.csv", "found A\r\nB\x1b[31m\u202e", row=2)) == "a.csv, row 2: found A B [31m"
    assert str(BadInput("a\nb.csv", "is empty")) == "a b.csv: is empty"


def xml_rows(path, content, columns=("A", "B")):
    with open_source(write(path / "a.xml", content), ()) as source:
        return list(read_rows(source, columns))


def test_rows_of_xml_are_read_with_numbers_and_in_the_encoding_that_the_document_declares(tmp_path):
    found = xml_rows(tmp_path, "<t><row><A> ł&amp;1 </A><B /></row><x>5</x><row><A>2</A><B>3</B></row></t>")
    assert found == [(1, {"A": "ł&1", "B": ""}), (2, {"A": "2", "B": "3"})]
    assert xml_rows(tmp_path, b"\xef\xbb\xbf<t><row><A>1</A><B>2</B></row></t>") == [(1, {"A": "1", "B": "2"})]
    document = '<?xml version="1.0" encoding="windows-1250"?><t><row><A>żółć</A><B/></row></t>'
    assert xml_rows(tmp_path, document.encode("cp1250")) == [(1, {"A": "żółć", "B": ""})]


ENTITIES = '<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'


def test_defects_of_xml_are_refused(tmp_path):
    for document, message in (
        ('<?xml version="1.0" encoding="no-such-thing"?><t><row><A/><B/></row></t>', "not complete XML"),
        ('<?xml version="1.0" encoding="big5"?><t><row><A/><B/></row></t>', "not complete XML"),
        (f"{ENTITIES}<t><row><A>&b;</A><B/></row></t>", "DOCTYPE"),
        ('<!DOCTYPE t SYSTEM "http://example.org/t.dtd"><t><row><A/><B/></row></t>', "DOCTYPE"),
        ("<t><row><A>&b;</A><B/></row></t>", "not complete XML"),
        ("<t><row><A>1</A><B>2</B></row><row><A>", "not complete XML, is it cut off"),
        ("<t><row><A/><B/></row><row><A/></row></t>", r"a\.xml, row 2: lacks B; expected A, B"),
        ("<t><row><A>1</A><A>2</A><B/></row></t>", "row 1: has a field twice"),
        ("<t><row><A>1<C/></A><B/></row></t>", "row 1: has a field twice, or elements within a field"),
        (f"<!--{' ' * (xml_registers.CHUNK_BYTES - 12)}-->{ENTITIES}<t><row><A>&b;</A><B/></row></t>", "DOCTYPE"),
    ):
        assert_refused(message, xml_rows, tmp_path, document)


def test_memory_does_not_grow_with_the_xml_document(tmp_path):
    row = f"<row><A>{'a' * 200}</A><B>{'b' * 200}</B></row>"
    path = write(tmp_path / "a.xml", f"<t>{row * 10_000}<x>{'<y>z</y>' * 500_000}</x></t>")
    with open_source(path, ()) as source:
        tracemalloc.start()
        count = sum(1 for _ in read_rows(source, ("A", "B")))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert count == 10_000
    assert peak < path.stat().st_size / 4


SLICES = {"terc.csv": "terc", "terc.xml": "terc", "simc.csv": "simc", "simc.xml": "simc", "PL.txt": "geonames"}
SLICES |= {"polskie-miejscowosci.json": "places_json", "prg_postcodes.csv": "prg_postcodes"}
SLICES |= {"gminy.geojson": "boundaries_geojson", "overpass.json": "overpass"}

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
    assert sniff(write(tmp_path / "TERC_2031.csv", helpers.text("simc.csv"))) == "simc"


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


def test_what_is_no_file_with_content_has_no_format(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    write(tmp_path / "empty", b"")
    for name in ("absent", "folder", "empty"):
        assert_refused(r"does not exist|is a directory|is empty", identify, tmp_path / name)
    monkeypatch.setattr(files, "is_zip", lambda path, **limits: False)  # and goes away afterwards
    assert_refused("cannot be read: No such file", identify, tmp_path / "gone.csv")


def test_rubbish_never_raises(tmp_path):
    for seed in range(40):
        dice = helpers.chance(seed)
        start = dice.choice([b"PK\x03\x04", b"{", b"[", b"<", b"\x00\x00\x27\x0a", b"\xef\xbb\xbf", b""])
        assert sniff(write(tmp_path / "a", start + dice.randbytes(300))) is None, seed


def test_a_broken_file_with_a_known_name_is_told_with_what_it_should_be(tmp_path):
    cut_off = zipped(tmp_path / "whole", {"a.csv": helpers.chance(1).randbytes(5000)}).read_bytes()[:2500]
    bomb = zipped(tmp_path / "bomb", {"TERC.csv": bytes(files.SMALL_BYTES + 1)}).read_bytes()
    damaged, other = "the zip archive is damaged", "its content is something else"
    for name, form, content, reason in (
        ("TERC_Urzedowy_2031-01-01.zip", "terc", cut_off, damaged),
        ("TERC_Urzedowy_2031-01-01.zip", "terc", bomb, ".*zip bomb"),
        ("SIMC_Urzedowy_2031-01-01.zip", "simc", cut_off, damaged),
        ("PL.zip", "geonames", cut_off, damaged),
        ("00_jednostki_administracyjne.zip", "boundaries", cut_off, damaged),
        ("prg_postcodes.zip", "prg_postcodes", cut_off, damaged),
        ("TERC_Urzedowy_2031-01-01.csv", "terc", b"", "is empty"),
        ("simc.xml", "simc", "<html>", other),
        ("PL.txt", "geonames", "98-701;Próbka\n", other),
        ("depots.overpass.json", "overpass", "<html>Too many requests</html>", other),
        ("gminy.geojson", "boundaries_geojson", "{", other),
        ("A03_Granice_gmin.shp", "boundaries", b"\x00\x00\x27\x0a", r"the shapefile has no \.dbf"),
    ):
        path = write(tmp_path / name, content)
        assert sniff(path) is None, name
        assert_refused(f"{name}: is named like {form.upper()} but {reason}", recognise, path)


def test_little_is_read_of_a_large_file(tmp_path):
    def read_so_far():
        return int(re.search(r"rchar: (\d+)", Path("/proc/self/io").read_text())[1])

    path = write(tmp_path / "a.csv", helpers.text("terc.csv") + "x" * 3_000_000)
    before = read_so_far()
    assert sniff(path) == "terc"
    assert read_so_far() - before < 100_000


def test_a_damaged_slice_raises_nothing_but_bad_input(tmp_path):
    for name, parse in PARSERS.items():
        content = (DATA / name).read_bytes()
        assert refusals(lambda path, parse=parse: (sniff(path), parse(path)), tmp_path / name, content, 60)


def test_a_damaged_shapefile_raises_nothing_but_bad_input(tmp_path):
    parts = shapefile_parts(AREAS)
    size = len(parts[".shp"])

    def parse(path):
        both = path.read_bytes()
        packed = packed_parts(tmp_path, parts | {".shp": both[:size], ".dbf": both[size:]})
        sniff(packed)
        boundaries.parse_shapefile(packed)

    both = parts[".shp"] + parts[".dbf"]
    assert refusals(parse, tmp_path / "both", both, 60, partial(helpers.damaged, most=6))
