"""Depots on pages: the short form in lists, and the page of one."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from django.urls import reverse

from catalog import fuels, text
from catalog.attribution import LICENCES, ORIGINS, describe_status
from catalog.hours import CLOSED, DAYS
from catalog.models import Depot
from catalog.queries import StoreRow
from pages.page import Crumb, Page
from pages.polish import coordinates

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
    """The page of a published depot. week: empty when the hours are unknown or not the same every week."""

    depot: Depot
    address: str
    fuels: tuple[str, ...]
    phones: tuple[Phone, ...]
    week: tuple[DayHours, ...]
    coordinates: str
    map_url: str
    status: Status
    origin: str
    licence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedPage(Page):
    """What is left of a removed depot. Its name is not: it may be a person's."""

    reason: str
    removed_at: date | None


def depot_path(depot_id: int, name: str) -> str:
    """The one right path of a depot's page."""
    return reverse("depot", args=[depot_id, text.slug(name)])


def own_card(depot: Depot, municipality: str, number: int) -> DepotCard:
    """A depot in the list of its municipality. municipality: its name."""
    return DepotCard(
        number=number,
        name=depot.name,
        path=depot_path(depot.pk, depot.name),
        address=address_of(depot, municipality),
        fuels=fuel_names(depot.fuels),
        phones=phones(depot.phone),
        status=status_of(depot),
    )


def near_card(row: StoreRow, number: int) -> DepotCard:
    """A depot in a list by distance."""
    return DepotCard(
        number=number,
        name=row.name,
        path=depot_path(row.id, row.name),
        address=address_of(row, row.municipality),
        fuels=fuel_names(row.fuels),
        phones=phones(row.phone),
        status=status_of(row),
        distance_km=None if row.distance_m is None else round(row.distance_m / 1000, 1),
    )


def depot_page(depot: Depot) -> DepotPage:
    """The page of a published depot. Reads municipality and voivodeship: select them."""
    demonstration = depot.source == Depot.Source.DEMO
    address = address_of(depot, depot.municipality.name)
    names = fuel_names(depot.fuels)
    return DepotPage(
        title=f"{depot.name}, gmina {depot.municipality.name}",
        description=f"Skład opału: {address}." + (f" Paliwa: {', '.join(names)}." if names else ""),
        path=depot_path(depot.pk, depot.name),
        crumbs=crumbs_of(depot),
        demonstration=demonstration,
        indexed=not demonstration,
        data_path=reverse("v1:store", args=[depot.pk]),
        depot=depot,
        address=address,
        fuels=names,
        phones=phones(depot.phone),
        week=week(depot.hours),
        coordinates=coordinates(depot.lat, depot.lon),
        map_url=f"https://www.openstreetmap.org/?mlat={depot.lat}&mlon={depot.lon}#map=16/{depot.lat}/{depot.lon}",
        status=status_of(depot),
        origin=ORIGINS[Depot.Source(depot.source)],
        licence=LICENCES[Depot.Source(depot.source)],
    )


def removed_page(depot: Depot) -> RemovedPage:
    """The page of a removed depot. Reads municipality and voivodeship: select them."""
    return RemovedPage(
        title="Wpis usunięty",
        description="Ten wpis został usunięty z katalogu.",
        path="",
        crumbs=crumbs_of(depot),
        indexed=False,
        reason=Depot.RemovalReason(depot.removal_reason).label,
        removed_at=depot.removed_at,
    )


def crumbs_of(depot: Depot) -> tuple[Crumb, ...]:
    """The way to a depot."""
    unit = depot.municipality
    return Crumb.home(), Crumb.voivodeship(unit.voivodeship), Crumb.municipality(unit)


def address_of(depot: Depot | StoreRow, municipality: str) -> str:
    """The address in one line."""
    return text.format_address(depot.street, depot.house_number, depot.postcode, depot.place, municipality)


def fuel_names(slugs: Iterable[str]) -> tuple[str, ...]:
    """Display names of fuels, in the given order."""
    return tuple(fuels.BY_SLUG[slug].name for slug in slugs)


def phones(stored: str) -> tuple[Phone, ...]:
    """The numbers of a depot; several are stored with ", " between them (see `catalog.contacts`)."""
    numbers = [number.strip() for number in stored.split(",") if number.strip()]
    return tuple(Phone(number, "tel:" + re.sub(r"[^+0-9]", "", number.partition("ext")[0])) for number in numbers)


def status_of(depot: Depot | StoreRow) -> Status:
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
