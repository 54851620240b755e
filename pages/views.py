"""Views of read-only pages and of charts as files. A view builds a page object; `pages.rendering` renders it."""

from datetime import date

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from catalog.depots.opening_times import opening_period
from catalog.depots.snapshot import depots
from catalog.links import depot_path
from catalog.models import Dataset
from fueldepot.http.cache_control import CATALOG, NO_STORE, REGISTER, conditional
from fueldepot.http.views import GEOJSON, json_response, read_only
from pages import api_and_text_pages
from pages.csv_export import refuse
from pages.datasets import datasets_page
from pages.depots import depot_page, removed_depot
from pages.fuel_prices import fuel_prices_page
from pages.heating_page import heating_costs_page
from pages.home_and_voivodeship import home_page, voivodeship_page
from pages.municipality import find_municipality, municipality_page
from pages.page import Page
from pages.prices import index_page, official_page
from pages.regulations import regulation_page, regulations_page
from pages.rendering import PageViews, as_html, cached, page_view
from pages.stove_check import stove_check_page
from pages.subsidy import first_page, subsidy_page
from pages.svg import cached_maps
from prices.snapshot import PRICE_DATA

Data = Dataset.Slug

DEPOT_DATA = (Data.UNITS, Data.PLACES, Data.POSTCODES, Data.BOUNDARIES, Data.DEPOTS, Data.PRICES)
"""Data sets behind depots around a typed place."""


def query_and_day(request: HttpRequest) -> tuple[str, date]:
    return request.META["QUERY_STRING"], timezone.localdate()


home = page_view(*DEPOT_DATA, changes_daily=True)(lambda request: home_page(*query_and_day(request)))
prices = page_view(*PRICE_DATA, changes_daily=True)(lambda request: index_page(*query_and_day(request)))
heating_costs = page_view(*Data, changes_daily=True)(lambda request: heating_costs_page(*query_and_day(request)))
subsidy = page_view(Data.UNITS, changes_daily=True)(lambda request: first_page(*query_and_day(request)))
datasets = page_view(*Data, Dataset.RUNS, changes_daily=True)(lambda request: datasets_page(timezone.localdate()))
api_rules = page_view(Data.DEPOTS)(lambda request: api_and_text_pages.rules_page())
english = page_view(Data.DEPOTS)(lambda request: api_and_text_pages.english_page())
for_owners = page_view()(lambda request: api_and_text_pages.for_owners_page())
privacy = page_view()(lambda request: api_and_text_pages.privacy_page())
official_prices = page_view(Data.SERIES)(lambda request: official_page())


@page_view(Data.UNITS, Data.BOUNDARIES, Data.DEPOTS, Data.PRICES, changes_daily=True)
def voivodeship(request: HttpRequest, voivodeship: str) -> Page:
    return voivodeship_page(voivodeship, timezone.localdate())


@page_view(*DEPOT_DATA, changes_daily=True, period=opening_period)
def municipality(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> Page:
    return municipality_page(find_municipality(teryt), request.META["QUERY_STRING"], timezone.now())


@page_view(Data.UNITS, Data.BOUNDARIES, Data.REGULATIONS, changes_daily=True)
def regulations(request: HttpRequest) -> Page:
    return regulations_page(timezone.localdate())


@page_view(Data.UNITS, Data.PLACES, Data.POSTCODES, Data.BOUNDARIES, Data.REGULATIONS, changes_daily=True)
def stove_check(request: HttpRequest) -> Page:
    return stove_check_page(*query_and_day(request))


@page_view(Data.UNITS, Data.REGULATIONS, changes_daily=True)
def regulation(request: HttpRequest, voivodeship: str) -> Page:
    return regulation_page(voivodeship, *query_and_day(request))


@page_view(
    Data.UNITS, Data.BOUNDARIES, Data.DEPOTS, Data.PRICES, changes_daily=True, period=opening_period, in_outage=False
)
def depot(request: HttpRequest, depot_id: int, slug: str) -> Page:
    if row := depots.get().find(depot_id):
        return depot_page(row, timezone.now())
    return removed_depot(depot_id, lambda depot: depot_path(depot.pk, depot.name))


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
    return cached(as_html(request, page, status=400 if page.content["mistakes"] else 200), NO_STORE)


calculating = PageViews(page=calculator, twin=subsidy.twin)


@page_view(*PRICE_DATA, Data.BOUNDARIES, changes_daily=True)
def fuel_prices(request: HttpRequest, fuel: str) -> Page:
    return fuel_prices_page(fuel, *query_and_day(request))


@page_view(*PRICE_DATA, changes_daily=True)
def voivodeship_prices(request: HttpRequest, fuel: str, voivodeship: str) -> Page:
    return fuel_prices_page(fuel, *query_and_day(request), voivodeship)


@read_only
@conditional(Data.UNITS, Data.BOUNDARIES, Data.PLACES, Data.POSTCODES, cache_control=REGISTER)
def surroundings(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> HttpResponse:
    """Answer with a municipality and its surroundings as GeoJSON. Takes some milliseconds."""
    outlines = cached_maps.surroundings(teryt)
    if outlines is None:
        raise Http404
    return json_response(outlines, content_type=GEOJSON)


DRAWN_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The content security policy of a picture, which has its styles within."""


@read_only
@conditional(*PRICE_DATA, cache_control=CATALOG, changes_daily=True)
def chart(request: HttpRequest, fuel: str, voivodeship: str = "") -> HttpResponse:
    """Answer with the chart of a page of prices as an SVG file with its source and day. Raises Http404 without one."""
    page = fuel_prices_page(fuel, *query_and_day(request), voivodeship)
    if refusal := page.content["choices"].refusal:
        return refuse(refusal)
    drawing = page.content["draw_chart"]()
    if drawing is None:
        raise Http404
    values = {**page.content, "page": page, "chart": drawing}
    response = cached(render(request, "pages/svg/months_file.html", values, content_type="image/svg+xml"))
    response["Content-Security-Policy"] = DRAWN_POLICY
    if not page.indexed:
        response["X-Robots-Tag"] = "noindex"
    return response
