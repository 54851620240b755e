import pytest

from catalog.importers.records import PostcodeRecord
from catalog.importers.sources import gugik
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, shared, text, write


def changed(path, old, new):
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
    _, row, _ = changed(tmp_path, "1206912:,", "1206923:|1206912:,").rows
    assert row.municipalities == (("1206923", 0), ("1206912", 0))
    extract = changed(tmp_path, "50.3,19.5", "19.5,50.3")
    assert ([note.key for note in extract.rejected], len(extract.rows)) == (["98-702"], 2)


def test_a_wrong_value_is_refused(tmp_path):
    for old, new, reason in (
        ("addresses", "adresy", "row 1: the header lacks addresses"),
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
        ("50.31,19.51,1,prg-2023", "50.31", "row 4: has 4 columns, expected 7; is the file cut off"),
    ):
        assert_refused(reason, changed, tmp_path, old, new)
    header = write(tmp_path / "a.csv", text("prg_postcodes.csv").split("\n")[0])
    assert_refused("has no usable postcode", gugik.parse_postcodes, header)


@pytest.mark.full_scale
def test_the_whole_country_is_read():
    extract = gugik.parse_postcodes(shared("prg_postcodes.csv"))
    assert len(extract.rows) == 20_334
    assert [sum(row.source == name for row in extract.rows) for name in ("prg", "filled")] == [18_722, 1_612]
    assert extract.rejected == ()
