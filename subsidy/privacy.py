"""Removal of the parameters from a request before the calculation.

Log lines and error reports written later describe a request with no query string and an empty body, so they never hold
an income.
"""

from io import BytesIO

from django.http import HttpRequest

from fueldepot.http.query import Pairs, split_query
from fueldepot.http.request_body import read_pairs


def take_query(request: HttpRequest) -> Pairs:
    """Return names and values of the query string and remove it from the request."""
    raw = request.META.get("QUERY_STRING", "")
    forget_query(request)
    return split_query(raw)


def take_body(request: HttpRequest) -> Pairs:
    """Return names and values of the body; empty the body and the query string, which is not read.

    Raises MalformedBody, UnsupportedBody or BodyTooLarge.
    """
    forget_query(request)
    return read_pairs(request.META.get("CONTENT_TYPE", ""), take_bytes(request))


def forget_query(request: HttpRequest) -> None:
    """Remove the query string from every place where the server and Django keep it."""
    request.META["QUERY_STRING"] = ""
    for name in ("RAW_URI", "REQUEST_URI"):
        if name in request.META:
            request.META[name] = request.META[name].partition("?")[0]
    request.META.pop("HTTP_REFERER", None)


def take_bytes(request: HttpRequest) -> bytes:
    """Return the bytes of the body and empty the request's. `fueldepot.middleware` has read the body to its end."""
    body = request.body
    request._body = b""
    request.META["wsgi.input"] = request._stream = BytesIO()
    return body
