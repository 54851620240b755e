"""The committed OpenAPI description: its parts, and strict validators."""

import gzip
import json
import re
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from fueldepot.http import api_description
from fueldepot.http.params import BLANKS, BOOLEANS

BASE = "urn:description"

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


def close(schema: Any) -> Any:
    """Return a schema with every object closed: a field that is not declared is an error."""
    if isinstance(schema, list):
        return [close(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    is_object = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
    return {key: close(value) for key, value in schema.items()} | ({"additionalProperties": False} if is_object else {})


@cache
def closed() -> Any:
    """The closed description.

    The published one stays open, because new fields may appear at any time; callers must ignore those. Tests may not.
    """
    return close(api_description.document())


@cache
def validator_at(pointer: str) -> Draft202012Validator:
    """Return the validator of a schema of the closed description, by JSON pointer."""
    registry = Registry().with_resource(BASE, Resource(contents=closed(), specification=DRAFT202012))
    return Draft202012Validator(
        {"$ref": f"{BASE}#{pointer}"}, registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def example_of(parameter: dict[str, Any]) -> Any:
    """The example of a parameter: its own, which tools fill in, or that of its schema."""
    return parameter["example"] if "example" in parameter else parameter["schema"]["examples"][0]


BESIDE_AT = {path: {"teryt": "1261011"} for path in ("/stores", "/stores.geojson", "/regulations")}
BESIDE = {"lat": {"lon": "19.9366"}, "lon": {"lat": "50.0614"}, "income": {"people": "4"}}
"""What else is given at an address, or together with a parameter."""


def values_beside(path: str, name: str) -> dict[str, Any]:
    """Return valid values for the other parameters of an operation, so that only one can be wrong."""
    parameters = api_description.document()["paths"][path]["get"]["parameters"]
    required = {one["name"]: example_of(one) for one in parameters if one.get("required")}
    return required | BESIDE_AT.get(path, {}) | BESIDE.get(name, {})


def write(value: Any) -> str:
    """A value as a query has it, without an exponent, which the API refuses by contract."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10f}" if isinstance(value, float) else str(value)


def address_of(path: str, values: dict[str, Any]) -> str:
    """The address of an operation with values in the path and in the query."""
    texts = {name: write(value) for name, value in values.items()}
    for inner in re.findall(r"\{(\w+)\}", path):
        path = path.replace("{" + inner + "}", quote(texts.pop(inner), safe=""))
    return f"{api_description.PREFIX}{path}?{urlencode(texts)}"


def mistakes(pointer: str, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:300]}" for error in validator_at(pointer).iter_errors(value)]


def form(name: str) -> str:
    return f"/components/schemas/{name}"


def operation_at(method: str, path: str) -> tuple[str, dict[str, Any]] | None:
    """The pointer to the operation that an address belongs to, and the operation; None where nothing is described."""
    given = path.removeprefix(api_description.PREFIX).split("/")
    for template, methods in api_description.document()["paths"].items():
        parts = template.split("/")
        if len(parts) == len(given) and all(map(fits, parts, given)):
            verb = method.lower() if method.lower() in methods else "get"
            return f"/paths/{template.replace('~', '~0').replace('/', '~1')}/{verb}", methods[verb]
    return None


def fits(part: str, given: str) -> bool:
    """Whether a segment of a path matches a segment of a template."""
    if "{" not in part:
        return part == given
    return given.endswith(part.partition("}")[2]) and (part.endswith("}") is not given.endswith((".ics", ".geojson")))


def check_answer(method: str, path: str, answer: Any) -> list[str]:
    """Return the errors of a response: status, headers, media type and body; none for an undescribed path."""
    media_type = answer.headers.get("Content-Type", "").partition(";")[0]
    if media_type == "application/geo+json" and not path.endswith(".geojson"):
        path += ".geojson"  # by `format` or `Accept`: what the operation for GeoJSON answers
    found = operation_at(method, path)
    if found is None:
        return []
    (where, operation), components = found, api_description.document()["components"]
    where += f"/responses/{answer.status_code}"
    described = operation["responses"].get(str(answer.status_code))
    if described is None:
        return [f"{method} {path}: status {answer.status_code} is not described"]
    if name := described.get("$ref", "").rpartition("/")[2]:
        where, described = f"/components/responses/{name}", components["responses"][name]
    wrong = [
        f"{method} {path}: header {header} is missing"
        for header, reference in described.get("headers", {}).items()
        if components["headers"][reference["$ref"].rpartition("/")[2]].get("required") and header not in answer.headers
    ]
    content = described.get("content", {})
    if not content or method == "HEAD":
        return wrong
    if media_type not in content:
        return [*wrong, f"{method} {path}: {media_type} with status {answer.status_code} is not described"]
    if "json" in media_type:
        pointer = f"{where}/content/{media_type.replace('/', '~1')}/schema"
        wrong += [f"{method} {path}: {one}" for one in mistakes(pointer, said(answer))]
    return wrong


def said(answer: Any) -> Any:
    """The JSON of an answer, whether or not it came compressed."""
    if answer.headers.get("Content-Encoding") == "gzip":
        return json.loads(gzip.decompress(answer.content))
    return answer.json()


def make_sample(form: dict[str, Any]) -> Any:
    """Return a value composed of the examples of fields, valid for the schema."""
    while "$ref" in form:
        form = api_description.document()["components"]["schemas"][form["$ref"].rpartition("/")[2]]
    if form.get("examples"):
        return form["examples"][0]
    if "oneOf" in form:
        return make_sample(form["oneOf"][0])
    if form["type"] == "array":
        return [make_sample(form["items"])]
    return {name: make_sample(field) for name, field in form["properties"].items()}


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


def faults_of(document: Any) -> list[str]:
    """What keeps a description from being OpenAPI 3.1."""
    from openapi_spec_validator import OpenAPIV31SpecValidator  # takes long to import

    return [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()]
