"""What every operation has in common: headers, errors, the rules of use."""

from typing import Any

from catalog.query_string import BOOLEANS, MAX_VALUE_LENGTH
from catalog.request_body import MAX_BODY_BYTES
from catalog.schema.forms import JSON, Schema, address, array, choice, integer, record, ref, text
from catalog.schema.operations import DEPOTS, PLACES
from catalog.schema.shapes import SITE
from fueldepot.errors import CODES, PARAMETER_CODES
from prices.schema import PRICES
from regulations.schema import REGULATIONS
from subsidy.schema import SUBSIDY

VERSION = "1.0.0"
NOTICE_MONTHS = 6

DESCRIPTION = f"""\
A public, free, read-only JSON API about heating fuel in Poland: fuel depots by municipality or nearest to a point, \
place and postcode search, fuel prices, the anti-smog resolutions of the voivodeships, and a calculator of the \
clean-air subsidy. No key is needed, and browsers may call it from any origin. The rules of use stand in Polish at \
[/api/](/api/), a readable form of this description at [/api/v1/docs](/api/v1/docs).

## Rules of use

1. Data may be quoted with attribution: the name of the service, the address of the page that the information \
concerns (the field `url` or `page`) and the date to which the data is current.
2. Every depot has a status in `source.data_status`. Quote it together with the depot.
3. Opening hours, fuel availability and prices can change and must be confirmed at the depot.
4. Depot prices are medians of approved prices. Averages of the statistical office are separate data; never merge \
both into one number.
5. Only companies are published, not private persons. Contact data must not be used for unsolicited commercial mail.
6. Part of the depots comes from OpenStreetMap under the ODbL: repeat the attribution in `source.origin`. A database \
built from them is subject to the ODbL (attribution and share-alike).
7. Averages of coal, electricity and gas come from the local data bank of the statistical office (GUS); each series \
states its variable and source address.
8. Municipality names, codes and boundaries come from the national territorial register and the national boundaries \
register.
9. Anti-smog resolutions are linked to the official gazettes; the text of the act binds.
10. The owner of a depot can correct, claim or delete its entry through the web forms of the service.
11. Downloading the whole database, copying it and commercial use require prior contact with the operator.

Answers with `demonstration: true`, and depots whose description says so, are invented and serve for trying the \
service out.

## Limits and caching

Please send at most one request per second from one source. Where the limit is enforced, `RateLimit-Policy` and \
`RateLimit` tell what is left, and a request too many is answered with 429 and `Retry-After`. Answers carry \
`Cache-Control` and a strong `ETag`: keep them that long, then ask again with `If-None-Match`; 304 means that \
nothing has changed. Answers of `/subsidy` are never kept.

## Requests

Paths have no slash at the end. Every GET also works as HEAD. Unknown parameters are ignored. A parameter that is \
repeated, longer than {MAX_VALUE_LENGTH} characters, not valid UTF-8 or (except in `/subsidy`) empty is answered \
with 400; surrounding blanks are trimmed. Numbers are written in digits without exponent, with a point; `/subsidy` \
also takes a decimal comma. Booleans are {", ".join(f"`{word}`" for word in BOOLEANS)}, in any case. Whatever \
`Accept` says, the answer is JSON, except for GeoJSON and calendars. Every failure has the same body.

## Versions and changes

This is version 1 of the API, the last part of its address. New fields may appear in answers at any time: ignore \
those you do not know. The removal of a field, or a change of its meaning, is announced at least {NOTICE_MONTHS} \
months before: on the page [/api/](/api/), in this description (`deprecated`), and in the answers concerned by the \
headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594).
"""

TAGS = [
    {"name": PLACES, "description": "Municipalities, localities and postcodes."},
    {"name": DEPOTS, "description": "Fuel depots, with their sources and price lists."},
    {"name": PRICES, "description": "Official averages and current medians, which are never merged."},
    {"name": REGULATIONS, "description": "Anti-smog resolutions, with their deadlines as data."},
    {"name": SUBSIDY, "description": "What the clean-air programme would pay."},
]

COMPONENTS: dict[str, Schema] = {
    "Error": record(
        "The body of every failure.",
        {
            "status": integer("The HTTP status.", 400, minimum=400, maximum=599),
            "code": choice("Kind of failure.", CODES, "invalid_parameter"),
            "message": text(
                "What was given, what is accepted and what to do, in English.",
                "lat is '60'; give a WGS84 latitude from 48.8 to 55.1, in decimal degrees with a point.",
            ),
            "errors": array(ref("ParameterError"), "What is wrong with each parameter; empty when none is to blame."),
            "documentation": address("The rules of use.", f"{SITE}/api/"),
        },
    ),
    "ParameterError": record(
        "What is wrong with one parameter.",
        {
            "parameter": text("Name of the parameter.", "lat"),
            "code": choice("Kind of mistake; `unknown` with status 404.", PARAMETER_CODES, "out_of_range"),
            "message": text("What was given and what is accepted, in English.", "lat is '60'; give a WGS84 latitude."),
        },
    ),
}

HEADERS: dict[str, Schema] = {
    "ETag": {
        "description": "Strong validator of the answer, for `If-None-Match`.",
        "schema": {"type": "string", "examples": ['"30f0d8a942c45f10c02710db"']},
    },
    "CacheControl": {
        "description": "How long the answer may be kept: public with a `max-age` in seconds, or `no-store`.",
        "required": True,
        "schema": {"type": "string", "examples": ["public, max-age=300", "no-store"]},
    },
    "Vary": {
        "description": "Request headers that the answer depends on.",
        "schema": {"type": "string", "examples": ["Accept, Accept-Encoding"]},
    },
    "AccessControlAllowOrigin": {
        "description": "Browsers may read the answer from any origin.",
        "required": True,
        "schema": {"type": "string", "const": "*", "examples": ["*"]},
    },
    "TotalCount": {
        "description": "How many depots fit, whatever `limit` says.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0, "examples": [404]},
    },
    "RateLimitPolicy": {
        "description": "The limit, as a structured field: `q` requests in `w` seconds. Absent where none is enforced.",
        "schema": {"type": "string", "examples": ['"default";q=60;w=60']},
    },
    "RateLimit": {
        "description": "What is left: `r` requests; `t` seconds until all are back, or with `r=0` until the next "
        "is allowed. Absent where no limit is enforced.",
        "schema": {"type": "string", "examples": ['"default";r=59;t=1']},
    },
    "RetryAfter": {
        "description": "Seconds to wait before the next request.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1, "examples": [5]},
    },
    "Allow": {
        "description": "The methods that the address accepts.",
        "required": True,
        "schema": {"type": "string", "examples": ["GET, HEAD, OPTIONS"]},
    },
}

WIRE_NAMES = {
    "CacheControl": "Cache-Control",
    "AccessControlAllowOrigin": "Access-Control-Allow-Origin",
    "TotalCount": "X-Total-Count",
    "RateLimitPolicy": "RateLimit-Policy",
    "RetryAfter": "Retry-After",
}

ALWAYS = ("CacheControl", "AccessControlAllowOrigin", "Vary", "RateLimitPolicy", "RateLimit")

FAILURES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "400": ("BadRequest", "A parameter is missing, malformed or out of range, or the body cannot be read.", ()),
    "404": ("NotFound", "Well-formed, but there is no such unit, code, depot, fuel or municipality.", ()),
    "405": ("MethodNotAllowed", "The address does not answer this method.", ("Allow",)),
    "413": ("PayloadTooLarge", f"The body is larger than {MAX_BODY_BYTES} bytes.", ()),
    "415": ("UnsupportedMediaType", "The body is of a type that is not read.", ()),
    "429": ("TooManyRequests", "Too many requests from one source; wait for `Retry-After`.", ("RetryAfter",)),
    "500": ("ServerError", "A fault of the service; it has been logged.", ()),
    "503": ("Unavailable", "The service cannot answer now; try again after `Retry-After`.", ("RetryAfter",)),
}
"""Name, meaning and additional headers of the answer to each failure."""


def headers(*names: str) -> dict[str, Any]:
    """Headers of an answer, by reference."""
    return {WIRE_NAMES.get(name, name): {"$ref": f"#/components/headers/{name}"} for name in (*names, *ALWAYS)}


def responses() -> dict[str, Any]:
    """Answers that operations refer to by name."""
    found: dict[str, Any] = {
        "NotModified": {
            "description": "Nothing has changed since the answer with this `ETag`; no body.",
            "headers": headers("ETag"),
        }
    }
    for name, description, more in FAILURES.values():
        found[name] = {
            "description": description,
            "headers": headers(*more),
            "content": {JSON: {"schema": ref("Error")}},
        }
    return found
