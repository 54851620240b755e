"""Middleware of the project: CORS, request bodies, outages, caching at the desk, HEAD."""

import re
from collections.abc import Callable
from http import HTTPStatus
from io import BytesIO

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from gunicorn.http.errors import ParseException

from fueldepot.data import snapshot
from fueldepot.domain_errors import malformed_body, payload_too_large, unsupported_coding
from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.error_body import is_api
from fueldepot.http.request_body import MAX_BODY_BYTES, BodyTooLarge, MalformedBody, split_content_type
from pages import errors as page_errors

View = Callable[[HttpRequest], HttpResponse]

HEADER_NAMES = re.compile(r"[A-Za-z0-9-]+(?:[ ]?,[ ]?[A-Za-z0-9-]+)*", re.ASCII)

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
        if not is_api(request):
            response = get_response(request)
            if request.path.endswith(PUBLIC_FILES):
                response["Access-Control-Allow-Origin"] = "*"
            return response
        meta = request.META
        if request.method == "OPTIONS" and "HTTP_ORIGIN" in meta and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in meta:
            response = HttpResponse(status=HTTPStatus.NO_CONTENT, headers=PREFLIGHT)
            del response["Content-Type"]
            wanted = meta.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
            if HEADER_NAMES.fullmatch(wanted):
                response["Access-Control-Allow-Headers"] = wanted
        else:
            response = get_response(request)
            response["Access-Control-Expose-Headers"] = EXPOSED
        response["Access-Control-Allow-Origin"] = "*"
        return response

    return answer


MOST_BYTES = 5_000_000
"""Maximum size of a request body. Larger ones are refused unread: Django would write a form to the disk."""


def read_whole_bodies(get_response: View) -> View:
    """Read a body before any view; refuse one that is too large, compressed, badly chunked or truncated.

    Django reads nothing of a body without a length, and treats a truncated one as complete.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        meta = request.META
        if meta.get("CONTENT_LENGTH") in {None, "", "0"} and "HTTP_TRANSFER_ENCODING" not in meta:
            return get_response(request)
        most_bytes = MAX_BODY_BYTES if is_api(request) else MOST_BYTES
        try:
            length = announced_length(request, most_bytes)
            for name in ("Content-Encoding", "Transfer-Encoding"):
                coding = meta.get(f"HTTP_{name.upper().replace('-', '_')}", "").strip().lower()
                if coding not in {"", "identity", "chunked"}:
                    return unsupported_coding(request, name, coding)
            read_body(request, length, most_bytes)
        except BodyTooLarge as error:
            return payload_too_large(request, error)
        except MalformedBody as error:
            return malformed_body(request, error)
        return get_response(request)

    return answer


def announced_length(request: HttpRequest, most_bytes: int) -> int | None:
    """Return the length of the body, None if it is chunked. Raises BodyTooLarge."""
    text = request.META.get("CONTENT_LENGTH") or ""
    if not text:
        return None
    length = int(text[:20]) if text.isdecimal() else 0
    if length > most_bytes:
        raise BodyTooLarge
    return length


def read_body(request: HttpRequest, length: int | None, most_bytes: int) -> None:
    """Replace the server's stream by its content. Raises BodyTooLarge or MalformedBody."""
    try:
        body: bytes = request.META["wsgi.input"].read(most_bytes + 1 if length is None else length)
    except OSError:
        raise MalformedBody("the connection ended before the body did") from None
    except ParseException:
        raise MalformedBody("its chunks are not what RFC 9112, section 7.1, says") from None
    if length is not None and len(body) < length:
        raise MalformedBody("the connection ended before the body did")
    if len(body) > most_bytes:
        raise BodyTooLarge
    check_end(request.META.get("CONTENT_TYPE", ""), body)
    request.META["CONTENT_LENGTH"] = str(len(body))
    request.META["wsgi.input"] = request._stream = BytesIO(body)


def check_end(content_type: str, body: bytes) -> None:
    """Refuse a multipart body without its closing boundary, which Django would accept."""
    media_type, options = split_content_type(content_type)
    if media_type == "multipart/form-data" and body:
        boundary = options.get("boundary", "").encode("latin-1", "replace")
        if b"--" + boundary + b"--" not in body:
            raise MalformedBody("the multipart body does not end with its boundary")


def refuse_without_database(get_response: View) -> View:
    """Answer 503 while the database is away.

    A query to a frozen database would block the thread, and a few of them the whole worker.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if snapshot.database_is_away():
            return page_errors.unavailable(request)
        return get_response(request)

    return answer


def no_store_admin(get_response: View) -> View:
    """Forbid caching of responses under /admin/.

    Django's admin does so on its own pages, not for refusals, redirects and locked logins.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.path.startswith("/admin/") and "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = NO_STORE
        return response

    return answer


def refuse_nul_at_desk(get_response: View) -> View:
    """Answer 400 to a URL of the desk with a NUL in its query, which PostgreSQL does not accept in text.

    The admin's filters pass values on. The API and the pages parse their parameters themselves.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/admin/") and "%00" in request.META["QUERY_STRING"]:
            raise BadRequest("NUL in the query")
        return get_response(request)

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
