"""Error responses of the site. They are not cached, and all but 404 render without the request."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers

from fueldepot.http.error_body import RETRY_AFTER_S
from pages.page import Page
from pages.rendering import MARKDOWN_UTF8, collapse_blank_lines, render_page, wants_markdown


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404, in Markdown where the request prefers it."""
    if wants_markdown(request):
        return plain("404.md", 404)
    page = Page(title="Nie ma takiej strony", description="", path="", breadcrumbs=(), indexed=False)
    return unkept(render_page(request, "404.html", page, status=404))


def bad_request(request: HttpRequest, status: int = 400) -> HttpResponse:
    return bare("400.html", status)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return bare("403.html", 403)


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    return bare("403_csrf.html", 403)


def server_error(request: HttpRequest) -> HttpResponse:
    return bare("500.html", 500)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Answer 503 while the database is unavailable. Runs no query."""
    response = plain("503.md", 503) if wants_markdown(request) else bare("503.html", 503)
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def bare(template: str, status: int) -> HttpResponse:
    """Render HTML without a request and without the database."""
    names = {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL}
    return unkept(HttpResponse(render_to_string(template, names), status=status))


def plain(template: str, status: int) -> HttpResponse:
    """Render a few lines of Markdown, without the requested path, which is untrusted."""
    text = collapse_blank_lines(render_to_string(template))
    return unkept(HttpResponse(text, content_type=MARKDOWN_UTF8, status=status))


def unkept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["Accept"])
    return response
