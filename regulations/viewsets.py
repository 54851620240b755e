"""The regulation endpoints of version 1: parse, ask the snapshots, render."""

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from catalog.answers import PublicViewSet, json_answer
from regulations import serializers
from regulations.params import CalendarQuery, RegulationsQuery
from regulations.queries import find_regulations, get_calendar

CALENDAR = "text/calendar; charset=utf-8"


class RegulationViewSet(PublicViewSet):
    """Anti-smog resolutions of the voivodeships."""

    def list(self, request: Request) -> HttpResponse:
        """Answer GET /regulations."""
        query = RegulationsQuery.parse(request.META["QUERY_STRING"], today=timezone.localdate())
        found = [serializers.regulation(entry) for entry in find_regulations(query)]
        return json_answer(found)

    def calendar(self, request: Request, voivodeship: str) -> HttpResponse:
        """Answer GET /regulations/{voivodeship}.ics."""
        # Its library takes three megabytes, and few workers are ever asked for a calendar.
        from regulations.ics import deadline_calendar

        query = CalendarQuery.parse(voivodeship, request.META["QUERY_STRING"], today=timezone.localdate())
        body = deadline_calendar(get_calendar(query))
        return HttpResponse(body, content_type=CALENDAR)
