"""Address points of the register in both layouts: what comes out, what is left out, what is refused."""

import subprocess
import sys
from datetime import date

import pytest

from catalog.importers.parsers import prg_addresses
from catalog.importers.sources import recognise
from tests import ROOT
from tests.catalog.importers.parsers.generate_addresses import area, document, generate, point
from tests.catalog.importers.parsers.helpers import assert_refused, format_of, refusals, shared, write, zipped

MODELS = (2012, 2021)
NORTH, EAST = 456_005.14, 287_772.37

pytestmark = pytest.mark.parametrize("model", MODELS)


def points(model, count=3, **changes):
    """Addresses a metre apart, at 51.92977, 15.91212 and northwards."""
    values = {"north": NORTH, "east": EAST} | changes
    return [point(model, f"id-{n}", **values | {"north": values["north"] + n}) for n in range(count)]


def file(tmp_path, model, *parts, name="a.xml"):
    return write(tmp_path / name, document(model, *parts, area(model)))


def notes(extract):
    return {note.reason.partition(", for example")[0]: note.key for note in extract.rejected}


def test_a_postcode_with_its_municipality_and_places(tmp_path, model):
    extract = prg_addresses.parse(file(tmp_path, model, *points(model)))
    (record,) = extract.rows
    assert (record.code, record.municipalities, record.places) == ("67-416", (("0804032", 3),), ("Konotop",))
    assert (record.lat, record.lon, record.source) == (51.92978, 15.91212, "points")
    assert (extract.as_of, extract.rejected) == (date(2025, 11, 6), ())


def test_the_official_sample(model):
    name, *expected = {
        2012: ("2012.xml", ("67-416", (("0804032", 2),), ("Konotop",), 51.92987, 15.91196)),
        2021: (
            "2021.gml",
            ("69-110", (("0805043", 1),), ("Rzepin",), 52.34342, 14.8391),
            ("69-200", (("0807043", 1),), ("Żubrów",), 52.48081, 15.1498),
            ("69-210", (("0807023", 1),), ("Lubniewice",), 52.51279, 15.24431),
        ),
    }[model]
    rows = prg_addresses.parse(shared(f"samples/prg_addresses_model{name}")).rows
    assert [(row.code, row.municipalities, row.places, row.lat, row.lon) for row in rows] == expected


def test_municipalities_and_places_come_with_most_addresses_first(tmp_path, model):
    parts = [
        *points(model, 2),
        *(point(model, f"b{n}", north=NORTH, east=EAST, unit="0804042", locality="2", place="Wieś") for n in range(3)),
        area(model, unit="0804042", locality="2", place="Wieś"),
    ]
    (record,) = prg_addresses.parse(file(tmp_path, model, *parts)).rows
    assert (record.municipalities, record.places) == ((("0804042", 3), ("0804032", 2)), ("Wieś", "Konotop"))


def test_what_addresses_refer_to_may_stand_before_or_after_them(tmp_path, model):
    for first in (True, False):
        parts = [area(model), *points(model)] if first else [*points(model), area(model)]
        path = write(tmp_path / "a.xml", document(model, *parts))
        assert prg_addresses.parse(path).rows[0].municipalities == (("0804032", 3),), first


def test_neither_an_outlier_nor_a_smaller_part_moves_the_centre(tmp_path, model):
    stray = point(model, "stray", north=NORTH + 60_000, east=EAST + 20_000)
    smaller = [point(model, f"s{n}", north=NORTH + 12_000, east=EAST) for n in range(9)]
    for count, apart in ((20, [stray]), (11, smaller)):
        village = points(model, count)
        (whole,) = prg_addresses.parse(file(tmp_path, model, *village)).rows
        (record,) = prg_addresses.parse(file(tmp_path, model, *village, *apart)).rows
        assert (record.lat, record.lon) == (whole.lat, whole.lon)
        assert record.municipalities == (("0804032", count + len(apart)),)


def test_addresses_that_cannot_be_used_are_counted(tmp_path, model):
    for changes, reason in (
        ({"postcode": ""}, "without a postcode"),
        ({"postcode": "00-000"}, "without a postcode"),
        ({"postcode": "6741"}, "with something else than a postcode"),
        ({"ended": "<koniecWersjiObiektu>2020-01-01T00:00:00Z</koniecWersjiObiektu>"}, "not standing any more"),
        ({"north": "", "east": ""}, "without a position"),
    ):
        odd = [point(model, f"odd-{n}", **{"north": NORTH, "east": EAST} | changes) for n in range(2)]
        extract = prg_addresses.parse(file(tmp_path, model, *points(model), *odd))
        assert extract.rows[0].municipalities == (("0804032", 3),), changes
        ((found, key),) = notes(extract).items()
        assert (found.startswith(reason), key) == (True, "2 addresses")


def test_a_forgotten_version_and_a_position_outside_its_voivodeship_are_reported(tmp_path, model):
    for number, east, reason in (
        ("id-7", EAST, "there twice, and counted twice"),
        ("stray", EAST + 400_000, "with a position outside their voivodeship, which is left out"),
    ):
        odd = point(model, number, north=NORTH, east=east)
        extract = prg_addresses.parse(file(tmp_path, model, *points(model, 150), odd))
        assert notes(extract) == {reason: "1 addresses"}
    (whole,) = prg_addresses.parse(file(tmp_path, model, *points(model, 150))).rows
    assert (extract.rows[0].lat, extract.rows[0].lon) == (whole.lat, whole.lon)


def test_a_planned_building_is_no_address_yet(tmp_path, model):
    planned = [point(model, f"p{n}", north=NORTH, east=EAST, status="prognozowany") for n in range(2)]
    extract = prg_addresses.parse(file(tmp_path, model, *points(model), *planned))
    # The layout of 2021 has no such field: its register holds what stands.
    assert extract.rows[0].municipalities == (("0804032", 3 if model == 2012 else 5),)


def test_the_official_system_is_meant_without_other_word(tmp_path, model):
    for system in ("", "EPSG:2180", "urn:ogc:def:crs:EPSG::2180", "http://www.opengis.net/def/crs/EPSG/0/2180"):
        (record,) = prg_addresses.parse(file(tmp_path, model, *points(model, system=system))).rows
        assert (record.lat, record.lon) == (51.92978, 15.91212), system


def test_positions_that_are_none_or_of_another_system_are_refused(tmp_path, model):
    for position in ("north", "1e5", "-5", "NaN", ""):
        broken = point(model, "x", north=NORTH, east=EAST).replace(str(NORTH), position)
        path = file(tmp_path, model, *points(model, 3, east=EAST + 1), broken)
        assert_refused(r"row 4: the position is .* expected two numbers of metres", prg_addresses.parse, path)
    for system in ("EPSG:4326", "EPSG:2178", "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:21800", "Borowa Góra"):
        path = file(tmp_path, model, *points(model, system=system))
        assert_refused(r"row 1: the reference system is .* expected EPSG:2180", prg_addresses.parse, path)


def test_what_no_register_holds_is_refused(tmp_path, model):
    path, lonely = file(tmp_path, model, *points(model)), write(tmp_path / "b.xml", document(model, *points(model)))
    for given, message in (
        ([path, path], "3 of 6 addresses are there twice; was a file given twice"),
        ([lonely], "3 of 3 addresses are without their municipality in the file"),
        ([zipped(tmp_path / "a.zip", {"02.zip": b"PK", "a.xml": b"<a/>"})], r"holds the zip 02\.zip; unpack it"),
        ([path, zipped(tmp_path / "c.zip", {"a.txt": path.read_bytes()})], r"holds no \.xml or \.gml file"),
    ):
        assert_refused(message, prg_addresses.parse, *given)
    for changes, message in (
        ({"north": EAST, "east": NORTH}, r"3 of 3 positions lie outside the voivodeship .* are the axes swapped"),
        ({"north": 5_750_000, "east": 5_500_000}, "3 of 3 positions lie outside"),  # another zone than stated
        ({"version": "2025-13-45"}, "the version of id-0: "),
        ({"postcode": ""}, "has no usable address"),
    ):
        assert_refused(message, prg_addresses.parse, file(tmp_path, model, *points(model, **changes)))


def test_both_models_in_one_file_are_refused(tmp_path, model):
    other = next(m for m in MODELS if m != model)
    namespaces = {2012: "urn:gugik:specyfikacje:gmlas:panstwowyRejestrGranicAdresy:1.0", 2021: "https://prgad"}
    prefix = {2012: "prg-ad", 2021: "prgad"}[other]
    foreign = point(other, "x", north=NORTH, east=EAST)
    both = f'<mixed xmlns:{prefix}="{namespaces[other]}" xmlns:bt="urn:bt" xmlns:xsi="urn:xsi">{foreign}</mixed>'
    path = file(tmp_path, model, *points(model), both)
    assert_refused("holds the other of the two models", prg_addresses.parse, path)


def test_many_files_in_a_zip_and_several_files(tmp_path, model):
    one = document(model, *points(model), area(model)).encode()
    two = document(model, point(model, "z", north=NORTH, east=EAST, postcode="67-417"), area(model)).encode()
    packed = zipped(tmp_path / "a.zip", {"08/a.xml": one, "08/b.gml": two, "readme.txt": b"hello", "a.xsd": b"<x/>"})
    apart = [write(tmp_path / "a.xml", one), write(tmp_path / "b.gml", two)]
    assert prg_addresses.parse(packed) == prg_addresses.parse(*apart)
    assert [row.code for row in prg_addresses.parse(packed).rows] == ["67-416", "67-417"]
    wrong = zipped(tmp_path / "a.zip", {"a.xml": one, "b.xml": b"<teryt><row/></teryt>", "c.xml": one})
    assert_refused(r"a\.zip/b\.xml: has no address of the PRG", prg_addresses.parse, wrong)


def test_a_file_that_is_cut_off_is_refused(tmp_path, model):
    for share in (0.0, 0.1, 0.5, 0.99):
        whole = file(tmp_path, model, *points(model)).read_bytes()
        packed = zipped(tmp_path / "b.zip", {"a.xml": whole}).read_bytes()
        for name, content in (("c.xml", whole), ("c.zip", packed)):
            path = write(tmp_path / name, content[: int(len(content) * share)])
            assert_refused(r"empty|cut off|damaged|not a zip", prg_addresses.parse, path)


def test_letters_are_read_in_the_encoding_that_is_declared(tmp_path, model):
    text = document(model, *points(model, place="Żubrów"), area(model, place="Żubrów"))
    assert_refused("is not complete XML", prg_addresses.parse, write(tmp_path / "a.xml", text.encode("cp1250")))
    declared = text.replace("utf-8", "windows-1250").replace("UTF-8", "windows-1250")
    (record,) = prg_addresses.parse(write(tmp_path / "b.xml", declared.encode("cp1250"))).rows
    assert record.places == ("Żubrów",)


def test_a_document_type_is_refused(tmp_path, model):
    bomb = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    text = document(model, *points(model), area(model)).replace("?>\n", f"?>\n{bomb}\n", 1)
    assert_refused("document type", prg_addresses.parse, write(tmp_path / "a.xml", text))


def test_damage_is_one_line(tmp_path, model):
    whole = file(tmp_path, model, *points(model)).read_bytes()
    assert 8 < len(refusals(prg_addresses.parse, tmp_path / "b.xml", whole, 60)) < 60


def test_it_is_recognised(tmp_path, model):
    plain = file(tmp_path, model, *points(model), name="08.gml")
    assert format_of(plain) == "prg_addresses"
    assert format_of(zipped(tmp_path / "08.zip", {"a/08.xml": plain.read_bytes()})) == "prg_addresses"
    assert_refused("is named like PRG_ADDRESSES", recognise, write(tmp_path / "PRG-punkty_adresowe.xml", "<html/>"))


# VmHWM, since the peak that getrusage tells begins with that of the parent.
MEASURE = r"""
import re, sys
from pathlib import Path
from catalog.importers.parsers import prg_addresses
peak = lambda: int(re.search(r"VmHWM:\s*([0-9]+)", Path("/proc/self/status").read_text())[1])
before = peak()
rows = prg_addresses.parse(Path(sys.argv[1])).rows
print(sum(count for row in rows for _, count in row.municipalities), peak() - before)
"""


@pytest.mark.slow
def test_a_large_file_takes_little_memory(tmp_path, model):
    path = tmp_path / "large.xml"
    generate(path, model, 24_000_000)
    printed = subprocess.run([sys.executable, "-c", MEASURE, str(path)], cwd=ROOT, capture_output=True, check=True)
    addresses, grown_kib = map(int, printed.stdout.split())
    assert addresses > 10_000
    assert grown_kib < 14 * 1024  # much less than the file


def test_a_place_whose_name_is_too_long_is_not_named_and_unknown_elements_do_no_harm(tmp_path, model):
    long, unknown = "W" * 200, "".join(f"<x{number}/>" for number in range(1100))
    for parts, places in (
        ((*points(model, place=long), area(model, place=long)), ()),
        ((*points(model, place=long[:120]), area(model, place=long[:120])), (long[:120],)),
        ((unknown, *points(model), area(model)), ("Konotop",)),
    ):
        (record,) = prg_addresses.parse(write(tmp_path / "a.xml", document(model, *parts))).rows
        assert (record.places, record.municipalities) == (places, (("0804032", 3),))
