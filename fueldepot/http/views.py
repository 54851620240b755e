"""Base of the views: those that only read, the private ones, and the API's, which give JSON by the shortest way in DRF.

PRIVATE_MIDDLEWARE of the settings is around views marked `private`, those of the desk and the forms. All others are
public: they read no cookie, send no query and answer everybody the same.

Every response of the API is public JSON whatever the caller accepts, so there is no negotiation, authentication or
choice of renderer. Errors use DRF's exception handler. Accept and Accept-Encoding: RFC 9110, sections 12.5.1 and
12.5.3.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from fueldepot.http.api_description import SUFFIX, schema_ref
from fueldepot.http.cache_control import View
from fueldepot.http.error_body import JSON as JSON
from fueldepot.http.params import InvalidParameters
from fueldepot.http.query import Pairs, Query, list_ignored

GEOJSON = "application/geo+json"


def read_only(view: View) -> View:
    """Answer 405 to unsafe methods, before the CSRF check."""
    exempt: View = csrf_exempt(require_safe(view))
    return exempt


AnyView = TypeVar("AnyView", bound=Callable[..., Any])


def private(view: AnyView) -> AnyView:
    """Mark a view as one of the desk or of a form. Decorator, outside all others."""
    view.is_private = True  # type: ignore[attr-defined] # as Django marks csrf_exempt
    return view


def is_private(request: HttpRequest) -> bool:
    """Whether the view of a resolved request is marked, or is Django's admin."""
    match = request.resolver_match
    return match is not None and ("admin" in match.app_names or getattr(match.func, "is_private", False))


Parameters = TypeVar("Parameters", bound=Query)


class JsonViewSet(ViewSet):
    """Endpoints that everybody may ask. ignored: names in the request that are no parameters."""

    ignored: Collection[str] = ()

    def read(self, query: type[Parameters], request: Request, **path: str) -> Parameters:
        """Return the parameters of a request. path: those of the path. Raises InvalidParameters."""
        return self.parse(query, request.META["QUERY_STRING"], **path)

    def parse(self, query: type[Parameters], raw: str | Pairs, **path: str) -> Parameters:
        """Return the parameters of a query string or of a body, and keep what they ignore."""
        today = timezone.localdate() if query.default_today in query.names() else None
        try:
            parameters = query.parse(raw, today=today, **path)
        except InvalidParameters as error:
            self.ignored = error.ignored
            raise
        self.ignored = parameters.ignored
        return parameters

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        response = HttpResponse()
        del response["Content-Type"]
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Skip negotiation, authentication and throttling, which is done before (`fueldepot.http.rate_limit`)."""

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Name the query parameters that the view has not read, in 200 and in errors that it raised.

        A 304 runs no view. It has none of the header, which a cache keeps from the 200 with this ETag: the query is
        part of every ETag. RFC 9111, section 4.3.4.
        """
        if self.ignored:
            response["X-Ignored-Parameters"] = list_ignored([*self.ignored])
        return super().finalize_response(request, response, *args, **kwargs)


def json_response(
    data: Any, *, status: int = 200, headers: Mapping[str, str] | None = None, content_type: str = JSON
) -> HttpResponse:
    """Return a response: numbers as numbers, dates as YYYY-MM-DD, Polish letters unescaped."""
    return HttpResponse(orjson.dumps(data), status=status, headers=headers, content_type=content_type)


def answers(kind: Any, description: str, media_type: str = JSON) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the responses of an operation that answers with a TypedDict, or as a list with several."""
    name = kind.__name__.removesuffix(SUFFIX)
    return {(200, media_type): OpenApiResponse(schema_ref(name, kind), description)}


def samples(*calls: tuple[str, str], polish: str) -> dict[str, Any]:
    """Return commands that answer 200 with the starter data. calls: (purpose, arguments of `curl`).

    `x-codeSamples` is a convention of documentation tools. URLs begin with "/api/v1"; serving prepends the site.
    polish: what the operation answers, for the page of the API.
    """
    return {
        "x-summary-pl": polish,
        "x-codeSamples": [{"lang": "Shell", "label": label, "source": f"curl {command}"} for label, command in calls],
    }


def prefers(accept: str, kind: str, *, over: str) -> bool:
    """Whether an Accept header names a media type, with at least the weight of the usual one."""
    if kind not in accept.lower():
        return False
    weights = parse_accept(accept)
    usual = next((weights[name] for name in (over, f"{over.partition('/')[0]}/*", "*/*") if name in weights), 0.0)
    return 0 < weights.get(kind, 0.0) >= usual


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
