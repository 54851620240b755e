"""Error responses of the site. They are not cached, and all but 404 render without the request."""

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers

from fueldepot.http.error_body import RETRY_AFTER_S
from pages.page import Page
from pages.rendering import MARKDOWN_UTF8, collapse_blank_lines, render_page, wants_markdown


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
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


def method_not_allowed(request: HttpRequest) -> HttpResponse:
    return bare_or_plain(request, 405)


def precondition_failed(request: HttpRequest) -> HttpResponse:
    return bare_or_plain(request, 412)


def server_error(request: HttpRequest) -> HttpResponse:
    return bare_or_plain(request, 500)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Answer 503 while the database is unavailable. Runs no query."""
    response = bare_or_plain(request, 503)
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def bare_or_plain(request: HttpRequest, status: int) -> HttpResponse:
    """Answer in Markdown where the request prefers it."""
    return plain(f"{status}.md", status) if wants_markdown(request) else bare(f"{status}.html", status)


def bare(template: str, status: int) -> HttpResponse:
    """Render HTML without a request and without the database."""
    return unkept(HttpResponse(render_to_string(template), status=status))


def plain(template: str, status: int) -> HttpResponse:
    """Render a few lines of Markdown, without the requested path, which is untrusted."""
    text = collapse_blank_lines(render_to_string(template))
    return unkept(HttpResponse(text, content_type=MARKDOWN_UTF8, status=status))


def unkept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["Accept"])
    return response
