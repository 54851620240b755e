"""The home page: search, and what the catalog holds."""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from catalog.depots.snapshot import depots
from catalog.links import municipality_path, route_path, site_url
from catalog.models import SearchEntry, Voivodeship
from catalog.params import QUERY_MIN_LENGTH
from catalog.query_string import QueryString
from catalog.suggestions import Suggestion, suggest_locations
from pages.page import (
    DEMONSTRATION_STATUS,
    MIXED_STATUS,
    Page,
    licence_of_list,
    publisher,
)
from pages.pictures import territory as pictures
from pages.pictures.maps import AreaMap, Unit, name_lines
from pages.polish import counted
from pages.territory import depots_as_of, voivodeships_by_name

TOO_SHORT = f"Wpisz co najmniej {counted(QUERY_MIN_LENGTH, 'znak', 'znaki', 'znaków')}."
UNREADABLE = "Nie umiemy odczytać tego zapytania. Wpisz nazwę miejscowości, gminy albo kod pocztowy."


@dataclass(frozen=True, slots=True)
class Result:
    """A place that was found."""

    label: str
    description: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage(Page):
    """asked: the text that was searched for, "" for none. results: best first. notice: why nothing was searched.

    map: of the voivodeships, None where no boundary is known.
    """

    template: ClassVar[str] = "pages/home"
    honours: ClassVar[tuple[str, ...]] = ("q",)

    map: AreaMap | None
    asked: str
    results: tuple[Result, ...]
    notice: str
    voivodeships: tuple[Voivodeship, ...]
    depots: int
    municipalities: int
    updated_at: date | None

    def things(self) -> list[dict[str, Any]]:
        """The site, and how it is searched."""
        search = {
            "@type": "SearchAction",
            "target": {"@type": "EntryPoint", "urlTemplate": f"{site_url(self.path)}?q={{search_term_string}}"},
            "query-input": "required name=search_term_string",
        }
        return [
            {
                "@type": "WebSite",
                "name": settings.SITE_NAME,
                "description": self.description,
                "url": self.canonical,
                "inLanguage": "pl",
                "publisher": publisher(),
                "potentialAction": search,
            }
        ]


def home_page(query_string: str) -> HomePage:
    """The home page, with what is found for `?q=`."""
    given = QueryString(query_string)
    asked = given.text("q", "", min_length=QUERY_MIN_LENGTH) or ""
    known = depots.get()
    return HomePage(
        title=f"Wyniki dla: {asked}" if asked else "Znajdź skład opału",
        description="Składy opału w całej Polsce według gmin: adres, paliwa, godziny, telefon. Szukaj po miejscowości "
        "lub kodzie pocztowym.",
        path=reverse("home"),
        demonstration=known.demonstration,
        indexed="q" not in given.given,
        as_of=depots_as_of(known.updated_at),
        data_status=DEMONSTRATION_STATUS if known.demonstration else MIXED_STATUS,
        licence=licence_of_list(demonstration=known.demonstration),
        map=pictures.country_map(
            lambda slug, name: Unit(route_path("voivodeship", slug), f"województwo {name}", label=name_lines(name))
        ),
        asked=asked,
        results=tuple(_result(row) for row in suggest_locations(asked)) if asked else (),
        notice=_notice(given),
        voivodeships=voivodeships_by_name(),
        depots=len(known.rows),
        municipalities=len({row.teryt for row in known.rows}),
        updated_at=known.updated_at,
    )


def _result(row: Suggestion) -> Result:
    path = municipality_path(row.voivodeship_slug, row.slug, row.teryt)
    if row.kind == SearchEntry.Kind.POSTCODE:
        path += "?" + urlencode({"kod": f"{row.fold[:2]}-{row.fold[2:]}"})
    return Result(row.label, row.description, path)


def _notice(given: QueryString) -> str:
    codes = {error.code for error in given.errors}
    if not codes or codes == {"empty"}:
        return ""
    return TOO_SHORT if codes == {"too_short"} else UNREADABLE
