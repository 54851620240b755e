"""The list of pages, files for crawlers from it (sitemap.xml, llms.txt, llms-full.txt, robots.txt), and the manifest.

Pages of invented depots and prices are not listed for search engines and language models.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from functools import lru_cache
from http import HTTPStatus
from io import BytesIO
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, Self
from xml.sax.saxutils import escape

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.handlers.wsgi import WSGIRequest
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import resolve, reverse
from django.utils import timezone

from catalog.api.params import LIMIT_RANGE
from catalog.depots import fuels
from catalog.depots.snapshot import depots
from catalog.links import depot_path, municipality_path
from catalog.models import Dataset, Voivodeship
from catalog.territory.snapshot import territory
from fueldepot.data import snapshot
from fueldepot.http.cache_control import CATALOG, REGISTER, conditional
from fueldepot.http.links import route_path, route_url, site_url
from fueldepot.http.views import json_response, read_only
from pages.api_and_text_pages import describe_rate_limit, english_page, for_owners_page, privacy_page, rules_page
from pages.datasets import datasets_page
from pages.heating_page import TITLE as HEATING
from pages.heating_page import heating_costs_page
from pages.home_and_voivodeship import depots_as_of, home_page, voivodeships_by_name
from pages.page import Page
from pages.prices import index_page, official_page
from pages.regulations import page_of, regulations_page
from pages.rendering import collapse_blank_lines, markdown_text
from pages.stove_check import stove_check_page
from pages.subsidy import first_page
from prices.official_series import SERIES
from prices.snapshot import PRICE_DATA, official, prices
from regulations.api.params import DeadlinesQuery
from regulations.codes import Appliance
from regulations.queries import find_deadlines, regulations_of


class SiteMapSection(StrEnum):
    """Kinds of pages, in the order of the list."""

    SERVICE = "O serwisie"
    PRICES = "Ceny"
    REGULATIONS = "Uchwały antysmogowe"
    SUBSIDY = "Dotacja"
    VOIVODESHIPS = "Składy według województw"
    VOIVODESHIP_PRICES = "Ceny według województw"
    MUNICIPALITIES = "Gminy"
    DEPOTS = "Składy"


class SiteMapEntry(NamedTuple):
    """A page. title: short, "" where it is only known to the page itself. changed: None when unknown.

    listed: for search engines and language models; False for pages with invented depots or prices, and empty ones.
    as_of: the day on the page, where it differs from `changed` and no `page` tells it. page: tells days and size.
    """

    path: str
    section: SiteMapSection
    title: str = ""
    changed: date | None = None
    listed: bool = True
    as_of: date | None = None
    page: Page | None = None

    @classmethod
    def of_page(cls, page: Page, section: SiteMapSection, title: str = "", changed: date | None = None) -> Self:
        """Return the entry of a built page. title, changed: if they are not those that it shows."""
        changed = changed or page.as_of_last or page.as_of
        return cls(page.path, section, title or page.title, changed, page.indexed, page=page)

    @property
    def current_to(self) -> str:
        """The day on the page, or its days as an interval of ISO 8601; "" when unknown."""
        days = (self.page.as_of, self.page.as_of_last) if self.page else (self.as_of or self.changed,)
        return "/".join(str(day) for day in days if day)


def listed_pages(today: date) -> list[SiteMapEntry]:
    """Return the listed pages, by section, each in a fixed order."""
    return [entry for entry in all_pages(today) if entry.listed]


def all_pages(today: date) -> list[SiteMapEntry]:
    """Return all pages, by section, each in a fixed order.

    Municipalities without depots show the nearest ones, so they are unlisted while any depot is invented.
    """
    voivodeships = voivodeships_by_name()
    title = "Dotacja Czyste Powietrze: poziomy i limity"
    entries = [
        *service_pages(today),
        *price_pages(voivodeships, today),
        *regulation_pages(voivodeships, today),
        SiteMapEntry.of_page(first_page("", today), SiteMapSection.SUBSIDY, title),
        *unit_pages(voivodeships),
        *depot_pages(),
    ]
    order = list(SiteMapSection)
    return sorted(entries, key=lambda entry: order.index(entry.section))


def service_pages(today: date) -> Iterator[SiteMapEntry]:
    yield SiteMapEntry.of_page(home_page("", today), SiteMapSection.SERVICE, "Strona główna")
    for page in (rules_page(), english_page(), for_owners_page(), datasets_page(today), privacy_page()):
        yield SiteMapEntry.of_page(page, SiteMapSection.SERVICE)


def price_pages(voivodeships: Collection[Voivodeship], today: date) -> Iterator[SiteMapEntry]:
    section, changed = SiteMapSection.PRICES, snapshot.current().changed_on(*PRICE_DATA)
    yield SiteMapEntry.of_page(index_page("", today), section, "Ceny opału: mediany", changed)
    yield SiteMapEntry.of_page(official_page(), section)
    yield SiteMapEntry.of_page(heating_costs_page("", today), section, f"{HEATING}: porównanie źródeł", changed)
    for fuel in fuels.FUELS:
        figures = prices.get().figures(fuel.slug, today)
        path, listed = reverse("fuel-prices", args=[fuel.slug]), figures.country.n > 0 and not figures.demonstration
        yield SiteMapEntry(path, section, f"{fuel.name}: ceny w Polsce", changed, listed, today)
        for unit in voivodeships:
            path = reverse("fuel-prices-voivodeship", args=[fuel.slug, unit.slug])
            listed = unit.teryt in figures.voivodeships and not figures.demonstration
            title = f"{fuel.name}: województwo {unit.name}"
            yield SiteMapEntry(path, SiteMapSection.VOIVODESHIP_PRICES, title, changed, listed, today)


def regulation_pages(voivodeships: Sequence[Voivodeship], today: date) -> Iterator[SiteMapEntry]:
    section = SiteMapSection.REGULATIONS
    yield SiteMapEntry.of_page(regulations_page(today), section)
    yield SiteMapEntry.of_page(stove_check_page("", today), section, "Sprawdź swój piec: do kiedy wolno go używać")
    for entry in regulations_of(voivodeships, on=today):
        missing = "" if entry.state else " (nie wczytano jeszcze stanu prawnego)"
        title = f"Uchwała antysmogowa: województwo {entry.voivodeship.name}{missing}"
        yield SiteMapEntry.of_page(page_of(entry), section, title)


def unit_pages(voivodeships: Collection[Voivodeship]) -> Iterator[SiteMapEntry]:
    rows = depots.get()

    def changed(teryt: str) -> date | None:
        return max((row.updated_at for row in rows.in_unit(teryt).rows), default=None)

    def is_invented(teryt: str) -> bool:
        return any(row.demonstration for row in rows.in_unit(teryt).rows)

    for unit in voivodeships:
        path, title = route_path("voivodeship", unit.slug), f"Składy opału: województwo {unit.name}"
        newest, listed = changed(unit.teryt), not is_invented(unit.teryt)
        yield SiteMapEntry(path, SiteMapSection.VOIVODESHIPS, title, newest, listed, depots_as_of(newest))
    for teryt, place in territory.get().municipalities.items():
        listed = not (is_invented(teryt) if rows.count_in(teryt) else rows.demonstration)
        path = municipality_path(place.voivodeship.slug, place.slug, teryt)
        yield SiteMapEntry(path, SiteMapSection.MUNICIPALITIES, "", changed(teryt), listed)


def depot_pages() -> Iterator[SiteMapEntry]:
    for row in sorted(depots.get().rows, key=attrgetter("id")):
        path, listed = depot_path(row.id, row.name), not row.demonstration
        yield SiteMapEntry(path, SiteMapSection.DEPOTS, row.name, row.updated_at, listed)


IN_FULL = ("api-rules", "datasets", "official-prices", "prices", "regulations", "subsidy")
"""Routes of the pages in `llms-full.txt`."""


def full_text(today: date) -> str:
    """Return rules of use, API, data sets, prices, deadlines and subsidy, without single fuels and voivodeships."""
    pages = {entry.path: entry.page for entry in listed_pages(today)}
    deadlines, _ = find_deadlines(DeadlinesQuery.parse(f"limit={LIMIT_RANGE[1]}", today=today), today=today)
    parts = [collapse_blank_lines(render_to_string("pages/llms_full.md", {"deadlines": deadlines}))]
    parts += [markdown_text(page) for route in IN_FULL if (page := pages.get(reverse(route)))]
    return "\n---\n\n".join(parts)


def kilobytes(text: bytes) -> str:
    """ "4 kB": the size, rounded up."""
    return f"{-(-len(text) // 1000)} kB"


MOST_ENTRIES = 50_000
"""Most entries of one sitemap, by the protocol (sitemaps.org)."""

XML, PLAIN = "application/xml; charset=utf-8", "text/plain; charset=utf-8"

EVERYTHING = (*Dataset.Slug, Dataset.RUNS)
"""Data sets behind the list of pages, and the import runs, which the page of the data sets shows."""

IN_LLMS = list(SiteMapSection)[:5]
"""Sections of `llms.txt`; the last is optional. Pages of voivodeships link to municipalities and depots."""

QUESTIONS = (
    ("Gdzie to leży, jaki ma kod TERYT i współrzędne?", "/api/v1/locations?q=Zakopane"),
    ("Które składy z danym paliwem są najbliżej?", "/api/v1/stores?postcode=34-500&fuel=pellet&limit=3"),
    ("Jakie uchwały i terminy wiążą gminę?", "/api/v1/regulations?teryt=1217011&binding=1"),
    ("Do kiedy wolno używać tego kotła?", "/przepisy/sprawdz.md?miejsce=1217011&piec=boiler_class_3"),
    ("Jakie terminy są najbliższe w całym kraju?", "/api/v1/deadlines?limit=5"),
    ("Ile kosztuje paliwo (mediana) w województwie?", "/api/v1/prices/pellet?voivodeship=malopolskie"),
    ("Ile kosztował prąd, gaz lub węgiel według GUS?", "/api/v1/prices?series=prad-g11&year=2019&voivodeship=polska"),
    ("Ile kosztuje kilowatogodzina ciepła i co wolno w gminie?", "/ceny/porownanie.md?miejsce=1217011"),
    (
        "Jaka dotacja i na jakim poziomie?",
        "/api/v1/subsidy?people=4&income=2000&eu=3&walls=150&new_source=pellet_boiler&brief=1",
    ),
    ("Jakie są progi dochodu i limity programu?", "/api/v1/subsidy/limits?about=levels"),
    ("Co wiadomo o gminie, ile ma składów?", "/api/v1/municipalities/1217011"),
)


@lru_cache(maxsize=8)
def written(write: Callable[..., str], today: date, _state: str, *part: int) -> bytes:
    """Return a file. Writing takes about a second, so each process caches it until the day or the data change."""
    return write(today, *part).encode()


def file_view(kind: str) -> Callable[[Callable[..., str]], Callable[..., HttpResponse]]:
    """Turn a function that writes a file from the list of pages into a view. kind: the media type."""

    def decorate(write: Callable[..., str]) -> Callable[..., HttpResponse]:
        @read_only
        @conditional(*EVERYTHING, cache_control=CATALOG, changes_daily=True)
        def answer(request: HttpRequest, **kwargs: int) -> HttpResponse:
            state = snapshot.current().key(*EVERYTHING)
            return HttpResponse(written(write, timezone.localdate(), state, *kwargs.values()), content_type=kind)

        return answer

    return decorate


@file_view(XML)
def sitemap(today: date) -> str:
    """Write all listed pages, or an index of parts where one file cannot hold them."""
    files = Paginator(listed_pages(today), MOST_ENTRIES)
    if files.num_pages == 1:
        return url_set(files.object_list)
    parts = (site_url(reverse("sitemap-part", args=[number])) for number in files.page_range)
    return document("sitemapindex", [f"<sitemap><loc>{escape(address)}</loc></sitemap>" for address in parts])


@file_view(XML)
def sitemap_part(today: date, part: int) -> str:
    """Write one part, counted from 1. Raises Http404 beyond the last, and where one file holds all pages."""
    files = Paginator(listed_pages(today), MOST_ENTRIES)
    if files.num_pages == 1 or part not in files.page_range:
        raise Http404
    return url_set(files.page(part))


def url_set(entries: Iterable[SiteMapEntry]) -> str:
    rows = (
        (site_url(row.path), f"<lastmod>{row.changed.isoformat()}</lastmod>" if row.changed else "") for row in entries
    )
    return document("urlset", [f"<url><loc>{escape(address)}</loc>{changed}</url>" for address, changed in rows])


def document(element: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    opening = f'<{element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{opening}\n{body}\n</{element}>\n'


@file_view(PLAIN)
def llms(today: date) -> str:
    """Write the index for language models, in the format of llmstxt.org."""
    invented = depots.get().demonstration or bool(prices.get().columns.demonstration.any())
    entries = listed_pages(today)
    sections = [(section, [(row, note_of(row)) for row in entries if row.section == section]) for section in IN_LLMS]
    openapi = reverse("v1:openapi")
    context = {
        "openapi_size": answer_size(openapi),
        "compact_size": answer_size(f"{openapi}?compact=1"),
        "questions": [(question, address, answer_size(address)) for question, address in QUESTIONS],
        "series": [
            (kind.slug, describe_years(row.year for row in official.get().observations if row.series_id == kind.slug))
            for kind in SERIES
        ],
        "sections": sections[:-1],
        "optional": sections[-1][1],
        "demonstration": invented,
        "rate_limit": describe_rate_limit(settings.RATE_LIMIT),
        "appliances": Appliance.values,
        "full_size": kilobytes(full_text(today).encode()),
    }
    return collapse_blank_lines(render_to_string("pages/llms.md", context))


def note_of(row: SiteMapEntry) -> str:
    """Return the day and the size of a page's Markdown, "" for neither: "stan na 2026-10-01, 4 kB"."""
    size = kilobytes(markdown_text(row.page).encode()) if row.page else ""
    return ", ".join(filter(None, (f"stan na {row.current_to}" if row.current_to else "", size)))


def answer_size(address: str) -> str:
    """Return the size of the present answer to an address of this service: "4 kB"; "" where it is an error."""
    path, _, query = address.partition("?")
    request = WSGIRequest({"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": query, "wsgi.input": BytesIO()})
    view, args, kwargs = resolve(path)
    response = view(request, *args, **kwargs)
    return kilobytes(response.content) if response.status_code == HTTPStatus.OK else ""


def describe_years(years: Iterable[int]) -> str:
    """Return years in words, each once: "2003, 2014–2018"; "" for none."""
    # In a run of consecutive years, year and place grow alike.
    groups = groupby(enumerate(sorted({*years})), key=lambda item: item[1] - item[0])
    runs = [[year for _, year in group] for _, group in groups]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


llms_full = file_view(PLAIN)(full_text)


@read_only
def robots(request: HttpRequest) -> HttpResponse:
    text = render_to_string("pages/robots.txt", {"sitemap": route_url("sitemap")})
    return HttpResponse(text, content_type=PLAIN, headers={"Cache-Control": CATALOG})


@read_only
@conditional(cache_control=REGISTER)
def manifest(request: HttpRequest) -> HttpResponse:
    """Answer with the Web Application Manifest, for a site on the home screen."""
    content = {
        "name": settings.SITE_NAME,
        "short_name": settings.SITE_NAME,
        "lang": "pl",
        "start_url": route_path("home"),
        "scope": route_path("home"),
        "display": "minimal-ui",
        "background_color": "#fbfaf6",
        "theme_color": "#0b5a47",
        "icons": [
            {"src": staticfiles_storage.url(f"pages/icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"}
            for size in (192, 512)
        ],
    }
    return json_response(content, content_type="application/manifest+json")
