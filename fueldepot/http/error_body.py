"""Error body of the API, the same for every 4xx and 5xx under /api/. Domain errors: `fueldepot.errors`."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated

import orjson
from django.http import HttpRequest, HttpResponse
from typing_extensions import TypedDict

from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.links import route_url
from fueldepot.http.params import PARAM_ERROR_CODES, ParameterError
from fueldepot.http.query import OneOf, Url, example

JSON = "application/json"

RETRY_AFTER_S = 5
"""A restarted or replaced database is back within a few seconds."""

CODES = {
    "invalid_parameter": 400,
    "missing_parameter": 400,
    "malformed_body": 400,
    "unsupported_media_type": 415,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_many_requests": 429,
    "payload_too_large": 413,
    "server_error": 500,
    "unavailable": 503,
}
"""Values of `code` in the body, with their statuses."""

PARAMETER_CODES = (*PARAM_ERROR_CODES, "unknown")
"""Values of `code` of a parameter. unknown: well-formed, but not found."""


def is_api(request: HttpRequest) -> bool:
    """Whether errors of this request are answered as JSON."""
    return (request.path.startswith("/api/") and request.path != "/api/") or request.path in {"/mcp", "/mcp/"}


class ParameterErrorJson(TypedDict):
    """What is wrong with one parameter."""

    parameter: Annotated[str, example("lat")]
    """Name of the parameter."""
    code: Annotated[str, OneOf(*PARAMETER_CODES), example("out_of_range")]
    """Kind of mistake; `unknown` with status 404."""
    message: Annotated[str, example("lat is '60'; give a WGS84 latitude.")]
    """What was given and what is accepted, in English."""


class ErrorJson(TypedDict):
    """The body of every failure."""

    status: Annotated[int, example(400, ge=400, le=599)]
    """The HTTP status."""
    code: Annotated[str, OneOf(*CODES), example("invalid_parameter")]
    """Kind of failure."""
    message: Annotated[
        str, example("lat is '60'; give a WGS84 latitude from 48.8 to 55.1, in decimal degrees with a point.")
    ]
    """What was given, what is accepted and what to do, in English."""
    errors: list[ParameterErrorJson]
    """What is wrong with each parameter; empty when none is to blame."""
    documentation: Annotated[Url, example("https://sklady.example.pl/api/")]
    """The rules of use."""


def error_body(
    code: str, message: str, errors: Sequence[ParameterError] = (), *, status: int | None = None
) -> ErrorJson:
    """Return a body. code: one of CODES. status: if not that of the code."""
    return {
        "status": status or CODES[code],
        "code": code,
        "message": message,
        "errors": [{"parameter": error.parameter, "code": error.code, "message": error.message} for error in errors],
        "documentation": route_url("api-rules"),
    }


def plain_error(body: ErrorJson, headers: Mapping[str, str] | None = None) -> HttpResponse:
    headers = {"Cache-Control": NO_STORE, **(headers or {})}
    return HttpResponse(orjson.dumps(body), status=body["status"], content_type=JSON, headers=headers)


def method_not_allowed(
    request: HttpRequest, advice: str = "use one of the methods in the Allow header", headers: Mapping[str, str] = {}
) -> HttpResponse:
    """405. advice: what to do instead. headers: with `Allow`, unless the viewset adds it."""
    return plain_error(error_body("method_not_allowed", f"{request.method} is not allowed here; {advice}."), headers)


def precondition_failed() -> HttpResponse:
    """412: `If-Match` names another version. RFC 9110, section 13.1.1."""
    message = "The If-Match header names no ETag of this answer; leave it out, or give the ETag of the latest answer."
    return plain_error(error_body("invalid_parameter", message, status=HTTPStatus.PRECONDITION_FAILED))


def too_many_requests(retry_after_s: int) -> HttpResponse:
    message = (
        f"Too many requests from your address; ask again in {retry_after_s} s, "
        "and let the RateLimit header tell you how many more are answered."
    )
    return plain_error(error_body("too_many_requests", message), {"Retry-After": str(retry_after_s)})
