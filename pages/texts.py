"""Files for machines that walk the list of pages: sitemap.xml, llms.txt, llms-full.txt, robots.txt."""

from collections.abc import Callable, Iterable
from xml.sax.saxutils import escape

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from catalog.links import site_url
from catalog.models import Dataset
from catalog.validators import rests_on
from pages.full_text import full_text, names
from pages.rendering import CACHE_CONTROL, tidy
from pages.site_map import Entry, Section, all_pages, listed_pages

MOST_ENTRIES = 50_000
"""Of one sitemap, by the protocol (sitemaps.org)."""

XML = "application/xml; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

IN_LLMS = (Section.SERVICE, Section.PRICES, Section.REGULATIONS, Section.SUBSIDY, Section.VOIVODESHIPS)
"""What `llms.txt` names page by page. The last is optional; municipalities and depots are reached from there."""

View = Callable[..., HttpResponse]


def of_all_data(view: View) -> View:
    """Give a view the validator of everything that the list of pages rests on."""
    return require_safe(rests_on(*Dataset.Slug, cache_control=CACHE_CONTROL, dated=True)(view))


@of_all_data
def sitemap(request: HttpRequest) -> HttpResponse:
    """Every page on the list; an index of parts when one file cannot hold them."""
    entries = listed_pages(timezone.localdate())
    if len(entries) <= MOST_ENTRIES:
        return HttpResponse(url_set(entries), content_type=XML)
    parts = range(1, -(-len(entries) // MOST_ENTRIES) + 1)
    addresses = [site_url(reverse("sitemap-part", args=[part])) for part in parts]
    lines = [f"<sitemap><loc>{escape(address)}</loc></sitemap>" for address in addresses]
    return HttpResponse(document("sitemapindex", lines), content_type=XML)


@of_all_data
def sitemap_part(request: HttpRequest, part: int) -> HttpResponse:
    """One part, counted from 1. 404 beyond the last, and while one file holds all."""
    entries = listed_pages(timezone.localdate())
    chosen = entries[(part - 1) * MOST_ENTRIES : part * MOST_ENTRIES] if part > 0 else []
    if not chosen or len(entries) <= MOST_ENTRIES:
        raise Http404
    return HttpResponse(url_set(chosen), content_type=XML)


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


@of_all_data
def llms(request: HttpRequest) -> HttpResponse:
    """The index for language models, in the form of llmstxt.org."""
    known = all_pages(timezone.localdate())
    entries = [entry for entry in known if entry.listed]
    sections = [(section, [entry for entry in entries if entry.section == section]) for section in IN_LLMS]
    context = {
        "site": names(),
        "sections": sections[:-1],
        "optional": sections[-1][1],
        "demonstration": len(entries) < len(known),
    }
    return HttpResponse(tidy(render_to_string("pages/llms.md", context)), content_type=PLAIN)


@of_all_data
def llms_full(request: HttpRequest) -> HttpResponse:
    """The whole context for language models in one file."""
    return HttpResponse(full_text(timezone.localdate()), content_type=PLAIN)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What robots may read: all but forms, searches and the editors' side."""
    response = HttpResponse(render_to_string("pages/robots.txt", {"sitemap": site_url(reverse("sitemap"))}))
    response["Content-Type"] = PLAIN
    response["Cache-Control"] = CACHE_CONTROL
    return response
