"""What the site answers when there is no page to show. None of it is kept, and nothing but 404 needs a request."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers

from pages.page import Page
from pages.rendering import MARKDOWN_UTF8, show, tidy, wants_markdown

RETRY_AFTER_S = 5
"""A database that was restarted or replaced is back within a few seconds."""


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404, in Markdown for whoever asked for it."""
    if wants_markdown(request):
        return unkept(plain("404.md", 404))
    page = Page(title="Nie ma takiej strony", description="", path="", indexed=False)
    return unkept(show(request, "404.html", page, status=404))


def bad_request(request: HttpRequest, status: int = 400) -> HttpResponse:
    """400 for a request that is refused before any view."""
    return unkept(bare("400.html", status))


def unknown_host(request: HttpRequest) -> HttpResponse:
    """400 for a host that is not served here, with the address of the site."""
    return unkept(bare("400_host.html", 400))


def broken_body(request: HttpRequest) -> HttpResponse:
    """400 for a form that did not come whole."""
    return unkept(bare("400_body.html", 400))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403 for an editor whose role does not reach so far."""
    return unkept(bare("403.html", 403))


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form that cannot be shown to come from this site."""
    return unkept(bare("403_csrf.html", 403))


def server_error(request: HttpRequest) -> HttpResponse:
    """500: our fault, logged with its traceback."""
    return unkept(bare("500.html", 500))


def unavailable(request: HttpRequest) -> HttpResponse:
    """503 while the database cannot be reached. Asks it nothing."""
    response = plain("503.md", 503) if wants_markdown(request) else bare("503.html", 503)
    response["Retry-After"] = str(RETRY_AFTER_S)
    return unkept(response)


def bare(template: str, status: int) -> HttpResponse:
    """HTML that needs neither a request nor the database."""
    names = {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL}
    return HttpResponse(render_to_string(template, names), status=status)


def plain(template: str, status: int) -> HttpResponse:
    """A few lines of Markdown. The address that failed is not repeated: it may hold anything."""
    return HttpResponse(tidy(render_to_string(template)), content_type=MARKDOWN_UTF8, status=status)


def unkept(response: HttpResponse) -> HttpResponse:
    """An answer that no cache may keep."""
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["Accept"])
    return response
