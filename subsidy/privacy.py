"""Taking the parameters out of a request, so that income is nowhere else while the answer is made.

Whatever fails later, a log line or an error report that describes the request finds an address without a query and an
empty body.
"""

from io import BytesIO

from django.http import HttpRequest

from catalog.query_string import QueryString
from catalog.request_body import read_pairs


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
    return QueryString.of_pairs(read_pairs(request.META.get("CONTENT_TYPE", ""), take_bytes(request)))


def forget_query(request: HttpRequest) -> None:
    """Remove the query from wherever the server and Django keep it."""
    request.META["QUERY_STRING"] = ""
    for name in ("RAW_URI", "REQUEST_URI"):
        if name in request.META:
            request.META[name] = request.META[name].partition("?")[0]
    request.META.pop("HTTP_REFERER", None)


def take_bytes(request: HttpRequest) -> bytes:
    """The bytes of the body, which has come whole (`fueldepot.middleware`); the request itself keeps none."""
    body = request.body
    request._body = b""
    request.META["wsgi.input"] = request._stream = BytesIO()
    return body
