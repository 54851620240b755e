"""The list of pages behind `sitemap.xml`, `llms.txt` and `llms-full.txt`.

Pages of invented depots and prices are not listed for search engines and language models.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from operator import attrgetter

from django.urls import reverse

from catalog.depots import fuels
from catalog.depots.snapshot import depots
from catalog.links import depot_path, municipality_path
from catalog.models import Dataset, Depot, Voivodeship
from catalog.territory.snapshot import territory
from fueldepot.data import snapshot
from fueldepot.http.links import route_path
from pages.fixed_pages import (
    ENGLISH_AS_OF,
    ENGLISH_TITLE,
    FOR_OWNERS_AS_OF,
    FOR_OWNERS_TITLE,
    PRIVACY_AS_OF,
    RULES_AS_OF,
)
from pages.fuel_prices import official_title
from pages.home import depots_as_of, voivodeships_by_name
from pages.regulations import LIST_TITLE
from prices.api.price_answers import all_fuel_prices
from prices.queries import RESTS_ON
from prices.snapshot import official, prices
from regulations.snapshot import states
from subsidy import rules


class SiteMapSection(StrEnum):
    """Kinds of pages, in the order of the list."""

    SERVICE = "O serwisie"
    PRICES = "Ceny"
    REGULATIONS = "Uchwały antysmogowe"
    SUBSIDY = "Dotacja"
    VOIVODESHIPS = "Składy według województw"
    VOIVODESHIP_PRICES = "Ceny według województw"
    MUNICIPALITIES = "Gminy"
    DEPOTS = "Składy"


@dataclass(frozen=True, slots=True)
class SiteMapEntry:
    """A page. title: short, "" where it is only known to the page itself. changed: None when unknown.

    listed: for search engines and language models; False for pages with invented depots or prices, and empty ones.
    as_of: the day on the page, where it differs from `changed`. first: the oldest of several days on it, else None.
    empty: a page of prices without a price.
    """

    path: str
    section: SiteMapSection
    title: str = ""
    changed: date | None = None
    listed: bool = True
    as_of: date | None = None
    empty: bool = False
    first: date | None = None

    @property
    def current_to(self) -> str:
        """The day on the page, or its days as an interval of ISO 8601; "" when unknown."""
        return "/".join(str(day) for day in (self.first, self.as_of or self.changed) if day)


def listed_pages(today: date) -> list[SiteMapEntry]:
    """Return the listed pages, by section, each in a fixed order."""
    return [entry for entry in all_pages(today) if entry.listed]


def all_pages(today: date) -> list[SiteMapEntry]:
    """Return all pages, by section, each in a fixed order.

    Municipalities without depots show the nearest ones, so they are unlisted while any depot is invented.
    """
    rows = sorted(depots.get().rows, key=attrgetter("id"))
    voivodeships = voivodeships_by_name()
    edition = rules.current().on(today).edition
    entries = [
        *service_pages(edition.as_of),
        *price_pages(voivodeships, today),
        *regulation_pages(voivodeships),
        SiteMapEntry(
            reverse("subsidy"), SiteMapSection.SUBSIDY, "Dotacja Czyste Powietrze: poziomy i limity", edition.as_of
        ),
        *unit_pages(voivodeships),
        *(
            SiteMapEntry(
                depot_path(row.id, row.name),
                SiteMapSection.DEPOTS,
                row.name,
                row.updated_at,
                row.source != Depot.Source.DEMO,
            )
            for row in rows
        ),
    ]
    order = {section: number for number, section in enumerate(SiteMapSection)}
    return sorted(entries, key=lambda entry: order[entry.section])


def service_pages(programme_as_of: date) -> Iterator[SiteMapEntry]:
    """Yield the home page and the pages about the service. programme_as_of: of the subsidy, one of the data sets."""
    changed = snapshot.changed_on(Dataset.Slug.DEPOTS) or depots.get().updated_at
    yield SiteMapEntry(reverse("home"), SiteMapSection.SERVICE, "Strona główna", changed)
    yield SiteMapEntry(reverse("api-rules"), SiteMapSection.SERVICE, "API i zasady korzystania z danych", RULES_AS_OF)
    yield SiteMapEntry(reverse("english"), SiteMapSection.SERVICE, ENGLISH_TITLE, ENGLISH_AS_OF)
    yield SiteMapEntry(reverse("for-owners"), SiteMapSection.SERVICE, FOR_OWNERS_TITLE, FOR_OWNERS_AS_OF)
    yield SiteMapEntry(
        reverse("datasets"),
        SiteMapSection.SERVICE,
        "Dane: zbiory, źródła i licencje",
        max(filter(None, (snapshot.changed_on(*Dataset.Slug), programme_as_of))),
    )
    yield SiteMapEntry(reverse("privacy"), SiteMapSection.SERVICE, "Prywatność", PRIVACY_AS_OF)


def price_pages(voivodeships: Collection[Voivodeship], today: date) -> Iterator[SiteMapEntry]:
    """Yield the pages of all fuels, of each fuel, and of each fuel in every voivodeship."""
    answers = all_fuel_prices(today)
    real = {slug: "demonstration" not in answer for slug, answer in answers.items()}
    has_prices = any(answer["n"] for answer in answers.values())
    changed = snapshot.changed_on(*RESTS_ON)
    listed = has_prices and all(real.values())
    yield SiteMapEntry(
        reverse("prices"), SiteMapSection.PRICES, "Ceny opału: mediany", changed, listed, today, empty=not has_prices
    )
    averages = bool(official.get().observations)
    changed_averages = snapshot.changed_on(Dataset.Slug.SERIES)
    path = reverse("official-prices")
    yield SiteMapEntry(path, SiteMapSection.PRICES, official_title(), changed_averages, averages, empty=not averages)
    path = reverse("heating-costs")
    yield SiteMapEntry(path, SiteMapSection.PRICES, "Ile kosztuje ciepło: porównanie źródeł", changed, listed, today)
    for slug in answers:
        fuel = fuels.BY_SLUG[slug]
        figures = prices.get().figures(slug, today)
        path = reverse("fuel-prices", args=[slug])
        empty = not figures.country.n
        title = f"{fuel.name}: ceny w Polsce"
        yield SiteMapEntry(path, SiteMapSection.PRICES, title, changed, real[slug] and not empty, today, empty=empty)
        for unit in voivodeships:
            path = reverse("fuel-prices-voivodeship", args=[slug, unit.slug])
            empty = unit.teryt not in figures.voivodeships
            title = f"{fuel.name}: województwo {unit.name}"
            yield SiteMapEntry(
                path, SiteMapSection.VOIVODESHIP_PRICES, title, changed, real[slug] and not empty, today, empty=empty
            )


def regulation_pages(voivodeships: Collection[Voivodeship]) -> Iterator[SiteMapEntry]:
    as_of = {teryt: whole.state.as_of for teryt, whole in states.get().items()}
    days = sorted({*as_of.values()})
    yield SiteMapEntry(
        reverse("regulations"),
        SiteMapSection.REGULATIONS,
        LIST_TITLE,
        days[-1] if days else None,
        first=days[0] if len(days) > 1 else None,
    )
    yield SiteMapEntry(
        reverse("stove-check"), SiteMapSection.REGULATIONS, "Sprawdź swój piec: do kiedy wolno go używać"
    )
    for unit in voivodeships:
        title = f"Uchwała antysmogowa: województwo {unit.name}"
        if unit.pk not in as_of:
            title += " (nie wczytano jeszcze stanu prawnego)"
        yield SiteMapEntry(route_path("regulation", unit.slug), SiteMapSection.REGULATIONS, title, as_of.get(unit.pk))


def unit_pages(voivodeships: Collection[Voivodeship]) -> Iterator[SiteMapEntry]:
    rows = depots.get()

    def changed(teryt: str) -> date | None:
        return max((row.updated_at for row in rows.in_unit(teryt).rows), default=None)

    def is_invented(teryt: str) -> bool:
        return any(row.source == Depot.Source.DEMO for row in rows.in_unit(teryt).rows)

    for unit in voivodeships:
        path = route_path("voivodeship", unit.slug)
        title = f"Składy opału: województwo {unit.name}"
        newest = changed(unit.teryt)
        yield SiteMapEntry(
            path, SiteMapSection.VOIVODESHIPS, title, newest, not is_invented(unit.teryt), depots_as_of(newest)
        )
    for teryt, place in territory.get().municipalities.items():
        listed = not (is_invented(teryt) if rows.count_in(teryt) else rows.demonstration)
        path = municipality_path(place.voivodeship.slug, place.slug, teryt)
        yield SiteMapEntry(path, SiteMapSection.MUNICIPALITIES, "", changed(teryt), listed)
