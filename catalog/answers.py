"""How endpoints of the API answer: JSON, by the shortest way through DRF.

Every answer is public and JSON whatever the caller accepts, so before and after a method there is nothing to negotiate,
to authenticate or to choose a renderer for. Errors go through DRF's exception handler as everywhere.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

JSON = "application/json"


NEGOTIATOR = DefaultContentNegotiation()
"""Never asked; DRF would make one for each request."""


@cache
def allowed_methods(actions: tuple[str, ...]) -> str:
    """The value of `Allow` where these methods have actions; OPTIONS is answered everywhere."""
    known = ViewSet.http_method_names
    return ", ".join(method.upper() for method in known if method in actions or method == "options")


class PublicViewSet(ViewSet):
    """Endpoints that everybody may ask."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """The request as DRF has it, without a list of parsers and of authenticators made for each."""
        method = (request.method or "").lower()
        self.action = "metadata" if method == "options" else self.action_map.get(method, "")
        return Request(request, negotiator=NEGOTIATOR)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Neither negotiate nor authenticate, nor count: that is done before (`fueldepot.rate_limit`)."""

    @property
    def default_response_headers(self) -> dict[str, str]:
        """The methods that an address knows."""
        return {"Allow": allowed_methods(tuple(self.action_map))}

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """JSON also for errors, the only answers that DRF renders."""
        (renderer,) = self.get_renderers()
        return renderer, JSON


def json_answer(data: Any, *, headers: Mapping[str, str] | None = None, content_type: str = JSON) -> HttpResponse:
    """A good answer: numbers as numbers, dates as YYYY-MM-DD, Polish letters as they are."""
    return HttpResponse(orjson.dumps(data), headers=headers, content_type=content_type)
