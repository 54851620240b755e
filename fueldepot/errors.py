"""What every failure under /api/ answers: one body, one table from named errors to statuses."""

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import orjson
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from catalog.boundaries import PointOutsideMunicipalities
from catalog.cache_control import NO_STORE
from catalog.links import documentation_url
from catalog.params import FUEL, VOIVODESHIP
from catalog.queries import UnknownDepot, UnknownPostcode, UnknownUnit, UnknownVoivodeship
from catalog.query_string import READING_CODES, InvalidParameters, ParameterError, quote
from catalog.request_body import MAX_BODY_BYTES, READERS, BodyTooLarge, MalformedBody, UnsupportedBody
from fueldepot.rendering import JSON
from pages import errors as page_errors
from pages.errors import RETRY_AFTER_S
from prices.params import UnknownFuel

logger = logging.getLogger(__name__)

RETRY_AFTER_S = "5"

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
    """400 for a request that Django refuses before any view: a wrong host, too many fields."""
    return plain_error(request, HTTPStatus.BAD_REQUEST, "invalid_parameter", "The request is malformed.")


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


def payload_too_large(request: HttpRequest, most_bytes: int) -> HttpResponse:
    """413: a body that nobody here would read."""
    if is_api(request):
        message = f"The request body is larger than {most_bytes} bytes; send the documented parameters only."
        return plain_error(request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "payload_too_large", message)
    response = render(None, "413.html", status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
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
