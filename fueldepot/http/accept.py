"""Parsing of headers of negotiation: Accept and Accept-Encoding. RFC 9110, sections 12.5.1 and 12.5.3."""

from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

from fueldepot.http.error_body import is_api


def parse_accept(accept: str) -> dict[str, float]:
    """Return the weight, 0 to 1, of each media type or coding in lower case; of repeated ones the highest."""
    weights: dict[str, float] = {}
    for entry in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in entry.split(";"))
        weights[kind] = max(weights.get(kind, 0.0), _weight(parameters))
    return weights


def _weight(parameters: list[str]) -> float:
    """Return the weight of an entry: 1 by default, 0 if invalid."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            digits = value.strip()
            plain = digits.isascii() and digits.replace(".", "", 1).isdecimal()
            return min(float(digits), 1.0) if plain else 0.0
    return 1.0


class ApiGZipMiddleware(GZipMiddleware):
    """Compresses 200 responses of the API from 200 bytes on, for callers that name gzip.

    The compressed form has the weak ETag of the plain one (RFC 9110, 8.8.1), and either is known again.
    """

    max_random_bytes = 0  # the data are public, and the same answer is the same bytes

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
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
