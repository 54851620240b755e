"""The API description as a file for programs, and as a page where operations can be tried."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from hashlib import blake2b
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import condition

from fueldepot.http import cache_control
from fueldepot.http import description as committed
from fueldepot.http.errors import error_body, plain_error
from fueldepot.http.query import Query
from fueldepot.http.readers import Switch
from fueldepot.http.release import release
from fueldepot.http.rendering import JSON
from fueldepot.openapi import compact
from pages.page import Crumb, Page
from pages.rendering import render_page

ALLOWED = "GET, HEAD, OPTIONS"

View = Callable[..., HttpResponse]


class DescriptionQuery(Query):
    """Parameters of `/openapi.json`."""

    compact: Switch = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsPage(Page):
    """The page where operations can be tried."""

    base_url: str
    version: str


@cache
def validator() -> str:
    """Return a validator that changes with the code and the site's name."""
    return f'"{blake2b(release().encode() + committed.body(), digest_size=12).hexdigest()}"'


def etag(request: HttpRequest, *args: Any) -> str:
    """Return the validator for Django's `condition`."""
    return validator() if not is_compact(request) else f'{validator()[:-1]}-compact"'


def is_compact(request: HttpRequest) -> bool:
    """Whether `compact` requests the compact description; invalid values do not."""
    return DescriptionQuery.read(request.META["QUERY_STRING"])[0].compact


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
    return HttpResponse(compact.body() if is_compact(request) else committed.body(), content_type=JSON)


@published
def docs(request: HttpRequest) -> HttpResponse:
    """Answer GET /docs: Swagger UI."""
    document = committed.document()
    page = DocsPage(
        title="Dokumentacja API",
        description="API katalogu składów opału do wypróbowania: zapytania z przykładami i odpowiedzi serwisu.",
        path=reverse("v1:docs"),
        breadcrumbs=(Crumb.home(), Crumb("API i zasady korzystania z danych", reverse("api-rules"))),
        base_url=document["servers"][0]["url"],
        version=document["info"]["x-release"],
    )
    return render_page(request, "api/docs.html", page)
