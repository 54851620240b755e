"""Taking the parameters out of a request, so that income is nowhere else while the answer is made.

Whatever fails later, a log line or an error report that describes the request finds an address without a query and an
empty body.
"""

from io import BytesIO

from django.http import HttpRequest, UnreadablePostError

from catalog.query_string import QueryString
from catalog.request_body import MAX_BODY_BYTES, BodyTooLarge, MalformedBody, read_pairs


def take_query(request: HttpRequest) -> QueryString:
    """The parameters of the address."""
    given = QueryString(request.META.get("QUERY_STRING", ""))
    forget_query(request)
    return given


def take_body(request: HttpRequest) -> QueryString:
    """The parameters of the body; those of the address are forgotten unread.

    Raises MalformedBody, UnsupportedBody or BodyTooLarge.
    """
    forget_query(request)
    return QueryString.of_pairs(read_pairs(request.META.get("CONTENT_TYPE", ""), read_limited(request)))


def forget_query(request: HttpRequest) -> None:
    """Remove the query from wherever the server and Django keep it."""
    request.META["QUERY_STRING"] = ""
    for name in ("RAW_URI", "REQUEST_URI"):
        if name in request.META:
            request.META[name] = request.META[name].partition("?")[0]
    request.META.pop("HTTP_REFERER", None)


def read_limited(request: HttpRequest) -> bytes:
    """The bytes of the body, never more than are accepted; the request itself keeps none.

    A body sent in chunks has no length, so the server's stream is read to its end.
    """
    stream = request.META["wsgi.input"]
    length = request.META.get("CONTENT_LENGTH") or ""
    try:
        if length:
            announced = int(length) if length.isascii() and length.isdigit() else 0
            if announced > MAX_BODY_BYTES:
                raise BodyTooLarge
            body: bytes = stream.read(announced) if announced else b""
        elif "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
            announced, body = 0, stream.read(MAX_BODY_BYTES + 1)
        else:
            announced, body = 0, b""
    except (OSError, UnreadablePostError):
        raise MalformedBody("the connection ended before the body did") from None
    finally:
        request._body = b""
        request._stream = BytesIO()
    if len(body) < announced:
        raise MalformedBody("the connection ended before the body did")
    return body
