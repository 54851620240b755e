"""The pages of published and of removed depots."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from catalog.depots import fuels
from catalog.depots.attribution import LICENCES, ORIGINS
from catalog.depots.opening_times import opening_of, opening_period
from catalog.depots.snapshot import DepotRow, depots
from catalog.models import Depot, Municipality
from catalog.parsing.opening_hours import CLOSED, DAYS, Week
from catalog.territory.coordinates import Point
from catalog.territory.snapshot import territory
from pages.depot_filters import DepotCard, card_facts, card_price
from pages.page import INVENTED_DEPOT, INVENTED_TITLE, Crumb, Page
from pages.polish import coordinates
from pages.rendering import PageMoved
from pages.svg import cached_maps
from prices.snapshot import ListedPrice, prices

DAYS_OF_SCHEMA = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAY_NAMES = ("poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota", "niedziela")

NEIGHBOURS = 5
NEIGHBOURS_KM = 30


def depot_page(depot: DepotRow, now: datetime) -> Page:
    """Return the page of a published depot.

    In the content, opening: the state, which holds for the `period`. week: empty for unknown or irregular hours.
    price_list: prices, apart from the median or None. unpriced: names of other fuels.
    """
    today = timezone.localdate(now)
    facts = card_facts(depot)
    unit = territory.get().municipalities[depot.teryt]
    price_list = [(price, apart_from_median(price, depot, today)) for price in prices.get().price_list(depot.id, today)]
    priced = {price.fuel for price, _ in price_list}
    here = Point(depot.lat, depot.lon)
    near = depots.get().near(here, radius_km=NEIGHBOURS_KM, limit=NEIGHBOURS + 1).measured()
    others = [(row, metres) for row, metres in near if row.id != depot.id][:NEIGHBOURS]
    nearby = [
        DepotCard(row, opening_of(row, now), card_price(row.id, today, None), metres, number)
        for number, (row, metres) in enumerate(others, start=1)
    ]
    # Titles of pages are unique.
    number = f" (wpis {depot.id})" if depots.get().has_namesake(depot) else ""
    crumbs = crumbs_of(unit)
    return Page(
        template="pages/depot",
        title=f"{depot.name}, gmina {unit.name}{number}",
        description=f"Skład opału: {depot.address}." + (f" Paliwa: {', '.join(facts.fuels)}." if facts.fuels else ""),
        path=facts.path,
        breadcrumbs=crumbs,
        demonstration=depot.demonstration,
        demonstration_title=INVENTED_TITLE,
        demonstration_notice=f"{INVENTED_DEPOT} Pod podanym adresem go nie ma.",
        indexed=not depot.demonstration,
        data_path=reverse("v1:store", args=[depot.id]),
        as_of=max(filter(None, (depot.updated_at, depot.verified_at))),
        data_status=f"{facts.status.label}. {facts.status.description}",
        licence=LICENCES[Depot.Source(depot.source)],
        quoted_status=f"status wpisu: {facts.status.label}",  # the rules of use require it
        schema_org=lambda page: [] if depot.demonstration else [business(page)],
        content={
            "depot": depot,
            "facts": facts,
            "municipality": unit,
            "opening": opening_of(depot, now),
            "price_list": price_list,
            "period": opening_period(now),
            "week": week(depot.hours_ranges),
            "weekday": today.weekday(),
            "coordinates": coordinates(depot.lat, depot.lon),
            "origin": ORIGINS[Depot.Source(depot.source)],
            "unpriced": fuels.labels([slug for slug in depot.fuels if slug not in priced], depot.fuels_by_name),
            "nearby": nearby,
            "draw_map": partial(
                cached_maps.depot_map,
                depot.teryt,
                [card.row for card in nearby],
                here,
                credit_osm=any(row.source == Depot.Source.OSM for row in (depot, *(card.row for card in nearby))),
            ),
            "outlines": f"{crumbs[-1].path}granice.geojson",
        },
    )


def apart_from_median(price: ListedPrice, depot: DepotRow, today: date) -> Decimal | None:
    """Return the difference of a price from the median of the voivodeship in zł, None without a median."""
    median = prices.get().figures(price.fuel, today).of_voivodeship(depot.teryt[:2]).median
    return None if median is None else price.price - median


def offers(depot: DepotRow, price_list: Sequence[ListedPrice]) -> Iterator[dict[str, Any]]:
    """Yield the fuels of a depot as schema.org's Offer, with price, unit and day where known."""
    for row in price_list:
        yield {
            "@type": "Offer",
            "itemOffered": {"@type": "Product", "name": row.kind.name},
            "price": float(row.price),
            "priceCurrency": "PLN",
            "validFrom": row.day.isoformat(),
            "priceSpecification": {
                "@type": "UnitPriceSpecification",
                "price": float(row.price),
                "priceCurrency": "PLN",
                "unitText": fuels.UNIT_NAMES[row.kind.unit],
            },
        }
    priced = {row.fuel for row in price_list}
    # Fuels inferred from the depot's name are not offers.
    for slug in depot.fuels:
        if slug not in priced and slug not in depot.fuels_by_name:
            yield {"@type": "Offer", "itemOffered": {"@type": "Product", "name": fuels.BY_SLUG[slug].name}}


def business(page: Page) -> dict[str, Any]:
    """Return a depot as schema.org's Store, without unknown fields."""
    depot, unit, stated = (page.content[name] for name in ("depot", "municipality", "facts"))
    address = {
        "@type": "PostalAddress",
        "streetAddress": " ".join(part for part in (depot.street, depot.house_number) if part),
        "postalCode": depot.postcode,
        "addressLocality": depot.place or unit.name,
        "addressRegion": unit.voivodeship.name,
        "addressCountry": "PL",
    }
    facts = {
        "telephone": [number for number, _ in stated.phones],
        "sameAs": depot.website,
        "taxID": depot.nip,
        "openingHoursSpecification": opening_hours(depot.hours_ranges),
        "makesOffer": list(offers(depot, [price for price, _ in page.content["price_list"]])),
    }
    return {
        "@type": "Store",
        "@id": page.canonical,
        "name": depot.name,
        "description": page.description,
        "url": page.canonical,
        "address": {key: value for key, value in address.items() if value},
        "geo": {"@type": "GeoCoordinates", "latitude": depot.lat, "longitude": depot.lon},
        **{key: value for key, value in facts.items() if value},
    }


def opening_hours(ranges: Week | None) -> list[dict[str, str]]:
    """Return the hours of a week as schema.org's OpeningHoursSpecification; 0:00 to 0:00 means closed."""
    if ranges is None:
        return []
    return [
        {
            "@type": "OpeningHoursSpecification",
            "dayOfWeek": f"https://schema.org/{name}",
            "opens": opens.zfill(5),
            "closes": "23:59" if closes == "24:00" else closes.zfill(5),
        }
        for key, name in zip(DAYS, DAYS_OF_SCHEMA, strict=True)
        for opens, _, closes in (hours.partition("-") for hours in ranges[key] or ("0:00-0:00",))
    ]


def removed_depot(depot_id: int, path_of: Callable[[Depot], str]) -> Page:
    """Return the page of a removed depot. path_of: of the view, for the depot that one was merged into. One query.

    Raises PageMoved for one merged into a published depot: the path of another would tell a name that is not public.
    Raises Http404 for a depot that is not removed.
    """
    removed = Depot.objects.filter(publication=Depot.Publication.REMOVED)
    gone = get_object_or_404(removed.select_related("municipality__voivodeship", "merged_into"), pk=depot_id)
    if gone.merged_into is not None and gone.merged_into.publication == Depot.Publication.PUBLISHED:
        raise PageMoved(path_of(gone.merged_into))
    return removed_page(gone)


def removed_page(depot: Depot) -> Page:
    """Return the page of a removed depot. It omits the name, which may be a person's."""
    return Page(
        template="410",
        status=410,
        title="Wpis usunięty",
        description="Ten wpis został usunięty z katalogu.",
        path="",
        breadcrumbs=crumbs_of(depot.municipality),
        indexed=False,
        as_of=depot.removed_at,
        content={
            "reason": Depot.RemovalReason(depot.removal_reason).label,
            "removed_at": depot.removed_at,
            "teryt": depot.municipality.teryt,
        },
    )


def crumbs_of(unit: Municipality) -> tuple[Crumb, ...]:
    return Crumb.home(), Crumb.voivodeship(unit.voivodeship), Crumb.municipality(unit)


def week(ranges: Week | None) -> list[tuple[str, str]]:
    """Return the days with their hours, Monday first; none for unknown hours."""
    return [(name, hours_of_day(ranges[key])) for key, name in zip(DAYS, DAY_NAMES, strict=True)] if ranges else []


def hours_of_day(ranges: Sequence[str]) -> str:
    """Format the ranges of a day: "8:00–12:00 i 13:00–16:00"."""
    if not ranges:
        return CLOSED
    if list(ranges) == ["0:00-24:00"]:
        return "całą dobę"
    *others, last = [hours.replace("-", "–") for hours in ranges]
    return f"{', '.join(others)} i {last}" if others else last
