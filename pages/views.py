"""Views of read-only pages, of charts as files, and of the small pages that other sites frame.

A view builds a page object; `pages.rendering` renders it. Embeds alone allow any frame; they have no script or cookie.
"""

from collections.abc import Callable
from datetime import date
from functools import wraps
from typing import Any, NamedTuple

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from catalog.depots import fuels
from catalog.depots.opening_times import opening_period
from catalog.depots.snapshot import depots
from catalog.links import depot_path
from catalog.models import Dataset, Depot
from catalog.text import short_zloty
from fueldepot.http.cache_control import CATALOG, NO_STORE, REGISTER, conditional
from fueldepot.http.links import site_url
from fueldepot.http.views import read_only
from pages import api_and_text_pages
from pages.csv_export import refuse
from pages.datasets import datasets_page
from pages.depot_filters import DepotCard
from pages.depots import depot_page, removed_page
from pages.fuel_prices import fuel_prices_page, voivodeship_prices_page
from pages.heating_comparison import RESTS_ON as HEATING_DATA
from pages.heating_page import heating_costs_page
from pages.home_and_voivodeship import home_page, voivodeship_page
from pages.municipality import find_municipality, municipality_page
from pages.page import Page
from pages.polish import counted, date_digits
from pages.prices import index_page, official_page
from pages.regulations import regulation_page, regulations_page
from pages.rendering import PageMoved, PageViews, as_html, cached, cached_by_status, page_view, redirect
from pages.stove_check import stove_check_page
from pages.subsidy import first_page, subsidy_page
from pages.svg import territory as territory_svg
from prices.snapshot import RESTS_ON as PRICE_DATA

Data = Dataset.Slug

DEPOT_DATA = (Data.UNITS, Data.PLACES, Data.POSTCODES, Data.BOUNDARIES, Data.DEPOTS, Data.PRICES)
"""Data sets behind depots around a typed place."""


def query_and_day(request: HttpRequest) -> tuple[str, date]:
    return request.META["QUERY_STRING"], timezone.localdate()


home = page_view(*DEPOT_DATA, changes_daily=True)(lambda request: home_page(*query_and_day(request)))
prices = page_view(*PRICE_DATA, changes_daily=True)(lambda request: index_page(*query_and_day(request)))
heating_costs = page_view(*HEATING_DATA, changes_daily=True)(
    lambda request: heating_costs_page(*query_and_day(request))
)
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


@page_view(Data.UNITS, Data.PLACES, Data.POSTCODES, Data.REGULATIONS, changes_daily=True)
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


def removed_depot(depot_id: int, path_of: Callable[[Depot], str]) -> Page:
    """Return the page of a removed depot. path_of: of the view, for the depot that one was merged into. One query.

    Raises PageMoved for a merged depot, and Http404 for all others.
    """
    removed = Depot.objects.filter(publication=Depot.Publication.REMOVED)
    gone = get_object_or_404(removed.select_related("municipality__voivodeship", "merged_into"), pk=depot_id)
    if gone.merged_into is not None:
        raise PageMoved(path_of(gone.merged_into))
    return removed_page(gone)


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


@page_view(*PRICE_DATA, Data.BOUNDARIES, changes_daily=True)
def fuel_prices(request: HttpRequest, fuel: str) -> Page:
    return fuel_prices_page(fuel, *query_and_day(request))


@page_view(*PRICE_DATA, changes_daily=True)
def voivodeship_prices(request: HttpRequest, fuel: str, voivodeship: str) -> Page:
    return voivodeship_prices_page(fuel, voivodeship, *query_and_day(request))


@read_only
@conditional(Data.UNITS, Data.BOUNDARIES, Data.PLACES, Data.POSTCODES, cache_control=REGISTER)
def surroundings(request: HttpRequest, voivodeship: str, slug: str, teryt: str) -> HttpResponse:
    """Answer with a municipality and its surroundings as GeoJSON. Takes some milliseconds."""
    outlines = territory_svg.surroundings(teryt)
    if outlines is None:
        raise Http404
    return HttpResponse(orjson.dumps(outlines), content_type="application/geo+json")


DRAWN_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The content security policy of a picture, which has its styles within."""


@read_only
@conditional(*PRICE_DATA, cache_control=CATALOG, changes_daily=True)
def chart(request: HttpRequest, fuel: str, voivodeship: str = "") -> HttpResponse:
    """Answer with the chart of a page of prices as an SVG file with its source and day. Raises Http404 without one."""
    when = query_and_day(request)
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


FRAMED_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
"""The content security policy of an embed: a style sheet of this site, in any frame."""

MOST_DEPOTS = 5
"""Depots of a municipality, and the nearest outside it where it has fewer."""


class Embed(NamedTuple):
    """A page in short. lines: name, absolute URL, price ("" for none), and state, day or number of each depot or fuel.

    note: what the lines are, "" for nothing. empty: said without lines. origin: attribution of depots, "" for none.
    """

    page: Page
    heading: str
    lines: tuple[tuple[str, str, str, str], ...]
    note: str = ""
    empty: str = "Nie ma jeszcze czego pokazać."
    origin: str = ""


def embed_view(*slugs: str, **validity: Any) -> Callable[[Callable[..., Embed]], Callable[..., HttpResponse]]:
    """Turn a function that builds an embed, or raises PageMoved, into its view. slugs, validity: see `conditional`."""

    def decorate(build: Callable[..., Embed]) -> Callable[..., HttpResponse]:
        @wraps(build)
        def answer(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            try:
                embed = build(request, **kwargs)
            except PageMoved as moved:
                return cached(redirect(request, moved.path), NO_STORE)
            response = render(request, "pages/embed.html", {"embed": embed}, status=embed.page.status)
            response = cached_by_status(request, response)
            response["Content-Security-Policy"] = FRAMED_POLICY
            response["X-Robots-Tag"] = "noindex"
            return response

        validated = conditional(*slugs, cache_control=CATALOG, changes_daily=True, **validity)
        return xframe_options_exempt(read_only(validated(answer)))

    return decorate


@embed_view(*Dataset.Slug, period=opening_period)
def embedded_municipality(request: HttpRequest, teryt: str) -> Embed:
    unit = find_municipality(teryt)
    if unit.teryt != teryt:
        raise PageMoved(reverse("embed-municipality", args=[unit.teryt]))
    page = municipality_page(unit, "", timezone.now())
    cards = [card for section in page.content["sections"] for card in section.cards][:MOST_DEPOTS]
    return Embed(page, page.title, tuple(card_line(card, unit.teryt) for card in cards), origin=page.licence)


def card_line(card: DepotCard, teryt: str) -> tuple[str, str, str, str]:
    price = f"{short_zloty(card.price.price)}/{card.price.kind.unit}" if card.price else ""
    of_price = f"{card.price.kind.name}, {date_digits(card.price.day)}; " if card.price else ""
    where = "" if card.row.teryt == teryt else "poza gminą; "
    state = f"{card.opening.sentence}; {card.facts.status.label}"
    return card.row.name, site_url(card.facts.path), price, where + of_price + state


@embed_view(*Dataset.Slug, period=opening_period, in_outage=False)
def embedded_depot(request: HttpRequest, depot_id: int) -> Embed:
    row = depots.get().find(depot_id)
    if row is None:
        removed = removed_depot(depot_id, lambda depot: reverse("embed-depot", args=[depot.pk]))
        return Embed(removed, removed.title, (), empty=f"{removed.description} Powód: {removed.content['reason']}.")
    page = depot_page(row, timezone.now())
    lines = tuple(
        (price.kind.name, page.canonical, f"{short_zloty(price.price)}/{price.kind.unit}", date_digits(price.day))
        for price, _ in page.content["price_list"]
    )
    state = f"{page.content['opening'].sentence.capitalize()}. {page.quoted_status.capitalize()}."
    note = f"{row.address}. {state}"
    return Embed(page, row.name, lines, note, "Cen jeszcze nie znamy.", page.content["origin"])


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
