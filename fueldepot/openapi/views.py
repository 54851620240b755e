"""The description as a file for programs and as a page for people."""

from collections.abc import Callable
from functools import cache, wraps
from hashlib import blake2b
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import condition

from fueldepot.errors import plain_error
from fueldepot.http import cache_control
from fueldepot.http.release import release
from fueldepot.openapi import served
from fueldepot.openapi.page import docs_page
from fueldepot.rendering import JSON
from pages.rendering import show

ALLOWED = "GET, HEAD, OPTIONS"

View = Callable[..., HttpResponse]


@cache
def validator() -> str:
    """Changes with the code and with what the site calls itself."""
    return f'"{blake2b(release().encode() + served.body(), digest_size=12).hexdigest()}"'


def etag(request: HttpRequest, *args: Any) -> str:
    """The validator, as Django asks for it."""
    return validator()


def published(view: View) -> View:
    """Answer GET, HEAD and OPTIONS, with a validator; everything else as the API does."""
    conditional = condition(etag)(view)

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        if request.method == "OPTIONS":
            response = HttpResponse(headers={"Allow": ALLOWED})
            del response["Content-Type"]
            return response
        if request.method not in {"GET", "HEAD"}:
            message = f"{request.method} is not allowed here; use one of the methods in the Allow header."
            response = plain_error(request, 405, "method_not_allowed", message)
            response["Allow"] = ALLOWED
            return response
        response = conditional(request)
        response["Cache-Control"] = cache_control.DESCRIPTION
        return response

    return answer


@published
def description(request: HttpRequest) -> HttpResponse:
    """Answer GET /openapi.json."""
    return HttpResponse(served.body(), content_type=JSON)


@published
def docs(request: HttpRequest) -> HttpResponse:
    """Answer GET /docs: the same to read, with examples to copy."""
    return show(request, "api/docs.html", docs_page())
