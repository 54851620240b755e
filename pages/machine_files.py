"""Files for crawlers, generated from the list of pages: sitemap.xml, llms.txt, llms-full.txt, robots.txt."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from http import HTTPStatus
from itertools import groupby
from xml.sax.saxutils import escape

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.template.response import SimpleTemplateResponse
from django.urls import resolve, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from catalog.api.params import LIMIT_RANGE
from catalog.depots.snapshot import depots
from catalog.models import Dataset
from catalog.versions import RUNS
from fueldepot.data import snapshot
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.http.links import site_url
from pages.datasets import datasets_page
from pages.fixed_pages import describe_rate_limit, english_page, for_owners_page, privacy_page, rules_page
from pages.fuel_prices import official_page
from pages.heating_page import heating_costs_page
from pages.home import home_page, voivodeships_by_name
from pages.page import Page
from pages.prices import index_page
from pages.regulations import page_of, regulations_page
from pages.rendering import collapse_blank_lines, markdown_text
from pages.site_map import SiteMapEntry, SiteMapSection, all_pages, listed_pages
from pages.stove_check import stove_check_page
from pages.subsidy import first_page
from prices.snapshot import SeriesRows, official, prices
from regulations.api.params import DeadlinesQuery
from regulations.fields import Appliance
from regulations.queries import find_deadlines, regulations_of

BETWEEN = "\n---\n\n"


def full_text(today: date) -> str:
    """Return rules of use, API, data sets, prices, deadlines and subsidy, without single fuels and voivodeships."""
    listed = {entry.path for entry in listed_pages(today)}
    deadlines, _ = find_deadlines(DeadlinesQuery.parse(f"limit={LIMIT_RANGE[1]}", today=today), today=today)
    context = {"site": names(), "deadlines": deadlines}
    parts = [collapse_blank_lines(render_to_string("pages/llms_full.md", context))]
    parts += [markdown_text(page) for page in pages(today) if page.path in listed]
    return BETWEEN.join(parts)


def sizes(today: date) -> dict[str, str]:
    """Return the sizes of the Markdown of the pages in `llms.txt`, by path: "4 kB"."""
    described = [*pages(today), home_page("", today), privacy_page(), stove_check_page("", today)]
    described += [heating_costs_page("", today), english_page(), for_owners_page()]
    described += [page_of(entry) for entry in regulations_of(voivodeships_by_name(), on=today)]
    return {page.path: kilobytes(len(markdown_text(page).encode())) for page in described}


def kilobytes(size: int) -> str:
    """Format a number of bytes in kB, rounded up."""
    return f"{-(-size // 1000)} kB"


def names() -> dict[str, str]:
    """Return the name of the site, and the paths of endpoints and files."""
    return {
        "name": settings.SITE_NAME,
        "stores": reverse("v1:stores"),
        "openapi": reverse("v1:openapi"),
        "mcp": reverse("mcp"),
        "docs": reverse("v1:docs"),
        "index": reverse("llms"),
        "full": reverse("llms-full"),
        "map": reverse("sitemap"),
        "changes": reverse("changes"),
    }


def pages(today: date) -> Iterator[Page]:
    yield rules_page()
    yield datasets_page(today)
    yield official_page()
    yield index_page(today)
    yield regulations_page(today)
    yield first_page("", today)


MOST_ENTRIES = 50_000
"""Most entries of one sitemap, by the protocol (sitemaps.org)."""

XML = "application/xml; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

RESTS_ON = (*Dataset.Slug, RUNS)
"""Data sets behind the list of pages, and the import runs, which the page of the data sets shows."""

IN_LLMS = (
    SiteMapSection.SERVICE,
    SiteMapSection.PRICES,
    SiteMapSection.REGULATIONS,
    SiteMapSection.SUBSIDY,
    SiteMapSection.VOIVODESHIPS,
)
"""Sections of `llms.txt`; the last is optional. Pages of voivodeships link to municipalities and depots."""

QUESTIONS = (
    ("Gdzie to leży, jaki ma kod TERYT i współrzędne?", "/api/v1/locations?q=Zakopane"),
    ("Które składy z danym paliwem są najbliżej?", "/api/v1/stores?postcode=34-500&fuel=pellet&limit=3"),
    ("Jakie uchwały i terminy wiążą gminę?", "/api/v1/regulations?teryt=1217011&binding=1"),
    ("Do kiedy wolno używać tego kotła?", "/przepisy/sprawdz.md?miejsce=1217011&piec=boiler_class_3"),
    ("Jakie terminy są najbliższe w całym kraju?", "/api/v1/deadlines?to=2027-12-31"),
    ("Ile kosztuje paliwo (mediana) w województwie?", "/api/v1/prices/pellet?voivodeship=malopolskie"),
    (
        "Ile kosztował prąd, gaz lub węgiel według GUS?",
        "/api/v1/prices?series=prad-g11&year=2019&voivodeship=polska",
    ),
    ("Ile kosztuje kilowatogodzina ciepła i co wolno w gminie?", "/ceny/porownanie.md?miejsce=1217011"),
    (
        "Jaka dotacja i na jakim poziomie?",
        "/api/v1/subsidy?people=4&income=2000&eu=3&walls=150&new_source=pellet_boiler&brief=1",
    ),
    ("Jakie są progi dochodu i limity programu?", "/api/v1/subsidy/limits?about=levels"),
    ("Co wiadomo o gminie, ile ma składów?", "/api/v1/municipalities/1217011"),
)
"""Frequent questions, each with the path of its answer."""

View = Callable[..., HttpResponse]

_cache: dict[str, tuple[str, bytes]] = {}
"""Version of the data and content of each file by path; a handful of entries."""


def walking(kind: str) -> Callable[[Callable[..., str]], View]:
    """Turn a function that writes a file from the list of pages into a view. kind: the media type.

    Writing takes about a second, so each process caches the file until the day or a data set changes, or an import run
    ends.
    """

    def decorate(write: Callable[..., str]) -> View:
        @require_safe
        @conditional(*RESTS_ON, cache_control=cache_control.CATALOG, changes_daily=True)
        def answer(request: HttpRequest, **kwargs: int) -> HttpResponse:
            today = timezone.localdate()
            state = f"{today} {snapshot.current().key(*RESTS_ON)}"
            known = _cache.get(request.path)
            if known is None or known[0] != state:
                known = _cache[request.path] = state, write(today, **kwargs).encode()
            return HttpResponse(known[1], content_type=kind)

        return answer

    return decorate


def invalidate() -> None:
    _cache.clear()


@walking(XML)
def sitemap(today: date) -> str:
    """Write all listed pages, or an index of parts where one file cannot hold them."""
    entries = listed_pages(today)
    if len(entries) <= MOST_ENTRIES:
        return url_set(entries)
    parts = range(1, -(-len(entries) // MOST_ENTRIES) + 1)
    addresses = [site_url(reverse("sitemap-part", args=[part])) for part in parts]
    return document("sitemapindex", [f"<sitemap><loc>{escape(address)}</loc></sitemap>" for address in addresses])


@walking(XML)
def sitemap_part(today: date, part: int) -> str:
    """Write one part, counted from 1. Raises Http404 beyond the last, and where one file holds all pages."""
    entries = listed_pages(today)
    chosen = entries[(part - 1) * MOST_ENTRIES : part * MOST_ENTRIES] if part > 0 else []
    if not chosen or len(entries) <= MOST_ENTRIES:
        raise Http404
    return url_set(chosen)


def url_set(entries: Iterable[SiteMapEntry]) -> str:
    lines = []
    for entry in entries:
        changed = f"<lastmod>{entry.changed.isoformat()}</lastmod>" if entry.changed else ""
        lines.append(f"<url><loc>{escape(site_url(entry.path))}</loc>{changed}</url>")
    return document("urlset", lines)


def document(element: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{element} xmlns="{NAMESPACE}">\n{body}\n</{element}>\n'


@walking(PLAIN)
def llms(today: date) -> str:
    """Write the index for language models, in the format of llmstxt.org."""
    pages, size = all_pages(today), sizes(today)
    # The home page shows depots and medians, so it is left out while any is invented.
    invented = depots.get().demonstration or bool(prices.get().columns.demonstration.any())
    entries = [entry for entry in pages if entry.listed and not (invented and entry.path == reverse("home"))]
    sections = [
        (section, [(entry, note(entry, size)) for entry in entries if entry.section == section]) for section in IN_LLMS
    ]
    site = names()
    context = {
        "site": site,
        "openapi_size": answer_size(site["openapi"]),
        "compact_size": answer_size(f"{site['openapi']}?compact=1"),
        "questions": [(question, address, answer_size(address)) for question, address in QUESTIONS],
        "series": [(slug, years_of(rows)) for slug, rows in official.get().series.items()],
        "sections": sections[:-1],
        "optional": sections[-1][1],
        "demonstration": invented,
        "contact": settings.CONTACT_EMAIL,
        "rate_limit": describe_rate_limit(settings.RATE_LIMIT),
        "appliances": Appliance.values,
        "full_size": kilobytes(len(full_text(today).encode())),
    }
    return collapse_blank_lines(render_to_string("pages/llms.md", context))


def answer_size(address: str) -> str:
    """Return the size of the present answer to an address of this service: "4 kB"; "" where it is an error."""
    path, _, query = address.partition("?")
    request = HttpRequest()
    request.method, request.path, request.path_info = "GET", path, path
    request.META = {"REQUEST_METHOD": "GET", "QUERY_STRING": query}
    request.GET = QueryDict(query)
    view, args, kwargs = resolve(path)
    response = view(request, *args, **kwargs)
    if isinstance(response, SimpleTemplateResponse):
        response.render()
    return kilobytes(len(response.content)) if response.status_code == HTTPStatus.OK else ""


def years_of(rows: SeriesRows) -> str:
    """Return the years of a series with a number: "2003, 2014–2018"; "" without any."""
    years = sorted({*rows.poland, *(year for prices in rows.voivodeships.values() for year in prices)})
    # In a run of consecutive years, year and place grow alike.
    groups = groupby(enumerate(years), key=lambda item: item[1] - item[0])
    runs = [[year for _, year in group] for _, group in groups]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def note(entry: SiteMapEntry, size: Mapping[str, str]) -> str:
    day = f"stan na {entry.current_to}" if entry.current_to else ""
    return ", ".join(filter(None, (day, size.get(entry.path, ""))))


@walking(PLAIN)
def llms_full(today: date) -> str:
    """Write the context for language models in one file."""
    return full_text(today)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Answer with robots.txt, which excludes forms, searches and the admin."""
    response = HttpResponse(render_to_string("pages/robots.txt", {"sitemap": site_url(reverse("sitemap"))}))
    response["Content-Type"] = PLAIN
    response["Cache-Control"] = cache_control.CATALOG
    return response
