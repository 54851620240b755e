"""Endpoints of the calculator. They run no query and store nothing."""

from django.http import HttpResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request

from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.params import ParamReader
from fueldepot.http.samples import samples
from fueldepot.http.views import JSON, JsonViewSet, json_response
from subsidy import privacy, rules
from subsidy.api.openapi_parameters import (
    LimitsParameters,
    SubsidyFormSerializer,
    SubsidyJsonSerializer,
    SubsidyParameters,
)
from subsidy.api.params import LimitsQuery, SubsidyQuery
from subsidy.api.serializers import SubsidyLimitsSerializer, SubsidySerializer, describe_unknown
from subsidy.calculator import calculate

SUBSIDY = "subsidy"

FORM = "application/x-www-form-urlencoded"

DESCRIPTION = (
    "Level, share and most that the clean-air programme would pay, with the clause and date of each limit. The result"
    " is indicative. Every parameter is optional; an empty one counts as not given. Numbers may have a decimal comma "
    "and thousands in groups (`140 000`, `1.234,56`), but no exponent. Three digits behind the only point or comma of"
    " an amount (`140.000`) may be decimals or thousands: as text they are refused. In areas and JSON numbers they "
    "are decimals. Unknown parameters are ignored, and named in `notes`. Nothing that was sent is stored, logged or "
    "cached."
)

# Outside the views: error reports quote the lines around a frame, and tests search them for incomes.
BY_QUERY = samples(
    (
        "A pellet boiler and insulated walls",
        '"/api/v1/subsidy?people=4&income=2000&eu=3&walls=150&new_source=pellet_boiler"',
    ),
)
BY_BODY = samples(
    ("As JSON", '--json \'{"people": 4, "income": 2000, "eu": "3", "walls": 150}\' "/api/v1/subsidy"'),
    ("As a form, with a decimal comma", '-d people=4 -d "income=2000,50" -d eu=3 -d walls=150 "/api/v1/subsidy"'),
)

RESPONSES = {(200, JSON): OpenApiResponse(SubsidySerializer, "The result.")}


@method_decorator(sensitive_variables(), name="retrieve")
@method_decorator(sensitive_variables(), name="create")
class SubsidyViewSet(JsonViewSet):
    """What the clean-air programme would pay for."""

    @extend_schema(
        operation_id="calculateSubsidy",
        tags=[SUBSIDY],
        summary="Calculate the clean-air subsidy",
        description=f"{DESCRIPTION} Prefer POST: then the income stands in no address.",
        parameters=[SubsidyParameters],
        responses=RESPONSES,
        extensions=BY_QUERY,
    )
    def retrieve(self, request: Request) -> HttpResponse:
        """Answer GET /subsidy."""
        self.params = privacy.take_query(request._request)
        return self.answer(self.params)

    @extend_schema(
        operation_id="calculateSubsidyByPost",
        tags=[SUBSIDY],
        summary="Calculate the clean-air subsidy, with the parameters in the body",
        description=f"{DESCRIPTION} The body is a JSON object or a form; a multipart form without files is read too.",
        request={JSON: SubsidyJsonSerializer, FORM: SubsidyFormSerializer},
        responses=RESPONSES,
        examples=[
            OpenApiExample(
                "A pellet boiler and insulated walls",
                {"people": 4, "income": 2000, "eu": "3", "walls": 150, "new_source": "pellet_boiler"},
                request_only=True,
            )
        ],
        extensions=BY_BODY,
    )
    def create(self, request: Request) -> HttpResponse:
        """Answer POST /subsidy: the same parameters as a form, a multipart form or JSON."""
        in_address = bool(request.META["QUERY_STRING"])
        return self.answer(privacy.take_body(request._request), in_address=in_address)

    @extend_schema(
        operation_id="getSubsidyLimits",
        tags=[SUBSIDY],
        summary="Thresholds and limits of the clean-air programme",
        description="Income thresholds, shares, and limits of project types and items in force on a day, each dated.",
        parameters=[LimitsParameters],
        responses={(200, JSON): OpenApiResponse(SubsidyLimitsSerializer, "The numbers.")},
        extensions=samples(("Thresholds of the levels", '"/api/v1/subsidy/limits?about=levels"')),
    )
    def limits(self, request: Request) -> HttpResponse:
        """Answer GET /subsidy/limits."""
        query = LimitsQuery.parse(self.params, today=timezone.localdate())
        context = {"about": query.about}
        return json_response(SubsidyLimitsSerializer(rules.current().on(query.on), context=context).data)

    def answer(self, given: ParamReader, *, in_address: bool = False) -> HttpResponse:
        """Return the result. in_address: whether the address has parameters besides, which are not read."""
        query = SubsidyQuery.parse(given, today=timezone.localdate())
        on = rules.current().on(query.on)
        result = calculate(query.application, on)
        ignored = [on.text("note_address_ignored")] if in_address else []
        context = {"html": query.html, "brief": query.brief, "ignored": [*ignored, *describe_unknown(query, on)]}
        return json_response(SubsidySerializer(result, context=context).data, headers={"Cache-Control": NO_STORE})
