"""Parser of responses of the statistical office's BDL API v1, and assignment of variables to series.

A variable belongs to a series only if both its name and its unit match. A value is a price only if its attribute marks
it as a plain value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson

from catalog.importers.records import BadInput, Note
from catalog.text import fold
from prices.importers.records import ObservationRecord, VariableRecord
from prices.series import BY_SLUG, FIRST_YEAR, SERIES, SeriesKind, describe_source

COUNTRY_UNIT = "0" * 12
VOIVODESHIP_UNIT = re.compile(r"[0-9]{2}([0-9]{2})0{8}", re.ASCII)
"""Id of a voivodeship: macroregion, two digits of TERYT, zeros."""

VALUE_LIMIT = 1_000_000
"""Exclusive upper bound of an average price."""

PLAIN_VALUE = 1
"""Attribute of a plain value. Others mark missing, confidential or special values."""

ATTRIBUTES = {
    0: "zero",
    4: "missing or confidential",
    7: "smaller than can be shown",
    14: "missing or confidential",
    15: "missing",
    50: "missing or zero",
    91: "missing or confidential",
}


@dataclass(frozen=True, slots=True)
class Data:
    """Values of one variable. updated: the day of their last change."""

    variable_id: int
    results: tuple[Any, ...]
    updated: date | None


def read_json(content: bytes, where: object) -> dict[str, Any]:
    """Return the object of a response. Raises BadInput."""
    try:
        answer = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BadInput(where, f"is not JSON: {error}") from error
    if not isinstance(answer, dict):
        raise BadInput(where, "is not an answer of the BDL API: no object")
    return answer


def is_answer(path: Path) -> bool:
    """Whether a file looks like a saved response about variables or values."""
    if path.suffix.lower() != ".json":
        return False
    try:
        answer = read_json(path.read_bytes(), path)
    except (BadInput, OSError):
        return False
    return "results" in answer and ("variableId" in answer or "totalRecords" in answer)


def results_of(answer: Mapping[str, Any], where: object) -> list[dict[str, Any]]:
    """Return the rows of a page. Raises BadInput."""
    results = answer.get("results")
    if not isinstance(results, list) or not all(isinstance(row, dict) for row in results):
        raise BadInput(where, "is not a page of the BDL API: no list of results")
    return results


def variable_of(row: Mapping[str, Any], where: object) -> VariableRecord:
    """Return a variable, from a row of a list or a response of its own. Raises BadInput."""
    names = [row[name] for name in ("n1", "n2", "n3", "n4", "n5") if isinstance(row.get(name), str)]
    if not isinstance(row.get("id"), int) or not names or not isinstance(row.get("measureUnitName"), str):
        raise BadInput(where, "holds a variable without id, name or unit")
    return VariableRecord(row["id"], " – ".join(names), row["measureUnitName"])


def data_of(answer: Mapping[str, Any], where: object) -> Data:
    """Return the values of a variable on one page. Raises BadInput."""
    variable_id = answer.get("variableId")
    if not isinstance(variable_id, int):
        raise BadInput(where, "holds values without the number of their variable (variableId)")
    return Data(variable_id, tuple(results_of(answer, where)), updated_on(answer.get("lastUpdate")))


def updated_on(text: Any) -> date | None:
    """Return the day of a timestamp, None for an unreadable one."""
    try:
        return date.fromisoformat(str(text)[:10])
    except ValueError:
        return None


def mentions(variable: VariableRecord, words: Iterable[str]) -> bool:
    """Whether the variable's name contains any of some folded words."""
    name = f" {fold(variable.name)} "
    return any(f" {word} " in name for word in words)


def named_like(variable: VariableRecord, series: SeriesKind) -> bool:
    """Whether the variable's name matches the series, regardless of its unit."""
    return all(mentions(variable, words) for words in series.name_words)


def trouble_with_unit(variable: VariableRecord, series: SeriesKind) -> str:
    """Return why the variable's unit differs from that of the series; "" when it does not.

    The office states the unit as złoty and the quantity in the name: "… - za 1 t".
    """
    if variable.unit == series.unit:
        return ""
    if variable.unit == "zł" and mentions(variable, series.price_of):
        return ""
    return f"the unit of variable {variable.id} is not {series.unit}: {variable.name!r}, in {variable.unit!r}"


def choose(variables: Iterable[VariableRecord]) -> tuple[dict[str, VariableRecord], list[Note]]:
    """Return the variables by slug of the series, and the reasons against others.

    A series with several matching variables gets none.
    """
    found, notes = {}, []
    known = {variable.id: variable for variable in variables}
    for series in SERIES:
        candidates = [variable for variable in known.values() if named_like(variable, series)]
        fitting = []
        for variable in candidates:
            trouble = trouble_with_unit(variable, series)
            if trouble:
                notes.append(Note(series.slug, trouble))
            else:
                fitting.append(variable)
        if len(fitting) == 1:
            found[series.slug] = fitting[0]
        elif fitting:
            listed = "; ".join(f"{variable.id} {variable.name}" for variable in fitting)
            notes.append(
                Note(series.slug, f"several variables fit, choose one by import_prices_gus --variable: {listed!r}")
            )
        else:
            notes.append(Note(series.slug, "no variable fits by name and unit"))
    return found, notes


def check_chosen(slug: str, variable: VariableRecord) -> None:
    """Raise BadInput unless a variable chosen by the operator has the unit of the series."""
    trouble = trouble_with_unit(variable, BY_SLUG[slug])
    if trouble:
        raise BadInput(f"variable {variable.id}", trouble)


def observations(slug: str, data: Data, where: object, notes: list[Note]) -> Iterator[ObservationRecord]:
    """Yield the prices of a series for Poland and the voivodeships. notes: receives the values that are no prices.

    Raises BadInput for malformed rows.
    """
    for unit in data.results:
        area = area_of(unit.get("id"))
        values = unit.get("values")
        if not isinstance(unit.get("id"), str) or not isinstance(values, list):
            raise BadInput(where, f"holds a unit without id or values: {str(unit)[:60]!r}")
        if area is None:
            continue
        for row in values:
            key = f"{slug}/{area or 'PL'}/{row.get('year') if isinstance(row, dict) else '?'}"
            if not isinstance(row, dict) or not {"year", "attrId"} <= row.keys():
                raise BadInput(where, f"holds a value without year or attribute: {str(row)[:60]!r}")
            if row["attrId"] != PLAIN_VALUE:
                meaning = ATTRIBUTES.get(row["attrId"], "not a plain value")
                notes.append(Note(key, f"no price, its attribute {row['attrId']} says: {meaning!r}"))
                continue
            year, value = read_year(row["year"]), read_value(row.get("val"))
            if year is None or value is None:
                raise BadInput(where, f"holds a year or value that is no number: {str(row)[:60]!r}")
            if value <= 0 or year < FIRST_YEAR:
                notes.append(Note(key, f"no price of a year from {FIRST_YEAR}: '{value}'"))
                continue
            yield ObservationRecord(slug, area, year, value, describe_source(data.variable_id)["name"])


def area_of(unit_id: Any) -> str | None:
    """Return 2 digits of a voivodeship, "" for Poland, None for any other unit."""
    if unit_id == COUNTRY_UNIT:
        return ""
    found = VOIVODESHIP_UNIT.fullmatch(str(unit_id))
    return found[1] if found and found[1] != "00" else None


def read_year(value: Any) -> int | None:
    """Return a year, which the API sends as text; None for anything else."""
    return int(value) if re.fullmatch(r"[12][0-9]{3}", str(value), re.ASCII) else None


def read_value(value: Any) -> Decimal | None:
    """Return a number rounded to the four decimals of the column; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number = Decimal(str(value))
    if not number.is_finite() or abs(number) >= VALUE_LIMIT:
        return None
    return number.quantize(Decimal("0.0001"))
