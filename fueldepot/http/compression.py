"""gzip for responses of the API. Pages are compressed by the proxy, which caches them."""

from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

from fueldepot.http.accept import parse_accept
from fueldepot.http.errors import is_api


class ApiGZipMiddleware(GZipMiddleware):
    """Compresses 200 responses of the API from 200 bytes on, for callers that name gzip.

    The compressed form has the weak ETag of the plain one (RFC 9110, 8.8.1), and either is known again.
    """

    max_random_bytes = 0  # the data are public, and the same answer is the same bytes

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Return the response, compressed or not, with the headers that tell of it."""
        if not is_api(request) or response.status_code not in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        weak = f"W/{response.get('ETag')}"
        if response.status_code == HTTPStatus.NOT_MODIFIED and weak in request.META.get("HTTP_IF_NONE_MATCH", ""):
            response["ETag"] = weak  # the form that the caller has
        # Django looks for the name only.
        if parse_accept(request.META.get("HTTP_ACCEPT_ENCODING", "")).get("gzip", 0) == 0:
            return response
        return super().process_response(request, response)
