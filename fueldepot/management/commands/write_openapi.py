"""`make openapi`: rewrites the API description, with the shared parts of its operations. The service only reads it."""

import json
import shlex
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.core.management.base import BaseCommand
from django.template.loader import render_to_string
from django.urls import include, path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.settings import patched_settings

from catalog.api.params import LIMIT_RANGE
from catalog.api.views import DEPOTS, PLACES
from catalog.search.index import MAX_SUGGESTIONS
from fueldepot import api
from fueldepot.http.api_description import FILE, PREFIX, describe_schemas
from fueldepot.http.cache_control import CATALOG, NO_STORE, version
from fueldepot.http.params import BOOLEANS, MAX_VALUE_LENGTH
from fueldepot.http.query import EXAMPLE_SITE, MOST_IGNORED
from fueldepot.http.request_body import MAX_BODY_BYTES
from fueldepot.http.views import JSON
from pages.api_and_text_pages import NOTICE_MONTHS
from pages.heating_api import HEATING
from prices.api.views import PRICES
from regulations.api.views import REGULATIONS
from subsidy.api.views import SUBSIDY

TAGS = [
    {"name": api.SERVICE, "description": "The entry of the API."},
    {"name": PLACES, "description": "Municipalities, localities and postcodes."},
    {"name": DEPOTS, "description": "Fuel depots, with their sources and price lists."},
    {"name": PRICES, "description": "Official averages and current medians, which are never merged."},
    {"name": HEATING, "description": "What a kilowatt-hour of heat costs from each source, as a range."},
    {"name": REGULATIONS, "description": "Anti-smog resolutions, with their deadlines as data."},
    {"name": SUBSIDY, "description": "What the clean-air programme would pay."},
]


def header(description: str, *examples: str | int, required: bool = False, **schema: Any) -> dict[str, Any]:
    kind = "integer" if isinstance(examples[0], int) else "string"
    body = {"description": description, **({"required": True} if required else {})}
    return {**body, "schema": {"type": kind, **schema, "examples": [*examples]}}


KEPT = "How long the answer may be kept: public with a `max-age` in seconds, or `no-store`."

HEADERS: dict[str, Any] = {
    "ETag": header("Validator of the answer, for `If-None-Match`.", '"30f0d8a942c45f10c02710db"'),
    "Cache-Control": header(KEPT, CATALOG, NO_STORE, required=True),
    "Vary": header("Request headers that the answer depends on.", "Accept, Accept-Encoding"),
    "Access-Control-Allow-Origin": header(
        "Browsers may read the answer from any origin.", "*", required=True, const="*"
    ),
    "Link": header(
        "Addresses of the pages of a list (RFC 8288): `first`, `prev`, `next`, `last`.",
        f'<{EXAMPLE_SITE}/api/v1/stores?teryt=1061&limit=100&offset=100>; rel="next"',
        required=True,
    ),
    "X-Total-Count": header("How many rows fit, whatever `limit` and `offset` say.", 404, required=True, minimum=0),
    "X-Ignored-Parameters": header(
        f"The first {MOST_IGNORED} names of the query that are no parameters here, percent-encoded and "
        "separated by commas. Absent where there are none, and from 304.",
        "voivodship, utm_source",
    ),
    "RateLimit-Policy": header(
        "The limit, as a structured field: `q` requests in `w` seconds. Absent where none is enforced.",
        '"default";q=60;w=60',
    ),
    "RateLimit": header(
        "What is left: `r` requests; `t` seconds until all are back, or with `r=0` until the next "
        "is allowed. Absent where no limit is enforced.",
        '"default";r=59;t=1',
    ),
    "Retry-After": header("Seconds to wait before the next request.", 5, required=True, minimum=1),
    "Allow": header("The methods that the address accepts.", "GET, HEAD, OPTIONS", required=True),
}

ALWAYS = ("Cache-Control", "Access-Control-Allow-Origin", "Vary", "RateLimit-Policy", "RateLimit")

IGNORED = ("X-Ignored-Parameters",)

FAILURES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "400": ("BadRequest", "A parameter is missing, malformed or out of range, or the body cannot be read.", IGNORED),
    "404": ("NotFound", "Well-formed, but there is no such unit, code, depot, fuel or municipality.", IGNORED),
    "405": ("MethodNotAllowed", "The address does not answer this method.", ("Allow",)),
    "412": ("Mismatch", "`If-Match` names another `ETag`.", ()),
    "413": ("PayloadTooLarge", f"The body is larger than {MAX_BODY_BYTES} bytes.", ()),
    "415": ("UnsupportedMediaType", "The body is of a type that is not read.", ()),
    "429": ("TooManyRequests", "Too many requests from one source; wait for `Retry-After`.", ("Retry-After",)),
    "500": ("ServerError", "A fault of the service; it has been logged.", ()),
    "503": ("Unavailable", "The service cannot answer now; try again after `Retry-After`.", ("Retry-After",)),
}
"""Name, meaning and additional headers of error responses."""


def headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{component_name(name)}"} for name in (*names, *ALWAYS)}


def component_name(header_name: str) -> str:
    return header_name.removeprefix("X-").replace("-", "")


def responses() -> dict[str, Any]:
    by_name: dict[str, Any] = {
        "NotModified": {
            "description": "Nothing has changed since the answer with this `ETag`; no body.",
            "headers": headers("ETag"),
        }
    }
    for name, description, more in FAILURES.values():
        by_name[name] = {
            "description": description,
            "headers": headers(*more),
            "content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}},
        }
    return by_name


MOST_ROWS = {"/locations": MAX_SUGGESTIONS, "/stores": LIMIT_RANGE[1], "/deadlines": LIMIT_RANGE[1]}
"""Maximum length of lists by path."""

PAGED = {"/stores", "/stores.geojson", "/deadlines"}
"""Paths of lists with `limit`, whose responses have the total number of rows and link to their other pages."""

NEVER_KEPT = {"/subsidy"}
"""Paths without validators and lookups, so without 304, 404 and 412."""


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
                # Tools fill it in: together they make a request that answers. Other examples stay in the schema.
                if parameter["in"] == "path" or parameter["name"] in prefilled:
                    (parameter["example"],) = parameter["schema"].pop("examples")
            complete_responses(operation["responses"], address, method)
    schemas = dict(sorted(describe_schemas().items()))
    described = {component_name(name): description for name, description in HEADERS.items()}
    result["components"] = {"schemas": schemas, "responses": responses(), "headers": described}
    return result


def complete_responses(responses: dict[str, Any], address: str, method: str) -> None:
    """Add the headers of 200, the length of its list, and the shared responses that the operation can give."""
    validated = address not in NEVER_KEPT
    names = ["ETag"] * validated + ["Link", "X-Total-Count"] * (address in PAGED)
    responses["200"]["headers"] = headers(*names, *IGNORED)
    if address in MOST_ROWS:
        responses["200"]["content"][JSON]["schema"]["maxItems"] = MOST_ROWS[address]
    if validated:
        responses["304"] = {"$ref": "#/components/responses/NotModified"}
    for status, (name, _, _) in FAILURES.items():
        if (status not in {"404", "412"} or validated) and (status not in {"413", "415"} or method == "post"):
            responses[status] = {"$ref": f"#/components/responses/{name}"}


SETTINGS: dict[str, Any] = {
    "OAS_VERSION": "3.1.1",
    "TITLE": "Fuel Depot Catalog API",
    "VERSION": "1.0.0",  # of the description; `x-release` has that of the project
    "EXTENSIONS_INFO": {"x-release": version()},
    "TOS": "/api/",
    "LICENSE": {"name": "Quotation with attribution; entries from OpenStreetMap under ODbL 1.0", "url": "/api/"},
    "EXTERNAL_DOCS": {"description": "Rules of use, in Polish", "url": "/api/"},
    "TAGS": TAGS,
    "SERVERS": [{"url": PREFIX}],
    "SCHEMA_PATH_PREFIX": PREFIX,
    "SCHEMA_PATH_PREFIX_TRIM": True,
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [f"{__name__}.complete"],
}

ROUTES = [
    path(f"{PREFIX}/".removeprefix("/"), api.index),
    path(f"{PREFIX}/".removeprefix("/"), include((api.v1, "v1"))),
]


def make_document() -> dict[str, Any]:
    """Return the description, with URLs relative to the site. No query."""
    numbers = {"longest_value": MAX_VALUE_LENGTH, "notice_months": NOTICE_MONTHS}
    described = render_to_string("api/description.md", {"booleans": BOOLEANS, **numbers})
    with patched_settings(SETTINGS | {"DESCRIPTION": described}):
        generator = SchemaGenerator(patterns=ROUTES)  # type: ignore[no-untyped-call]
        document = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    # Enumerations become strings.
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return {**plain, "security": []}


class Command(BaseCommand):
    help = "Rewrite fueldepot/openapi.json from the code."

    def handle(self, *args: Any, **options: Any) -> None:
        FILE.write_text(json.dumps(make_document(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        self.stdout.write(f"{FILE.name} is written; read the diff before you commit it")
