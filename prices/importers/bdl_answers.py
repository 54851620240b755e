"""Answers of the statistical office's BDL API v1: what they hold, and which variable is which series.

Nothing is guessed: a variable counts as a series only by its name and only if its unit is the series' own, and a value
counts as a price only if its attribute says that it is a value.
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
from prices.series import BY_SLUG, FIRST_YEAR, SERIES, SeriesKind

POLAND = "0" * 12
VOIVODESHIP = re.compile(r"[0-9]{2}([0-9]{2})0{8}", re.ASCII)
"""A voivodeship's unit: macroregion, two digits of TERYT, zeros."""

LARGEST = 1_000_000
"""No average price has seven digits."""

VALUE = 1
"""The attribute of a plain value. Others say that it is missing, confidential or of a special kind."""

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
    """The values of one variable. updated: the day the office last changed them."""

    variable_id: int
    results: tuple[Any, ...]
    updated: date | None


def read_json(content: bytes, where: object) -> dict[str, Any]:
    """The object of an answer. Raises BadInput."""
    try:
        answer = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise BadInput(where, f"is not JSON: {error}") from error
    if not isinstance(answer, dict):
        raise BadInput(where, "is not an answer of the BDL API: no object")
    return answer


def is_answer(path: Path) -> bool:
    """Whether a file looks like a saved answer about variables or values."""
    if path.suffix.lower() != ".json":
        return False
    try:
        answer = read_json(path.read_bytes(), path)
    except (BadInput, OSError):
        return False
    return "results" in answer and ("variableId" in answer or "totalRecords" in answer)


def results_of(answer: Mapping[str, Any], where: object) -> list[dict[str, Any]]:
    """The rows of a page. Raises BadInput."""
    results = answer.get("results")
    if not isinstance(results, list) or not all(isinstance(row, dict) for row in results):
        raise BadInput(where, "is not a page of the BDL API: no list of results")
    return results


def variable_of(row: Mapping[str, Any], where: object) -> VariableRecord:
    """A variable, from a list or alone. Raises BadInput."""
    names = [row[name] for name in ("n1", "n2", "n3", "n4", "n5") if isinstance(row.get(name), str)]
    if not isinstance(row.get("id"), int) or not names or not isinstance(row.get("measureUnitName"), str):
        raise BadInput(where, "holds a variable without id, name or unit")
    return VariableRecord(row["id"], " – ".join(names), row["measureUnitName"])


def data_of(answer: Mapping[str, Any], where: object) -> Data:
    """The values of a variable, of one page. Raises BadInput."""
    variable_id = answer.get("variableId")
    if not isinstance(variable_id, int):
        raise BadInput(where, "holds values without the number of their variable (variableId)")
    return Data(variable_id, tuple(results_of(answer, where)), updated_on(answer.get("lastUpdate")))


def updated_on(text: Any) -> date | None:
    """The day of a time stamp; None when there is none that can be read."""
    try:
        return date.fromisoformat(str(text)[:10])
    except ValueError:
        return None


def named_like(variable: VariableRecord, series: SeriesKind) -> bool:
    """Whether the variable's name speaks of the series, whatever its unit."""
    name = f" {fold(variable.name)} "
    return all(any(f" {word} " in name for word in words) for words in series.name_words)


def trouble_with_unit(variable: VariableRecord, series: SeriesKind) -> str:
    """Why the variable's unit is not the series' own; "" when it is.

    The office gives the measure as złoty and says in the name what the price is of: "… - za 1 t".
    """
    if variable.unit == series.unit:
        return ""
    name = f" {fold(variable.name)} "
    if variable.unit == "zł" and any(f" {amount} " in name for amount in series.price_of):
        return ""
    return f"the unit of variable {variable.id} is not {series.unit}: {variable.name!r}, in {variable.unit!r}"


def choose(variables: Iterable[VariableRecord]) -> tuple[dict[str, VariableRecord], list[Note]]:
    """Which variable is which series, and why others are not. A series with two candidates gets none."""
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
            notes.append(Note(series.slug, f"several variables fit, choose one with --variable: {listed!r}"))
        else:
            notes.append(Note(series.slug, "no variable fits by name and unit"))
    return found, notes


def check_chosen(slug: str, variable: VariableRecord) -> None:
    """Raise BadInput unless a variable named by hand has the unit of the series."""
    trouble = trouble_with_unit(variable, BY_SLUG[slug])
    if trouble:
        raise BadInput(f"variable {variable.id}", trouble)


def observations(slug: str, data: Data, where: object, notes: list[Note]) -> Iterator[ObservationRecord]:
    """Prices of a series; what is none is noted. Units other than Poland and the voivodeships are passed over.

    Raises BadInput for rows that are not of the API's form.
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
            if row["attrId"] != VALUE:
                meaning = ATTRIBUTES.get(row["attrId"], "not a plain value")
                notes.append(Note(key, f"no price, its attribute {row['attrId']} says: {meaning!r}"))
                continue
            year, value = read_year(row["year"]), read_value(row.get("val"))
            if year is None or value is None:
                raise BadInput(where, f"holds a year or value that is no number: {str(row)[:60]!r}")
            if value <= 0 or year < FIRST_YEAR:
                notes.append(Note(key, f"no price of a year from {FIRST_YEAR}: '{value}'"))
                continue
            yield ObservationRecord(slug, area, year, value, f"GUS, Bank Danych Lokalnych, zmienna {data.variable_id}")


def area_of(unit_id: Any) -> str | None:
    """2 digits of a voivodeship, "" for Poland, None for any other unit."""
    if unit_id == POLAND:
        return ""
    found = VOIVODESHIP.fullmatch(str(unit_id))
    return found[1] if found and found[1] != "00" else None


def read_year(value: Any) -> int | None:
    """A year, which the API gives as text."""
    return int(value) if re.fullmatch(r"[12][0-9]{3}", str(value), re.ASCII) else None


def read_value(value: Any) -> Decimal | None:
    """A number as the column holds it, with at most four decimals; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number = Decimal(str(value))
    if not number.is_finite() or abs(number) >= LARGEST:
        return None
    return number.quantize(Decimal("0.0001"))
