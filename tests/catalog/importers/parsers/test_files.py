import contextlib
import os
import zipfile
from pathlib import Path

import pytest

from catalog.importers.parsers import files
from catalog.importers.parsers.files import csv_rows, load_json, open_source, text_lines
from catalog.importers.records import BadInput
from tests.catalog.importers.parsers.helpers import chance, write, zipped


def content(path: Path, *suffixes: str) -> bytes:
    with open_source(path, suffixes) as source:
        return source.stream.read()


def rows(path: Path, columns: str) -> list[tuple[int, dict[str, str]]]:
    with open_source(path, (".csv",)) as source:
        return list(csv_rows(source, columns.split(), delimiter=";"))


def test_a_plain_file_is_read_whatever_its_suffix(tmp_path):
    assert content(write(tmp_path / "a.csv", b"abc"), ".txt") == b"abc"


def test_of_a_zip_the_member_of_the_first_suffix_is_read(tmp_path):
    assert content(zipped(tmp_path / "a.zip", {"a.xml": b"<a/>", "folder/a.CSV": b"abc"}), ".csv", ".xml") == b"abc"


def test_zip_is_recognised_without_its_suffix(tmp_path):
    assert content(zipped(tmp_path / "download", {"a.csv": b"abc"}), ".csv") == b"abc"


def test_read_me_and_system_files_are_no_members(tmp_path):
    members = {"readme.txt": b"x", "__MACOSX/._PL.txt": b"x", ".hidden.txt": b"x", "PL.txt": b"abc"}
    assert content(zipped(tmp_path / "a.zip", members), ".txt") == b"abc"


def test_a_zip_of_other_members_is_refused(tmp_path):
    for members, message in (
        ({"a.csv": b"1", "b.csv": b"2"}, r"more than one \.csv file \(a\.csv, b\.csv\)"),
        ({"a.pdf": b"1"}, r"holds no \.csv or \.xml file, only a\.pdf"),
        ({}, "archive is empty"),
        ({"a.csv": b""}, r"a\.zip/a\.csv: is empty"),
        ({"a.csv": bytes(files.SMALL_BYTES + 1)}, "zip bomb"),
    ):
        with pytest.raises(BadInput, match=message):
            content(zipped(tmp_path / "a.zip", members), ".csv", ".xml")


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
        with pytest.raises(BadInput, match=message):
            content(path, ".csv")


def test_a_file_or_a_member_over_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    with pytest.raises(BadInput, match="has 11 bytes, more than the 10"):
        content(write(tmp_path / "a.csv", b"x" * 11))
    with pytest.raises(BadInput, match="unpacks to 11 bytes"):
        content(zipped(tmp_path / "a.zip", {"a.csv": b"x" * 11}), ".csv")


def test_a_zip_that_is_cut_off_or_has_a_damaged_member_is_refused(tmp_path):
    whole = bytearray(zipped(tmp_path / "a.zip", {"a.csv": chance(1).randbytes(5000)}).read_bytes())
    with pytest.raises(BadInput, match="damaged or cut off"):
        content(write(tmp_path / "b.zip", bytes(whole[:3000])), ".csv")
    whole[2000] ^= 0xFF
    with pytest.raises(BadInput, match=r"b\.zip/a\.csv: the zip archive is damaged"):
        content(write(tmp_path / "b.zip", bytes(whole)), ".csv")


def test_scrambled_zip_raises_nothing_but_bad_input(tmp_path):
    for seed in range(60):
        whole = bytearray(zipped(tmp_path / "a.zip", {"a.csv": b"abc;def\n" * 30, "b.xml": b"<a/>"}).read_bytes())
        dice = chance(seed)
        for _ in range(dice.randint(1, 12)):
            whole[dice.randrange(4, len(whole))] = dice.randrange(256)
        with contextlib.suppress(BadInput):
            assert content(write(tmp_path / "b.zip", bytes(whole)), ".csv") in (b"abc;def\n" * 30, b"<a/>")


def test_an_encrypted_member_and_one_of_unknown_compression_are_refused(tmp_path):
    whole = zipped(tmp_path / "a.zip", {"a.csv": b"abc"}).read_bytes()
    encrypted, unknown, directory = bytearray(whole), bytearray(whole), whole.index(b"PK\x01\x02")
    encrypted[directory + 8] |= 1
    unknown[directory + 10] = unknown[8] = 99
    for changed, message in ((encrypted, "is encrypted; unpack it"), (unknown, "compression")):
        with pytest.raises(BadInput, match=message):
            content(write(tmp_path / "b.zip", bytes(changed)), ".csv")


def test_small_member_may_be_packed_tightly(tmp_path):
    assert len(content(zipped(tmp_path / "a.zip", {"a.csv": bytes(1 << 20)}), ".csv")) == 1 << 20


def test_a_member_larger_than_it_states_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", b"x" * 100)
    whole = bytearray(path.read_bytes())
    directory = whole.index(b"PK\x01\x02")
    whole[directory + 20 : directory + 28] = (10).to_bytes(4, "little") * 2
    with pytest.raises(BadInput, match="damaged"):
        content(write(path, bytes(whole)), ".csv")


def test_byte_order_mark_and_crlf_are_no_part_of_a_table(tmp_path):
    path = write(tmp_path / "a.csv", b"\xef\xbb\xbfA;B\r\n1;\xc5\x82\r\n")
    assert rows(path, "A B") == [(2, {"A": "1", "B": "ł"})]


def test_blank_lines_are_left_out_and_counted(tmp_path):
    assert rows(write(tmp_path / "a.csv", "A;B\n\n1;2\n;\n\n"), "A B") == [(3, {"A": "1", "B": "2"})]


def test_columns_in_another_order_among_others(tmp_path):
    assert rows(write(tmp_path / "a.csv", "X;B;A\n1;2;3\n"), "A B") == [(2, {"X": "1", "B": "2", "A": "3"})]


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
        with pytest.raises(BadInput, match=message):
            rows(write(tmp_path / "a.csv", table), "A B")


def test_a_line_over_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 10)
    with (
        open_source(write(tmp_path / "a.csv", b"x" * 11), ()) as source,
        pytest.raises(BadInput, match="row 1: the line is longer than 10"),
    ):
        list(text_lines(source))


def test_json_may_begin_with_a_byte_order_mark_and_come_in_a_zip(tmp_path):
    assert load_json(write(tmp_path / "a.json", b'\xef\xbb\xbf{"a": 1}')) == {"a": 1}
    assert load_json(zipped(tmp_path / "a.zip", {"a.json": b"[1]"})) == [1]


def test_json_that_is_not_complete_is_refused(tmp_path):
    for broken in (b'{"a": [1, 2', b"<html>", b'{"a": NaN}', b"[" * 100_000, b"\xff"):
        with pytest.raises(BadInput, match="not complete JSON"):
            load_json(write(tmp_path / "a.json", broken))


def test_message_is_one_line_whatever_the_source_says():
    assert str(BadInput("a.csv", "found A\r\nB\x1b[31m\u202e", row=2)) == "a.csv, row 2: found A B [31m"
    assert str(BadInput("a\nb.csv", "is empty")) == "a b.csv: is empty"
