"""Endpoints of regulations."""

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request

from fueldepot.http.samples import samples
from fueldepot.http.views import JSON, JsonViewSet, json_response
from regulations.api.openapi_parameters import (
    VOIVODESHIP,
    CalendarParameters,
    DeadlinesParameters,
    RegulationsParameters,
)
from regulations.api.params import CalendarQuery, DeadlinesQuery, RegulationsQuery
from regulations.api.serializers import ComingDeadlineSerializer, RegulationSerializer
from regulations.queries import find_deadlines, find_regulations, get_calendar

CALENDAR = "text/calendar"

REGULATIONS = "regulations"


class RegulationViewSet(JsonViewSet):
    """Anti-smog resolutions of the voivodeships."""

    @extend_schema(
        operation_id="findRegulations",
        tags=[REGULATIONS],
        summary="Anti-smog resolutions and their deadlines",
        description=(
            "The legal state of the voivodeship of a unit, or of all sixteen without a parameter. With several "
            "`teryt` comes first, then `postcode`, then `voivodeship`. A postcode that straddles a border answers "
            "with each of its voivodeships. Entries come by TERYT code."
        ),
        parameters=[RegulationsParameters],
        responses={(200, JSON): OpenApiResponse(RegulationSerializer(many=True), "One entry for each voivodeship.")},
        extensions=samples(
            ("What binds at a postcode", '"/api/v1/regulations?postcode=30-001&binding=1"'),
            ("A voivodeship as of a day to come", '"/api/v1/regulations?voivodeship=malopolskie&on=2027-01-01"'),
        ),
    )
    def list(self, request: Request) -> HttpResponse:
        """Answer GET /regulations."""
        query = RegulationsQuery.parse(self.params, today=timezone.localdate())
        context = {"appliance": query.appliance, "binding": query.binding}
        return json_response(RegulationSerializer(find_regulations(query), many=True, context=context).data)

    @extend_schema(
        operation_id="findDeadlines",
        tags=[REGULATIONS],
        summary="Deadlines of all voivodeships",
        description=(
            "Deadlines of the legal states as they stand today, in short: the earliest first, on one day by TERYT code "
            "of the voivodeship. The whole of each stands in `/regulations`."
        ),
        parameters=[DeadlinesParameters],
        responses={(200, JSON): OpenApiResponse(ComingDeadlineSerializer(many=True), "The deadlines.")},
        extensions=samples(
            ("The next three", '"/api/v1/deadlines?limit=3"'),
            ("Those of a year", '"/api/v1/deadlines?from=2027-01-01&to=2027-12-31&limit=100"'),
        ),
    )
    def deadlines(self, request: Request) -> HttpResponse:
        """Answer GET /deadlines."""
        today = timezone.localdate()
        found, total = find_deadlines(DeadlinesQuery.parse(self.params, today=today), today=today)
        return json_response(ComingDeadlineSerializer(found, many=True).data, headers={"X-Total-Count": str(total)})

    @extend_schema(
        operation_id="getDeadlineCalendar",
        tags=[REGULATIONS],
        summary="Deadlines of a voivodeship as a calendar",
        description=(
            "All-day events in iCalendar (RFC 5545). An event keeps its UID when its day moves. 404 where no "
            "deadline is known."
        ),
        parameters=[VOIVODESHIP, CalendarParameters],
        responses={
            (200, CALENDAR): OpenApiResponse(
                OpenApiTypes.STR,
                "The calendar.",
                examples=[OpenApiExample("example", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n")],
            )
        },
        extensions=samples(("Deadlines of a voivodeship", '"/api/v1/regulations/malopolskie.ics"')),
    )
    def calendar(self, request: Request, voivodeship: str) -> HttpResponse:
        """Answer GET /regulations/{voivodeship}.ics."""
        # A local import: icalendar takes three megabytes, and few workers serve a calendar.
        from regulations.api.calendar import deadline_calendar

        query = CalendarQuery.parse(voivodeship, self.params, today=timezone.localdate())
        body = deadline_calendar(get_calendar(query))
        return HttpResponse(body, content_type=f"{CALENDAR}; charset=utf-8")
