"""Checks of schemathesis that know the rules which no schema of single parameters can say; see test_live.py.

Its own two checks ask for less than we promise: one lets a description be silent about such rules, the other does not
know that blanks are trimmed and that an empty parameter of the calculator counts as not given.
"""

import json
from typing import Any

import schemathesis
from schemathesis import GenerationMode

from tests.openapi.description import BETWEEN_PARAMETERS, readings_fit


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
        return  # an empty body, or one whose type or syntax is broken: what is accepted then, test_subsidy says
    else:
        given = {**(case.query or {}), **(case.path_parameters or {})}
        forms = {one["name"]: one["schema"] for one in operation.get("parameters", [])}
    for name, value in given.items():
        wrong = name in forms and not readings_fit(value, forms[name], empty_is_absent=case.path == "/subsidy")
        assert not wrong, f"{name}={value!r} does not fit its description, but was accepted"
