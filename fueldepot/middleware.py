"""What every answer under /api/ carries."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from fueldepot.errors import is_api


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
