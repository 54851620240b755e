"""The one reader of YAML: every mistake of a file at once, each with its row, in one line."""

from datetime import date
from typing import Literal

import pytest

from fueldepot.data.yaml_reader import InvalidYaml, StrictModel, read_yaml
from tests.yaml_files import AnyContent


class SampleRow(StrictModel):
    key: str
    date: date
    kind: Literal["a", "b"] = "a"
    sure: bool = False
    number: int | None = None


class File(StrictModel):
    code: str
    rows: list[SampleRow] = []


GOOD = """\
code: "12"
rows:
  - key: one
    date: 2026-11-22
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.yaml"


def mistakes(path, text, check=None):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidYaml) as failure:
        read_yaml(path, File, check)
    assert str(failure.value).startswith(f"{path}: ")
    assert "\n" not in str(failure.value)
    return failure.value.mistakes


def test_a_good_file(path):
    path.write_text(GOOD, encoding="utf-8")
    found = read_yaml(path, File)
    assert (found.code, found.rows) == ("12", [SampleRow(key="one", date=date(2026, 11, 22))])
    assert read_yaml(path, AnyContent).root["code"] == "12"


def test_all_mistakes_at_once_each_with_its_row(path):
    text = """\
code: 12
code: "12"
other: 1
rows:
  - key: one
    date: 2026-13-40
    kind: c
  - key: two
    date: 2026-11-22 10:00:00
    sure: 1
    sure: maybe
    number: yes
  - nonsense
  - {kind: a}
"""
    assert mistakes(path, text) == [
        (2, "'code' stands twice"),
        (3, "other is unknown"),
        (6, "rows 1 (one), date is '2026-13-40'; it must be a day as YYYY-MM-DD"),
        (7, "rows 1 (one), kind is 'c'; it must be 'a' or 'b'"),
        (9, "rows 2 (two), date is datetime.datetime(2026, 11, 22, 10, 0); it must be a day as YYYY-MM-DD"),
        (11, "'sure' stands twice"),
        (11, "rows 2 (two), sure is 'maybe'; it must be yes or no"),
        (12, "rows 2 (two), number is True; it must be a whole number"),
        (13, "rows 3 is 'nonsense'; it must be a mapping"),
        (14, "rows 4, key is missing"),
        (14, "rows 4, date is missing"),
    ]


def test_what_is_no_mapping_of_the_form(path):
    for text, row, reason in (
        ("code: [", 2, "is no YAML: did not find expected node content"),
        ("code: '12\n", 2, "is no YAML: found unexpected end of stream"),
        ("code: &a b\nrows: *a\n", 2, "*a is an alias; write the value out"),
        ("[" * 20_000, 1, "nests its values too deeply"),
        ("", None, "is null; it must be a mapping"),
        ("- 1", 1, "is [1]; it must be a mapping"),
        ("? [1, 2]\n: x\n", 1, "is no YAML: found unhashable key"),
        ("code: \x07", 1, "is no YAML: control characters are not allowed"),
        ('code: ["\\u001b[31m"]\n', 1, "code is ['\\x1b[31m']; it must be text"),  # it would steer a terminal
        ("code: !!python/object:os.system {}", 1, "is no YAML: could not determine a constructor"),
    ):
        rows = mistakes(path, text)
        assert any(at == row and said.startswith(reason) for at, said in rows), rows


def test_a_file_that_cannot_be_read(path):
    with pytest.raises(InvalidYaml, match=r"file\.yaml: cannot be read: No such file or directory$"):
        read_yaml(path, File)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidYaml, match="cannot be read: "):
        read_yaml(path, File)


def test_what_a_model_cannot_see_is_told_with_its_row_too(path):
    def check(file):
        yield ("rows", 0, "key"), "is not known"

    assert mistakes(path, GOOD, check) == [(3, "rows 1 (one), key is not known")]
    # Only where everything else is right: a check may rely on it.
    assert mistakes(path, GOOD.replace('"12"', "12"), check) == [
        (1, "code is 12; it must be text, in quotation marks if it looks like something else")
    ]
