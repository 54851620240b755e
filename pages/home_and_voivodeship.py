"""The home page with search, map and medians, and the page of a voivodeship with its municipalities."""

import re
from collections.abc import Iterable
from datetime import date
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

from django.conf import settings
from django.http import Http404
from django.urls import reverse

from catalog.api.params import LIMIT_RANGE, QUERY_MIN_LENGTH
from catalog.depots import fuels
from catalog.depots.snapshot import DepotList, DepotRow, depots
from catalog.links import depot_path, municipality_path
from catalog.models import Dataset, Municipality, Voivodeship
from catalog.search.engine import Suggestion, Suggestions
from catalog.search.query import in_polish, split_fuel, spoken_name
from catalog.search.vocabulary import FILLERS, REGIONS, SCOPES, STREETS, ContextScope
from catalog.territory.coordinates import in_poland
from catalog.territory.snapshot import VoivodeshipNotFound, territory
from catalog.text import counted, fold, plain, sort_key
from fueldepot.data import snapshot
from fueldepot.http.links import route_path
from fueldepot.http.params import line
from fueldepot.http.query import Query, field
from pages.depot_filters import status_of
from pages.page import Page, publisher, terms_of_list
from pages.svg import cached_maps
from pages.svg.maps import AreaMap, MapUnit, name_lines
from prices.medians import Summary
from prices.snapshot import prices

PLURALS = {"miasto na prawach powiatu": "miasta na prawach powiatu"}
"""Headings of lists by the title of their counties; several cities have the same title."""

DEPOT_NOUN = ("skład", "składy", "składów")

COORDINATES = re.compile(
    r"N?\s*([0-9]{2}[.,][0-9]{1,15})\s*°?\s*N?[,;\s]+E?\s*([0-9]{2}[.,][0-9]{1,15})\s*°?\s*E?", re.ASCII | re.IGNORECASE
)
"""Latitude and longitude in decimal degrees, as maps and phones copy them."""


class ListedMunicipality(NamedTuple):
    unit: Municipality
    path: str
    depots: int


def depots_as_of(*days: date | None) -> date | None:
    """Return the day of a list of depots: that of the data set's last change, else the newest of the given days."""
    return snapshot.current().changed_on(Dataset.Slug.DEPOTS) or max(filter(None, days), default=None)


def title_and_path(unit: Voivodeship | Municipality) -> tuple[str, str]:
    """Return title and path of the page with the depots of a voivodeship or a municipality."""
    if isinstance(unit, Voivodeship):
        return f"Składy opału: województwo {unit.name}", route_path("voivodeship", unit.slug)
    path = municipality_path(unit.voivodeship.slug, unit.slug, unit.teryt)
    return f"Składy opału: {unit.name} ({unit.kind_name}, {unit.county.title})", path


def voivodeships_by_name() -> tuple[Voivodeship, ...]:
    return tuple(sorted(territory.get().voivodeships.values(), key=lambda unit: sort_key(unit.name)))


def get_voivodeship(name: str) -> Voivodeship:
    """Return a voivodeship by slug or two digits. Raises Http404."""
    try:
        return territory.get().voivodeship(name)
    except VoivodeshipNotFound as error:
        raise Http404 from error


def find_median(unit: Voivodeship, fuel: fuels.Fuel, today: date) -> dict[str, Any] | None:
    """Return the median of a fuel in a voivodeship; None for too few prices."""
    summary = prices.get().figures(fuel.slug, today).of_voivodeship(unit.teryt)
    if summary.median is None:
        return None
    return as_median(fuel, summary, route_path("fuel-prices-voivodeship", fuel.slug, unit.slug))


def voivodeship_page(slug: str, today: date) -> Page:
    """Return the page of a voivodeship, with its municipalities in Polish order. Raises Http404."""
    unit, published = get_voivodeship(slug), depots.get()
    if unit.slug != slug:
        raise Http404
    municipalities = sorted(
        territory.get().municipalities_in(unit.teryt), key=lambda m: (sort_key(m.name), m.kind, m.teryt)
    )
    rows = [
        ListedMunicipality(m, municipality_path(unit.slug, m.slug, m.teryt), published.count_in(m.teryt))
        for m in municipalities
    ]
    own = published.in_unit(unit.teryt).rows
    total = len(own)
    demonstration = any(row.demonstration for row in own)
    name = f"województwo {unit.name}"
    title, path = title_and_path(unit)
    return Page(
        template="pages/voivodeship",
        title=title,
        description=f"Województwo {unit.name}: {counted(total, *DEPOT_NOUN)} opału według gmin.",
        path=path,
        **terms_of_list(demonstration=demonstration),
        indexed=not demonstration,
        data_path=f"{route_path('v1:stores')}?teryt={unit.teryt}&limit={LIMIT_RANGE[1]}",
        as_of=depots_as_of(*(row.updated_at for row in own)),
        schema_org=lambda page: [{"@type": "AdministrativeArea", "name": name, "url": page.canonical}],
        content={
            "draw_map": partial(draw_map, unit, rows),
            "name": unit.name,
            "slug": unit.slug,
            "medians": tuple(filter(None, (find_median(unit, fuel, today) for fuel in fuels.FUELS))),
            "rows": rows,
            "counties": by_county(rows),
            "depots": total,
        },
    )


def by_county(rows: Iterable[ListedMunicipality]) -> list[tuple[str, list[ListedMunicipality]]]:
    """Return municipalities by county, in Polish order, in which they come; cities with county rights together."""
    ordered = sorted(rows, key=lambda row: sort_key(row.unit.county.title))
    groups = groupby(ordered, key=attrgetter("unit.county.title"))
    return [(PLURALS.get(name, name), list(group)) for name, group in groups]


def draw_map(voivodeship: Voivodeship, rows: Iterable[ListedMunicipality]) -> AreaMap | None:
    units = {}
    for unit, path, depots_in in rows:
        name = f"{unit.name} ({unit.kind_name}, {unit.county.title})"
        units[unit.teryt] = MapUnit(path, f"{name}: {counted(depots_in, *DEPOT_NOUN)}", depots_in)
    return cached_maps.voivodeship_map(voivodeship.slug, units)


TOO_SHORT = f"Wpisz co najmniej {counted(QUERY_MIN_LENGTH, 'znak', 'znaki', 'znaków')}."
UNREADABLE = "Nie umiemy odczytać tego zapytania. Wpisz nazwę miejscowości, gminy albo kod pocztowy."
NOTICES = {"": "", "empty": "", "too_short": TOO_SHORT}
"""What the page says instead of UNREADABLE, by code of the error."""


class SearchQuery(Query):
    q: Annotated[str, line(QUERY_MIN_LENGTH), field("A place.")] = ""


class SearchResult(NamedTuple):
    label: str
    description: str
    path: str


def home_page(query_string: str, today: date) -> Page:
    """Return the home page with the results for `?q=` and the medians of a day.

    In the content, forgiven: the results match a corrected text. guesses: similar names, without results. fuel: named
    in the text, None without one; alone: nothing else is. depot_results: depots of that name, telephone or tax number,
    depots_found of them in all. invented: whether the prices behind the medians are.
    """
    query, errors = SearchQuery.read(query_string)
    text, error = query.q, errors.get("q", "")
    depots_now = depots.get()
    search = territory.get().search
    suggested = search.suggest(text)
    results = tuple(_result(row) for row in suggested.found)
    slug, rest = split_fuel(plain(text))
    alone = bool(slug) and not spoken_name(rest)[0]
    named, places = depots_named(text, suggested) if text and not alone else (DepotList([], 0), suggested)
    figures = {fuel: prices.get().figures(fuel.slug, today) for fuel in fuels.FUELS}
    invented = any(of_fuel.demonstration for of_fuel in figures.values())
    return Page(
        template="pages/home",
        query_params=SearchQuery.names(),
        title=f"Wyniki dla: {text}" if text else "Znajdź skład opału",
        description="Składy opału w całej Polsce według gmin: adres, paliwa, godziny, telefon. Szukaj po miejscowości "
        "lub kodzie pocztowym.",
        path=reverse("home"),
        breadcrumbs=(),
        **terms_of_list(demonstration=depots_now.demonstration),
        demonstration_notice="Wszystkie składy w katalogu są na razie zmyślone i służą tylko do wypróbowania serwisu.",
        indexed=not (text or error or depots_now.demonstration or invented),
        as_of=depots_as_of(depots_now.updated_at),
        leads_to="" if alone else only_answer(text, places, named.rows),
        schema_org=web_site,
        content={
            "draw_map": partial(cached_maps.country_map, map_unit),
            "asked": text,
            "results": results,
            "forgiven": suggested.forgiven,
            "guesses": () if results or alone or not text else tuple(_result(row) for row in search.guess(text)),
            "fuel": fuels.BY_SLUG.get((slug if alone else suggested.fuel) or ""),
            "alone": alone,
            "depot_results": [
                SearchResult(row.name, f"{row.address}, {status_of(row).label}", depot_path(row.id, row.name))
                for row in named.rows
            ],
            "depots_found": named.total,
            "notice": NOTICES.get(error, UNREADABLE),
            "voivodeships": voivodeships_by_name(),
            "depots": len(depots_now.rows),
            "municipalities": len({row.teryt for row in depots_now.rows}),
            "updated_at": depots_now.updated_at,
            "medians": [
                as_median(fuel, of_fuel.country, route_path("fuel-prices", fuel.slug))
                for fuel, of_fuel in figures.items()
                if fuel.bag_kg or not fuel.coal  # coal stands for its assortments without ekogroszek
            ],
            "invented": invented,
        },
    )


def depots_named(text: str, places: Suggestions) -> tuple[DepotList, Suggestions]:
    """Return the depots that a text names, and the places that may be its only answer beside them."""
    named = depots.get().matching(text)
    in_vain = places.forgiven or not places.found
    words = fold(text).split() if in_vain else words_beyond(text, places.found[0])
    if not words:
        return named, places
    if named.total:
        return named, places._replace(clear=False)
    named = depots.get().matching(text, of_name=words)
    return named, places._replace(found=[], clear=False) if named.total else places


def only_answer(text: str, places: Suggestions, named: list[DepotRow]) -> str:
    """Return the path of the only answer to a text, "" for none or several. A depot of exactly that name is one too.

    Places of a corrected text are no answers beside a depot, and the page does not show them.
    """
    is_depot = any(fold(row.name) == fold(text) for row in named)
    if path := place_of_point(text) or ("" if is_depot else area_named(text, places)):
        return path
    if places.clear and not is_depot:
        return _result(places.found[0]).path
    if (places.forgiven or not places.found) and len(named) == 1:
        return depot_path(named[0].id, named[0].name)
    return ""


def words_beyond(text: str, place: Suggestion) -> set[str]:
    """Return the words of a text but those about fuels, if some are not of a place: "PHU Nowak, Kraków"."""
    words = set(fold(split_fuel(plain(text))[1]).split()) - FILLERS - STREETS
    of_place = fold(f"{place.label} {place.description}").split()
    return words if any(not any(name.startswith(word) for name in of_place) for word in words) else set()


def place_of_point(text: str) -> str:
    """Return the path of the municipality at typed coordinates, with the point; "" for other text or a point abroad."""
    match = COORDINATES.fullmatch(text)
    lat, lon = (float(number.replace(",", ".")) for number in match.groups()) if match else (0, 0)
    if not in_poland(lat, lon):
        return ""
    unit = territory.get().boundaries.find(lat, lon)
    return municipality_path(unit.voivodeship.slug, unit.slug, unit.teryt, p=f"{lat},{lon}") if unit else ""


def area_named(text: str, places: Suggestions) -> str:
    """Return the path of the voivodeship of a name, "" for none or if several places have it.

    The name of its region is one too: "Mazowsze" is also a village. Both may stand in a case, beside a fuel and words
    that do not locate: "pellet w województwie podlaskim", "na Mazowszu", "pellets in Masovia".
    """
    ignored = {*FILLERS, *(word for word, scope in SCOPES.items() if scope is ContextScope.VOIVODESHIP)}
    _, rest = split_fuel(plain(in_polish(text)))
    name = " ".join(word for word in fold(rest).split() if word not in ignored)
    if sum(row.fold == name for row in places.found) > 1:
        return ""
    for unit in territory.get().voivodeships.values():
        stem = fold(unit.name).removesuffix("e")
        if name in {f"{stem}e", f"{stem}ego", f"{stem}m", *REGIONS.get(unit.teryt, ())}:
            return route_path("voivodeship", unit.slug)
    return ""


def web_site(page: Page) -> list[dict[str, Any]]:
    search = {
        "@type": "SearchAction",
        "target": {"@type": "EntryPoint", "urlTemplate": f"{page.canonical}?q={{search_term_string}}"},
        "query-input": "required name=search_term_string",
    }
    return [
        {
            "@type": "WebSite",
            "name": settings.SITE_NAME,
            "description": page.description,
            "url": page.canonical,
            "inLanguage": "pl",
            "publisher": publisher(),
            "potentialAction": search,
        }
    ]


def as_median(fuel: fuels.Fuel, summary: Summary, path: str) -> dict[str, Any]:
    """Return a median in zł, None for too few prices. path: of the page of the fuel there."""
    median = None if summary.median is None else float(summary.median)
    return {"name": fuel.name, "median": median, "unit": fuel.unit, "n": summary.n, "path": path}


def map_unit(slug: str, name: str) -> MapUnit:
    return MapUnit(route_path("voivodeship", slug), f"województwo {name}", label=name_lines(name))


def _result(row: Suggestion) -> SearchResult:
    path = municipality_path(row.voivodeship_slug, row.slug, row.teryt, **row.query)
    return SearchResult(row.label, row.description, path)
