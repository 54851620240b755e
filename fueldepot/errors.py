"""Error responses: one body and one table of statuses under /api/, pages elsewhere.

They are not cached, and all pages but 404 render without the request.
"""

import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from psycopg.errors import QueryCanceled
from rest_framework.exceptions import MethodNotAllowed

from catalog.api.params import StoreQuery
from catalog.depots.snapshot import DepotNotFound
from catalog.territory.boundaries import SNAP_DISTANCE_M, PointOutsideMunicipalities
from catalog.territory.snapshot import PostcodeNotFound, UnitNotFound, VoivodeshipNotFound
from fueldepot.data.snapshot import is_away
from fueldepot.http.cache_control import GONE, NO_STORE, behind_cache
from fueldepot.http.error_body import RETRY_AFTER_S, ErrorJson, error_body, is_api, method_not_allowed, plain_error
from fueldepot.http.params import InvalidParameters, ParameterError, quote
from fueldepot.http.request_body import MAX_BODY_BYTES, MAX_FORM_BYTES, BodyTooLarge, MalformedBody, UnsupportedBody
from pages.page import Page
from pages.rendering import MARKDOWN_UTF8, collapse_blank_lines, render_page, wants_markdown
from prices.api.params import FuelNotFound
from regulations.api.params import RegulationsQuery
from regulations.queries import DeadlinesNotFound, LegalStateNotFound

logger = logging.getLogger("fueldepot.http.errors")


def describe_parameters(error: InvalidParameters) -> ErrorJson:
    code = "missing_parameter" if all(row.code == "missing" for row in error.errors) else "invalid_parameter"
    return error_body(code, f"{error}.", error.errors)


def not_found(parameter: str, reason: str) -> ErrorJson:
    """Return the body of a 404 that a well-formed parameter causes."""
    return error_body("not_found", f"{reason}.", [ParameterError(parameter, "unknown", reason)])


def describe_unit(error: UnitNotFound) -> ErrorJson:
    """404: no unit has this well-formed code.

    A code that left the register names its successor, one of a part of a municipality the municipality, and
    one that differs in its last digit only the right one.
    """
    if error.whole:
        whole = error.whole
        reason = f"teryt {error.teryt} is a part of the municipality {whole.name}; ask for {whole.teryt}"
    elif error.successor:
        reason = f"teryt {error.teryt} has left the register; its successor is {error.successor}"
        if error.others:
            reason += f", and parts of it went to {', '.join(error.others)}"
    elif error.nearest:
        nearest = error.nearest
        reason = f"no unit has the TERYT code {error.teryt}; that of the municipality {nearest.name} is {nearest.teryt}"
    else:
        reason = f"no unit has the TERYT code {error.teryt}; /api/v1/locations finds codes by name"
    return not_found("teryt", reason)


def describe_depot(error: DepotNotFound) -> ErrorJson:
    if error.successor is not None:
        reason = f"depot {error} was merged into depot {error.successor}; ask for that one"
    else:
        reason = f"no depot is published under id {error}; take the id from /api/v1/stores"
    return not_found("id", reason)


DOMAIN_ERRORS: dict[type[Exception], Callable[[Any], ErrorJson]] = {
    InvalidParameters: describe_parameters,
    UnitNotFound: describe_unit,
    VoivodeshipNotFound: lambda error: not_found(
        "voivodeship",
        f"no voivodeship is known by {quote(str(error))}; give {RegulationsQuery.accepted('voivodeship')}",
    ),
    # An empty calendar would claim that nothing applies.
    LegalStateNotFound: lambda error: not_found(
        "voivodeship", f"the legal state of {error} was never imported, so its deadlines are not known"
    ),
    # RFC 5545, section 3.6, requires at least one event in a calendar.
    DeadlinesNotFound: lambda error: error_body(
        "not_found", f"no deadline is known for {error}, so there is no calendar; /api/v1/regulations says what is."
    ),
    PostcodeNotFound: lambda error: not_found(
        "postcode", f"postcode {error} is not in the register; check it, or find the place with /api/v1/locations"
    ),
    DepotNotFound: describe_depot,
    FuelNotFound: lambda error: not_found(
        "fuel", f"no fuel is known by {quote(str(error))}; give {StoreQuery.accepted('fuel')}"
    ),
    PointOutsideMunicipalities: lambda error: error_body(
        "not_found",
        f"the point {error.args[0]}, {error.args[1]} lies in no Polish municipality, "
        f"nor within {SNAP_DISTANCE_M:.0f} m of one.",
    ),
    MalformedBody: lambda error: error_body("malformed_body", f"The request body cannot be read: {error}."),
    UnsupportedBody: lambda error: error_body("unsupported_media_type", str(error)),
    BodyTooLarge: lambda error: error_body(
        "payload_too_large",
        f"The request body is larger than {MAX_BODY_BYTES} bytes; send the documented parameters only.",
    ),
}
"""Responses by exceptions of the layers below. Other exceptions are server errors."""

OTHER_NAMES = {"teryt": "county", "postcode": "code"}
"""Parameters that a request may have instead of the one that an error names, in its query or path."""


def answer_error(error: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """DRF's exception handler: error body and headers of exceptions raised by viewsets; DRF itself raises one."""
    request = context["request"]
    if describe := DOMAIN_ERRORS.get(type(error)):
        body = describe(error)
        named = {*request.GET, *(request.resolver_match.kwargs if request.resolver_match else ())}
        named -= {*context["view"].ignored}
        for row in body["errors"]:
            if row["parameter"] not in named and OTHER_NAMES.get(row["parameter"]) in named:
                row["parameter"] = OTHER_NAMES[row["parameter"]]
        response = plain_error(body)
        if isinstance(error, DepotNotFound) and error.removed:
            response["Cache-Control"] = behind_cache(GONE, request)
        return response
    if isinstance(error, MethodNotAllowed):
        return method_not_allowed(request)
    return unavailable(request, error) if is_away(error) else None


@csrf_exempt
def unknown_path(request: HttpRequest) -> HttpResponse:
    path = quote(request.path)
    if request.path.endswith("/"):
        message = f"{path} is not an address of this API; there is no slash at the end of any."
    else:
        message = f"{path} is not an address of this API; /api/v1 lists all of them."
    return plain_error(error_body("not_found", message))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400 for a request that Django refuses before any view: an unknown host, too many fields, a NUL."""
    is_host = isinstance(exception, DisallowedHost)
    if not is_api(request):
        return bare("400_host.html" if is_host else "400.html", 400)
    host = quote(request.META.get("HTTP_HOST", ""))
    refusal = f"The host {host} is not served here; send the request to {settings.SITE_URL}."
    return plain_error(error_body("invalid_parameter", refusal if is_host else "The request is malformed."))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return bare("403.html", 403)


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    return bare("403_csrf.html", 403)


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if wants_markdown(request):
        return error_page(request, 404)
    page = Page(title="Nie ma takiej strony", description="", path="", breadcrumbs=(), indexed=False)
    return unkept(render_page(request, "404.html", page, status=404))


def server_error(request: HttpRequest) -> HttpResponse:
    """500: a bug, logged with its traceback; 503 if the database failed."""
    error = sys.exception()
    if error and is_away(error):
        return unavailable(request, error)
    if not is_api(request):
        return error_page(request, 500)
    message = "The service failed to answer; the failure has been logged. Try again later."
    return plain_error(error_body("server_error", message))


def refuse_body(request: HttpRequest, error: BodyTooLarge | MalformedBody | UnsupportedBody) -> HttpResponse:
    """400, 413 or 415: a body that no view has seen."""
    if is_api(request):
        return plain_error(DOMAIN_ERRORS[type(error)](error))
    if isinstance(error, BodyTooLarge):
        return bare("413.html", 413, megabytes=MAX_FORM_BYTES // 1_000_000)
    return bare("400.html", 415) if isinstance(error, UnsupportedBody) else bare("400_body.html", 400)


def unavailable(request: HttpRequest, error: BaseException) -> HttpResponse:
    """503: the database is away, or an import holds what a form would save; for API clients and readers of the site."""
    cause = error.__cause__ or error
    # In one line, without the error message, which may repeat user input.
    logger.error("database not available: %s", type(cause).__name__)
    if is_api(request):
        body = error_body("unavailable", "The database is not available; try again in a few seconds.")
        return plain_error(body, {"Retry-After": str(RETRY_AFTER_S)})
    if not isinstance(cause, QueryCanceled) or request.method != "POST":
        return unavailable_page(request)
    response = bare("503_busy.html", 503)  # after STATEMENT_LIMITS
    response["Retry-After"] = "60"
    return response


def unavailable_page(request: HttpRequest) -> HttpResponse:
    response = error_page(request, 503)
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def error_page(request: HttpRequest, status: int) -> HttpResponse:
    """Answer without the database, in a few lines of Markdown where the request prefers it."""
    if not wants_markdown(request):
        return bare(f"{status}.html", status)
    text = collapse_blank_lines(render_to_string(f"{status}.md"))
    return unkept(HttpResponse(text, content_type=MARKDOWN_UTF8, status=status))


def bare(template: str, status: int, **content: object) -> HttpResponse:
    return unkept(HttpResponse(render_to_string(template, content), status=status))


def unkept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = NO_STORE
    patch_vary_headers(response, ["Accept"])
    return response
