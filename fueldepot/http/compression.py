"""gzip for responses of the API. Pages are compressed by the proxy, which caches them.

A compressed response is another representation, so its strong ETag differs: the plain one with a suffix (RFC 9110,
8.8.3.3). Inner layers do not know the suffix; callers may send either.
"""

import zlib
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from fueldepot.http.accept import parse_accept
from fueldepot.http.errors import is_api

SMALLEST_BYTES = 500
"""Smaller responses fit a packet anyhow."""

LEVEL = 3
"""Level 1 to 9: saves nearly as much as the highest, in a fraction of the time."""

GZIP_WINDOW = 16 + zlib.MAX_WBITS
SUFFIX = "-gzip"
COMPRESSIBLE = ("application/json", "application/geo+json", "text/calendar")


def accepts_gzip(header: str) -> bool:
    """Whether Accept-Encoding accepts gzip (RFC 9110, 12.5.3): by name or `*`, and not with q=0."""
    weights = parse_accept(header)
    named = [weights[name] for name in ("gzip", "x-gzip") if name in weights]
    return max(named) > 0 if named else weights.get("*", 0) > 0


def compress(body: bytes) -> bytes:
    """Compress deterministically: no file name, no time."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    return packer.compress(body) + packer.flush()


def suffixed(etag: str) -> str:
    """Return the ETag of the compressed form."""
    return f'{etag[:-1]}{SUFFIX}"'


def compress_answers(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Compress responses of the API for callers that accept it, unless they are small."""

    def answer(request: HttpRequest) -> HttpResponse:
        if not is_api(request):
            return get_response(request)
        asked = request.META.get("HTTP_IF_NONE_MATCH", "")
        if SUFFIX in asked:
            request.META["HTTP_IF_NONE_MATCH"] = asked.replace(f'{SUFFIX}"', '"')
        response = get_response(request)
        if response.status_code not in {200, 304} or request.method not in {"GET", "HEAD", "POST"}:
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if response.status_code == 304:
            # The 304 names the form that the caller has.
            if SUFFIX in asked and suffixed(response["ETag"]) in asked:
                response["ETag"] = suffixed(response["ETag"])
            return response
        if (
            not accepts_gzip(request.META.get("HTTP_ACCEPT_ENCODING", ""))
            or response.streaming
            or response.has_header("Content-Encoding")
            or len(response.content) < SMALLEST_BYTES
            or not response.get("Content-Type", "").startswith(COMPRESSIBLE)
        ):
            return response
        response.content = compress(response.content)
        response["Content-Encoding"] = "gzip"
        if response.has_header("Content-Length"):
            response["Content-Length"] = str(len(response.content))
        if response.has_header("ETag"):
            response["ETag"] = suffixed(response["ETag"])
        return response

    return answer
