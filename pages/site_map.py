"""The one list of pages that search engines and language models are told of.

`sitemap.xml`, `llms.txt`, `llms-full.txt` and the command `check_pages` walk it. Pages of invented depots and prices
are not on it.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NamedTuple

import orjson
from django.urls import reverse

from catalog import fuels, versions
from catalog.links import depot_path, municipality_path, route_path
from catalog.models import Dataset, Depot, Municipality, Voivodeship
from catalog.text import sort_key
from pages.privacy import AS_OF as PRIVACY_AS_OF
from pages.rules import AS_OF as RULES_AS_OF
from prices import figures
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


class DepotRow(NamedTuple):
    """What the list needs of a published depot."""

    id: int
    name: str
    municipality: str
    source: str
    updated_at: date


def listed_pages(today: date) -> list[Entry]:
    """Every page that search engines may keep, by section, each in a fixed order. Four queries."""
    return [entry for entry in all_pages(today) if entry.listed]


def all_pages(today: date) -> list[Entry]:
    """Every page, by section, each in a fixed order. Four queries.

    What is demonstration is told as the pages tell it, but for municipalities without depots: these show the nearest
    ones, so while any depot is invented they are not listed, wherever it lies.
    """
    depots = published_depots()
    voivodeships = sorted(Voivodeship.objects.select_related("legal_state").all(), key=lambda unit: sort_key(unit.name))
    edition = rules.current().on(today).edition
    entries = [
        *service_pages(depots),
        *price_pages(voivodeships, today),
        *regulation_pages(voivodeships),
        Entry(reverse("subsidy"), Section.SUBSIDY, "Dotacja Czyste Powietrze: poziomy i limity", edition.as_of),
        *unit_pages(voivodeships, depots),
        *(
            Entry(depot_path(row.id, row.name), Section.DEPOTS, row.name, row.updated_at, row.source not in INVENTED)
            for row in depots
        ),
    ]
    order = {section: number for number, section in enumerate(Section)}
    return sorted(entries, key=lambda entry: order[entry.section])


def published_depots() -> list[DepotRow]:
    """Published depots by id. One query."""
    columns = ("pk", "name", "municipality_id", "source", "updated_at")
    found = Depot.objects.published().order_by("pk").values_list(*columns)
    return [DepotRow(*row) for row in found.iterator(chunk_size=2000)]


def service_pages(depots: list[DepotRow]) -> Iterator[Entry]:
    """What the service says of itself."""
    newest = max((row.updated_at for row in depots), default=None)
    yield Entry(reverse("home"), Section.SERVICE, "Strona główna", versions.changed_on(Dataset.Slug.DEPOTS) or newest)
    yield Entry(reverse("api-rules"), Section.SERVICE, "API i zasady korzystania z danych", RULES_AS_OF)
    yield Entry(
        reverse("datasets"), Section.SERVICE, "Dane: zbiory, źródła i licencje", versions.changed_on(*Dataset.Slug)
    )
    yield Entry(reverse("privacy"), Section.SERVICE, "Prywatność", PRIVACY_AS_OF)


def price_pages(voivodeships: list[Voivodeship], today: date) -> Iterator[Entry]:
    """All fuels, each fuel, and each in every voivodeship. One query while figures hold."""
    answers = {slug: orjson.loads(body) for slug, body in figures.read_countries(today).items()}
    real = {slug: "demonstration" not in answer for slug, answer in answers.items()}
    changed = versions.changed_on(*figures.RESTS_ON)
    yield Entry(reverse("prices"), Section.PRICES, "Ceny opału i średnie GUS", changed, all(real.values()))
    for slug, listed in real.items():
        name = fuels.BY_SLUG[slug].name
        yield Entry(reverse("fuel-prices", args=[slug]), Section.PRICES, f"{name}: ceny w Polsce", changed, listed)
        for unit in voivodeships:
            path = reverse("fuel-prices-voivodeship", args=[slug, unit.slug])
            yield Entry(path, Section.VOIVODESHIP_PRICES, f"{name}: województwo {unit.name}", changed, listed)


def regulation_pages(voivodeships: list[Voivodeship]) -> Iterator[Entry]:
    """The resolutions of all voivodeships, and of each."""
    as_of = {unit.pk: unit.legal_state.as_of for unit in voivodeships if hasattr(unit, "legal_state")}
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


def unit_pages(voivodeships: list[Voivodeship], depots: list[DepotRow]) -> Iterator[Entry]:
    """Voivodeships and municipalities. One query."""
    own: dict[str, list[DepotRow]] = defaultdict(list)
    for row in depots:
        own[row.municipality].append(row)
        own[row.municipality[:2]].append(row)
    invented = {teryt for teryt, rows in own.items() if any(row.source in INVENTED for row in rows)}

    def changed(teryt: str) -> date | None:
        return max((row.updated_at for row in own.get(teryt, [])), default=None)

    for unit in voivodeships:
        path = route_path("voivodeship", unit.slug)
        title = f"Składy opału: województwo {unit.name}"
        yield Entry(path, Section.VOIVODESHIPS, title, changed(unit.teryt), unit.teryt not in invented)
    for teryt, slug, voivodeship in Municipality.objects.order_by("pk").values_list("pk", "slug", "voivodeship__slug"):
        listed = teryt not in invented if teryt in own else not invented
        path = municipality_path(voivodeship, slug, teryt)
        yield Entry(path, Section.MUNICIPALITIES, "", changed(teryt), listed)
