"""Cards of depots in lists: of a municipality, near a point, near another depot.

The fixed part of a card is rendered once per snapshot of the depots. A page adds numbers, prices and opening hours.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from weakref import WeakKeyDictionary

from django.template import engines
from django.template.backends.jinja2 import Jinja2
from django.utils import timezone
from markupsafe import Markup

from catalog import text
from catalog.depots import fuels
from catalog.depots.attribution import describe_status
from catalog.depots.opening_state import OpeningState
from catalog.depots.openings import opening_of
from catalog.depots.snapshot import DepotRow, Depots, depots
from catalog.links import depot_path
from catalog.models import Depot
from catalog.territory.point import Point
from prices.snapshot import ListedPrice, prices

NOTHING = Markup()


@dataclass(frozen=True, slots=True)
class Phone:
    """A telephone number, and the link that dials it."""

    number: str
    link: str


@dataclass(frozen=True, slots=True)
class Status:
    """Reliability of an entry. code: data status or "demo", for the colour of the badge. label: a few words."""

    code: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class CardPrice:
    """The price on a card. amount: in zł per unit. unit: "t" or "mp"."""

    fuel: str
    amount: float
    unit: str
    day: date


@dataclass(frozen=True, slots=True)
class CardFacts:
    """Data of a card that depend on the depot alone. at: "lat,lon", for the map. way: URL of a route planner.

    ask_price: path of the form of prices. is_osm: whether maps must credit OpenStreetMap. fixed: the HTML rendered from
    these data.
    """

    name: str
    path: str
    address: str
    fuels: tuple[str, ...]
    phones: tuple[Phone, ...]
    status: Status
    at: str
    way: str
    ask_price: str
    is_osm: bool
    fixed: Markup = NOTHING


@dataclass(frozen=True, slots=True)
class DepotCard:
    """A depot in a list. number: on the map and in the list. price: None when none is known.

    distance_km: rounded to a tenth, None in a list without distances.
    """

    number: int
    facts: CardFacts
    opening: OpeningState
    price: CardPrice | None
    distance_km: float | None = None


_facts: WeakKeyDictionary[Depots, dict[int, CardFacts]] = WeakKeyDictionary()
"""Facts by id of the depot, kept as long as their snapshot."""


def depot_card(
    number: int, row: DepotRow, distance_m: float | None, *, price: CardPrice | None, opening: OpeningState
) -> DepotCard:
    distance_km = None if distance_m is None else round(distance_m / 1000, 1)
    return DepotCard(number, card_facts(row), opening, price, distance_km)


def nearest_cards(point: Point, now: datetime, *, radius_km: float, limit: int, without: int) -> tuple[DepotCard, ...]:
    """Return the cards of the depots nearest to a point. without: id of a depot to leave out."""
    near = depots.get().near(point, radius_km=radius_km, limit=limit + 1).measured()
    today = timezone.localdate(now)
    rows = [(row, metres) for row, metres in near if row.id != without][:limit]
    return tuple(
        depot_card(number, row, metres, price=card_price(row.id, today, None), opening=opening_of(row, now))
        for number, (row, metres) in enumerate(rows, start=1)
    )


def card_facts(row: DepotRow) -> CardFacts:
    """Return the fixed data of a card, cached."""
    known = _facts.setdefault(depots.get(), {})
    facts = known.get(row.id)
    if facts is None:
        facts = CardFacts(
            name=row.name,
            path=depot_path(row.id, row.name),
            address=address_of(row),
            fuels=fuels.labels(row.fuels, row.fuels_by_name),
            phones=phones(row.phone),
            status=status_of(row),
            at=f"{row.lat},{row.lon}",
            way=f"https://www.openstreetmap.org/directions?to={row.lat},{row.lon}",
            ask_price=f"/sklad/{row.id}/cena/",
            is_osm=row.source == Depot.Source.OSM,
        )
        facts = known[row.id] = replace(facts, fixed=Markup(render_fixed(facts)))  # noqa: S704 - by a template
    return facts


def render_fixed(facts: CardFacts) -> str:
    """Render the fixed part of a card."""
    site = engines["jinja2"]
    assert isinstance(site, Jinja2)  # noqa: S101 - by its name
    html: str = getattr(site.env.get_template("pages/_depots.html").module, "fixed")(facts)  # noqa: B009 - a macro
    return html


def card_price(depot: int, today: date, fuel: str | None) -> CardPrice | None:
    """Return the lowest of the newest prices of a fuel and its assortments; without a fuel the first of the list."""
    listed: Sequence[ListedPrice] = prices.get().price_list(depot, today)
    if fuel is not None:
        wanted = fuels.assortments(fuel)
        listed = sorted((item for item in listed if item.fuel in wanted), key=lambda item: item.price)
    if not listed:
        return None
    kind = fuels.BY_SLUG[listed[0].fuel]
    return CardPrice(kind.name, float(listed[0].price), kind.unit, listed[0].day)


def address_of(depot: DepotRow) -> str:
    """Return the address in one line."""
    return text.format_address(depot.street, depot.house_number, depot.postcode, depot.place, depot.municipality)


def phones(stored: str) -> tuple[Phone, ...]:
    """Return the numbers of a depot; several are stored with ", " between them (see `catalog.parsing.contacts`)."""
    numbers = [number.strip() for number in stored.split(",") if number.strip()]
    return tuple(Phone(number, "tel:" + re.sub(r"[^+0-9]", "", number.partition("ext")[0])) for number in numbers)


def status_of(depot: DepotRow) -> Status:
    """Return the data status, or "demo" for a demonstration entry."""
    description = describe_status(depot.data_status, depot.source, depot.fuels_by_name)
    if depot.source == Depot.Source.DEMO:
        return Status("demo", Depot.Source.DEMO.label, description)
    return Status(depot.data_status, Depot.DataStatus(depot.data_status).label, description)
