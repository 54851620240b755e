import os
import tracemalloc
import zipfile
from functools import partial
from pathlib import Path

import pytest

from catalog.importers.parsers import files
from catalog.importers.parsers.files import csv_rows, load_json, open_source, text_lines
from catalog.importers.parsers.xml_registers import RowReader
from catalog.importers.records import BadInput
from tests.catalog.importers.parsers import helpers
from tests.catalog.importers.parsers.helpers import assert_refused, chance, refusals, write, zipped


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


def test_a_zip_of_other_members_is_refused(tmp_path):
    for members, message in (
        ({"a.csv": b"1", "b.csv": b"2"}, r"more than one \.csv file \(a\.csv, b\.csv\)"),
        ({"a.pdf": b"1"}, r"holds no \.csv or \.xml file, only a\.pdf"),
        ({}, "archive is empty"),
        ({"a.csv": b""}, r"a\.zip/a\.csv: is empty"),
        ({"a.csv": bytes(files.SMALL_BYTES + 1)}, "zip bomb"),
    ):
        assert_refused(message, content, zipped(tmp_path / "a.zip", members), ".csv", ".xml")


def test_what_is_no_file_with_content_is_refused_and_a_pipe_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path / "absent.csv", r"absent\.csv: does not exist"),
        (Path("a\0b"), "cannot be read"),  # a name that no file can have
        (tmp_path, "is a directory"),
        (tmp_path / "pipe", "not an ordinary file"),
        (write(tmp_path / "a.csv", b""), "is empty"),
        (write(tmp_path / "a.zip", b"<html>Not found</html>"), "named zip but is not a zip"),
    ):
        assert_refused(message, content, path, ".csv")


def test_a_file_or_a_member_over_the_limit_is_refused(tmp_path):
    read = partial(content, max_bytes=10)
    assert_refused("has 11 bytes, more than the 10", read, write(tmp_path / "a.csv", b"x" * 11))
    assert_refused("unpacks to 11 bytes", read, zipped(tmp_path / "a.zip", {"a.csv": b"x" * 11}), ".csv")


def test_scrambled_zip_raises_nothing_but_bad_input(tmp_path):
    def parse(path):
        assert content(path, ".csv") in (b"abc;def\n" * 30, b"<a/>")

    whole = zipped(tmp_path / "a.zip", {"a.csv": b"abc;def\n" * 30, "b.xml": b"<a/>"}).read_bytes()
    assert refusals(parse, tmp_path / "b.zip", whole, 60, partial(helpers.overwritten, most=12))


def test_a_damaged_zip_is_refused(tmp_path):
    whole = zipped(tmp_path / "a.zip", {"a.csv": chance(1).randbytes(5000)}).read_bytes()
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
    with (
        open_source(write(tmp_path / "a.csv", b"x" * 11), ()) as source,
        pytest.raises(BadInput, match="row 1: the line is longer than 10"),
    ):
        list(text_lines(source))


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
        return list(RowReader(source, columns).read())


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
        ("<t><row><A>1</A><A>2</A><B/></row></t>", "row 1: has <A> twice"),
        ("<t><row><A>1<C/></A><B/></row></t>", "<C> does not belong inside a field"),
        ("<t><row><A/><row/></row></t>", "<row> does not belong"),
        (f"<t><row><A>{'x' * 10_001}</A><B/></row></t>", "<A> is longer than 10000"),
    ):
        assert_refused(message, xml_rows, tmp_path, document)


def test_memory_does_not_grow_with_the_xml_document(tmp_path):
    row = f"<row><A>{'a' * 200}</A><B>{'b' * 200}</B></row>"
    path = write(tmp_path / "a.xml", f"<t>{row * 10_000}</t>")
    with open_source(path, ()) as source:
        tracemalloc.start()
        count = sum(1 for _ in RowReader(source, ("A", "B")).read())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert count == 10_000
    assert peak < path.stat().st_size / 4
