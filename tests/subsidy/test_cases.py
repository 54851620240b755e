"""Every case of cases/*.yaml, asked of the API as a caller would."""

from pathlib import Path

import pytest
import yaml

from catalog.yaml_loader import SafeLoader

CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted((Path(__file__).parent / "cases").glob("*.yaml"))
    for case in yaml.load(file.read_text(encoding="utf-8"), SafeLoader)  # noqa: S506 - a safe loader
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
    """Cases are typed with ordinary blanks."""
    return value.replace("\N{NO-BREAK SPACE}", " ") if isinstance(value, str) else value
