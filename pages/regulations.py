"""Pages of the anti-smog resolutions: the list of voivodeships, and one voivodeship with its deadlines."""

from collections.abc import Iterable, Mapping
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal

from django.http import Http404
from django.urls import reverse

from catalog.api.params import TERYT, Teryt
from catalog.models import Municipality, Voivodeship
from catalog.territory.snapshot import Unit, UnitNotFound, territory
from catalog.text import lasting
from fueldepot.http.links import route_path
from fueldepot.http.query import Query, field
from pages.home_and_voivodeship import get_voivodeship, voivodeships_by_name
from pages.page import Crumb, Page
from pages.polish import day
from pages.svg import cached_maps, maps
from pages.svg.charts import timeline
from regulations.appliance_sentences import without_deadline
from regulations.codes import Appliance
from regulations.models import STALE_AFTER, Deadline, FuelBan, Resolution, read_sources
from regulations.queries import DeadlineStatus, Regulation, regulations_of
from regulations.snapshot import LegalStateRecords

STATUS = "opis redakcji według uchwał ogłoszonych w dziennikach urzędowych; wiąże tekst uchwały"

LIST_TITLE = "Uchwały antysmogowe: terminy w województwach"

NOT_HERE = "Pod podanym kodem TERYT nie ma gminy ani powiatu w tym województwie. Pokazujemy całe województwo."

BINDING = {True: "tak", False: "nie", None: "w części"}
UNCERTAIN = "nie wiadomo"


CALENDAR = "v1:regulations-calendar"


class UnitQuery(Query):
    teryt: Annotated[Teryt | None, field(TERYT)] = None


WITHOUT_NEXT = {
    DeadlineStatus.STATE_UNKNOWN: ("?", "nie wiemy: nie wczytano jeszcze stanu prawnego"),
    DeadlineStatus.NO_RESOLUTION: ("", "nie ma uchwały"),
    DeadlineStatus.DATES_UNKNOWN: ("?", "terminów części uchwał nie znamy"),
    DeadlineStatus.PASSED: ("–", "wszystkie znane terminy minęły"),
}
"""What stands in place of the next deadline of a voivodeship, on the map and in words."""

UNKNOWN_CLASS: Literal["boiler"] = "boiler"
"""Code of a boiler whose class its user does not know."""

CHECKED = (*Appliance.choices, (UNKNOWN_CLASS, "kocioł, nie wiem jakiej klasy"))
"""The choices of the form of the check: codes with labels."""


def legislation(resolution: Resolution, voivodeship: Voivodeship) -> dict[str, Any]:
    """Return an act as schema.org's Legislation, without unknown fields."""
    fields = {
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
        **{key: value for key, value in fields.items() if value},
    }


def title_of(entry: Regulation) -> str:
    """Return the title of the page of a legal state and its unit, if any; tools of `/mcp` cite it too."""
    kind = "Bez uchwały antysmogowej" if entry.has_resolution is False else "Uchwała antysmogowa"
    title = f"{kind}: {entry.full_place}"
    return f"{title}, w dniu {day(entry.on)}" if entry.changed_since else title


def path_of(entry: Regulation, route: str = "regulation") -> str:
    """Return the path of a route about a legal state and its smaller unit, if any; by default of its page."""
    return route_path(route, entry.voivodeship.slug) + (f"?teryt={entry.teryt}" if len(entry.teryt) > 2 else "")


def days_of(records: Iterable[Regulation | LegalStateRecords]) -> tuple[date | None, date | None]:
    """Return the oldest day to which legal states are current, None without any; the newest, None if it is the same."""
    days = sorted({record.state.as_of for record in records if record.state})
    return (days[0], days[-1] if len(days) > 1 else None) if days else (None, None)


def regulations_page(today: date) -> Page:
    """Return the page of all voivodeships, in Polish order: with what ends on the day of the next deadline, and where.

    In the content, without_next: what stands in place of the deadline. overdue: what that means, "" if no state is.
    """
    entries = regulations_of(voivodeships_by_name(), on=today)
    first, last = days_of(entries)
    overdue = (
        f"Dawno niepotwierdzony: tego stanu nie potwierdziliśmy od ponad {lasting(STALE_AFTER)}, a w ciągu roku mija "
        "termin. Sprawdź w urzędzie gminy lub w dzienniku urzędowym, czy uchwały nie zmieniono."
    )
    return Page(
        template="pages/regulations",
        title=LIST_TITLE,
        description="Do kiedy wolno używać starego kotła, pieca lub kominka i czym nie wolno palić: terminy uchwał "
        "antysmogowych wszystkich województw.",
        path=reverse("regulations"),
        data_path=reverse("v1:regulations"),
        as_of=first,
        as_of_last=last,
        data_status=STATUS,
        content={
            "appliances": CHECKED,
            "draw_map": partial(draw_map, {entry.voivodeship.slug: entry for entry in entries}),
            "rows": [(entry, what_and_where(entry.next_deadlines_of_unit)) for entry in entries],
            "overdue": overdue if any(entry.overdue for entry in entries) else "",
            "without_next": WITHOUT_NEXT,
        },
    )


def what_and_where(rows: Iterable[Deadline]) -> tuple[tuple[str, str], ...]:
    """Return what deadlines end and where: those of one scope together, and so the scopes of the same deadlines."""
    ends: dict[str, list[str]] = {}
    for row in rows:
        ends.setdefault(row.scope, []).append(row.applies_to)
    scopes: dict[str, list[str]] = {}
    for scope, what in ends.items():
        scopes.setdefault("; ".join(dict.fromkeys(what)), []).append(scope)
    return tuple((what, "; ".join(where)) for what, where in scopes.items())


def draw_map(entries: Mapping[str, Regulation]) -> maps.AreaMap | None:
    """Return the map of the years of the next deadlines, hatched without an act. entries: by slug, on the same day."""

    def map_unit(slug: str, name: str) -> maps.MapUnit:
        entry = entries[slug]
        if upcoming := entry.next_deadline:
            label, words = f"{upcoming.date.year}", f"najbliższy termin {day(upcoming.date)}"
        else:
            label, words = WITHOUT_NEXT[entry.deadline_status]
        path = route_path("regulation", slug)
        return maps.MapUnit(path, f"województwo {name}: {words}", hatched=not label, label=(label,) if label else ())

    return cached_maps.country_map(map_unit)


def regulation_page(slug: str, query_string: str, today: date) -> Page:
    """Return the page of a voivodeship, or with `?teryt=` of a unit in it. Raises Http404."""
    voivodeship = get_voivodeship(slug)
    if voivodeship.slug != slug:
        raise Http404
    unit, notice = read_unit(query_string, voivodeship)
    return page_of(regulations_of([voivodeship], on=today, units=[unit] if unit else [])[0], notice)


def page_of(entry: Regulation, notice: str = "") -> Page:
    """Return the page of a voivodeship, or of the rules that bind the unit of its legal state.

    In the content, next_deadlines: all of the nearest day. ends: what ends then, each text once. instead: the text in
    place of missing ones. draw_timeline: of the deadlines that bind the unit or a part of it. foreign: deadlines that
    do not bind the unit.
    """
    unit, voivodeship = entry.unit, entry.voivodeship
    upcoming = entry.next_deadlines_of_unit
    return Page(
        template="pages/regulation",
        query_params=UnitQuery.names(),
        title=title_of(entry),
        description=describe_state(entry, upcoming[0] if upcoming else None),
        path=route_path("regulation", voivodeship.slug),
        breadcrumbs=(Crumb.home(), Crumb("Uchwały antysmogowe", reverse("regulations"))),
        indexed=not unit,
        data_path=f"{reverse('v1:regulations')}?teryt={entry.teryt}",
        as_of=entry.state.as_of if entry.state else None,
        data_status=STATUS,
        cited_path=path_of(entry),
        schema_org=lambda page: [legislation(law.resolution, voivodeship) for law in entry.laws],
        content={
            "appliances": CHECKED,
            "regulation": entry,
            "unit": unit,
            "place": unit.name if isinstance(unit, Municipality) else "",
            "next_deadlines": provision_rows(entry, upcoming),
            "ends": "; ".join(dict.fromkeys(row.applies_to for row in upcoming)),
            "instead": "" if upcoming else without_deadline(entry),
            "deadlines": provision_rows(entry, entry.deadlines_of_unit),
            "foreign": provision_rows(entry, [row for row in entry.deadlines if unit and entry.binds(row) is False]),
            "bans": ban_rows(entry),
            "draw_timeline": partial(
                timeline, [(row.date, row.applies_to) for row in entry.deadlines_of_unit], entry.on
            ),
            "sources": read_sources(entry.state.sources) if entry.state else (),
            "stale_notice": stale_notice(entry),
            "notice": notice,
            "calendar_path": path_of(entry, CALENDAR) if entry.deadlines_of_unit else "",
        },
    )


def state_of(unit: Municipality, on: date) -> Regulation:
    return regulations_of([unit.voivodeship], on=on, units=[unit])[0]


def stale_notice(entry: Regulation) -> str:
    """Return the notice about a stale state, with its overdue deadlines; "" for a fresh one."""
    if not entry.is_stale:
        return ""
    assert entry.state is not None  # noqa: S101 - a stale one
    # Several acts may have the same deadline, each for its own area.
    near = "; ".join(dict.fromkeys(f"{day(row.date)} – {row.applies_to}" for row in entry.of_unit.overdue))
    notice = f"Ten stan potwierdziliśmy ostatnio {day(entry.state.as_of)}, ponad {lasting(STALE_AFTER)} temu"
    notice += f", a w ciągu roku mija termin: {near}." if near else "."
    return f"{notice} Przed decyzją sprawdź w urzędzie gminy lub w dzienniku urzędowym, czy uchwały nie zmieniono."


def ban_rows(entry: Regulation) -> list[dict[str, Any]]:
    """Return the bans that bind the unit or a part of it; all of them without a unit."""
    return provision_rows(entry, [row for row in entry.bans if entry.unit is None or entry.binds(row) is not False])


def provision_rows(entry: Regulation, provisions: Iterable[Deadline | FuelBan]) -> list[dict[str, Any]]:
    """Return deadlines or banned fuels as rows.

    binding: whether it binds the unit, in Polish; "" without a unit or doubt. caveat: that concerns the unit.
    """
    rows = []
    for row in provisions:
        binding = BINDING[entry.binds(row)] if entry.unit else ""
        if row.uncertain and binding != BINDING[False]:
            binding = UNCERTAIN
        caveat, passed = entry.caveat_of(row), isinstance(row, Deadline) and row.holds_on(entry.on)
        rows.append({"row": row, "binding": binding, "caveat": caveat, "passed": passed})
    return rows


def read_unit(query_string: str, voivodeship: Voivodeship) -> tuple[Unit | None, str]:
    """Return the unit of `?teryt=` in a voivodeship, or its successor; else None and a notice."""
    query, errors = UnitQuery.read(query_string)
    teryt = query.teryt
    if teryt is None or len(teryt) == 2:
        return None, NOT_HERE if errors or (teryt and teryt != voivodeship.teryt) else ""
    try:
        unit = territory.get().unit(teryt)
    except UnitNotFound as error:
        if error.successor is None:
            return None, NOT_HERE
        unit = territory.get().unit(error.successor)
    return (unit, "") if unit.teryt.startswith(voivodeship.teryt) else (None, NOT_HERE)


def describe_state(entry: Regulation, upcoming: Deadline | None) -> str:
    name = f"Województwo {entry.voivodeship.name}"
    if entry.has_resolution is None:
        return f"{name}: nie wczytano jeszcze stanu prawnego, więc nie wiemy, czy jest uchwała antysmogowa."
    if not entry.has_resolution:
        return f"{name}: uchwały antysmogowej nie ma."
    nearest = f"Najbliższy termin: {day(upcoming.date)}" if upcoming else without_deadline(entry)
    return f"{name}: terminy uchwały antysmogowej i zakazane paliwa. {nearest}"
