"""Rendering of page objects as HTML or Markdown, by the Jinja2 environment of `templates/site`.

`page_view` turns a function that builds a page into two views, for the page and its Markdown twin, with content
negotiation, validators, redirects and statuses. `pages.urls.page` routes them. The desk's templates extend Django's and
use its engine; Jinja2 is several times as fast (docs/adr/0010-jinja2-for-the-site.md).
"""

import re
from collections.abc import Callable
from functools import cache, partial
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect, HttpResponseRedirect
from django.shortcuts import render
from django.template import Origin, engines
from django.template.loader import render_to_string
from django.template.loaders import filesystem
from django.urls import reverse
from django.views.decorators.vary import vary_on_headers
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from catalog.api.params import QUERY_MIN_LENGTH
from catalog.depots.attribution import tiles_credit
from catalog.depots.opening_times import NO_HOLIDAYS
from catalog.submissions import retention
from fueldepot.http.cache_control import CATALOG, GONE, NO_STORE, View, behind_cache, conditional
from fueldepot.http.params import MAX_VALUE_LENGTH
from fueldepot.http.views import prefers, read_only
from pages import polish, template_filters
from pages.page import Page, twin_path
from prices import medians

MARKDOWN = "text/markdown"
MARKDOWN_UTF8 = "text/markdown; charset=utf-8"


class PageMoved(Exception):
    """The page has another path. path: the canonical one, without query."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(path)


class PageViews(NamedTuple):
    page: View
    twin: View


def page_view(*slugs: str, **validity: Any) -> Callable[[Callable[..., Page]], PageViews]:
    """Turn a function that builds a page into its views. slugs, validity: see `conditional`.

    The function may raise Http404 and PageMoved. A request for another path than that of the page is redirected, page
    to page and twin to twin, with the query.
    """

    def decorate(build: Callable[..., Page]) -> PageViews:
        def answer(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            markdown = wants_markdown(request)
            try:
                page = build(request, **kwargs)
                path = page.path
            except PageMoved as moved:
                path = moved.path
            if path and request.path not in {path, twin_path(path)}:
                path = twin_path(path) if request.path.endswith(".md") else path
                # Kept by a browser, it would make a circle once a name is taken back and the old address is right.
                return cached(redirect(request, path), NO_STORE)
            if page.leads_to and not markdown:
                return cached(HttpResponseRedirect(page.leads_to))
            return cached_by_status(request, as_markdown(page) if markdown else as_html(request, page))

        validated = partial(conditional, *slugs, cache_control=CATALOG, **validity)
        # Redirects vary too.
        page = vary_on_headers("Accept")(validated(vary="Accept")(answer))
        return PageViews(page=read_only(page), twin=read_only(validated()(answer)))

    return decorate


def cached_by_status(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Let a response be kept as a page, one about a removed depot briefly."""
    if response.status_code == HTTPStatus.GONE:
        return cached(response, behind_cache(GONE, request))
    return cached(response)


def as_html(request: HttpRequest, page: Page, status: int | None = None) -> HttpResponse:
    """Render a page as HTML. status: overrides that of the page."""
    query = urlencode([(name, value) for name in page.query_params for value in request.GET.getlist(name)], safe=",")
    twin = twin_path(page.path) + (f"?{query}" if query else "") if page.path else ""
    return render_page(request, f"{page.template}.html", page, twin=twin, status=status or page.status, **page.content)


def render_page(
    request: HttpRequest, template: str, page: Page, *, twin: str = "", status: int = 200, **content: Any
) -> HttpResponse:
    """Render a template with a page and its content. twin: path of the Markdown, "" for none."""
    return render(request, template, content | {"page": page, "twin": twin}, status=status)


def as_markdown(page: Page) -> HttpResponse:
    response = HttpResponse(markdown_text(page), content_type=MARKDOWN_UTF8, status=page.status)
    if page.path:
        response["Link"] = f'<{page.canonical}>; rel="canonical"'
    if not page.indexed:
        response["X-Robots-Tag"] = "noindex"
    return response


def markdown_text(page: Page) -> str:
    """Render a page as Markdown, with one line break at the end."""
    return collapse_blank_lines(render_to_string(f"{page.template}.md", {**page.content, "page": page}))


def collapse_blank_lines(text: str) -> str:
    """Collapse runs of blank lines, which the tags of a template leave, to one."""
    text = "\n".join(line.rstrip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def redirect(request: HttpRequest, path: str) -> HttpResponse:
    """Redirect permanently to a path, with the query of the request."""
    # A WSGI query string is Latin-1, whatever its bytes mean.
    query = quote(request.META["QUERY_STRING"].encode("latin-1"), safe="%&=,;:/?@!$'()*+~-._[]")
    return HttpResponsePermanentRedirect(f"{path}?{query}" if query else path)


@read_only
def redirect_variant(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    """Redirect from `…/index.html.md`, another customary path, to the Markdown twin."""
    return redirect(request, twin_path(request.path.removesuffix("index.html.md")))


def cached(response: HttpResponse, value: str = CATALOG) -> HttpResponse:
    """Set Cache-Control; `conditional` does so for 200 only."""
    response["Cache-Control"] = value
    return response


def wants_markdown(request: HttpRequest) -> bool:
    """Whether the address is that of a twin, or the Accept header names Markdown with at least the weight of HTML.

    Browsers do not name it, nor does `*/*` alone, so both get HTML. RFC 9110, section 12.5.1.
    """
    return request.path.endswith(".md") or prefers(request.META.get("HTTP_ACCEPT", ""), MARKDOWN, over="text/html")


class DeskLoader(filesystem.Loader):
    """Django's loader for templates of the admin, with non-breaking spaces."""

    def get_contents(self, origin: Origin) -> str:
        return polish.tie_html(super().get_contents(origin))


class SiteLoader(FileSystemLoader):
    """Jinja2's loader for templates of the site, with non-breaking spaces in HTML except fragments of the API."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, filename, is_current = super().get_source(environment, template)
        tied = template.endswith(".html") and not template.startswith("subsidy/")
        return polish.tie_html(source) if tied else source, filename, is_current


class Site:
    """Settings that templates name: of the site, its operator and its maps."""

    name = property(lambda self: settings.SITE_NAME)
    url = property(lambda self: settings.SITE_URL)
    operator = property(lambda self: settings.OPERATOR_NAME)
    contact = property(lambda self: settings.CONTACT_EMAIL)
    tiles_url = property(lambda self: settings.MAP_TILES_URL)
    tiles_credit = property(lambda self: tiles_credit(self.tiles_url))


def environment(**options: Any) -> Environment:
    """Return the environment of the site's templates. Django passes the options and keeps one per process."""
    ours = {
        # Markdown and letters are no HTML: a filter escapes Markdown.
        "autoescape": select_autoescape(["html"], default=False, default_for_string=True),
        "undefined": StrictUndefined,
        "cache_size": -1,  # all templates, a few dozen, forever
        "loader": SiteLoader(options["loader"].searchpath),
        "keep_trailing_newline": True,
        "lstrip_blocks": True,
    }
    jinja = Environment(**options | ours)  # noqa: S701 - it does escape HTML, see above
    jinja.filters |= template_filters.FILTERS
    jinja.globals |= {
        "site": Site(),
        "static": static,
        "url": url,
        # Limits that texts and fields name, and a sentence that Python writes, too.
        "median_limits": medians,
        "retention": retention,
        "shortest_query": QUERY_MIN_LENGTH,
        "longest_query": MAX_VALUE_LENGTH,
        "no_holidays": NO_HOLIDAYS,
    }
    return jinja


@cache
def static(name: str) -> str:
    return staticfiles_storage.url(name)


def url(name: str, *args: object) -> str:
    """Return the URL of a route with many possible arguments; for others see the filter `route`."""
    return reverse(name, args=args)


def warm_up() -> None:
    """Compile all templates, once for all forked processes."""
    jinja: Environment = engines["jinja2"].env  # type: ignore[attr-defined] # Jinja2's backend
    for name in jinja.list_templates():
        jinja.get_template(name)
