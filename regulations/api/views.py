"""Endpoints of regulations."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request

from fueldepot.http.links import link_pages
from fueldepot.http.views import JsonViewSet, answers, json_response, samples
from regulations.api import regulation_answers
from regulations.api.calendar import deadline_calendar
from regulations.api.params import CalendarQuery, DeadlinesQuery, RegulationsQuery
from regulations.queries import find_deadlines, find_regulations, get_calendar

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
        responses=answers(regulation_answers.RegulationJson, "One entry for each voivodeship."),
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
        responses=answers(regulation_answers.ComingDeadlineJson, "The deadlines."),
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
