"""Middleware of the project: CORS, policies, compression, request bodies, HEAD, the desk and the forms.

Accept-Encoding: RFC 9110, section 12.5.3.
"""

import codecs
import re
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.module_loading import import_string

from fueldepot import errors
from fueldepot.data import snapshot
from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.caller_address import read_address, read_networks, trusts
from fueldepot.http.error_body import is_api, method_not_allowed, precondition_failed
from fueldepot.http.request_body import (
    MAX_BODY_BYTES,
    MAX_FORM_BYTES,
    BodyTooLarge,
    MalformedBody,
    UnsupportedBody,
    read_whole,
)
from fueldepot.http.views import is_private, parse_accept

View = Callable[[HttpRequest], HttpResponse]

HEADER_NAMES = re.compile(r"[A-Za-z0-9-]+(?:[ ]?,[ ]?[A-Za-z0-9-]+)*", re.ASCII)

OF_PREFLIGHT = {"HTTP_ORIGIN", "HTTP_ACCESS_CONTROL_REQUEST_METHOD"}

PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Max-Age": "86400",
    "Vary": "Access-Control-Request-Headers",
}

PUBLIC_FILES = (".csv", ".md", ".txt")
"""Ends of the addresses outside the API that scripts of other sites may read too: data, twins of pages, llms.txt."""

EXPOSED = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Ignored-Parameters, X-Request-ID, X-Total-Count"
"""Response headers readable for scripts of other sites, besides the safelisted ones."""


def cors(get_response: View) -> View:
    """Let scripts of any site read the API and public files, and answer preflight requests of the API.

    Every response has the headers, whether or not the request has an Origin: shared caches store one response for all.
    Never with credentials. Source: Fetch Standard, "CORS protocol".
    """

    def answer(request: HttpRequest) -> HttpResponse:
        meta, in_api = request.META, is_api(request)
        if in_api and request.method == "OPTIONS" and meta.keys() >= OF_PREFLIGHT:
            response = HttpResponse(status=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)
            del response["Content-Type"]
            names = meta.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
            if HEADER_NAMES.fullmatch(names):
                response["Access-Control-Allow-Headers"] = names
        else:
            response = get_response(request)
            if in_api:
                response["Access-Control-Expose-Headers"] = EXPOSED
        if in_api or request.path.endswith(PUBLIC_FILES):
            response["Access-Control-Allow-Origin"] = "*"
        return response

    return answer


def explain_refusals(get_response: View) -> View:
    """Give 405 and 412 of Django and WhiteNoise, which have no body, that of the other errors."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code not in {405, 412} or (not response.streaming and response.content):
            return response
        if response.status_code == HTTPStatus.PRECONDITION_FAILED:
            return precondition_failed() if is_api(request) else errors.error_page(request, 412)
        refused = method_not_allowed(request) if is_api(request) else errors.error_page(request, 405)
        refused["Allow"] = response["Allow"]
        return refused

    return answer


STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Everything from this site; no inline scripts or styles."""

ADMIN = STRICT.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
"""Django's admin has inline styles. Scripts stay strict."""

DATA = "default-src 'none'; frame-ancestors 'none'"
"""For responses that are no pages: a browser that shows them loads nothing else."""

PERMISSIONS = "geolocation=(self), camera=(), microphone=(), payment=(), usb=(), browsing-topics=()"
"""The search can use the reader's position; other features are off."""


def add_policies(get_response: View) -> View:
    """Add the content security policy and the permissions policy to responses without one.

    A 304 has none: it has no media type to tell a page by, and a browser applies its headers to the page that it keeps
    (RFC 9111, section 3.2).
    """

    strict, admin = (allow_tiles(policy, settings.MAP_TILES_URL) for policy in (STRICT, ADMIN))

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            return response
        headers = response.headers
        is_page = headers.get("Content-Type", "").startswith("text/html")
        if "Content-Security-Policy" not in headers:
            pages = admin if request.path.startswith("/admin/") else strict
            headers["Content-Security-Policy"] = pages if is_page else DATA
        if is_page:
            headers["Permissions-Policy"] = PERMISSIONS
        return response

    return answer


def allow_tiles(policy: str, url: str) -> str:
    """Return a policy that allows map tiles of the operator's choice. url: "" for none."""
    if not url:
        return policy
    parts = urlsplit(url)
    return policy.replace("img-src 'self'", f"img-src 'self' {parts.scheme}://{parts.netloc.replace('{s}', '*')}")


def read_whole_bodies(get_response: View) -> View:
    """Read a body before any view; refuse one that is too large, compressed, badly chunked, truncated, or not in UTF-8.

    Django would decode query and multipart body by the charset of the request, also one that yields what cannot be
    stored or sent. The API names a charset that it refuses itself.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        charset, request.encoding = request.encoding, None  # type: ignore[assignment] # its type has no None
        if charset and request.method == "POST" and not is_api(request) and codecs.lookup(charset).name != "utf-8":
            return errors.bare("400.html", 400)
        try:
            read_whole(request, MAX_BODY_BYTES if is_api(request) else MAX_FORM_BYTES)
        except (BodyTooLarge, MalformedBody, UnsupportedBody) as error:
            return errors.refuse_body(request, error)
        return get_response(request)

    return answer


NUL = re.compile("%(25)*00")
"""In a query, also where a parameter holds another query, as that of the list from which a page was opened."""


def guard_private_views(get_response: View) -> View:
    """Answer 503 while the database is away, and under /admin/ 400 to a NUL in the address; forbid caching there.

    Callers outside ADMIN_NETWORKS, if there are any, get 404 under /admin/, as if there was no desk.

    A query to a frozen database would block the thread, and a few of them the whole worker. PostgreSQL does not accept
    a NUL in text, and the admin's filters pass values on. Django's admin forbids caching on its own pages, not for
    refusals, redirects and locked logins.
    """

    networks = read_networks(settings.ADMIN_NETWORKS)

    def answer(request: HttpRequest) -> HttpResponse:
        at_desk = request.path.startswith("/admin/")
        if at_desk and networks and not trusts(networks, read_address(request.META.get("REMOTE_ADDR", ""))):
            return errors.page_not_found(request)
        if at_desk and ("\0" in request.path or NUL.search(request.META["QUERY_STRING"])):
            return errors.bare("400.html", 400)
        if snapshot.database_is_away():
            return errors.unavailable_page(request)
        response = get_response(request)
        if at_desk:
            response.headers.setdefault("Cache-Control", NO_STORE)
        return response

    return answer


def answer_head_without_body(get_response: View) -> View:
    """Drop the body of a response to HEAD; its headers, Content-Length included, stay those of GET.

    Django leaves that to the server, and gunicorn logs a warning for every dropped body. Errors raised before Django's
    own middleware get their length here.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code in {204, 304}:
            # It would be the length of the response to GET, and Django sets 0: RFC 9110, section 8.6.
            del response["Content-Length"]
            return response
        if response.streaming:
            return response
        headers = response.headers
        if "Content-Length" not in headers:
            headers["Content-Length"] = str(len(response.content))
        if request.method == "HEAD":
            response.content = b""
        return response

    return answer


@cache
def layers() -> tuple[Callable[..., Any], ...]:
    """Return PRIVATE_MIDDLEWARE, the innermost first."""
    return tuple(import_string(name) for name in reversed(settings.PRIVATE_MIDDLEWARE))


class PrivateViewMiddleware(MiddlewareMixin):
    """Runs private views within PRIVATE_MIDDLEWARE. The last of MIDDLEWARE: other `process_view` would be skipped."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        """Return the response of a private view, None for a public one, which Django then calls itself."""
        if not is_private(request):
            return None

        def answer(request: HttpRequest) -> Any:
            response = view(request, *args, **kwargs)
            # Here, as templates use the user and the messages.
            return response.render() if hasattr(response, "render") else response

        handler: Any = convert_exception_to_response(answer)
        for layer in layers():
            handler = convert_exception_to_response(layer(handler))
        response: HttpResponse = handler(request)
        return response


class ApiGZipMiddleware(GZipMiddleware):
    """Compresses 200 responses of the API from 200 bytes on, for callers that name gzip.

    The compressed form has the weak ETag of the plain one (RFC 9110, 8.8.1), and either is known again.
    """

    max_random_bytes = 0  # the data are public, and the same answer is the same bytes

    def process_request(self, request: HttpRequest) -> None:
        """Leave what Django and WhiteNoise look for: the name alone, in lower case, whatever its weight."""
        if accepted := request.META.get("HTTP_ACCEPT_ENCODING"):
            request.META["HTTP_ACCEPT_ENCODING"] = "gzip" if parse_accept(accepted).get("gzip") else ""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not is_api(request) or response.status_code not in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if response.status_code == HTTPStatus.OK:
            return super().process_response(request, response) if request.META.get("HTTP_ACCEPT_ENCODING") else response
        if (weak := f"W/{response.get('ETag')}") in request.META.get("HTTP_IF_NONE_MATCH", ""):
            response["ETag"] = weak  # the form that the caller has
        return response
