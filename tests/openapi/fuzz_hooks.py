"""Checks of schemathesis that know the rules which no schema of single parameters can say; see test_live.py.

Its own two checks ask for less than we promise: one lets a description be silent about such rules, the other does not
know that blanks are trimmed and that an empty parameter of the calculator counts as not given.
"""

import json
from typing import Any

import schemathesis
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode

from fueldepot.http.params import BLANKS, BOOLEANS

BETWEEN_PARAMETERS = {
    ("/stores", "teryt", "missing"): "one of three ways to name a place is needed",
    ("/stores", "lat", "missing"): "lat and lon belong together",
    ("/stores", "lon", "missing"): "lat and lon belong together",
    ("/municipalities", "voivodeship", "missing"): "one of two ways to name a unit is needed",
    ("/regulations", "teryt", "missing"): "appliance and binding belong to a unit",
    ("/regulations", "teryt", "out_of_range"): "appliance belongs to a municipality",
    ("/deadlines", "to", "out_of_range"): "to is not before from",
    ("/subsidy", "people", "missing"): "people belongs to income",
    ("/subsidy", "income_type", "repeated"): "a synonym beside the name",
    ("/subsidy", "on", "out_of_range"): "before the programme, or no day of the calendar",
    ("/subsidy/limits", "on", "out_of_range"): "before the programme",
    ("/prices/{fuel}", "on", "out_of_range"): "in the future, or too long ago",
    ("/regulations/{voivodeship}.ics", "teryt", "out_of_range"): "a unit of another voivodeship",
}
"""(path, parameter, code) of what is refused although each parameter fits its schema."""


@schemathesis.hook
def map_query(context: Any, query: Any) -> Any:
    """Make most generated requests satisfy the rules between parameters."""
    if not query:
        return query
    if "income_type" in query:
        query.pop("dochod_typ", None)
    if "income" in query:
        query.setdefault("people", 3)
    if ("lat" in query) != ("lon" in query):
        query |= {"lat": 50.06, "lon": 19.94}
    if isinstance(query.get("on"), str) and query["on"][:4].isdecimal() and query["on"] < "2025-03-31":
        query["on"] = "2026" + query["on"][4:]
    return query


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Send one of two synonyms: the phase `coverage` puts every parameter into each request."""
    if case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE:
        for given in (case.query, case.body):
            if isinstance(given, dict) and "income_type" in given:
                given.pop("dochod_typ", None)


@schemathesis.check
def what_fits_is_accepted(ctx: Any, response: Any, case: Any) -> None:
    """A valid request is refused only for a rule between parameters."""
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE or response.status_code != 400:
        return
    answer = json.loads(response.content)
    given = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
    for error in answer["errors"] or [{"parameter": "", "code": answer["code"]}]:
        name, code = error["parameter"], error["code"]
        # Exponents are how Python writes very small numbers; the API refuses them by contract, with these words.
        exponent = code == "malformed" and isinstance(given.get(name), float) and "e" in repr(given[name])
        # A number in a JSON string: how large it may be is said in words.
        as_text = code == "out_of_range" and isinstance(given.get(name), str)
        known = (case.path.removesuffix(".geojson"), name, code) in BETWEEN_PARAMETERS
        assert known or exponent or as_text, f"{name} fits its description, but was refused: {answer['message'][:200]}"


@schemathesis.check
def what_does_not_fit_is_refused(ctx: Any, response: Any, case: Any) -> None:
    """An invalid request is always refused."""
    if case.meta is None or case.meta.generation.mode != GenerationMode.NEGATIVE or response.status_code != 200:
        return
    operation = case.operation.definition.raw
    if isinstance(case.body, dict):
        schemas = case.operation.schema.raw_schema["components"]["schemas"]
        form = schemas["SubsidyJson" if case.media_type == "application/json" else "SubsidyForm"]
        given, forms = case.body, form["properties"]
    elif operation.get("requestBody"):
        return  # an empty body, or one whose type or syntax is broken: what is accepted then, test_subsidy_bodies says
    else:
        given = {**(case.query or {}), **(case.path_parameters or {})}
        forms = {one["name"]: one["schema"] for one in operation.get("parameters", [])}
    for name, value in given.items():
        wrong = name in forms and not readings_fit(value, forms[name], empty_is_absent=case.path == "/subsidy")
        assert not wrong, f"{name}={value!r} does not fit its description, but was accepted"


def readings_fit(value: Any, form: Any, *, empty_is_absent: bool) -> bool:
    """Whether a value fits when read as the API reads text: trimmed, as a number or a switch where it is one.

    A list of one is one value, because that is how it is sent.
    """
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    readings = [value]
    text = ("true" if value else "false") if isinstance(value, bool) else str(value).strip(BLANKS)
    if value is None or not isinstance(value, (list, dict)):
        readings += [text, text.replace(",", ".")]
        if text.lower() in BOOLEANS:
            readings.append(BOOLEANS[text.lower()])
        for kind in (int, float):
            try:
                readings.append(kind(text.replace(",", ".")))
            except ValueError:
                continue
    if empty_is_absent and text in {"", "None"}:
        return True
    return any(Draft202012Validator(form).is_valid(one) for one in readings)
