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
from catalog.links import depot_path, municipality_path
from catalog.models import Depot, Municipality
from catalog.territory.coordinates import Point
from catalog.territory.snapshot import territory
from catalog.text import sort_key
from fueldepot.http.links import route_path, site_url
from pages.depot_filters import Choices, DepotCard, Order, Origin, card_price, read_choices, read_origin
from pages.home_and_voivodeship import DEPOT_NOUN, depots_as_of, find_median
from pages.page import Crumb, Page, terms_of_list
from pages.polish import counted
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
    path = municipality_path(unit.voivodeship.slug, unit.slug, unit.teryt)
    listed = stores.in_unit(unit.teryt).rows
    middle = territory.get().centre(unit.teryt)
    origin = requested or (Origin(Point(*middle), "punktu leżącego w tej gminie") if middle else None)
    usual = Order.DISTANCE if origin else Order.NAME
    if origin is None and choices.order is Order.DISTANCE:
        choices = choices.but(order=None)
    nearest_first = requested is not None

    distances = stores.distances_m(origin.point, listed) if origin else {}
    inside: list[Measured] = [(row, distances.get(row.id)) for row in listed]
    # The chips choose among the same depots again and again.
    around = stores.near(origin.point, radius_km=NEAREST_KM, limit=len(stores.rows)).measured() if origin else []
    find = partial(find_depots, unit, inside, around, now, nearest_first=nearest_first)
    fuel = choices.fuel.slug if choices.fuel else None
    groups = [
        [DepotCard(row, choices.opening(row, now), card_price(row.id, today, fuel), metres) for row, metres in group]
        for group in find(choices)
    ]
    matching = sum(item.row.teryt == unit.teryt for group in groups for item in group)
    by_price = choices.order is Order.PRICE and any(groups)
    if by_price:
        groups = [[item for group in groups for item in group]]
    number = count(1)
    cards = [
        tuple(card._replace(number=next(number)) for card in in_order(group, choices.order or usual))
        for group in groups
    ]
    if by_price:
        sections = [describe_by_price(cards[0], without_match(len(listed), matching, choices), origin)]
    else:
        sections = list(describe_sections(cards, len(listed), matching, origin, choices, nearest_first=nearest_first))
    rows = [card.row for group in cards for card in group]
    coal = choices.but(fuel=fuels.BY_SLUG["wegiel"])
    of_any_coal = chain(*find(coal)) if choices.fuel and choices.fuel.coal and not rows else ()
    is_unsorted = any(fuels.COALS.intersection(row.fuels) == {"wegiel"} for row, _ in of_any_coal)
    offered = stores.offered_in(unit.teryt)
    fuels_shown = [fuel for fuel in fuels.FUELS if offered[fuel.slug] or fuel is choices.fuel]
    place = (requested and requested.place) or unit.name
    demonstration = any(row.demonstration for row in (*rows, *listed))
    total = f"{counted(len(listed), *DEPOT_NOUN)} opału" if listed else "najbliższe składy opału"

    def count_listed(other: Choices) -> int:
        return sum(map(len, find(other)))

    return Page(
        template="pages/municipality",
        query_params=Choices.names(),
        title=f"Składy opału: {unit.name} ({unit.kind_name}, {unit.county.title})",
        description=f"{unit.name} ({unit.description}): {total}. Ceny, godziny, telefony i dojazd.",
        path=path,
        breadcrumbs=(Crumb.home(), Crumb.voivodeship(unit.voivodeship)),
        **terms_of_list(demonstration=demonstration),
        indexed=not demonstration,
        data_path=f"{route_path('v1:stores')}?teryt={unit.teryt}&limit={LIMIT_RANGE[1]}",
        as_of=depots_as_of(*(row.updated_at for row in (*listed, *rows))),
        schema_org=item_list,
        content={
            "municipality": unit,
            "place": place,
            "heading": unit.name if place == unit.name else f"{place}, gmina {unit.name}",
            "own": listed,
            "sections": sections,
            "listed": len(rows),
            "draw_map": partial(
                cached_maps.depot_map,
                unit.teryt,
                rows,
                requested.point if requested else None,
                credit_osm=any(row.source == Depot.Source.OSM for row in rows),
                framed=FRAMED if nearest_first or not listed else 0,
            ),
            "outlines": f"{path}granice.geojson",
            "origin_at": f"{requested.point.lat},{requested.point.lon}" if requested else "",
            "reference": origin.exact_label if origin else "",
            "chosen": choices.in_words,
            "fuel": choices.fuel,
            "unsorted": coal.link(path) if is_unsorted else "",
            "period": opening_period(now),
            "fuel_chips": choices.fuel_chips(path, fuels_shown, count_listed),
            "order_chips": (*choices.order_chips(path, usual), *choices.open_chips(path, today, count_listed)),
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


def find_depots(
    unit: Municipality,
    inside: Sequence[Measured],
    around: Sequence[Measured],
    now: datetime,
    choices: Choices,
    *,
    nearest_first: bool,
) -> list[list[Measured]]:
    """Return the filtered depots in three groups: nearest to the origin, others of the municipality, others beyond it.

    inside: the depots of the municipality. around: of any municipality, the nearest first. nearest_first: whether to
    fill the first group, with depots of any municipality.
    """
    leaves = choices.filter(now)
    near = filter(leaves, around)
    nearest = list(islice(near, NEAREST_LIMIT)) if nearest_first else []
    taken = {row.id for row, _ in nearest}
    beyond = (item for item in near if item[0].teryt != unit.teryt)
    return [
        nearest,
        [item for item in filter(leaves, inside) if item[0].id not in taken],
        list(islice(beyond, BEYOND_LIMIT if nearest_first else NEAREST_LIMIT)),
    ]


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
        return f"W tej gminie żaden skład nie pasuje do wyboru: {choices.in_words} (wszystkich jest {total})."
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
    total: int,
    matching: int,
    origin: Origin | None,
    choices: Choices,
    *,
    nearest_first: bool,
) -> Iterator[Section]:
    """Yield the sections of the three groups of `find_depots`.

    total, matching: of depots in the municipality, and of those that the filters leave.
    """
    nearest, own, beyond = groups
    from_where = f"Odległości w linii prostej od {origin.label}." if origin else ""
    what = "pasującego składu" if choices.fuel or choices.opened else "składu"
    missing = without_match(total, matching, choices)
    if nearest_first and origin:
        note = from_where
        if not nearest:
            note = f"W promieniu {NEAREST_KM} km od {origin.label} nie znamy żadnego {what}."
        elif matching:
            note += f" W tej gminie: {counted(matching, *DEPOT_NOUN)}."
        elif total:
            note += f" {missing}"
        yield Section("najblizsze", "Najbliższe składy", note, nearest)
    if own:
        farther = "Dalej w tej gminie" if nearest_first and len(own) < matching else "W tej gminie"
        yield Section("w-gminie", f"{farther}: {counted(len(own), *DEPOT_NOUN)}", "", own)
    elif not total or not nearest_first:
        yield Section("w-gminie", "", missing, ())
    if origin and (beyond or not nearest_first):
        note = "" if own or nearest_first else from_where
        if not beyond:
            other = "innego" if total else "żadnego"
            note = f"W promieniu {NEAREST_KM} km od {origin.label} nie znamy {other} {what}."
        title = "Dalsze składy poza gminą" if nearest else "Najbliższe poza gminą"
        yield Section("poza-gmina", title, note, beyond)
