"""Making the document. Needs the development dependencies; the service itself only reads the file that comes out."""

import json
from typing import Any

from django.urls import include, path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

# Imported because it describes its viewsets as it is read, like the modules below.
from catalog.schema import operations as catalog_operations  # noqa: F401
from catalog.schema import shapes
from fueldepot import api
from fueldepot.openapi import shared
from fueldepot.openapi.served import FILE, PREFIX
from prices import schema as prices
from regulations import schema as regulations
from subsidy import schema as subsidy

FORMS = (shapes.COMPONENTS, prices.COMPONENTS, regulations.COMPONENTS, subsidy.COMPONENTS, shared.COMPONENTS)

NEVER_KEPT = {"/subsidy"}
"""Paths whose answers have no validator, and look nothing up that could be unknown."""


def complete(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Add what operations share. A hook of drf-spectacular."""
    for address, methods in result["paths"].items():
        # The methods of a path come in the order of a set.
        result["paths"][address] = methods = dict(sorted(methods.items()))
        for method, operation in methods.items():
            operation["security"] = []
            for parameter in operation.get("parameters", []):
                (given,) = parameter.pop("examples").values()
                parameter["example"] = given["value"]
            answers = operation["responses"]
            validated = address not in NEVER_KEPT
            names = ["ETag"] * validated + ["TotalCount"] * (address == "/stores")
            answers["200"]["headers"] = shared.headers(*names)
            if validated:
                answers["304"] = {"$ref": "#/components/responses/NotModified"}
            for status, (name, _, _) in shared.FAILURES.items():
                if (status != "404" or validated) and (status not in {"413", "415"} or method == "post"):
                    answers[status] = {"$ref": f"#/components/responses/{name}"}
    result["components"] = {
        "schemas": {name: form for forms in FORMS for name, form in forms.items()},
        "responses": shared.responses(),
        "headers": shared.HEADERS,
    }
    return result


SETTINGS: dict[str, Any] = {
    "OAS_VERSION": "3.1.1",
    "TITLE": "Fuel Depot Catalog API",
    "VERSION": shared.VERSION,
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
    "PREPROCESSING_HOOKS": [],
    "POSTPROCESSING_HOOKS": ["fueldepot.openapi.document.complete"],
}


ROUTES = [path(f"{PREFIX}/".removeprefix("/"), include((api.v1, "v1")))]


def make_document() -> dict[str, Any]:
    """The whole description, with addresses relative to the site. Asks nothing of the database."""
    with patched_settings(SETTINGS):
        generator = SchemaGenerator(patterns=ROUTES)  # type: ignore[no-untyped-call]
        document = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    # Plain types: enumerations of the code become the words they stand for.
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return {**plain, "security": []}


def write_out(document: dict[str, Any]) -> str:
    """The document as the file has it."""
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def write_file() -> None:
    """Rewrite `fueldepot/openapi.json`."""
    FILE.write_text(write_out(make_document()), encoding="utf-8")
