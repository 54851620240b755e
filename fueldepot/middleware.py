"""What every answer carries, and what an answer to HEAD does not."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from fueldepot.errors import DATABASE_AWAY, is_api, unavailable
from pages import errors as page_errors

logger = logging.getLogger(__name__)


def open_to_every_origin(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Say that any site may read the API, whether or not the caller named its origin.

    django-cors-headers answers preflight requests, and says so only to callers that send Origin; shared caches would
    then keep answers that browsers refuse.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if is_api(request):
            response["Access-Control-Allow-Origin"] = "*"
        return response

    return answer


def answer_head_without_body(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Drop the body of an answer to HEAD; its headers, Content-Length among them, stay those of GET.

    Django leaves that to the server, and gunicorn writes a warning for every body that it has to drop.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.method == "HEAD" and not response.streaming:
            response.headers.setdefault("Content-Length", str(len(response.content)))
            response.content = b""
        return response

    return answer


class DatabaseAwayMiddleware:
    """Answer 503 instead of 500 while the database cannot be reached. Inside viewsets DRF does the same."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The answer, None for any other failure."""
        if not isinstance(exception, DATABASE_AWAY):
            return None
        logger.error("database not available: %s", type(exception).__name__)
        return unavailable(request) if is_api(request) else page_errors.unavailable(request)
