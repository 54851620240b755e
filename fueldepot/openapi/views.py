"""The API description as a file for programs and as pages for people."""

from collections.abc import Callable
from functools import cache, wraps
from hashlib import blake2b
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import condition

from fueldepot.http import cache_control
from fueldepot.http.errors import error_body, plain_error
from fueldepot.http.params import ParamReader
from fueldepot.http.release import release
from fueldepot.http.rendering import JSON
from fueldepot.openapi import compact, served
from fueldepot.openapi.page import docs_page, reference_page
from pages.rendering import render_page

ALLOWED = "GET, HEAD, OPTIONS"

View = Callable[..., HttpResponse]


@cache
def validator() -> str:
    """Return a validator that changes with the code and the site's name."""
    return f'"{blake2b(release().encode() + served.body(), digest_size=12).hexdigest()}"'


def etag(request: HttpRequest, *args: Any) -> str:
    """Return the validator for Django's `condition`."""
    return validator() if not is_compact(request) else f'{validator()[:-1]}-compact"'


def is_compact(request: HttpRequest) -> bool:
    """Whether `compact` requests the compact description; invalid values do not."""
    return ParamReader(request.META["QUERY_STRING"]).boolean("compact")


def published(view: View) -> View:
    """Answer GET, HEAD and OPTIONS with a validator, other methods like the API."""
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
            return plain_error(error_body(405, "method_not_allowed", message), {"Allow": ALLOWED})
        response = conditional(request)
        response["Cache-Control"] = cache_control.behind_cache(cache_control.DESCRIPTION, request)
        return response

    return answer


@published
def description(request: HttpRequest) -> HttpResponse:
    """Answer GET /openapi.json; compact with `compact=1`."""
    return HttpResponse(compact.body() if is_compact(request) else served.body(), content_type=JSON)


@published
def docs(request: HttpRequest) -> HttpResponse:
    """Answer GET /docs: Swagger UI."""
    return render_page(request, "api/docs.html", docs_page())


@published
def reference(request: HttpRequest) -> HttpResponse:
    """Answer GET /reference: the description without scripts, with examples to copy."""
    return render_page(request, "api/reference.html", reference_page())
