"""What every answer carries, and what an answer to HEAD does not."""

import re
from collections.abc import Callable
from http import HTTPStatus
from io import BytesIO

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from gunicorn.http.errors import ParseException

from catalog.request_body import MAX_BODY_BYTES, BodyTooLarge, MalformedBody
from fueldepot.data import snapshot
from fueldepot.errors import is_api, malformed_body, payload_too_large, unsupported_coding
from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.desk import is_desk_or_form
from pages import errors as page_errors

HEADER_NAMES = re.compile(r"[A-Za-z0-9-]+(?:[ ]?,[ ]?[A-Za-z0-9-]+)*", re.ASCII)


PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Max-Age": "86400",
    "Vary": "Access-Control-Request-Headers",
}

EXPOSED = "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID, X-Total-Count"
"""Headers that scripts of other sites may read, beside those that they always may."""


def open_to_every_origin(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Let scripts of any site read the API, and answer their browsers' preflight requests.

    Every answer says so, whether or not the caller named its origin: shared caches keep one answer for all. No
    credentials are ever wanted. Source: Fetch Standard, "CORS protocol".
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if not is_api(request):
            return get_response(request)
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
"""Of any request body. Larger ones are refused unread: what a form holds would go to the disk."""


def read_whole_bodies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Read a body before any view does; refuse one that is too large, compressed, badly chunked or broken off.

    Django reads nothing of a body without a length, and takes what has come of one that breaks off for all of it.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        meta = request.META
        if meta.get("CONTENT_LENGTH") in {None, "", "0"} and "HTTP_TRANSFER_ENCODING" not in meta:
            return get_response(request)
        most_bytes = MAX_BODY_BYTES if is_api(request) else MOST_BYTES
        coding = meta.get("HTTP_CONTENT_ENCODING", "").strip().lower()
        try:
            length = announced_length(request, most_bytes)
            if coding not in {"", "identity"}:
                return unsupported_coding(request, coding)
            read_body(request, length, most_bytes)
        except BodyTooLarge:
            return payload_too_large(request, most_bytes)
        except MalformedBody as error:
            return malformed_body(request, error)
        return get_response(request)

    return answer


def announced_length(request: HttpRequest, most_bytes: int) -> int | None:
    """Bytes of the body, None where it comes in chunks. Raises BodyTooLarge."""
    text = request.META.get("CONTENT_LENGTH") or ""
    if not text:
        return None
    length = int(text[:20]) if text.isdecimal() else 0
    if length > most_bytes:
        raise BodyTooLarge
    return length


def read_body(request: HttpRequest, length: int | None, most_bytes: int) -> None:
    """Replace the server's stream by the bytes that it delivers. Raises BodyTooLarge or MalformedBody."""
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
    request.META["CONTENT_LENGTH"] = str(len(body))
    request.META["wsgi.input"] = request._stream = BytesIO(body)


def refuse_without_database(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer 503 at once to the desk and the forms while the database is away.

    Asking a frozen database would hold the thread, and with a few of them the whole worker, for as long as it is.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if is_desk_or_form(request) and snapshot.database_is_away():
            return page_errors.unavailable(request)
        return get_response(request)

    return answer


def keep_no_desk(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Let no cache keep what the editors' desk answers.

    The admin says so of its own pages; refusals, redirects and locked logins are answered elsewhere.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.path.startswith("/admin/") and "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = NO_STORE
        return response

    return answer


def refuse_nul_at_desk(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Answer 400 to an address of the editors' desk with a NUL in its query: PostgreSQL takes none in any text.

    The admin's own filters pass on whatever they are given. The API and the pages read their parameters themselves.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/admin/") and "%00" in request.META["QUERY_STRING"]:
            raise BadRequest("NUL in the query")
        return get_response(request)

    return answer


def answer_head_without_body(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Drop the body of an answer to HEAD; its headers, Content-Length among them, stay those of GET.

    Django leaves that to the server, and gunicorn writes a warning for every body that it has to drop. Errors that are
    answered before Django's own middleware get their length here.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.streaming or response.status_code in {204, 304}:
            return response
        headers = response.headers
        if "Content-Length" not in headers:
            headers["Content-Length"] = str(len(response.content))
        if request.method == "HEAD":
            response.content = b""
        return response

    return answer
