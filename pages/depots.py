"""Depots on pages: the short form in lists, and the page of one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

import orjson
from django.http import Http404
from django.urls import reverse

from catalog import fuels, text
from catalog.attribution import LICENCES, ORIGINS, describe_status
from catalog.depots.snapshot import MAX_ID, DepotRow, depots
from catalog.links import depot_path
from catalog.models import Depot, Municipality
from catalog.reading.hours import CLOSED, DAYS
from catalog.territory.snapshot import territory
from pages.page import Crumb, Page
from pages.polish import coordinates
from pages.prices import PER_UNIT
from prices.serializers import price_list_item
from prices.snapshot import prices

DAYS_OF_SCHEMA = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAY_NAMES = ("poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota", "niedziela")


@dataclass(frozen=True, slots=True)
class Phone:
    """A telephone number, and the link that dials it."""

    number: str
    link: str


@dataclass(frozen=True, slots=True)
class Status:
    """How sure an entry is. code: data status or "demo", for the colour of the badge. label: one or a few words."""

    code: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class DepotCard:
    """A depot in a list. number: on the map and in the list.

    distance_km: rounded to a tenth, None in a list without distances.
    """

    number: int

    name: str
    path: str
    address: str
    fuels: tuple[str, ...]
    phones: tuple[Phone, ...]
    status: Status
    distance_km: float | None = None


@dataclass(frozen=True, slots=True)
class DayHours:
    """A row of the table of hours, as a reader sees it."""

    day: str
    hours: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DepotPage(Page):
    """The page of a published depot. week: empty when the hours are unknown or not the same every week.

    price_list: as the API gives it, the newest price of each fuel, and `per_unit`, the unit in words.
    """

    template: ClassVar[str] = "pages/depot"

    depot: DepotRow
    municipality: Municipality
    hours: Mapping[str, str] | None
    address: str
    fuels: tuple[str, ...]
    phones: tuple[Phone, ...]
    week: tuple[DayHours, ...]
    coordinates: str
    map_url: str
    trust: Status
    origin: str
    price_list: tuple[dict[str, Any], ...]

    @property
    def quoted_status(self) -> str:
        """The data status: the rules of use ask to quote it."""
        return f"status wpisu: {self.trust.label}"

    def things(self) -> list[dict[str, Any]]:
        """The business; an invented one is none."""
        return [] if self.demonstration else [business(self)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedPage(Page):
    """What is left of a removed depot. Its name is not: it may be a person's."""

    template: ClassVar[str] = "410"
    status: ClassVar[int] = 410

    reason: str
    removed_at: date | None


def depot_card(row: DepotRow, number: int, distance_m: float | None = None) -> DepotCard:
    """A depot in a list."""
    return DepotCard(
        number=number,
        name=row.name,
        path=depot_path(row.id, row.name),
        address=address_of(row),
        fuels=fuel_names(row.fuels),
        phones=phones(row.phone),
        status=status_of(row),
        distance_km=None if distance_m is None else round(distance_m / 1000, 1),
    )


def find_gone_depot(depot_id: int) -> Depot:
    """Return a depot that is not published any more. Raises Http404 for all others. One query."""
    if depot_id <= MAX_ID:
        for depot in Depot.objects.select_related("municipality__voivodeship", "merged_into").filter(pk=depot_id):
            if depot.publication == Depot.Publication.REMOVED:
                return depot
    raise Http404


def depot_page(depot: DepotRow, today: date) -> DepotPage:
    """The page of a published depot."""
    demonstration = depot.source == Depot.Source.DEMO
    address = address_of(depot)
    names = fuel_names(depot.fuels)
    trust = status_of(depot)
    unit = territory.get().municipalities[depot.teryt]
    hours = None if depot.hours is None else orjson.loads(depot.hours)
    # No two pages have the same title.
    number = f" (wpis {depot.id})" if depots.get().has_namesake(depot) else ""
    return DepotPage(
        title=f"{depot.name}, gmina {unit.name}{number}",
        description=f"Skład opału: {address}." + (f" Paliwa: {', '.join(names)}." if names else ""),
        path=depot_path(depot.id, depot.name),
        crumbs=crumbs_of(unit),
        demonstration=demonstration,
        indexed=not demonstration,
        data_path=reverse("v1:store", args=[depot.id]),
        as_of=max(filter(None, (depot.updated_at, depot.verified_at))),
        data_status=f"{trust.label}. {trust.description}",
        licence=LICENCES[Depot.Source(depot.source)],
        depot=depot,
        municipality=unit,
        hours=hours,
        address=address,
        fuels=names,
        phones=phones(depot.phone),
        week=week(hours),
        coordinates=coordinates(depot.lat, depot.lon),
        map_url=f"https://www.openstreetmap.org/?mlat={depot.lat}&mlon={depot.lon}#map=16/{depot.lat}/{depot.lon}",
        trust=trust,
        origin=ORIGINS[Depot.Source(depot.source)],
        price_list=tuple(
            item | {"per_unit": PER_UNIT[item["unit"]]}
            for item in map(price_list_item, prices.get().price_list(depot.id, today))
        ),
    )


def business(page: DepotPage) -> dict[str, Any]:
    """A depot as schema.org's Store: only what is known."""
    depot = page.depot
    address = {
        "@type": "PostalAddress",
        "streetAddress": " ".join(part for part in (depot.street, depot.house_number) if part),
        "postalCode": depot.postcode,
        "addressLocality": depot.place or page.municipality.name,
        "addressRegion": page.municipality.voivodeship.name,
        "addressCountry": "PL",
    }
    known = {
        "telephone": [phone.number for phone in page.phones],
        "sameAs": depot.website,
        "taxID": depot.nip,
        "openingHoursSpecification": opening_hours(page.hours),
        "makesOffer": [{"@type": "Offer", "itemOffered": {"@type": "Product", "name": name}} for name in page.fuels],
    }
    return {
        "@type": "Store",
        "@id": page.canonical,
        "name": depot.name,
        "description": page.description,
        "url": page.canonical,
        "address": {key: value for key, value in address.items() if value},
        "geo": {"@type": "GeoCoordinates", "latitude": depot.lat, "longitude": depot.lon},
        **{key: value for key, value in known.items() if value},
    }


def opening_hours(hours: Mapping[str, str] | None) -> list[dict[str, str]]:
    """The days of which the hours are known, in the words of schema.org; a day from 0:00 to 0:00 is closed."""
    known = []
    for key, name in zip(DAYS, DAYS_OF_SCHEMA, strict=True):
        text_of_day = (hours or {}).get(key)
        if text_of_day:
            opens, _, closes = "0:00-0:00".partition("-") if text_of_day == CLOSED else text_of_day.partition("-")
            closes = "23:59" if closes == "24:00" else closes
            known.append(
                {
                    "@type": "OpeningHoursSpecification",
                    "dayOfWeek": f"https://schema.org/{name}",
                    "opens": opens.zfill(5),
                    "closes": closes.zfill(5),
                }
            )
    return known


def removed_page(depot: Depot) -> RemovedPage:
    """The page of a removed depot. Reads municipality and voivodeship: select them."""
    return RemovedPage(
        title="Wpis usunięty",
        description="Ten wpis został usunięty z katalogu.",
        path="",
        crumbs=crumbs_of(depot.municipality),
        indexed=False,
        as_of=depot.removed_at,
        reason=Depot.RemovalReason(depot.removal_reason).label,
        removed_at=depot.removed_at,
    )


def crumbs_of(unit: Municipality) -> tuple[Crumb, ...]:
    """The way to a depot of a municipality."""
    return Crumb.home(), Crumb.voivodeship(unit.voivodeship), Crumb.municipality(unit)


def address_of(depot: DepotRow) -> str:
    """The address in one line."""
    return text.format_address(depot.street, depot.house_number, depot.postcode, depot.place, depot.municipality)


def fuel_names(slugs: Iterable[str]) -> tuple[str, ...]:
    """Display names of fuels, in the given order."""
    return tuple(fuels.BY_SLUG[slug].name for slug in slugs)


def phones(stored: str) -> tuple[Phone, ...]:
    """The numbers of a depot; several are stored with ", " between them (see `catalog.reading.contacts`)."""
    numbers = [number.strip() for number in stored.split(",") if number.strip()]
    return tuple(Phone(number, "tel:" + re.sub(r"[^+0-9]", "", number.partition("ext")[0])) for number in numbers)


def status_of(depot: DepotRow) -> Status:
    """The data status; an invented entry has none but that."""
    description = describe_status(depot.data_status, depot.source)
    if depot.source == Depot.Source.DEMO:
        return Status("demo", Depot.Source.DEMO.label, description)
    return Status(depot.data_status, Depot.DataStatus(depot.data_status).label, description)


def week(hours: Mapping[str, str] | None) -> tuple[DayHours, ...]:
    """Rows of the table of hours, Monday first; none when the hours are unknown."""
    if hours is None:
        return ()
    return tuple(DayHours(name, _day(hours.get(key))) for key, name in zip(DAYS, DAY_NAMES, strict=True))


def _day(hours: str | None) -> str:
    if hours is None:
        return "brak danych"
    if not hours:
        return "kilka przedziałów, zobacz zapis niżej"
    if hours == "0:00-24:00":
        return "całą dobę"
    return hours if hours == CLOSED else hours.replace("-", "–")
