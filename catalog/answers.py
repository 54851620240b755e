"""How endpoints of the API answer: JSON, by the shortest way through DRF.

Every answer is public and JSON whatever the caller accepts, so before and after a method there is nothing to negotiate,
to authenticate or to choose a renderer for. Errors go through DRF's exception handler as everywhere.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from django.http import HttpResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

JSON = "application/json"


class PublicViewSet(ViewSet):
    """Endpoints that everybody may ask."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Neither negotiate nor authenticate."""
        self.check_throttles(request)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """JSON also for errors, the only answers that DRF renders."""
        (renderer,) = self.get_renderers()
        return renderer, JSON


def json_answer(data: Any, *, headers: Mapping[str, str] | None = None, content_type: str = JSON) -> HttpResponse:
    """A good answer: numbers as numbers, dates as YYYY-MM-DD, Polish letters as they are."""
    return HttpResponse(orjson.dumps(data), headers=headers, content_type=content_type)
