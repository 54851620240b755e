"""Files for machines that walk the list of pages: sitemap.xml, llms.txt, llms-full.txt, robots.txt."""

from collections.abc import Callable, Iterable
from datetime import date
from xml.sax.saxutils import escape

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from catalog.links import site_url
from catalog.models import Dataset
from fueldepot.data import snapshot
from fueldepot.data.versions import RUNS
from fueldepot.http import cache_control
from fueldepot.http.conditional import conditional
from pages.full_text import full_text, names
from pages.rendering import tidy
from pages.site_map import Entry, Section, all_pages, listed_pages

MOST_ENTRIES = 50_000
"""Of one sitemap, by the protocol (sitemaps.org)."""

XML = "application/xml; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

RESTS_ON = (*Dataset.Slug, RUNS)
"""The data sets that the list of pages depends on, and the runs that the page of the data sets shows."""

IN_LLMS = (Section.SERVICE, Section.PRICES, Section.REGULATIONS, Section.SUBSIDY, Section.VOIVODESHIPS)
"""What `llms.txt` names page by page. The last is optional; municipalities and depots are reached from there."""

View = Callable[..., HttpResponse]

_kept: dict[str, tuple[str, bytes]] = {}
"""The files as last made, by path, with the state of the data that they were made of. A handful, however many ask."""


def walking(kind: str) -> Callable[[Callable[..., str]], View]:
    """Make a view of a function that writes a file from the list of pages. kind: the media type.

    Walking the list takes about a second, so a process keeps what it made until any data set changes, or the day, or an
    import run ends.
    """

    def decorate(write: Callable[..., str]) -> View:
        @require_safe
        @conditional(*RESTS_ON, cache_control=cache_control.CATALOG, changes_daily=True)
        def answer(request: HttpRequest, **kwargs: int) -> HttpResponse:
            today = timezone.localdate()
            state = f"{today} {snapshot.current().key(*RESTS_ON)}"
            known = _kept.get(request.path)
            if known is None or known[0] != state:
                known = _kept[request.path] = state, write(today, **kwargs).encode()
            return HttpResponse(known[1], content_type=kind)

        return answer

    return decorate


def forget() -> None:
    """Drop what this process keeps."""
    _kept.clear()


@walking(XML)
def sitemap(today: date) -> str:
    """Every page on the list; an index of parts when one file cannot hold them."""
    entries = listed_pages(today)
    if len(entries) <= MOST_ENTRIES:
        return url_set(entries)
    parts = range(1, -(-len(entries) // MOST_ENTRIES) + 1)
    addresses = [site_url(reverse("sitemap-part", args=[part])) for part in parts]
    return document("sitemapindex", [f"<sitemap><loc>{escape(address)}</loc></sitemap>" for address in addresses])


@walking(XML)
def sitemap_part(today: date, part: int) -> str:
    """One part, counted from 1. 404 beyond the last, and while one file holds all."""
    entries = listed_pages(today)
    chosen = entries[(part - 1) * MOST_ENTRIES : part * MOST_ENTRIES] if part > 0 else []
    if not chosen or len(entries) <= MOST_ENTRIES:
        raise Http404
    return url_set(chosen)


def url_set(entries: Iterable[Entry]) -> str:
    """Pages as a sitemap."""
    lines = []
    for entry in entries:
        changed = f"<lastmod>{entry.changed.isoformat()}</lastmod>" if entry.changed else ""
        lines.append(f"<url><loc>{escape(site_url(entry.path))}</loc>{changed}</url>")
    return document("urlset", lines)


def document(element: str, lines: Iterable[str]) -> str:
    """An XML document of the sitemap protocol."""
    body = "\n".join(lines)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{element} xmlns="{NAMESPACE}">\n{body}\n</{element}>\n'


@walking(PLAIN)
def llms(today: date) -> str:
    """The index for language models, in the form of llmstxt.org."""
    known = all_pages(today)
    entries = [entry for entry in known if entry.listed]
    sections = [(section, [entry for entry in entries if entry.section == section]) for section in IN_LLMS]
    context = {
        "site": names(),
        "sections": sections[:-1],
        "optional": sections[-1][1],
        "demonstration": len(entries) < len(known),
    }
    return tidy(render_to_string("pages/llms.md", context))


@walking(PLAIN)
def llms_full(today: date) -> str:
    """The whole context for language models in one file."""
    return full_text(today)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What robots may read: all but forms, searches and the editors' side."""
    response = HttpResponse(render_to_string("pages/robots.txt", {"sitemap": site_url(reverse("sitemap"))}))
    response["Content-Type"] = PLAIN
    response["Cache-Control"] = cache_control.CATALOG
    return response
