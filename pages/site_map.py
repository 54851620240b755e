"""The one list of pages that search engines and language models are told of.

`sitemap.xml`, `llms.txt`, `llms-full.txt` and the command `check_pages` walk it. Pages of invented depots and prices
are not on it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from operator import attrgetter

from django.urls import reverse

from catalog import fuels
from catalog.depots.snapshot import depots
from catalog.links import depot_path, municipality_path, route_path
from catalog.models import Dataset, Depot, Voivodeship
from catalog.territory.snapshot import territory
from fueldepot.data import snapshot
from pages.privacy import AS_OF as PRIVACY_AS_OF
from pages.rules import AS_OF as RULES_AS_OF
from pages.territory import voivodeships_by_name
from prices.queries import RESTS_ON, all_fuel_prices
from regulations.snapshot import states
from subsidy import rules

INVENTED = {Depot.Source.DEMO}


class Section(StrEnum):
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
class Entry:
    """A page. title: short, "" where it would take a look at the page. changed: None when nobody knows.

    listed: search engines and language models are told of it; not of what shows invented depots or prices. as_of: the
    day the page itself gives, where that is not the day it changed.
    """

    path: str
    section: Section
    title: str = ""
    changed: date | None = None
    listed: bool = True
    as_of: date | None = None

    @property
    def current_to(self) -> date | None:
        """The day to which the page says that it is current."""
        return self.as_of or self.changed


def listed_pages(today: date) -> list[Entry]:
    """Every page that search engines may keep, by section, each in a fixed order."""
    return [entry for entry in all_pages(today) if entry.listed]


def all_pages(today: date) -> list[Entry]:
    """Every page, by section, each in a fixed order.

    What is demonstration is told as the pages tell it, but for municipalities without depots: these show the nearest
    ones, so while any depot is invented they are not listed, wherever it lies.
    """
    rows = sorted(depots.get().rows, key=attrgetter("id"))
    voivodeships = voivodeships_by_name()
    edition = rules.current().on(today).edition
    entries = [
        *service_pages(),
        *price_pages(voivodeships, today),
        *regulation_pages(voivodeships),
        Entry(reverse("subsidy"), Section.SUBSIDY, "Dotacja Czyste Powietrze: poziomy i limity", edition.as_of),
        *unit_pages(voivodeships),
        *(
            Entry(depot_path(row.id, row.name), Section.DEPOTS, row.name, row.updated_at, row.source not in INVENTED)
            for row in rows
        ),
    ]
    order = {section: number for number, section in enumerate(Section)}
    return sorted(entries, key=lambda entry: order[entry.section])


def service_pages() -> Iterator[Entry]:
    """What the service says of itself."""
    changed = snapshot.changed_on(Dataset.Slug.DEPOTS) or depots.get().updated_at
    yield Entry(reverse("home"), Section.SERVICE, "Strona główna", changed)
    yield Entry(reverse("api-rules"), Section.SERVICE, "API i zasady korzystania z danych", RULES_AS_OF)
    yield Entry(
        reverse("datasets"), Section.SERVICE, "Dane: zbiory, źródła i licencje", snapshot.changed_on(*Dataset.Slug)
    )
    yield Entry(reverse("privacy"), Section.SERVICE, "Prywatność", PRIVACY_AS_OF)


def price_pages(voivodeships: Collection[Voivodeship], today: date) -> Iterator[Entry]:
    """All fuels, each fuel, and each in every voivodeship."""
    real = {slug: "demonstration" not in answer for slug, answer in all_fuel_prices(today).items()}
    changed = snapshot.changed_on(*RESTS_ON)
    yield Entry(reverse("prices"), Section.PRICES, "Ceny opału i średnie GUS", changed, all(real.values()))
    for slug, listed in real.items():
        name = fuels.BY_SLUG[slug].name
        yield Entry(reverse("fuel-prices", args=[slug]), Section.PRICES, f"{name}: ceny w Polsce", changed, listed)
        for unit in voivodeships:
            path = reverse("fuel-prices-voivodeship", args=[slug, unit.slug])
            yield Entry(path, Section.VOIVODESHIP_PRICES, f"{name}: województwo {unit.name}", changed, listed)


def regulation_pages(voivodeships: Collection[Voivodeship]) -> Iterator[Entry]:
    """The resolutions of all voivodeships, and of each."""
    as_of = {teryt: whole.state.as_of for teryt, whole in states.get().items()}
    yield Entry(
        reverse("regulations"),
        Section.REGULATIONS,
        "Uchwały antysmogowe: terminy w województwach",
        max(as_of.values(), default=None),
        as_of=min(as_of.values(), default=None),
    )
    for unit in voivodeships:
        title = f"Uchwała antysmogowa: województwo {unit.name}"
        if unit.pk not in as_of:
            title += " (nie wczytano jeszcze stanu prawnego)"
        yield Entry(route_path("regulation", unit.slug), Section.REGULATIONS, title, as_of.get(unit.pk))


def unit_pages(voivodeships: Collection[Voivodeship]) -> Iterator[Entry]:
    """Voivodeships and municipalities."""
    known = depots.get()

    def changed(teryt: str) -> date | None:
        return max((row.updated_at for row in known.in_unit(teryt).rows), default=None)

    def is_invented(teryt: str) -> bool:
        return any(row.source in INVENTED for row in known.in_unit(teryt).rows)

    for unit in voivodeships:
        path = route_path("voivodeship", unit.slug)
        title = f"Składy opału: województwo {unit.name}"
        yield Entry(path, Section.VOIVODESHIPS, title, changed(unit.teryt), not is_invented(unit.teryt))
    for teryt, place in territory.get().municipalities.items():
        listed = not (is_invented(teryt) if known.count_in(teryt) else known.demonstration)
        path = municipality_path(place.voivodeship.slug, place.slug, teryt)
        yield Entry(path, Section.MUNICIPALITIES, "", changed(teryt), listed)
