"""Views of read-only pages, small pages that other sites frame, charts as files, and error responses of the site.

A view builds a page object; `pages.rendering` renders it. The small pages alone allow any frame; they have no script,
set no cookie, and link to their pages. Error responses are not cached, and all but 404 render without the request.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from catalog.depots import fuels
from catalog.depots.opening_times import opening_period
from catalog.depots.snapshot import depots
from catalog.links import depot_path
from catalog.models import Dataset
from catalog.text import short_zloty
from fueldepot.http import cache_control
from fueldepot.http.cache_control import conditional
from fueldepot.http.error_body import RETRY_AFTER_S
from fueldepot.http.links import site_url
from fueldepot.http.views import read_only
from pages import api_and_text_pages
from pages.csv_export import refuse
from pages.datasets import datasets_page
from pages.depot_filters import DepotCard
from pages.depots import depot_page, find_gone_depot, removed_page
from pages.fuel_prices import fuel_prices_page, voivodeship_prices_page
from pages.heating_comparison import RESTS_ON as HEATING_DATA
from pages.heating_page import heating_costs_page
from pages.home_and_voivodeship import home_page, voivodeship_page
from pages.municipality import find_municipality, municipality_page
from pages.page import Page
from pages.polish import counted, date_digits
from pages.prices import index_page, official_page
from pages.regulations import regulation_page, regulations_page
from pages.rendering import (
    MARKDOWN_UTF8,
    PageMoved,
    PageViews,
    as_html,
    cached,
    cached_by_status,
    collapse_blank_lines,
    page_view,
    redirect,
    render_page,
    wants_markdown,
)
from pages.stove_check import stove_check_page
from pages.subsidy import first_page, subsidy_page
from pages.svg import territory as territory_svg
from prices.snapshot import RESTS_ON as PRICE_DATA

Data = Dataset.Slug

DEPOT_DATA = (Data.UNITS, Data.PLACES, Data.POSTCODES, Data.BOUNDARIES, Data.DEPOTS, Data.PRICES)
"""Data sets behind depots around a typed place."""


@page_view(*DEPOT_DATA, changes_daily=True)
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


@page_view(*DEPOT_DATA, changes_daily=True, period=opening_period)
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
@conditional(Data.UNITS, Data.BOUNDARIES, Data.PLACES, Data.POSTCODES, cache_control=cache_control.REGISTER)
def surroundings(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> HttpResponse:
    """Answer with a municipality and its surroundings as GeoJSON. Takes some milliseconds."""
    outlines = territory_svg.surroundings(teryt)
    if outlines is None:
        raise Http404
    return HttpResponse(orjson.dumps(outlines), content_type="application/geo+json")


POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
"""The content security policy: a style sheet of this site, in any frame."""

DRAWN_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The content security policy of a picture, which has its styles within."""

MOST_DEPOTS = 5


class Embed(NamedTuple):
    """A page in short. lines: name, absolute URL, price ("" for none), and state, day or number of each depot or fuel.

    note: what the lines are, "" for nothing. empty: said without lines.
    """

    page: Page
    heading: str
    lines: tuple[tuple[str, str, str, str], ...]
    note: str = ""
    empty: str = "Nie ma jeszcze czego pokazać."


def embed_view(*slugs: str, **validity: Any) -> Callable[[Callable[..., Embed]], Callable[..., HttpResponse]]:
    """Turn a function that builds an embed, or raises PageMoved, into its view. slugs, validity: see `conditional`."""

    def decorate(build: Callable[..., Embed]) -> Callable[..., HttpResponse]:
        @wraps(build)
        def answer(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            try:
                embed = build(request, **kwargs)
            except PageMoved as moved:
                return cached(redirect(request, moved.path), cache_control.NO_STORE)
            response = render(request, "pages/embed.html", {"embed": embed}, status=embed.page.status)
            response = cached_by_status(request, response)
            response["Content-Security-Policy"] = POLICY
            response["X-Robots-Tag"] = "noindex"
            return response

        validated = conditional(*slugs, cache_control=cache_control.CATALOG, changes_daily=True, **validity)
        return xframe_options_exempt(read_only(validated(answer)))

    return decorate


@embed_view(*Data, period=opening_period)
def embedded_municipality(request: HttpRequest, teryt: str) -> Embed:
    unit = find_municipality(teryt)
    if unit.teryt != teryt:
        raise PageMoved(reverse("embed-municipality", args=[unit.teryt]))
    page = municipality_page(unit, "", timezone.now())
    cards = [card for section in page.content["sections"] for card in section.cards][:MOST_DEPOTS]
    return Embed(page, page.title, tuple(map(card_line, cards)))


def card_line(card: DepotCard) -> tuple[str, str, str, str]:
    price = f"{short_zloty(card.price.price)}/{card.price.kind.unit}" if card.price else ""
    of_price = f"{card.price.kind.name}, {date_digits(card.price.day)}; " if card.price else ""
    return card.row.name, site_url(card.facts.path), price, of_price + card.opening.sentence


@embed_view(*Data, period=opening_period, in_outage=False)
def embedded_depot(request: HttpRequest, depot_id: int) -> Embed:
    row = depots.get().find(depot_id)
    if row is None:
        gone = find_gone_depot(depot_id)
        if gone.merged_into is not None:
            raise PageMoved(reverse("embed-depot", args=[gone.merged_into.pk]))
        removed = removed_page(gone)
        return Embed(removed, removed.title, (), empty=f"{removed.description} Powód: {removed.content['reason']}.")
    page = depot_page(row, timezone.now())
    lines = tuple(
        (price.kind.name, page.canonical, f"{short_zloty(price.price)}/{price.kind.unit}", date_digits(price.day))
        for price, _ in page.content["price_list"]
    )
    note = f"{row.address}. {page.content['opening'].sentence.capitalize()}."
    return Embed(page, row.name, lines, note, "Cen jeszcze nie znamy.")


@embed_view(*PRICE_DATA)
def embedded_prices(request: HttpRequest, fuel: str) -> Embed:
    page = fuel_prices_page(fuel, "", timezone.localdate())
    unit = fuels.BY_SLUG[fuel].unit
    country = page.content["country"]
    poland = {"name": "Polska", "path": page.path, "median": country.median, "n": country.n}
    lines = tuple(
        (
            area["name"],
            site_url(area["path"]),
            f"{short_zloty(area['median'])}/{unit}",
            counted(area["n"], "cena", "ceny", "cen"),
        )
        for area in (poland, *page.content["areas"])
        if area["median"] is not None
    )
    answer = page.content["answer"]
    first, last = (date_digits(answer[end]) for end in ("window_from", "window_to"))
    return Embed(page, answer["name"], lines, f"Mediany cen w składach od {first} do {last}.")


@read_only
@conditional(*PRICE_DATA, cache_control=cache_control.CATALOG, changes_daily=True)
def chart(request: HttpRequest, fuel: str, voivodeship: str = "") -> HttpResponse:
    """Answer with the chart of a page of prices as an SVG file with its source and day. Raises Http404 without one."""
    when = request.META["QUERY_STRING"], timezone.localdate()
    page = voivodeship_prices_page(fuel, voivodeship, *when) if voivodeship else fuel_prices_page(fuel, *when)
    if refusal := page.content["asked"].refusal:
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
    return bare_or_plain(request, 412)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500, in Markdown where the request prefers it."""
    return bare_or_plain(request, 500)


def unavailable(request: HttpRequest) -> HttpResponse:
    """Answer 503 while the database is unavailable. Runs no query."""
    response = bare_or_plain(request, 503)
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def bare_or_plain(request: HttpRequest, status: int) -> HttpResponse:
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
