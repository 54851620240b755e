import pytest

from catalog.importers.records import PostcodeRecord
from catalog.importers.sources import geonames
from tests.catalog.importers.parsers.helpers import DATA, assert_refused, shared, text, write

ROW = "PL\t98-701\tPróbka\tLesser Poland\t77\tPowiat\t1206\tPróba\t120692\t50.1\t19.8\t4\n"
NO_NUMBER = r"PL\.txt, row 2: .* is not a number of degrees"


def parse_rows(path, *rows):
    return geonames.parse(write(path / "PL.txt", "".join(rows)))


def test_rows_of_one_code_are_merged():
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


def test_impossible_row_is_rejected(tmp_path):
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


def test_a_table_of_another_form_is_refused(tmp_path):
    for rows, message in (
        *(((ROW, ROW.replace("50.1", number)), NO_NUMBER) for number in ("", "5e1", "nan", "50,1", "٥٠.1")),
        ((ROW, ROW[:15]), "row 2: has 3 columns between tabs, expected 12; is the file cut off"),
        ((text("prg_postcodes.csv"),), "row 1: has 1 columns between tabs"),
        ((ROW.replace("PL\t", "CZ\t"),), "has no usable row of PL"),
    ):
        assert_refused(message, parse_rows, tmp_path, *rows)


@pytest.mark.full_scale
@pytest.mark.slow
def test_the_whole_country_is_read():
    extract = geonames.parse(shared("PL.zip"))
    assert (len(extract.rows), extract.rejected) == (20_299, ())
    assert sum(count for row in extract.rows for _, count in row.municipalities) == 72_898
    # The one row without a municipality shares its code with others.
    assert all(row.municipalities for row in extract.rows)
