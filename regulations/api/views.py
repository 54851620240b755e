"""Endpoints of regulations; deadlines as a calendar, `/regulations/{voivodeship}.ics` (RFC 5545)."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from icalendar import Calendar, Event, vText
from rest_framework.request import Request

from catalog.api.views import link_pages
from catalog.models import County, Municipality
from catalog.text import full_sentence, writable
from fueldepot.http.links import route_url
from fueldepot.http.views import JSON, JsonViewSet, json_response, samples
from regulations.api import regulation_answers
from regulations.api.params import CalendarQuery, DeadlinesQuery, RegulationsQuery
from regulations.models import Deadline, Scope
from regulations.queries import Regulation, find_deadlines, find_regulations, get_calendar

CALENDAR = "text/calendar"

REGULATIONS = "regulations"


class RegulationViewSet(JsonViewSet):
    @extend_schema(
        operation_id="findRegulations",
        tags=[REGULATIONS],
        summary="Anti-smog resolutions and their deadlines",
        description=(
            "The legal state of the voivodeship of a unit, or of all sixteen without a parameter. With several "
            "`teryt` comes first, then `postcode`, then `voivodeship`. A postcode that straddles a border answers "
            "with each of its voivodeships. Entries come by TERYT code."
        ),
        parameters=RegulationsQuery.parameters(),
        responses={(200, JSON): OpenApiResponse(regulation_answers.RegulationJson, "One entry for each voivodeship.")},
        extensions=samples(
            ("What binds at a postcode", '"/api/v1/regulations?postcode=30-001&binding=1"'),
            ("A voivodeship as of a day to come", '"/api/v1/regulations?voivodeship=malopolskie&on=2027-01-01"'),
            polish="Uchwały antysmogowe województw: terminy, zakazane paliwa, uchwały i ich zmiany. Z kodem TERYT lub "
            "kodem pocztowym także to, czy termin obowiązuje w tej gminie.",
        ),
    )
    def list(self, request: Request) -> HttpResponse:
        query = self.read(RegulationsQuery, request)
        how: dict[str, Any] = {"appliance": query.appliance, "binding": query.binding}
        return json_response([regulation_answers.describe_regulation(row, **how) for row in find_regulations(query)])

    @extend_schema(
        operation_id="getDeadlineCalendar",
        tags=[REGULATIONS],
        summary="Deadlines of a voivodeship as a calendar",
        description=(
            "All-day events in iCalendar (RFC 5545). An event keeps its UID when its day moves. 404 where no "
            "deadline is known."
        ),
        parameters=CalendarQuery.parameters("voivodeship"),
        responses={
            (200, CALENDAR): OpenApiResponse(
                OpenApiTypes.STR,
                "The calendar.",
                examples=[OpenApiExample("example", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n")],
            )
        },
        extensions=samples(
            ("Deadlines of a voivodeship", '"/api/v1/regulations/malopolskie.ics"'),
            polish="Terminy województwa jako kalendarz.",
        ),
    )
    def calendar(self, request: Request, voivodeship: str) -> HttpResponse:
        query = self.read(CalendarQuery, request, voivodeship=voivodeship)
        return HttpResponse(deadline_calendar(get_calendar(query)), content_type=f"{CALENDAR}; charset=utf-8")


class DeadlineViewSet(JsonViewSet):
    @extend_schema(
        operation_id="findDeadlines",
        tags=[REGULATIONS],
        summary="Deadlines of all voivodeships",
        description=(
            "Deadlines of the legal states as they stand today, in short: the earliest first, on one day by TERYT code "
            "of the voivodeship. The whole of each stands in `/regulations`."
        ),
        parameters=DeadlinesQuery.parameters(),
        responses={(200, JSON): OpenApiResponse(regulation_answers.ComingDeadlineJson, "The deadlines.")},
        extensions=samples(
            ("The next three", '"/api/v1/deadlines?limit=3"'),
            ("Those of a year", '"/api/v1/deadlines?from=2027-01-01&to=2027-12-31&limit=100"'),
            polish="Terminy uchwał wszystkich województw, od najwcześniejszego.",
        ),
    )
    def list(self, request: Request) -> HttpResponse:
        query = self.read(DeadlinesQuery, request)
        rows, total = find_deadlines(query, today=timezone.localdate())
        deadlines = [regulation_answers.describe_coming_deadline(regulation, deadline) for regulation, deadline in rows]
        headers = {"X-Total-Count": str(total), "Link": link_pages(query, total, "v1:deadlines")}
        return json_response(deadlines, headers=headers)


PRODUCT = "-//fueldepot//regulations//PL"

LONGEST_PLACE = 40
"""Longest scope in characters that fits into the title of an event."""

AREAS = {
    Scope.Area.VOIVODESHIP: "",
    Scope.Area.TOWNS: ", miasta",
    Scope.Area.OUTSIDE_TOWNS: ", poza miastami",
    Scope.Area.LISTED: ", wybrane gminy",
}

CHANGES = {
    Deadline.Kind.NEW_INSTALLATIONS: "nowe wymagania",
    Deadline.Kind.EXISTING_BOILERS: "koniec używania",
    Deadline.Kind.SPACE_HEATERS: "nowe wymagania",
    Deadline.Kind.SOLID_FUEL_BAN: "koniec paliw stałych",
    Deadline.Kind.COAL_BAN: "koniec węgla",
    Deadline.Kind.FUEL_BAN: "zakaz części paliw",
    Deadline.Kind.NETWORK_CONNECTION: "koniec używania",
}


def deadline_calendar(entry: Regulation) -> bytes:
    """Return deadlines as all-day events with stable UIDs. DTSTAMP is `as_of` of the legal state."""
    calendar = Calendar()
    for name, value in {"prodid": PRODUCT, "version": "2.0", "calscale": "GREGORIAN", "method": "PUBLISH"}.items():
        calendar.add(name, value)
    calendar.add("x-wr-calname", vText(f"Terminy antysmogowe: {entry.full_place}"))
    for deadline in entry.deadlines_of_unit:
        calendar.add_component(event(entry, deadline))
    return bytes(calendar.to_ical())


def event_title(entry: Regulation, deadline: Deadline) -> str:
    """Return place and effect: "Małopolskie: koniec używania: kotły klasy 3 i 4"."""
    if isinstance(entry.unit, County | Municipality):
        place = entry.place
    elif deadline.area == Scope.Area.LISTED and len(deadline.scope) <= LONGEST_PLACE:
        place = deadline.scope
    else:
        place = entry.voivodeship.name + AREAS[Scope.Area(deadline.area)]
    doubt = " (niepewne)" if deadline.uncertain else ""
    return f"{place[:1].upper()}{place[1:]}: {CHANGES[Deadline.Kind(deadline.kind)]}: {deadline.applies_to}{doubt}"


def event(entry: Regulation, deadline: Deadline) -> Event:
    assert entry.state is not None  # noqa: S101 - deadlines belong to a state
    part = "Obejmuje tylko część obszaru, o który pytasz." if entry.unit and entry.binds(deadline) is None else ""
    doubt = "Nie wiadomo, czy obowiązuje." if deadline.uncertain else part
    lines = [deadline.description, f"Gdzie: {full_sentence(deadline.scope)}", entry.caveat_of(deadline), doubt]
    added = Event()
    added.add("uid", str(deadline.uid))
    added.add("dtstamp", datetime.combine(entry.state.as_of, time.min, tzinfo=UTC))
    added.add("dtstart", deadline.date)
    added.add("dtend", deadline.date + timedelta(days=1))
    texts = {"summary": event_title(entry, deadline), "description": "\n".join(filter(None, lines))}
    for name, text in (texts | {"location": deadline.scope}).items():
        added.add(name, writable(text))
    added.add("categories", [deadline.get_kind_display()])
    added.add("transp", "TRANSPARENT")
    added.add("url", route_url("regulation", entry.voivodeship.slug))
    return added
