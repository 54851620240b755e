"""Listed depots of a municipality: the origin of distances, cards, filters and orders.

Filters and orders are links: `?paliwo=`, `?kolejnosc=` and `?otwarte=` (`1` for now, a day, a day with its hour),
combined with the origin, `?p=50.06,19.94` or `?kod=30-001`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, Self
from urllib.parse import urlencode

from django.template import engines
from django.utils import timezone
from markupsafe import Markup

from catalog.api.params import POSTCODE, Postcode
from catalog.depots import fuels
from catalog.depots.attribution import describe_status
from catalog.depots.opening_times import AFTER_WORK, OpeningState, opening_day, opening_of, openings
from catalog.depots.snapshot import DepotRow, Depots, depots
from catalog.links import depot_path
from catalog.models import Depot, SearchEntry
from catalog.parsing.contacts_and_names import phone_links
from catalog.parsing.opening_hours import DAYS
from catalog.territory.coordinates import Point, in_poland
from catalog.territory.snapshot import territory
from fueldepot.http.params import pattern, word_for
from fueldepot.http.query import Query, field
from pages.polish import coordinates
from prices.snapshot import ListedPrice, prices

UNREADABLE = {
    "paliwo": "Nie znamy paliwa z adresu strony, więc pokazujemy wszystkie składy.",
    "kolejnosc": "Nie znamy kolejności z adresu strony, więc ją pominęliśmy.",
    "otwarte": "W adresie strony może stać otwarte=1, dzień (so) albo dzień z godziną (so-17), więc inną wartość "
    "pominęliśmy.",
}

NOW = "1"
"""Value of `?otwarte=` for depots that are open at this moment."""

DAY_CODES = ("pn", "wt", "sr", "cz", "pt", "so", "nd")
"""Days in `?otwarte=`."""

ON_DAYS = ("w poniedziałek", "we wtorek", "w środę", "w czwartek", "w piątek", "w sobotę", "w niedzielę")

OPENED = re.compile(rf"{NOW}|(?:{'|'.join(DAY_CODES)})(?:-(?:[01]?[0-9]|2[0-3]))?", re.ASCII)


class Order(StrEnum):
    """Orders of a list of depots: values of `?kolejnosc=`."""

    DISTANCE = "odleglosc"
    PRICE = "cena"
    NAME = "nazwa"


CountListed = Callable[["Choices"], int]  # the number of depots that the page lists for choices


@dataclass(frozen=True, slots=True)
class Chip:
    """A link that changes one choice of the page. count: of the depots that it lists, None to show none."""

    label: str
    href: str
    is_current: bool
    count: int | None = None


class Choices(Query):
    """The chosen filters, and the order, None for the default. opened: value of `?otwarte=`, "" for none.

    kod, p, miejsce: any text, for links; `read_origin` reads them.
    """

    empty_is_absent = True

    kod: Annotated[str, field("A postcode.")] = ""
    p: Annotated[str, field("A point.")] = ""
    miejsce: Annotated[str, field("A name.")] = ""
    fuel: Annotated[fuels.Fuel | None, word_for(fuels.BY_SLUG), field("A fuel.", alias="paliwo")] = None
    order: Annotated[
        Order | None, word_for({order.value: order for order in Order}), field("An order.", alias="kolejnosc")
    ] = None
    opened: Annotated[str, pattern(OPENED), field("1, a day, or a day with its hour.", alias="otwarte")] = ""

    def but(self, **changes: Any) -> Self:
        return self.model_copy(update=changes)

    @property
    def in_words(self) -> str:
        """The filters in Polish, "" for none."""
        fuel = [self.fuel.name.lower()] if self.fuel else []
        return ", ".join([*fuel, f"otwarte {when(self.opened)}"] if self.opened else fuel)

    def filter(self, now: datetime) -> Callable[[tuple[DepotRow, object]], bool] | None:
        """Return the filter of fuel and opening hours, None for none. Hours leave out depots without known ones."""
        sought = {*fuels.assortments(self.fuel.slug)} if self.fuel else set()
        if not self.opened:
            return (lambda item: not sought.isdisjoint(item[0].fuels)) if sought else None
        day, hour = day_and_hour(self.opened)
        weeks = openings().open_now(now) if day is None else openings().open_on(day, hour)
        return lambda item: id(item[0].hours_ranges) in weeks and (not sought or not sought.isdisjoint(item[0].fuels))

    def opening(self, row: DepotRow, now: datetime) -> OpeningState:
        """Return the hours of a listed depot on the chosen day; its present state for today or without a choice."""
        day, hour = day_and_hour(self.opened or NOW)
        if day is None or day == timezone.localdate(now).weekday():
            return opening_of(row, now)
        number = opening_day(row.hours_ranges, day, hour)
        if row.hours_ranges is None or number is None:
            return opening_of(row, now)
        hours = " i ".join(row.hours_ranges[DAYS[number]]).replace("-", "–")
        return OpeningState(True, f"{ON_DAYS[number]} {hours}")

    def link(self, path: str) -> str:
        order = self.order if self.fuel or self.order is not Order.PRICE else None
        place = {"kod": self.kod, "p": self.p, "miejsce": self.miejsce}
        choices = place | {"paliwo": self.fuel and self.fuel.slug, "kolejnosc": order, "otwarte": self.opened}
        query = {name: value for name, value in choices.items() if value}
        return f"{path}?{urlencode(query, safe=',')}" if query else path

    def fuel_chips(self, path: str, offered: Iterable[fuels.Fuel], count: CountListed) -> tuple[Chip, ...]:
        others = [self.but(fuel=fuel) for fuel in (None, *offered)]
        return tuple(
            Chip(it.fuel.label if it.fuel else "wszystkie", it.link(path), it.fuel is self.fuel, count(it))
            for it in others
        )

    def order_chips(self, path: str, usual: Order) -> tuple[Chip, ...]:
        """Return links to the orders, by price only with a fuel. usual: the default, whose link has no parameter.

        Without distances, where another order is usual, there is none by distance.
        """
        labels = {Order.DISTANCE: "najbliżej", Order.PRICE: "najtaniej", Order.NAME: "według nazwy"}
        current = self.order or usual
        return tuple(
            Chip(label, self.but(order=None if order is usual else order).link(path), order is current)
            for order, label in labels.items()
            if (self.fuel or order is not Order.PRICE) and order in {usual, Order.PRICE, Order.NAME}
        )

    def open_chips(self, path: str, now: datetime, count: CountListed) -> Iterator[Chip]:
        """Yield the links that toggle the filters of opening hours, with the number of depots that each lists."""
        here = timezone.localtime(now)
        day, is_tomorrow = here.weekday(), here.hour >= AFTER_WORK
        usual = (NOW, f"{DAY_CODES[(day + is_tomorrow) % 7]}-{AFTER_WORK}", "so")
        for opened in dict.fromkeys((*usual, self.opened)):
            if opened:
                is_current = opened == self.opened
                after_work = f"{'jutro' if is_tomorrow else 'dziś'} o {AFTER_WORK}:00"
                label = after_work if opened == usual[1] else when(opened)
                chosen = self.but(opened=opened)
                other = self.but(opened="") if is_current else chosen
                yield Chip(f"otwarte {label}", other.link(path), is_current, count(chosen))


def read_choices(query_string: str) -> tuple[Choices, list[str]]:
    """Return the choices of a query string, by price only with a fuel, and notices.

    Never raises: an invalid value is ignored with a notice, an empty one silently.
    """
    choices, errors = Choices.read(query_string)
    notices = [UNREADABLE[name] for name in errors if name in UNREADABLE]
    if choices.order is Order.PRICE and not choices.fuel:
        choices = choices.but(order=None)
        notices.append("Ceny różnych paliw są za różne jednostki. Wybierz paliwo, a ułożymy składy od najtańszego.")
    return choices, notices


def day_and_hour(opened: str) -> tuple[int | None, int | None]:
    """Return a value of `?otwarte=` as a day of the week, None for now, and an hour, None for the whole day."""
    day, _, hour = opened.partition("-")
    return None if day == NOW else DAY_CODES.index(day), int(hour) if hour else None


def when(opened: str) -> str:
    """Return a value of `?otwarte=` in Polish: "teraz", "w sobotę", "w sobotę o 17:00"."""
    day, hour = day_and_hour(opened)
    if day is None:
        return "teraz"
    return ON_DAYS[day] if hour is None else f"{ON_DAYS[day]} o {hour}:00"


class Status(NamedTuple):
    """Reliability of an entry. code: data status or "demo", for the colour of the badge. label: a few words."""

    code: str
    label: str
    description: str


class CardFacts(NamedTuple):
    """What a card derives from the depot alone, and the HTML made from it.

    phones: numbers with the URLs that dial them. way: URL of a route planner.
    """

    path: str
    fuels: tuple[str, ...]
    phones: tuple[tuple[str, str], ...]
    status: Status
    way: str
    fixed: Markup = Markup()


class DepotCard(NamedTuple):
    """A depot in a list. number: on the map too. distance_m: None in a list without distances."""

    row: DepotRow
    opening: OpeningState
    price: ListedPrice | None
    distance_m: float | None = None
    number: int = 0

    @property
    def facts(self) -> CardFacts:
        return card_facts(self.row)


@lru_cache(maxsize=1)
def _facts_of(_snapshot: Depots) -> dict[int, CardFacts]:
    return {}


def card_facts(row: DepotRow) -> CardFacts:
    """Return the fixed data of a card, with their HTML. Cached."""
    of_snapshot = _facts_of(depots.get())
    if row.id not in of_snapshot:
        facts = CardFacts(
            path=depot_path(row.id, row.name),
            fuels=fuels.labels(row.fuels, row.fuels_by_name),
            phones=phone_links(row.phone),
            status=status_of(row),
            way=f"https://www.openstreetmap.org/directions?to={row.lat},{row.lon}",
        )
        macros: Any = engines["jinja2"].env.get_template("pages/_depots.html").module  # type: ignore[attr-defined]
        of_snapshot[row.id] = facts._replace(fixed=Markup(macros.fixed(row, facts)))  # noqa: S704 - by a template
    return of_snapshot[row.id]


def card_price(depot: int, today: date, fuel: str | None) -> ListedPrice | None:
    """Return the lowest of the newest prices of a fuel and its assortments; without a fuel the first of the list."""
    listed: Sequence[ListedPrice] = prices.get().price_list(depot, today)
    if fuel is not None:
        slugs = fuels.assortments(fuel)
        listed = sorted((item for item in listed if item.fuel in slugs), key=lambda item: item.price)
    return listed[0] if listed else None


def status_of(depot: DepotRow) -> Status:
    """Return the data status, or "demo" for a demonstration entry."""
    description = describe_status(depot.data_status, depot.source, depot.fuels_by_name)
    status = Depot.Source.DEMO if depot.demonstration else Depot.DataStatus(depot.data_status)
    return Status(status, str(status.label), description)


POINT_PATTERN = re.compile(r"(-?[0-9]{1,3}(?:\.[0-9]{1,20})?), ?(-?[0-9]{1,3}(?:\.[0-9]{1,20})?)", re.ASCII)
MALFORMED = {
    "kod": "Kod pocztowy w adresie strony jest zapisany nieprawidłowo, więc go pominęliśmy. Poprawny zapis: 30-001.",
    "p": "Punkt w adresie strony jest zapisany nieprawidłowo, więc go pominęliśmy. Poprawny zapis: 50.0614,19.9366.",
    "miejsce": "Nazwa miejsca w adresie strony jest zapisana nieprawidłowo, więc ją pominęliśmy.",
}
PLACE_UNKNOWN = "Nie znamy położenia szukanego miejsca, więc odległości liczymy od {label}."
OUTSIDE = "Punkt w adresie strony leży poza Polską, więc go pominęliśmy."


class PlaceQuery(Query):
    empty_is_absent = True

    kod: Annotated[Postcode | None, field(POSTCODE)] = None
    p: Annotated[str | None, pattern(POINT_PATTERN), field("A latitude and a longitude.")] = None
    miejsce: Annotated[str, field("The name of a locality at the point.")] = ""


class Origin(NamedTuple):
    """The origin of distances. label: its description, in the genitive. place: name or postcode, "" for neither."""

    point: Point
    label: str
    place: str = ""

    @property
    def exact_label(self) -> str:
        """The label with the coordinates, which that of a point in the query has already."""
        at = coordinates(self.point.lat, self.point.lon)
        return self.label if at in self.label else f"{self.label} ({at})"


def read_origin(query_string: str) -> tuple[Origin | None, tuple[str, ...]]:
    """Return the origin that a query string has, and notices about ignored parameters and a place without a position.

    A postcode takes precedence over a point, as in the API. Never raises: an invalid value is ignored with a notice, an
    empty one silently.
    """
    query, errors = PlaceQuery.read(query_string)
    origin, notice, notices = None, "", [MALFORMED[name] for name in errors]
    if query.p:
        lat, lon = (float(number) for number in query.p.split(","))
        if in_poland(lat, lon):
            label, place, notice = describe_point(lat, lon, query.miejsce)
            origin = Origin(Point(lat, lon), label, place)
        else:
            notices.append(OUTSIDE)
    if query.kod:
        postcode = territory.get().postcodes.get(query.kod)
        if postcode is None:
            notices.append(f"Nie znamy kodu pocztowego {query.kod}, więc go pominęliśmy.")
        else:
            origin, notice = Origin(postcode.centre, f"środka zabudowy z kodem {query.kod}", query.kod), ""
    return origin, (*notices, notice) if notice else tuple(notices)


def describe_point(lat: float, lon: float, name: str) -> tuple[str, str, str]:
    """Return a description of a point in the genitive, the name of its place, and a notice if that may be elsewhere.

    Name and notice are "" for none. Suggestions of localities link to pages with the position of the locality or, if
    unknown, with that of its postcode or municipality; the description names the one used. A postcode's centre that
    several localities share is that of one of them at most. name: of the one searched for; a name of none is ignored.
    """
    index = territory.get().search.index
    at = index.at_point(lat, lon)
    localities = [number for number in at if index.kind(number) == SearchEntry.Kind.LOCALITY]
    sources = Counter(index.position(number) for number in localities)
    named = {index.labels[number] for number in localities if index.position(number) == SearchEntry.Position.PLACE}
    if len(named) == 1:
        return f"miejscowości {(own := named.pop())}", own, ""
    place = name if any(index.labels[number] == name for number in localities) else ""
    kinds = {index.kind(number): number for number in reversed(at)}
    if not named and SearchEntry.Kind.MUNICIPALITY in kinds and sources.keys() != {SearchEntry.Position.POSTCODE}:
        label = f"środka gminy {index.labels[kinds[SearchEntry.Kind.MUNICIPALITY]]}"
        return label, place, PLACE_UNKNOWN.format(label=label)
    if not named and SearchEntry.Kind.POSTCODE in kinds:
        code = index.fold(kinds[SearchEntry.Kind.POSTCODE])
        label = f"środka zabudowy z kodem {code[:2]}-{code[2:]}"
        place = index.labels[localities[0]] if len(localities) == 1 else place
        return label, place, PLACE_UNKNOWN.format(label=label) if sources[SearchEntry.Position.POSTCODE] > 1 else ""
    return f"wskazanego punktu ({coordinates(lat, lon)})", "", ""
