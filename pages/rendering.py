"""How a page object becomes an answer: HTML for people, Markdown for machines, chosen here and nowhere else.

A view builds the page. `page_view` makes of it what `pages.urls.page` puts under the address of the page and of its
twin: the two formats, validators, redirects and statuses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from catalog.accepted import weights
from fueldepot.http import cache_control
from fueldepot.http.conditional import conditional
from pages.page import Page, page_of_twin, twin_path

MARKDOWN = "text/markdown"
MARKDOWN_UTF8 = "text/markdown; charset=utf-8"

PageView = Callable[..., HttpResponse]


class Moved(Exception):
    """The page has another address. path: the right one, without query."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(path)


@dataclass(frozen=True, slots=True)
class Views:
    """What answers under the address of a page, and under that of its twin."""

    page: PageView
    twin: PageView


def page_view(*slugs: str, changes_daily: bool = False) -> Callable[[Callable[..., Page]], Views]:
    """Make of a function that builds a page the views that answer with it.

    slugs: the data sets that the page depends on, see `fueldepot.http.conditional`.
    changes_daily: the page changes at midnight. The function may raise Http404, and Moved, which leads page to page
    and twin to twin and keeps the query.
    """

    def decorate(build: Callable[..., Page]) -> Views:
        def answer_page(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            markdown = prefers_markdown(request.META.get("HTTP_ACCEPT", ""))
            return answer(request, kwargs, markdown=markdown, lead=str)

        def answer_twin(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            return answer(request, kwargs, markdown=True, lead=twin_path)

        def answer(
            request: HttpRequest, kwargs: dict[str, Any], *, markdown: bool, lead: Callable[[str], str]
        ) -> HttpResponse:
            try:
                page = build(request, **kwargs)
            except Moved as moved:
                return cached(redirect(request, lead(moved.path)))
            return cached(as_markdown(page) if markdown else as_html(request, page))

        def known(vary: str = "") -> Callable[[PageView], PageView]:
            return conditional(*slugs, cache_control=cache_control.CATALOG, vary=vary, changes_daily=changes_daily)

        return Views(page=read_only(varying(known("Accept")(answer_page))), twin=read_only(known()(answer_twin)))

    return decorate


def read_only(view: PageView) -> PageView:
    """Answer 405 to whatever would change something, before anybody asks for the token of a form."""
    exempt: PageView = csrf_exempt(require_safe(view))
    return exempt


def as_html(request: HttpRequest, page: Page, status: int | None = None) -> HttpResponse:
    """The page for people. status: instead of the page's own."""
    query = urlencode([(name, value) for name in page.honours for value in request.GET.getlist(name)], safe=",")
    twin = page.twin + (f"?{query}" if query else "")
    return show(request, f"{page.template}.html", page, twin=twin if page.path else "", status=status or page.status)


def show(request: HttpRequest, template: str, page: Page, *, twin: str = "", status: int = 200) -> HttpResponse:
    """A page in HTML. twin: where the same is in Markdown, "" for nowhere."""
    return render(request, template, {"page": page, "twin": twin}, status=status)


def as_markdown(page: Page) -> HttpResponse:
    """The page for machines."""
    response = HttpResponse(markdown_text(page), content_type=MARKDOWN_UTF8, status=page.status)
    if page.path:
        response["Link"] = f'<{page.canonical}>; rel="canonical"'
    if not page.indexed:
        response["X-Robots-Tag"] = "noindex"
    return response


def markdown_text(page: Page) -> str:
    """The page in Markdown, ending in one line break."""
    return tidy(render_to_string(f"{page.template}.md", {"page": page}))


def tidy(text: str) -> str:
    """Markdown without the blank lines that the tags of a template leave: never two together."""
    lines: list[str] = []
    for line in (line.rstrip() for line in text.splitlines()):
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip() + "\n"


def redirect(request: HttpRequest, path: str) -> HttpResponse:
    """Lead to the right address, keeping the query."""
    query = quote(request.META["QUERY_STRING"], safe="%&=,;:/?@!$'()*+~-._[]")
    return HttpResponsePermanentRedirect(f"{path}?{query}" if query else path)


def redirect_variant(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    """Lead from the twin's other customary address, `…/index.html.md`, to the twin."""
    return redirect(request, twin_path(request.path.removesuffix("index.html.md")))


def cached(response: HttpResponse) -> HttpResponse:
    """Say how long an answer holds: good ones are told so by their validator, others here."""
    response["Cache-Control"] = cache_control.CATALOG
    return response


def varying(view: PageView) -> PageView:
    """Say that every answer of a page, also a redirect, depends on what is accepted."""

    def answer(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        response = view(request, **kwargs)
        response["Vary"] = "Accept"
        return response

    return answer


def prefers_markdown(accept: str) -> bool:
    """Whether an Accept header asks for Markdown by name, and no less than for HTML. RFC 9110, section 12.5.1.

    Browsers never name it, and `*/*` alone does not either, so both get HTML.
    """
    wanted = weights(accept)
    html = next((wanted[kind] for kind in ("text/html", "text/*", "*/*") if kind in wanted), 0.0)
    return bool(0 < wanted.get(MARKDOWN, 0.0) >= html)


def wants_markdown(request: HttpRequest) -> bool:
    """Whether a request that found no page asked for Markdown, by its address or by what it accepts."""
    return request.path.endswith(".md") or prefers_markdown(request.META.get("HTTP_ACCEPT", ""))


def page_address(path: str) -> str:
    """The address of the page, given its own or its twin's."""
    return page_of_twin(path) if path.endswith(".md") else path
