"""What every failure under /api/ answers: one body, one table from named errors to statuses."""

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import orjson
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from catalog.boundaries import PointOutsideMunicipalities
from catalog.depots.snapshot import UnknownDepot
from catalog.links import documentation_url
from catalog.params import FUEL, VOIVODESHIP
from catalog.query_string import READING_CODES, InvalidParameters, ParameterError, quote
from catalog.request_body import MAX_BODY_BYTES, READERS, BodyTooLarge, MalformedBody, UnsupportedBody
from catalog.territory.snapshot import UnknownPostcode, UnknownUnit, UnknownVoivodeship
from fueldepot.http.cache_control import NO_STORE
from fueldepot.rendering import JSON
from pages import errors as page_errors
from pages.errors import RETRY_AFTER_S
from prices.params import UnknownFuel
from regulations.queries import UnknownLegalState

logger = logging.getLogger(__name__)

CODES = (
    "invalid_parameter",
    "missing_parameter",
    "malformed_body",
    "unsupported_media_type",
    "not_found",
    "method_not_allowed",
    "too_many_requests",
    "payload_too_large",
    "server_error",
    "unavailable",
)
"""What `code` of the body may be."""

PARAMETER_CODES = (*READING_CODES, "unknown")
"""What `code` of a parameter may be. unknown: well-formed, but there is none."""


def error_body(status: int, code: str, message: str, errors: list[ParameterError] | None = None) -> dict[str, Any]:
    """The one body of every failure under /api/."""
    return {
        "status": status,
        "code": code,
        "message": message,
        "errors": [
            {"parameter": error.parameter, "code": error.code, "message": error.message} for error in errors or []
        ],
        "documentation": documentation_url(),
    }


def describe_parameters(error: InvalidParameters) -> dict[str, Any]:
    """400: every parameter that is wrong, and how to mend it."""
    code = "missing_parameter" if all(e.code == "missing" for e in error.errors) else "invalid_parameter"
    return error_body(400, code, f"{error}.", error.errors)


def describe_unit(error: UnknownUnit) -> dict[str, Any]:
    """404: a well-formed code that no unit has; a code that has left the register names its successor."""
    if error.successor:
        reason = f"teryt {error.teryt} has left the register; its successor is {error.successor}"
        if error.others:
            reason += f", and parts of it went to {', '.join(error.others)}"
    else:
        reason = f"no unit has the TERYT code {error.teryt}; /api/v1/locations finds codes by name"
    return error_body(404, "not_found", reason + ".", [ParameterError("teryt", "unknown", reason)])


def describe_postcode(error: UnknownPostcode) -> dict[str, Any]:
    """404: a well-formed postcode that is not in the register."""
    reason = f"postcode {error} is not in the register; check it, or ask by lat and lon"
    return error_body(404, "not_found", reason + ".", [ParameterError("postcode", "unknown", reason)])


def describe_depot(error: UnknownDepot) -> dict[str, Any]:
    """404: no such depot, or one that was removed."""
    if error.successor is not None:
        reason = f"depot {error} was merged into depot {error.successor}; ask for that one"
    else:
        reason = f"no depot is published under id {error}; take the id from /api/v1/stores"
    return error_body(404, "not_found", reason + ".", [ParameterError("id", "unknown", reason)])


def describe_point(error: PointOutsideMunicipalities) -> dict[str, Any]:
    """404: the sea, or a neighbouring country."""
    lat, lon = error.args
    reason = f"the point {lat}, {lon} lies in no Polish municipality, nor within 100 m of one"
    return error_body(404, "not_found", reason + ".")


def describe_malformed_body(error: MalformedBody) -> dict[str, Any]:
    """400: a body that is not what its content type says."""
    return error_body(400, "malformed_body", f"The request body cannot be read: {error}.")


def describe_unsupported_body(error: UnsupportedBody) -> dict[str, Any]:
    """415: a body in a form that is not read."""
    given = quote(str(error)) if str(error) else "missing"
    message = f"The content type is {given}; send the parameters in UTF-8 as one of {', '.join(READERS)}."
    return error_body(415, "unsupported_media_type", message)


def describe_large_body(error: BodyTooLarge) -> dict[str, Any]:
    """413: more than all parameters could need."""
    message = f"The request body is larger than {MAX_BODY_BYTES} bytes; send the documented parameters only."
    return error_body(413, "payload_too_large", message)


def describe_voivodeship(error: UnknownVoivodeship) -> dict[str, Any]:
    """404: the form of a slug or code, but none of the sixteen."""
    reason = f"no voivodeship is known by {quote(str(error))}; give {VOIVODESHIP}"
    return error_body(404, "not_found", reason + ".", [ParameterError("voivodeship", "unknown", reason)])


def describe_legal_state(error: UnknownLegalState) -> dict[str, Any]:
    """404: a voivodeship whose legal state was never imported. An empty calendar would say that nothing binds there."""
    reason = f"the legal state of {error} was never imported, so its deadlines are not known"
    return error_body(404, "not_found", reason + ".", [ParameterError("voivodeship", "unknown", reason)])


def describe_fuel(error: UnknownFuel) -> dict[str, Any]:
    """404: not a fuel of the catalog."""
    reason = f"no fuel is known by {quote(str(error))}; give {FUEL}"
    return error_body(404, "not_found", reason + ".", [ParameterError("fuel", "unknown", reason)])


DOMAIN_ERRORS: dict[type[Exception], Callable[[Any], dict[str, Any]]] = {
    InvalidParameters: describe_parameters,
    UnknownUnit: describe_unit,
    UnknownVoivodeship: describe_voivodeship,
    UnknownLegalState: describe_legal_state,
    UnknownPostcode: describe_postcode,
    UnknownDepot: describe_depot,
    UnknownFuel: describe_fuel,
    PointOutsideMunicipalities: describe_point,
    MalformedBody: describe_malformed_body,
    UnsupportedBody: describe_unsupported_body,
    BodyTooLarge: describe_large_body,
}
"""What each named error of the layers below answers. Errors that are not here are the server's own."""

DATABASE_AWAY = (OperationalError, InterfaceError)

FRAMEWORK_CODES = {
    400: "malformed_body",
    404: "not_found",
    405: "method_not_allowed",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
}


def answer_error(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's exception handler: the error body and headers of any exception that a viewset raised."""
    set_rollback()
    request = context["request"]
    describe = DOMAIN_ERRORS.get(type(error))
    if describe is not None:
        body = describe(error)
        return Response(body, status=body["status"], headers={"Cache-Control": NO_STORE})
    if isinstance(error, exceptions.MethodNotAllowed):
        message = f"{request.method} is not allowed here; use one of the methods in the Allow header."
        return Response(error_body(405, "method_not_allowed", message), status=405, headers={"Cache-Control": NO_STORE})
    if isinstance(error, exceptions.APIException):
        status = error.status_code
        code = FRAMEWORK_CODES.get(status, "server_error" if status >= 500 else "invalid_parameter")
        return Response(error_body(status, code, str(error.detail)), status=status, headers={"Cache-Control": NO_STORE})
    if isinstance(error, DATABASE_AWAY):
        note_away(error)
        headers = {"Cache-Control": NO_STORE, "Retry-After": str(RETRY_AFTER_S)}
        return Response(error_body(503, "unavailable", AWAY), status=503, headers=headers)
    return None


AWAY = "The database is not available; try again in a few seconds."


def note_away(error: BaseException) -> None:
    """One line in the log. The message of the error stays out of it: it may repeat what somebody typed."""
    cause = error.__cause__ or error
    logger.error("database not available: %s", type(cause).__name__)


def plain_error(request: HttpRequest, status: int, code: str, message: str) -> HttpResponse:
    """The error body where no viewset was reached."""
    response = HttpResponse(orjson.dumps(error_body(status, code, message)), status=status, content_type=JSON)
    response["Cache-Control"] = NO_STORE
    return response


@csrf_exempt
def unknown_path(request: HttpRequest) -> HttpResponse:
    """404 for any path under /api/ that is not an endpoint."""
    message = f"{quote(request.path)} is not an address of this API; there is no slash at the end of any."
    return plain_error(request, 404, "not_found", message)


def bad_request(request: HttpRequest) -> HttpResponse:
    """400 for a request that Django refuses before any view: too many fields, a NUL."""
    return plain_error(request, HTTPStatus.BAD_REQUEST, "invalid_parameter", "The request is malformed.")


def unknown_host(request: HttpRequest) -> HttpResponse:
    """400 for a request to a host that is not in ALLOWED_HOSTS."""
    if not is_api(request):
        return page_errors.unknown_host(request)
    given = quote(request.META.get("HTTP_HOST", ""))
    message = f"The host {given} is not served here; send the request to {settings.SITE_URL}."
    return plain_error(request, HTTPStatus.BAD_REQUEST, "invalid_parameter", message)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: our fault, logged with its traceback."""
    message = "The service failed to answer; the failure has been logged. Try again later."
    return plain_error(request, HTTPStatus.INTERNAL_SERVER_ERROR, "server_error", message)


def too_many_requests(request: HttpRequest, retry_after_s: int) -> HttpResponse:
    """429: more requests than one address may make."""
    message = (
        f"Too many requests from your address; ask again in {retry_after_s} s, "
        "and let the RateLimit header tell you how many more are answered."
    )
    response = plain_error(request, HTTPStatus.TOO_MANY_REQUESTS, "too_many_requests", message)
    response["Retry-After"] = str(retry_after_s)
    return response


def malformed_body(request: HttpRequest, error: MalformedBody) -> HttpResponse:
    """400: a body that did not come whole."""
    if not is_api(request):
        return page_errors.broken_body(request)
    return plain_error(request, HTTPStatus.BAD_REQUEST, "malformed_body", describe_malformed_body(error)["message"])


def unsupported_coding(request: HttpRequest, coding: str) -> HttpResponse:
    """415: a compressed body."""
    if not is_api(request):
        return page_errors.bad_request(request, HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    message = f"The Content-Encoding is {quote(coding)}; send the body uncompressed, without this header."
    return plain_error(request, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message)


def payload_too_large(request: HttpRequest, most_bytes: int) -> HttpResponse:
    """413: a body that nobody here would read."""
    if is_api(request):
        message = f"The request body is larger than {most_bytes} bytes; send the documented parameters only."
        return plain_error(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "payload_too_large", message)
    response = render(None, "413.html", {"site_name": settings.SITE_NAME}, status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    response["Cache-Control"] = NO_STORE
    return response


def unavailable(request: HttpRequest, error: BaseException) -> HttpResponse:
    """503: the database is away, for an API caller or for a reader of the site."""
    note_away(error)
    if not is_api(request):
        return page_errors.unavailable(request)
    response = plain_error(request, HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", AWAY)
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def is_api(request: HttpRequest) -> bool:
    """Whether an error of this request is answered as JSON."""
    return request.path.startswith("/api/") and request.path != "/api/"
