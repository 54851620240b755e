"""Filters and orders of the page of a municipality, as links: `?paliwo=`, `?kolejnosc=` and `?otwarte=1`.

They are combined with the place, `?p=` or `?kod=`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Self
from urllib.parse import urlencode

from catalog.depots import fuels
from catalog.depots.fuels import Fuel
from fueldepot.http.fields import doc
from fueldepot.http.params import choice
from fueldepot.http.query import Query

UNREADABLE = {
    "paliwo": "Nie znamy paliwa z adresu strony, więc pokazujemy wszystkie składy.",
    "kolejnosc": "Nie znamy kolejności z adresu strony, więc ją pominęliśmy.",
    "otwarte": "W adresie strony może stać tylko otwarte=1, więc inną wartość pominęliśmy.",
}

PRICE_WITHOUT_FUEL = "Ceny różnych paliw są za różne jednostki. Wybierz paliwo, a ułożymy składy od najtańszego."


class Order(StrEnum):
    """Orders of a list of depots: values of `?kolejnosc=`."""

    DISTANCE = "odleglosc"
    PRICE = "cena"
    NAME = "nazwa"


class ChoicesQuery(Query):
    """Parameters of the filters and orders. kod, p: any text, for links; `read_origin` reads them."""

    empty_is_absent = True

    paliwo: Annotated[str | None, choice(fuels.BY_SLUG)] = None
    kolejnosc: Annotated[str | None, choice(tuple(Order))] = None
    otwarte: Annotated[str | None, choice(("1",)), doc("The number 1.")] = None
    kod: Annotated[str, doc("A postcode.")] = ""
    p: Annotated[str, doc("A point.")] = ""


CountListed = Callable[["Choices"], int]
"""Returns the number of depots that the page lists for choices."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A link that changes one choice. count: of the depots that the choice lists, None to show none."""

    label: str
    href: str
    is_current: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """The chosen filters.

    order: None for the default; by price only with a fuel. place: `p` and `kod` as given, for links.
    """

    fuel: Fuel | None = None
    order: Order | None = None
    open_now: bool = False
    place: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()

    @classmethod
    def parse(cls, query_string: str) -> Self:
        """Read a query string. Never raises: an invalid value is ignored with a notice, an empty one silently."""
        query, errors = ChoicesQuery.read(query_string)
        order = Order(query.kolejnosc) if query.kolejnosc else None
        notices = tuple(UNREADABLE[name] for name in errors if name in UNREADABLE)
        if order == Order.PRICE and not query.paliwo:
            order = None
            notices += (PRICE_WITHOUT_FUEL,)
        return cls(
            fuels.BY_SLUG[query.paliwo] if query.paliwo else None,
            order,
            bool(query.otwarte),
            tuple((name, value) for name, value in (("kod", query.kod), ("p", query.p)) if value),
            notices,
        )

    @property
    def in_words(self) -> str:
        """The filters in Polish, "" for none."""
        fuel = [self.fuel.name] if self.fuel else []
        return ", ".join([*fuel, "otwarte teraz"] if self.open_now else fuel)

    def link(self, path: str) -> str:
        """Return the path of the page with these choices."""
        query = [*self.place]
        if self.fuel:
            query.append(("paliwo", self.fuel.slug))
        if self.order and (self.fuel or self.order is not Order.PRICE):
            query.append(("kolejnosc", self.order))
        if self.open_now:
            query.append(("otwarte", "1"))
        return f"{path}?{urlencode(query, safe=',')}" if query else path

    def fuel_chips(self, path: str, offered: Iterable[Fuel], count: CountListed) -> tuple[Chip, ...]:
        """Return links to all depots and to those of each fuel."""
        other = [(fuel, replace(self, fuel=fuel)) for fuel in (None, *offered)]
        return tuple(
            Chip(fuel.name if fuel else "wszystkie", choices.link(path), fuel is self.fuel, count(choices))
            for fuel, choices in other
        )

    def order_chips(self, path: str, usual: Order) -> tuple[Chip, ...]:
        """Return links to the orders, by price only with a fuel. usual: the default, whose link has no parameter."""
        labels = {Order.DISTANCE: "najbliżej", Order.PRICE: "najtaniej", Order.NAME: "według nazwy"}
        return tuple(
            Chip(
                label,
                replace(self, order=None if order is usual else order).link(path),
                order is (self.order or usual),
            )
            for order, label in labels.items()
            if self.fuel or order is not Order.PRICE
        )

    def open_chip(self, path: str, count: CountListed) -> Chip:
        """Return the link that toggles the filter of open depots, with the number of open ones."""
        number = count(replace(self, open_now=True))
        return Chip("otwarte teraz", replace(self, open_now=not self.open_now).link(path), self.open_now, number)
