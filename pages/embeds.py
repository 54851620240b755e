"""Embeds: small pages about a municipality, a depot or a fuel that other sites frame.

They alone allow any frame; they have no script or cookie.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_exempt

from catalog.depots import fuels
from catalog.depots.opening_times import NO_HOLIDAYS, opening_period
from catalog.depots.snapshot import depots
from catalog.models import Dataset
from catalog.text import counted, short_zloty
from fueldepot.http.cache_control import CATALOG, NO_STORE, conditional
from fueldepot.http.links import site_url
from fueldepot.http.views import read_only
from pages.depot_filters import DepotCard
from pages.depots import depot_page, removed_depot
from pages.fuel_prices import fuel_prices_page
from pages.municipality import find_municipality, municipality_page
from pages.page import Page
from pages.polish import date_digits
from pages.rendering import PageMoved, cached, cached_by_status, redirect
from prices.snapshot import PRICE_DATA

FRAMED_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *"
)
"""The content security policy of an embed: style sheet and icon of this site, in any frame."""

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
def municipality(request: HttpRequest, teryt: str) -> Embed:
    unit = find_municipality(teryt)
    if unit.teryt != teryt:
        raise PageMoved(reverse("embed-municipality", args=[unit.teryt]))
    page = municipality_page(unit, "", timezone.now())
    cards = [card for section in page.content["sections"] for card in section.cards][:MOST_DEPOTS]
    lines = tuple(card_line(card, unit.teryt) for card in cards)
    note = f"{NO_HOLIDAYS}." if any(card.row.hours_ranges for card in cards) else ""
    return Embed(page, page.title, lines, note, origin=page.licence)


def card_line(card: DepotCard, teryt: str) -> tuple[str, str, str, str]:
    price = f"{short_zloty(card.price.price)}/{card.price.kind.unit}" if card.price else ""
    of_price = f"{card.price.kind.name}, {date_digits(card.price.day)}; " if card.price else ""
    where = "" if card.row.teryt == teryt else "poza gminą; "
    state = f"{card.opening.sentence}; {card.facts.status.label}"
    return card.row.name, site_url(card.facts.path), price, where + of_price + state


@embed_view(*Dataset.Slug, period=opening_period, in_outage=False)
def depot(request: HttpRequest, depot_id: int) -> Embed:
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
    note = f"{row.address}. {state}" + (f" {NO_HOLIDAYS}." if row.hours_ranges else "")
    return Embed(page, row.name, lines, note, "Cen jeszcze nie znamy.", page.content["origin"])


@embed_view(*PRICE_DATA)
def prices(request: HttpRequest, fuel: str) -> Embed:
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
