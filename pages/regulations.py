"""Pages of the anti-smog resolutions: all voivodeships, and one of them with its deadlines in order."""

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.http import Http404
from django.urls import reverse

from catalog.links import route_path
from catalog.models import Voivodeship
from catalog.params import TERYT_FORM
from catalog.query_string import QueryString
from catalog.territory.snapshot import UnknownUnit, UnknownVoivodeship, territory
from pages.page import Crumb, Page
from pages.pictures import maps
from pages.pictures import territory as pictures
from pages.pictures.timelines import Deadline as Mark
from pages.pictures.timelines import Timeline, timeline
from pages.polish import day
from pages.territory import voivodeships_by_name
from regulations.freshness import is_stale
from regulations.models import Deadline, Provision, Resolution, Source, read_sources
from regulations.queries import Law, Regulation, Unit, get_unit, regulations_of
from regulations.wording import without_deadline

STATUS = "opis redakcji według uchwał ogłoszonych w dziennikach urzędowych; wiąże tekst uchwały"

NOT_HERE = "Pod podanym kodem TERYT nie ma gminy ani powiatu w tym województwie. Pokazujemy całe województwo."

BINDING = {True: "tak", False: "nie", None: "w części"}
UNCERTAIN = "nie wiadomo"


@dataclass(frozen=True, slots=True)
class StateRow:
    """A voivodeship in the list. next_deadline: None without one. instead: what is said in its place."""

    name: str
    path: str
    next_deadline: Deadline | None
    instead: str
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationsPage(Page):
    """All voivodeships in Polish order. map: the year of the next deadline of each, None where no boundary is known."""

    template: ClassVar[str] = "pages/regulations"

    map: maps.AreaMap | None
    rows: tuple[StateRow, ...]


@dataclass(frozen=True, slots=True)
class ProvisionRow:
    """A deadline or a banned fuel. binding: whether it binds the unit asked for, "" where none was.

    What is uncertain is so with and without a unit.
    """

    row: Provision
    binding: str
    passed: bool


@dataclass(frozen=True, slots=True)
class ActRow:
    """An act with its amendments and sources."""

    resolution: Resolution
    law: Law
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationPage(Page):
    """One voivodeship, or with `unit` what binds a municipality or county in it.

    instead: what is said in the place of a next deadline. stale: the state was confirmed so long ago that the reader is
    told. notice: what was ignored in the address.
    timeline: the deadlines that bind the unit or a part of it, or all; None without any.
    """

    template: ClassVar[str] = "pages/regulation"
    honours: ClassVar[tuple[str, ...]] = ("teryt",)

    regulation: Regulation
    unit: Unit | None
    next_deadline: ProvisionRow | None
    instead: str
    deadlines: tuple[ProvisionRow, ...]
    bans: tuple[ProvisionRow, ...]
    timeline: Timeline | None
    acts: tuple[ActRow, ...]
    sources: tuple[Source, ...]
    stale: bool
    notice: str
    calendar_path: str
    depots_path: str

    def things(self) -> list[dict[str, Any]]:
        """The acts."""
        return [legislation(act, self.regulation.voivodeship) for act in self.acts]


def legislation(act: ActRow, voivodeship: Voivodeship) -> dict[str, Any]:
    """An act in the words of schema.org: only what is known."""
    resolution = act.resolution
    known = {
        "legislationIdentifier": resolution.number,
        "legislationDate": resolution.adopted and resolution.adopted.isoformat(),
        "temporalCoverage": resolution.in_force_from and f"{resolution.in_force_from.isoformat()}/..",
        "isPartOf": resolution.publication,
        "url": resolution.text_url,
    }
    return {
        "@type": "Legislation",
        "name": resolution.title,
        "legislationType": "uchwała sejmiku województwa",
        "legislationJurisdiction": f"województwo {voivodeship.name}",
        "spatialCoverage": resolution.scope,
        "inLanguage": "pl",
        **{key: value for key, value in known.items() if value},
    }


def regulations_page(today: date) -> RegulationsPage:
    """Every voivodeship with its next deadline."""
    found = regulations_of(voivodeships_by_name(), on=today)
    by_slug = {entry.voivodeship.slug: entry for entry in found}
    return RegulationsPage(
        map=pictures.country_map(lambda slug, name: map_unit(slug, name, by_slug.get(slug))),
        title="Uchwały antysmogowe: terminy w województwach",
        description="Do kiedy wolno używać starego kotła, pieca lub kominka i czym nie wolno palić: terminy uchwał "
        "antysmogowych wszystkich województw.",
        path=reverse("regulations"),
        crumbs=(Crumb.home(),),
        data_path=reverse("v1:regulations"),
        # The list is as current as its oldest row.
        as_of=min((entry.state.as_of for entry in found if entry.state), default=None),
        data_status=STATUS,
        rows=tuple(
            StateRow(
                name=entry.voivodeship.name,
                path=route_path("regulation", entry.voivodeship.slug),
                next_deadline=entry.next_deadline,
                instead=in_short(entry),
                as_of=entry.state.as_of if entry.state else None,
            )
            for entry in found
        ),
    )


def in_short(entry: Regulation | None) -> str:
    """What stands in a table or on a map in the place of a next deadline."""
    if entry is None or entry.has_resolution is None:
        return "nie wiemy: nie wczytano jeszcze stanu prawnego"
    if not entry.has_resolution:
        return "nie ma uchwały"
    return "terminów części uchwał nie znamy" if entry.has_undated_acts else "wszystkie znane terminy minęły"


def map_unit(slug: str, name: str, entry: Regulation | None) -> maps.Unit:
    """A voivodeship on the map: the year of its next deadline, hatched without an act.

    A dash where no deadline is left, a question mark where the legal state or the dates of an act are not known.
    """
    upcoming = entry.next_deadline if entry else None
    if upcoming:
        words, label = f"najbliższy termin {day(upcoming.date)}", str(upcoming.date.year)
    elif entry is None or entry.has_resolution is None:
        words, label = in_short(entry), "?"
    elif not entry.has_resolution:
        words, label = in_short(entry), ""
    else:
        words, label = in_short(entry), "?" if entry.has_undated_acts else "–"
    return maps.Unit(
        route_path("regulation", slug),
        f"województwo {name}: {words}",
        hatched=not label,
        label=(label,) if label else (),
    )


def regulation_page(slug: str, query_string: str, today: date) -> RegulationPage:
    """One voivodeship, with `?teryt=` as a unit in it is bound. Raises Http404."""
    try:
        voivodeship = territory.get().voivodeship(slug)
    except UnknownVoivodeship as error:
        raise Http404 from error
    if voivodeship.slug != slug:
        raise Http404
    unit, notice = read_unit(query_string, voivodeship)
    return page_of(regulations_of([voivodeship], on=today, units=[unit] if unit else [])[0], notice)


def page_of(entry: Regulation, notice: str = "") -> RegulationPage:
    """The page of a legal state, with its unit if it has one."""
    unit, voivodeship = entry.unit, entry.voivodeship
    path = route_path("regulation", voivodeship.slug)
    query = f"?{urlencode({'teryt': unit.teryt})}" if unit else ""
    place = f"{unit.name}, województwo {voivodeship.name}" if unit else f"województwo {voivodeship.name}"
    upcoming = entry.next_deadline_of_unit if unit else entry.next_deadline
    return RegulationPage(
        title=f"Bez uchwały antysmogowej: {place}"
        if entry.has_resolution is False
        else f"Uchwała antysmogowa: {place}",
        description=describe(entry, upcoming),
        path=path,
        crumbs=(Crumb.home(), Crumb("Uchwały antysmogowe", reverse("regulations"))),
        indexed=not unit,
        data_path=f"{reverse('v1:regulations')}?{urlencode({'teryt': unit.teryt if unit else voivodeship.teryt})}",
        as_of=entry.state.as_of if entry.state else None,
        data_status=STATUS,
        regulation=entry,
        unit=unit,
        next_deadline=provision_row(entry, upcoming, upcoming.date) if upcoming else None,
        instead="" if upcoming else without_deadline(entry),
        deadlines=tuple(provision_row(entry, row, row.date) for row in entry.deadlines),
        bans=tuple(provision_row(entry, row, row.from_date) for row in entry.bans),
        timeline=timeline(
            [
                Mark(row.date, day(row.date), row.applies_to)
                for row in entry.deadlines
                if not unit or entry.binds(row) is not False
            ],
            entry.on,
        ),
        acts=tuple(ActRow(law.resolution, law, read_sources(law.resolution.sources)) for law in entry.laws),
        sources=read_sources(entry.state.sources) if entry.state else (),
        stale=bool(entry.state and is_stale(entry.state.as_of, entry.on)),
        notice=notice,
        calendar_path=route_path("v1:regulations-calendar", voivodeship.slug) + query,
        depots_path=route_path("voivodeship", voivodeship.slug),
    )


def provision_row(entry: Regulation, row: Provision, since: date | None) -> ProvisionRow:
    """A deadline or ban as the page shows it."""
    binding = BINDING[entry.binds(row)] if entry.unit else ""
    if row.uncertain and binding != BINDING[False]:
        binding = UNCERTAIN
    return ProvisionRow(row, binding, since is None or since <= entry.on)


def read_unit(query_string: str, voivodeship: Voivodeship) -> tuple[Unit | None, str]:
    """The unit that `?teryt=` names in a voivodeship, or that follows it; and what to say when there is none."""
    given = QueryString(query_string)
    teryt = given.pattern("teryt", "", TERYT_FORM)
    if teryt is None or len(teryt) == 2:
        return None, NOT_HERE if given.errors or (teryt and teryt != voivodeship.teryt) else ""
    try:
        unit = get_unit(teryt)
    except UnknownUnit as error:
        if error.successor is None:
            return None, NOT_HERE
        unit = get_unit(error.successor)
    return (unit, "") if unit.voivodeship == voivodeship else (None, NOT_HERE)


def describe(entry: Regulation, upcoming: Deadline | None) -> str:
    """The page in a sentence, for search results."""
    name = f"Województwo {entry.voivodeship.name}"
    if entry.has_resolution is None:
        return f"{name}: nie wczytano jeszcze stanu prawnego, więc nie wiemy, czy jest uchwała antysmogowa."
    if not entry.has_resolution:
        return f"{name}: uchwały antysmogowej nie ma."
    if upcoming is None:
        return f"{name}: terminy uchwały antysmogowej i zakazane paliwa. {without_deadline(entry)}"
    return f"{name}: terminy uchwały antysmogowej i zakazane paliwa. Najbliższy termin: {day(upcoming.date)}"
