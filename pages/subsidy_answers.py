"""Answers of the calculator's form: read as parameters of `/subsidy`, and filled into the steps with their mistakes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fueldepot.http.params import BOOLEANS, AmbiguousNumber, NumberLiteral, ParameterError, read_decimal
from fueldepot.http.query import Pairs
from pages.subsidy_questions import (
    AREA_UNIT,
    PEOPLE_UNIT,
    PLANNED,
    SOURCE_COST,
    ZLOTY,
    Field,
    Step,
    all_fields,
    chosen_items,
    steps,
)
from subsidy.api.params import AREA_RANGE
from subsidy.application import ENVELOPE, SOURCES
from subsidy.rules import RulesAt

PAGE = "krok"
"""Hidden field: the number of the submitted step. Without it all sent answers count."""

MISSING = "missing"
AMBIGUOUS = "ambiguous"
"""Codes of errors with a text of their own: a missing answer, and a number with two readings."""


def read_values(posted: Iterable[tuple[str, list[str]]], on: RulesAt) -> dict[str, str]:
    """Return the answers by name of the field, trimmed, without empty ones; the last of repeated ones.

    Without `PAGE`, areas imply planned works, and the cost of the source may have the name of the item.
    """
    sent = {name: typed[-1].strip() for name, typed in posted if typed}
    if PAGE not in sent:
        sent |= {f"{PLANNED}{item}": "1" for item in ENVELOPE if sent.get(item)}
        sent.setdefault(SOURCE_COST, sent.get(f"cost_{sent.get('new_source')}", ""))
    return {
        name: sent[name]
        for name, field in all_fields(on).items()
        if sent.get(name) and not (field.kind == "check" and BOOLEANS.get(sent[name].lower()) is False)
    }


def parameters(posted: Iterable[tuple[str, list[str]]], on: RulesAt) -> tuple[Pairs, list[ParameterError]]:
    """Return the answers as parameters of `/subsidy`, and an error for each area with two readings.

    Numbers lose their unit, the cost of the source gets the name of its item. With `PAGE`, areas and costs of works
    that are not chosen are left out.
    """
    sent = dict(posted)
    known, values = all_fields(on), read_values(sent.items(), on)
    if PAGE in sent:
        wanted = {field.name for step in steps(values, on) for field in step}
    else:
        wanted = {*known, *(f"cost_{item}" for item in SOURCES)}
    source = sent.get("new_source", [""])[-1]
    pairs = []
    for name, typed in sent.items():
        if name not in wanted or name.startswith(PLANNED):
            continue
        target = f"cost_{source}" if name == SOURCE_COST and source in SOURCES else name
        is_number = name not in known or known[name].kind == "number"
        unit = known[name].unit if name in known else ZLOTY
        pairs += [(target.encode(), number_sent(value, unit) if is_number else as_bytes(value)) for value in typed]
    errors = [
        ParameterError(item, AMBIGUOUS, f"{item} is {readings}")
        for item in wanted.intersection(ENVELOPE)
        if (readings := readings_of_area(values.get(item, ""))) is not None
    ]
    return pairs, errors


def readings_of_area(typed: str) -> AmbiguousNumber | None:
    """Return the readings of an area that may be decimals or thousands of m², None if the programme rules one out."""
    try:
        read_decimal(typed.strip().removesuffix(AREA_UNIT))
    except AmbiguousNumber as readings:
        return readings if int(readings.thousands) <= AREA_RANGE[1] else None
    except ValueError:
        pass
    return None


def number_sent(typed: str, unit: str) -> bytes:
    """Return a number without its unit: złoty as `read_decimal` reads what a person types, others as typed.

    What is no number stays as it is, for the reader to refuse.
    """
    # A unit alone is no number, and no empty answer either.
    text = typed.strip().removesuffix(unit).rstrip() or typed.strip()
    if unit == PEOPLE_UNIT:
        return as_bytes("".join(text.split()))
    if unit != ZLOTY:
        return as_bytes(text)
    try:
        return NumberLiteral(f"{read_decimal(text, 'thousands'):f}".encode())
    except ValueError:
        return as_bytes(text)


def as_bytes(text: str) -> bytes:
    """Return a text as a request carries it; a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")


def missing_areas(values: Mapping[str, str]) -> list[ParameterError]:
    return [
        ParameterError(item, MISSING, f"{item} is missing")
        for item in chosen_items(values)
        if item in ENVELOPE and item not in values
    ]


def filled(values: Mapping[str, str], errors: Iterable[ParameterError], on: RulesAt) -> tuple[Step, ...]:
    """Return the steps with values and errors; without values the defaults are chosen."""
    codes = {error.parameter: error.code for error in errors}
    source = f"cost_{values.get('new_source', '')}"
    if source in codes:
        codes[SOURCE_COST] = codes[source]
    return tuple(
        replace(
            step,
            parts=tuple(
                replace(part, fields=tuple(fill(field, values, codes) for field in part.fields)) for part in step.parts
            ),
        )
        for step in steps(values, on)
    )


def fill(field: Field, values: Mapping[str, str], codes: Mapping[str, str]) -> Field:
    value = values.get(field.name, "")
    chosen = value if any(choice.value == value for choice in field.choices) else ""
    choices = tuple(
        replace(choice, chosen=choice.value == chosen if chosen else number == 0)
        for number, choice in enumerate(field.choices)
    )
    error = describe_error(field, value, codes[field.name]) if field.name in codes else ""
    return replace(field, value=value, choices=choices, error=error)


def describe_error(field: Field, value: str, code: str) -> str:
    if code == MISSING and field.missing:
        return field.missing
    if code == AMBIGUOUS and (readings := readings_of_area(value)) is not None:
        decimal = readings.decimal.replace(".", ",")
        return f"To {decimal} czy {readings.thousands} {field.unit}? Wpisz {decimal} albo {readings.thousands}."
    return field.mistake
