"""Views of read-only pages, and error responses of the site.

A view builds a page object; `pages.rendering` renders it. Error responses are not cached, and all but 404 render
without the request.
"""

import orjson
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from catalog.depots.opening_times import opening_period
from catalog.depots.snapshot import depots
from catalog.links import depot_path
from catalog.models import Dataset
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.http.error_body import RETRY_AFTER_S
from fueldepot.http.views import read_only
from pages import api_and_text_pages
from pages.datasets import datasets_page
from pages.depots import depot_page, find_gone_depot, removed_page
from pages.fuel_and_official_prices import fuel_prices_page, official_page, voivodeship_prices_page
from pages.heating_comparison import RESTS_ON as HEATING_DATA
from pages.heating_page import heating_costs_page
from pages.home_and_voivodeship import home_page, voivodeship_page
from pages.municipality import find_municipality, municipality_page
from pages.page import Page
from pages.prices import index_page
from pages.regulations import regulation_page, regulations_page
from pages.rendering import (
    MARKDOWN_UTF8,
    PageMoved,
    PageViews,
    as_html,
    collapse_blank_lines,
    page_view,
    render_page,
    wants_markdown,
)
from pages.stove_check import stove_check_page
from pages.subsidy import first_page, subsidy_page
from pages.svg import territory as territory_svg
from prices.snapshot import RESTS_ON as PRICE_DATA

Data = Dataset.Slug


@page_view(Data.UNITS, Data.PLACES, Data.POSTCODES, Data.BOUNDARIES, Data.DEPOTS, Data.PRICES, changes_daily=True)
def home(request: HttpRequest) -> Page:
    return home_page(request.META["QUERY_STRING"], timezone.localdate())


api_rules = page_view(Data.DEPOTS)(lambda request: api_and_text_pages.rules_page())
english = page_view(Data.DEPOTS)(lambda request: api_and_text_pages.english_page())
for_owners = page_view()(lambda request: api_and_text_pages.for_owners_page())
privacy = page_view()(lambda request: api_and_text_pages.privacy_page())
official_prices = page_view(Data.SERIES)(lambda request: official_page())


@page_view(*Data, Dataset.RUNS, changes_daily=True)
def datasets(request: HttpRequest) -> Page:
    return datasets_page(timezone.localdate())


@page_view(Data.UNITS, Data.BOUNDARIES, Data.DEPOTS, Data.PRICES, changes_daily=True)
def voivodeship(request: HttpRequest, voivodeship: str) -> Page:
    return voivodeship_page(voivodeship, timezone.localdate())


@page_view(
    Data.UNITS,
    Data.PLACES,
    Data.POSTCODES,
    Data.BOUNDARIES,
    Data.DEPOTS,
    Data.PRICES,
    changes_daily=True,
    period=opening_period,
)
def municipality(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> Page:
    return municipality_page(find_municipality(teryt), request.META["QUERY_STRING"], timezone.now())


@page_view(Data.UNITS, Data.BOUNDARIES, Data.REGULATIONS, changes_daily=True)
def regulations(request: HttpRequest) -> Page:
    return regulations_page(timezone.localdate())


@page_view(Data.UNITS, Data.PLACES, Data.POSTCODES, Data.REGULATIONS, changes_daily=True)
def stove_check(request: HttpRequest) -> Page:
    return stove_check_page(request.META["QUERY_STRING"], timezone.localdate())


@page_view(Data.UNITS, Data.REGULATIONS, changes_daily=True)
def regulation(request: HttpRequest, voivodeship: str) -> Page:
    return regulation_page(voivodeship, request.META["QUERY_STRING"], timezone.localdate())


@page_view(
    Data.UNITS, Data.BOUNDARIES, Data.DEPOTS, Data.PRICES, changes_daily=True, period=opening_period, in_outage=False
)
def depot(request: HttpRequest, depot_id: int, slug: str) -> Page:
    """A depot. Redirects from a merged depot; 410 for a removed one."""
    row = depots.get().find(depot_id)
    if row is not None:
        return depot_page(row, timezone.now())
    gone = find_gone_depot(depot_id)
    if gone.merged_into is not None:
        raise PageMoved(depot_path(gone.merged_into.pk, gone.merged_into.name))
    return removed_page(gone)


@page_view(Data.UNITS, changes_daily=True)
def subsidy(request: HttpRequest) -> Page:
    """The first step of the calculator, with levels and limits."""
    return first_page(request.META["QUERY_STRING"], timezone.localdate())


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def calculator(request: HttpRequest) -> HttpResponse:
    """The calculator. 400 with the form for invalid answers, which are not stored.

    Without CSRF protection and its cookie: POST changes nothing.
    """
    if request.method != "POST":
        return subsidy.page(request)
    page = subsidy_page(request.POST, timezone.localdate())
    response = as_html(request, page, status=400 if page.content["mistakes"] else 200)
    response["Cache-Control"] = "no-store"
    return response


calculating = PageViews(page=calculator, twin=subsidy.twin)


@page_view(*HEATING_DATA, changes_daily=True)
def heating_costs(request: HttpRequest) -> Page:
    return heating_costs_page(request.META["QUERY_STRING"], timezone.localdate())


@page_view(*PRICE_DATA, changes_daily=True)
def prices(request: HttpRequest) -> Page:
    return index_page(timezone.localdate(), request.META["QUERY_STRING"])


@page_view(*PRICE_DATA, Data.BOUNDARIES, changes_daily=True)
def fuel_prices(request: HttpRequest, fuel: str) -> Page:
    return fuel_prices_page(fuel, request.META["QUERY_STRING"], timezone.localdate())


@page_view(*PRICE_DATA, changes_daily=True)
def voivodeship_prices(request: HttpRequest, fuel: str, voivodeship: str) -> Page:
    return voivodeship_prices_page(fuel, voivodeship, request.META["QUERY_STRING"], timezone.localdate())


@read_only
@conditional(Dataset.Slug.UNITS, Dataset.Slug.BOUNDARIES, cache_control=cache_control.REGISTER)
def surroundings(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> HttpResponse:
    """Answer with a municipality and its surroundings as GeoJSON. Takes some milliseconds."""
    outlines = territory_svg.surroundings(teryt)
    if outlines is None:
        raise Http404
    return HttpResponse(orjson.dumps(outlines), content_type="application/geo+json")


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


def precondition_failed(request: HttpRequest) -> HttpResponse:
    """Answer 412, in Markdown where the request prefers it."""
    return plain("412.md", 412) if wants_markdown(request) else bare("412.html", 412)


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
