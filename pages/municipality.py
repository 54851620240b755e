"""The page of a municipality: its depots, filtered and ordered, and the nearest ones beyond it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, count, islice
from typing import Any, NamedTuple

from django.http import Http404
from django.utils import timezone

from catalog.api.params import LIMIT_RANGE
from catalog.depots import fuels
from catalog.depots.opening_times import opening_period
from catalog.depots.snapshot import DepotRow, depots
from catalog.links import depot_path
from catalog.models import Depot, Municipality
from catalog.territory.coordinates import Point
from catalog.territory.snapshot import territory
from catalog.text import counted, sort_key
from fueldepot.http.links import route_path, site_url
from pages.depot_filters import Choices, DepotCard, Order, Origin, card_price, read_choices, read_origin
from pages.home_and_voivodeship import DEPOT_NOUN, depots_as_of, find_median, title_and_path
from pages.page import Crumb, Page, terms_of_list
from pages.svg import cached_maps

NEAREST_LIMIT = 10
NEAREST_KM = 50

BEYOND_LIMIT = 5
"""Depots beyond the municipality, on a page that begins with those nearest to a point."""

FRAMED = 5
"""First depots, which the map always shows for a point or a municipality without depots."""

UNFOLDED, FEWEST_FOLDED = 20, 5
"""Cards that a section shows at once, and the fewest that it folds: the list of a large city has hundreds."""


Measured = tuple[DepotRow, float | None]
"""A depot with its distance in metres, None without an origin."""


class Section(NamedTuple):
    """Depots under one heading, or a sentence alone. key: HTML id. note: above the depots, "" for none."""

    key: str
    title: str
    note: str
    cards: tuple[DepotCard, ...]

    @property
    def unfolded(self) -> int:
        """Number of cards before the fold, of all cards without one."""
        total = len(self.cards)
        return UNFOLDED if total >= UNFOLDED + FEWEST_FOLDED else total


def find_municipality(teryt: str) -> Municipality:
    """Return a municipality by its code, or its successor by a former code. Raises Http404."""
    unit = present_municipality(teryt)
    if unit is None:
        raise Http404
    return unit


def present_municipality(teryt: str) -> Municipality | None:
    """Return a municipality by its code, or the one it was merged into; None without one."""
    units = territory.get()
    former = units.formers.get(teryt)
    return units.municipalities.get(teryt) or units.municipalities.get(former.successor_id if former else "")


def municipality_page(unit: Municipality, query_string: str, now: datetime) -> Page:
    """Return the page of a municipality. Its centre is the origin of distances unless the query has another.

    In the content, place: searched for, the municipality itself without another. sections: its depots and the nearest
    beyond it, each once; listed: their number. own: all its depots. origin_at: "lat,lon" of the requested point, "" for
    none. reference: the origin of distances with its coordinates, "" for none. period: in which the opening states
    hold. fuel: the chosen one, None for all. unsorted: path of the list of coal, if it has depots that may have the
    chosen assortment. outlines: path of the GeoJSON below the map. notices: about ignored parameters and a place
    without a position.
    """
    requested, notices = read_origin(query_string)
    choices, unread = read_choices(query_string)
    stores, today = depots.get(), timezone.localdate(now)
    title, path = title_and_path(unit)
    listed = stores.in_unit(unit.teryt)
    middle = territory.get().centre(unit.teryt)
    origin = requested or (Origin(Point(*middle), "punktu leżącego w tej gminie") if middle else None)
    usual = Order.DISTANCE if origin else Order.NAME
    if origin is None and choices.order is Order.DISTANCE:
        choices = choices.but(order=None)

    inside, around = listed.measured(), list[Measured]()
    if origin:
        inside = listed._replace(distances_m=stores.distances_m(origin.point, listed.rows)).measured()
        around = stores.near(origin.point, radius_km=NEAREST_KM, limit=len(stores.rows)).measured()
    candidates = Candidates(unit.teryt, inside, around, requested is not None, now)
    sections = list_sections(candidates, choices, choices.order or usual, origin)
    rows = [card.row for section in sections for card in section.cards]
    coal = choices.but(fuel=fuels.BY_SLUG["wegiel"])
    of_any_coal = chain(*candidates.find(coal)) if choices.fuel and choices.fuel.coal and not rows else ()
    is_unsorted = any(fuels.COALS.intersection(row.fuels) == {"wegiel"} for row, _ in of_any_coal)
    offered = stores.offered_in(unit.teryt)
    fuels_shown = [fuel for fuel in fuels.FUELS if offered[fuel.slug] or fuel is choices.fuel]
    place = (requested and requested.place) or unit.name
    demonstration = any(row.demonstration for row in (*rows, *listed.rows))
    total = f"{counted(listed.total, *DEPOT_NOUN)} opału" if listed.rows else "najbliższe składy opału"
    return Page(
        template="pages/municipality",
        query_params=Choices.names(),
        title=title,
        description=f"{unit.name} ({unit.description}): {total}. Ceny, godziny, telefony i dojazd.",
        path=path,
        breadcrumbs=(Crumb.home(), Crumb.voivodeship(unit.voivodeship)),
        **terms_of_list(demonstration=demonstration),
        indexed=not demonstration,
        data_path=f"{route_path('v1:stores')}?teryt={unit.teryt}&limit={LIMIT_RANGE[1]}",
        as_of=depots_as_of(*(row.updated_at for row in (*listed.rows, *rows))),
        schema_org=item_list,
        content={
            "municipality": unit,
            "place": place,
            "heading": unit.name if place == unit.name else f"{place}, gmina {unit.name}",
            "own": listed.rows,
            "sections": sections,
            "listed": len(rows),
            "draw_map": partial(
                cached_maps.depot_map,
                unit.teryt,
                rows,
                requested.point if requested else None,
                credit_osm=any(row.source == Depot.Source.OSM for row in rows),
                framed=FRAMED if requested or not listed.rows else 0,
            ),
            "outlines": f"{path}granice.geojson",
            "origin_at": f"{requested.point.lat},{requested.point.lon}" if requested else "",
            "reference": origin.exact_label if origin else "",
            "chosen": choices.in_words,
            "fuel": choices.fuel,
            "unsorted": coal.link(path) if is_unsorted else "",
            "period": opening_period(now),
            "fuel_chips": choices.fuel_chips(path, fuels_shown, candidates.count),
            "order_chips": (*choices.order_chips(path, usual), *choices.open_chips(path, now, candidates.count)),
            "median": find_median(unit.voivodeship, choices.fuel, today) if choices.fuel else None,
            "notices": (*notices, *unread),
        },
    )


def item_list(page: Page) -> list[dict[str, Any]]:
    """Return the municipality's depots as schema.org's ItemList, nothing for demonstration entries."""
    own = page.content["own"]
    if page.demonstration or not own:
        return []
    items = [
        {"@type": "ListItem", "position": number, "name": row.name, "url": site_url(depot_path(row.id, row.name))}
        for number, row in enumerate(own, start=1)
    ]
    return [{"@type": "ItemList", "name": page.title, "numberOfItems": len(items), "itemListElement": items}]


class Candidates(NamedTuple):
    """Depots that the page chooses from: those of the municipality, and those of any one, the nearest first.

    nearest_first: whether the page begins with the latter.
    """

    teryt: str
    inside: Sequence[Measured]
    around: Sequence[Measured]
    nearest_first: bool
    now: datetime

    def find(self, choices: Choices) -> list[list[Measured]]:
        """Return the filtered depots: nearest to the origin, others of the municipality, others beyond it."""
        leaves = choices.filter(self.now)
        near = filter(leaves, self.around)
        nearest = list(islice(near, NEAREST_LIMIT)) if self.nearest_first else []
        taken = {row.id for row, _ in nearest}
        beyond = (item for item in near if item[0].teryt != self.teryt)
        return [
            nearest,
            [item for item in filter(leaves, self.inside) if item[0].id not in taken],
            list(islice(beyond, BEYOND_LIMIT if self.nearest_first else NEAREST_LIMIT)),
        ]

    def count(self, choices: Choices) -> int:
        return sum(map(len, self.find(choices)))


def list_sections(candidates: Candidates, choices: Choices, order: Order, origin: Origin | None) -> list[Section]:
    """Return the sections of the depots that the filters leave, numbered throughout; by price a single section."""
    now, fuel = candidates.now, choices.fuel.slug if choices.fuel else None
    today = timezone.localdate(now)
    groups = [
        [DepotCard(row, choices.opening(row, now), card_price(row.id, today, fuel), metres) for row, metres in group]
        for group in candidates.find(choices)
    ]
    matching = sum(card.row.teryt == candidates.teryt for card in chain(*groups))
    by_price = order is Order.PRICE and any(groups)
    if by_price:
        groups = [[*chain(*groups)]]
    number = count(1)
    cards = [tuple(card._replace(number=next(number)) for card in in_order(group, order)) for group in groups]
    if by_price:
        return [describe_by_price(cards[0], without_match(len(candidates.inside), matching, choices), origin)]
    return [*describe_sections(cards, candidates, matching, choices, origin)]


def in_order(cards: list[DepotCard], order: Order) -> list[DepotCard]:
    """Sort depots by price (missing ones last), name or distance; then by distance and id."""
    first: dict[Order, Callable[[DepotCard], Any]] = {
        Order.PRICE: lambda card: (card.price is None, card.price.price if card.price else 0),
        Order.NAME: lambda card: sort_key(card.row.name),
        Order.DISTANCE: lambda card: 0,
    }
    return sorted(cards, key=lambda card: (first[order](card), card.distance_m or 0, card.row.id))


def without_match(total: int, matching: int, choices: Choices) -> str:
    """Say that the municipality has no depot, or none that the filters leave; "" if it has one."""
    if not total:
        return "Nie mamy w katalogu żadnego składu w tej gminie."
    if not matching:
        depots_here = counted(total, *DEPOT_NOUN)
        return f"W tej gminie żaden skład nie pasuje do wyboru: {choices.in_words} (mamy tu {depots_here})."
    return ""


def describe_by_price(cards: tuple[DepotCard, ...], missing: str, origin: Origin | None) -> Section:
    """Return the only section of a list by price: depots of all groups, those without a price last.

    missing: that the municipality has none of them, see `without_match`.
    """
    priced = sum(card.price is not None for card in cards)
    notes = [missing] if missing else []
    if 0 < priced < len(cards):
        notes.append("Składy bez ceny są na końcu.")
    if origin:
        notes.append(f"Odległości w linii prostej od {origin.label}.")
    return Section("wedlug-ceny", "Składy od najtańszego", " ".join(notes), cards)


def describe_sections(
    groups: Sequence[tuple[DepotCard, ...]],
    candidates: Candidates,
    matching: int,
    choices: Choices,
    origin: Origin | None,
) -> Iterator[Section]:
    """Yield the sections of the three groups of `Candidates.find`. matching: depots in the municipality among them."""
    nearest, own, beyond = groups
    total = len(candidates.inside)
    missing = without_match(total, matching, choices)
    from_where = f"Odległości w linii prostej od {origin.label}." if origin else ""
    what = "pasującego składu" if choices.fuel or choices.opened else "składu"
    if origin and candidates.nearest_first:
        note = from_where
        if not nearest:
            note = f"W promieniu {NEAREST_KM} km od {origin.label} nie znamy żadnego {what}."
        elif matching:
            note += f" W tej gminie: {counted(matching, *DEPOT_NOUN)}."
        elif total:
            note += f" {missing}"
        yield Section("najblizsze", "Najbliższe składy", note, nearest)
        if own:
            farther = "Dalej w tej gminie" if len(own) < matching else "W tej gminie"
            yield Section("w-gminie", f"{farther}: {counted(len(own), *DEPOT_NOUN)}", "", own)
        elif not total:
            yield Section("w-gminie", "", missing, ())
        if beyond:
            yield Section("poza-gmina", "Dalsze składy poza gminą", "", beyond)
        return
    yield Section("w-gminie", f"W tej gminie: {counted(len(own), *DEPOT_NOUN)}" if own else "", missing, own)
    if origin:
        note = "" if own else from_where
        if not beyond:
            other = "innego" if total else "żadnego"
            note = f"W promieniu {NEAREST_KM} km od {origin.label} nie znamy {other} {what}."
        yield Section("poza-gmina", "Najbliższe poza gminą", note, beyond)
