"""The home page: search, map of voivodeships, medians."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Annotated, Any, ClassVar

from django.conf import settings
from django.urls import reverse

from catalog.api.params import QUERY_MIN_LENGTH
from catalog.depots import fuels
from catalog.depots.finding import find_by_words
from catalog.depots.fuels import Fuel
from catalog.depots.snapshot import DepotRow, depots
from catalog.links import depot_path, municipality_path
from catalog.models import Voivodeship
from catalog.search.query import split_fuel
from catalog.search.suggestions import Suggestion, guess_locations, suggest_locations
from catalog.text import plain
from fueldepot.http.fields import doc
from fueldepot.http.links import route_path, site_url
from fueldepot.http.params import line
from fueldepot.http.query import Query
from pages.choices import address_of
from pages.page import Page, publisher, terms_of_list
from pages.polish import counted
from pages.svg import territory as territory_svg
from pages.svg.maps import AreaMap, MapUnit, name_lines
from pages.territory import Median, depots_as_of, voivodeships_by_name
from prices.snapshot import prices

TOO_SHORT = f"Wpisz co najmniej {counted(QUERY_MIN_LENGTH, 'znak', 'znaki', 'znaków')}."
UNREADABLE = "Nie umiemy odczytać tego zapytania. Wpisz nazwę miejscowości, gminy albo kod pocztowy."


class SearchQuery(Query):
    """The text of a search."""

    q: Annotated[str, line(QUERY_MIN_LENGTH), doc("A place.")] = ""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A found place."""

    label: str
    description: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage(Page):
    """The home page. asked: the search text, "" for none. results: best first. notice: why the text was not searched.

    forgiven: the results match a corrected text. guesses: similar names, without results. fuel: named in the text,
    None without one; alone: nothing else is. depot_results: depots of that name, telephone or tax number.

    draw_map: of the voivodeships, None without boundaries. medians: of every fuel. invented: whether their prices are.
    """

    template: ClassVar[str] = "pages/home"
    query_params: ClassVar[tuple[str, ...]] = ("q",)
    demonstration_notice = (
        "Dane demonstracyjne",
        "Wszystkie składy w katalogu są na razie zmyślone i służą tylko do wypróbowania serwisu.",
    )

    draw_map: Callable[[], AreaMap | None]
    asked: str
    results: tuple[SearchResult, ...]
    forgiven: bool
    guesses: tuple[SearchResult, ...]
    fuel: Fuel | None
    alone: bool
    depot_results: tuple[SearchResult, ...]
    notice: str
    voivodeships: tuple[Voivodeship, ...]
    depots: int
    municipalities: int
    updated_at: date | None
    medians: tuple[Median, ...]
    invented: bool

    def schema_org(self) -> list[dict[str, Any]]:
        """Return the site with its search."""
        search = {
            "@type": "SearchAction",
            "target": {"@type": "EntryPoint", "urlTemplate": f"{site_url(self.path)}?q={{search_term_string}}"},
            "query-input": "required name=search_term_string",
        }
        return [
            {
                "@type": "WebSite",
                "name": settings.SITE_NAME,
                "description": self.description,
                "url": self.canonical,
                "inLanguage": "pl",
                "publisher": publisher(),
                "potentialAction": search,
            }
        ]


def home_page(query_string: str, today: date) -> HomePage:
    """Return the home page with the results for `?q=` and the medians of a day."""
    query, errors = SearchQuery.read(query_string)
    text, error = query.q, errors.get("q", "")
    depots_now = depots.get()
    suggested = suggest_locations(text)
    results = tuple(_result(row) for row in suggested.found)
    slug, rest = split_fuel(plain(text))
    alone = bool(slug) and not rest
    return HomePage(
        title=f"Wyniki dla: {text}" if text else "Znajdź skład opału",
        description="Składy opału w całej Polsce według gmin: adres, paliwa, godziny, telefon. Szukaj po miejscowości "
        "lub kodzie pocztowym.",
        path=reverse("home"),
        **terms_of_list(demonstration=depots_now.demonstration),
        indexed=not (text or error),
        as_of=depots_as_of(depots_now.updated_at),
        draw_map=partial(territory_svg.country_map, map_unit),
        asked=text,
        results=results,
        forgiven=suggested.forgiven,
        guesses=() if results or alone or not text else tuple(_result(row) for row in guess_locations(text)),
        fuel=fuels.BY_SLUG.get((slug if alone else suggested.fuel) or ""),
        alone=alone,
        depot_results=() if alone or not text else tuple(map(_depot_result, find_by_words(text))),
        notice=_notice(error),
        leads_to=results[0].path if suggested.clear and not alone else "",
        voivodeships=voivodeships_by_name(),
        depots=len(depots_now.rows),
        municipalities=len({row.teryt for row in depots_now.rows}),
        updated_at=depots_now.updated_at,
        medians=find_medians(today),
        invented=any(prices.get().figures(fuel.slug, today).demonstration for fuel in fuels.FUELS),
    )


def find_medians(today: date) -> tuple[Median, ...]:
    """Return the medians of every fuel in Poland, in the order of the catalog."""
    summaries = [(fuel, prices.get().figures(fuel.slug, today).country) for fuel in fuels.FUELS]
    return tuple(
        Median(
            fuel.name,
            None if median.median is None else float(median.median),
            fuel.unit,
            median.n,
            route_path("fuel-prices", fuel.slug),
        )
        for fuel, median in summaries
    )


def map_unit(slug: str, name: str) -> MapUnit:
    """Return a voivodeship on the map."""
    return MapUnit(route_path("voivodeship", slug), f"województwo {name}", label=name_lines(name))


def _result(row: Suggestion) -> SearchResult:
    path = municipality_path(row.voivodeship_slug, row.slug, row.teryt, **row.query)
    return SearchResult(row.label, row.description, path)


def _depot_result(row: DepotRow) -> SearchResult:
    return SearchResult(row.name, address_of(row), depot_path(row.id, row.name))


def _notice(error: str) -> str:
    if error in {"", "empty"}:
        return ""
    return TOO_SHORT if error == "too_short" else UNREADABLE
