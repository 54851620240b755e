from pathlib import Path

import pytest

from fueldepot.data.yaml_reader import read_yaml
from tests.yaml_files import AnyContent

CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted((Path(__file__).parent / "cases").glob("*.yaml"))
    for case in read_yaml(file, AnyContent).root
]


@pytest.mark.parametrize("case", CASES)
def test_case(client, case):
    answer = client.get("/api/v1/subsidy", {**case["input"], "on": case["day"].isoformat()})
    assert answer.status_code == 200, answer.content
    body = answer.json()
    expected = case.get("output", {})
    assert {name: readable(body[name]) for name in expected} == expected
    rows = {row["item"]: row for row in body["items"]}
    for item, fields in case.get("rows", {}).items():
        assert {name: rows[item][name] for name in fields} == fields


def readable(value):
    """Replace non-breaking spaces: cases have ordinary ones."""
    return value.replace("\N{NO-BREAK SPACE}", " ") if isinstance(value, str) else value
