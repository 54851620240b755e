"""Generation of the API description. The service itself only reads the resulting file."""

import json
import shlex
from collections.abc import Collection
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.urls import include, path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

from catalog.api.params import LIMIT_RANGE
from catalog.search.suggestions import MAX_SUGGESTIONS
from fueldepot import api
from fueldepot.http import release
from fueldepot.http.description import FILE, PREFIX
from fueldepot.http.views import JSON
from fueldepot.openapi import shared

MOST_ROWS = {"/locations": MAX_SUGGESTIONS, "/stores": LIMIT_RANGE[1], "/deadlines": LIMIT_RANGE[1]}
"""Maximum length of lists by path."""

LINKED = {"/stores", "/stores.geojson"}
"""Paths of lists whose responses link to their other pages."""

COUNTED = {*LINKED, "/deadlines"}
"""Paths of lists with `limit`, whose responses have the total number of rows."""

NEVER_KEPT = {"/subsidy"}
"""Paths without validators and lookups, so without 304 and 404."""


def complete(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Add the shared parts of operations. A hook of drf-spectacular."""
    for address, methods in result["paths"].items():
        # Sort methods, which come in the order of a set.
        result["paths"][address] = dict(sorted(methods.items()))
        for method, operation in methods.items():
            operation["security"] = []
            sample = urlsplit(shlex.split(operation["x-codeSamples"][0]["source"])[-1])
            prefilled = {name for name, _ in parse_qsl(sample.query)}
            for parameter in operation.get("parameters", []):
                complete_parameter(parameter, prefilled)
            complete_responses(operation["responses"], address, method)
    schemas = result["components"]["schemas"]
    result["components"] = {"schemas": schemas, "responses": shared.responses(), "headers": shared.HEADERS}
    return result


def complete_responses(responses: dict[str, Any], address: str, method: str) -> None:
    """Add the headers of 200, the length of its list, and the shared responses that the operation can give."""
    validated = address not in NEVER_KEPT
    names = ["ETag"] * validated + ["Link"] * (address in LINKED) + ["TotalCount"] * (address in COUNTED)
    responses["200"]["headers"] = shared.headers(*names, "IgnoredParameters")
    if address in MOST_ROWS:
        responses["200"]["content"][JSON]["schema"]["maxItems"] = MOST_ROWS[address]
    if validated:
        responses["304"] = {"$ref": "#/components/responses/NotModified"}
    for status, (name, _, _) in shared.FAILURES.items():
        if (status != "404" or validated) and (status not in {"413", "415"} or method == "post"):
            responses[status] = {"$ref": f"#/components/responses/{name}"}


def complete_parameter(parameter: dict[str, Any], prefilled: Collection[str]) -> None:
    """Move parts of a serializer field's schema to the parameter, where tools look for them.

    prefilled: names whose example becomes that of the parameter, which tools fill in; together they make a request
    that answers. Other examples stay in the schema.
    """
    schema = parameter["schema"]
    if parameter["in"] == "path":
        (example,) = parameter.pop("examples").values()
        parameter["example"] = example["value"]
    elif parameter["name"] in prefilled:
        (parameter["example"],) = schema.pop("examples")
    if schema.pop("deprecated", False):
        parameter["deprecated"] = True
    if schema.get("minLength") == 1:
        del schema["minLength"]  # enumerations and patterns are stricter


DOCUMENT_VERSION = "1.0.0"
"""Version of the description, by the specification; `x-release` has that of the project."""

SETTINGS: dict[str, Any] = {
    "OAS_VERSION": "3.1.1",
    "TITLE": "Fuel Depot Catalog API",
    "VERSION": DOCUMENT_VERSION,
    "EXTENSIONS_INFO": {"x-release": release.version()},
    "DESCRIPTION": shared.DESCRIPTION,
    "TOS": "/api/",
    "LICENSE": {"name": "Quotation with attribution; entries from OpenStreetMap under ODbL 1.0", "url": "/api/"},
    "EXTERNAL_DOCS": {"description": "Rules of use, in Polish", "url": "/api/"},
    "TAGS": shared.TAGS,
    "SERVERS": [{"url": PREFIX}],
    "SCHEMA_PATH_PREFIX": PREFIX,
    "SCHEMA_PATH_PREFIX_TRIM": True,
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "PREPROCESSING_HOOKS": [],
    "POSTPROCESSING_HOOKS": ["fueldepot.openapi.document.complete"],
}


ROUTES = [
    path(f"{PREFIX}/".removeprefix("/"), api.index),
    path(f"{PREFIX}/".removeprefix("/"), include((api.v1, "v1"))),
]


def make_document() -> dict[str, Any]:
    """Return the description, with URLs relative to the site. No query."""
    with patched_settings(SETTINGS):
        generator = SchemaGenerator(patterns=ROUTES)  # type: ignore[no-untyped-call]
        document = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    # Enumerations become strings.
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return {**plain, "security": []}


def write_out(document: dict[str, Any]) -> str:
    """Return the description as text."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def write_file() -> None:
    """Rewrite `fueldepot/openapi.json`."""
    FILE.write_text(write_out(make_document()), encoding="utf-8")
