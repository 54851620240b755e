"""Endpoints of the calculator. They run no query and store nothing."""

from django.http import HttpResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request

from fueldepot.http.api_description import schema_ref
from fueldepot.http.cache_control import NO_STORE
from fueldepot.http.query import Query
from fueldepot.http.views import JSON, JsonViewSet, answers, json_response, samples
from subsidy import rules
from subsidy.api.answers import SubsidyJson, SubsidyLimitsJson, describe_limits, describe_subsidy, describe_unknown
from subsidy.api.params import LimitsQuery, PlanQuery, SubsidyQuery, take_body, take_query
from subsidy.calculator import calculate

SUBSIDY = "subsidy"

FORM = "application/x-www-form-urlencoded"

DESCRIPTION = (
    "Level, share and most that the clean-air programme would pay, with the clause and date of each limit. The result "
    "is indicative. Every parameter is optional; an empty one counts as not given. Numbers may have a decimal comma "
    "and thousands in groups (`140 000`, `1.234,56`), but no exponent. Three digits behind the only point or comma of "
    "an amount (`140.000`) may be decimals or thousands: as text they are refused. In areas and JSON numbers they "
    "are decimals. Unknown parameters are ignored, and named in `notes`. Nothing that was sent is stored, logged or "
    "cached."
)

# Outside the views: error reports quote the lines around a frame, and tests search them for incomes.
BY_QUERY = samples(
    (
        "A pellet boiler and insulated walls",
        '"/api/v1/subsidy?people=4&income=2000&eu=3&walls=150&new_source=pellet_boiler"',
    ),
    polish="Orientacyjna dotacja z programu Czyste Powietrze: poziom, limity, kwoty, warunki i źródła. Dochodu nie "
    "zapisujemy.",
)
BY_BODY = samples(
    ("As JSON", '--json \'{"people": 4, "income": 2000, "eu": "3", "walls": 150}\' "/api/v1/subsidy"'),
    ("As a form, with a decimal comma", '-d people=4 -d "income=2000,50" -d eu=3 -d walls=150 "/api/v1/subsidy"'),
    polish="To samo, z parametrami w treści zapytania: formularz, multipart albo JSON, by dochód nie trafił do adresu.",
)

TOGETHER = {"income": ["people"]}
FORM_BODY = SubsidyQuery.body(
    "The parameters of GET, in every spelling of GET, as a form; those of the address are not read.", TOGETHER
)
JSON_BODY = SubsidyQuery.body(
    "The parameters of GET as JSON; those of the address are not read.\n\nNull counts as not given. Numbers and "
    "switches may also stand in strings, written as in a form, and 1 and 0 are switches too.",
    TOGETHER,
    nullable=True,
)

RESPONSES = answers(SubsidyJson, "The result.")


@method_decorator(sensitive_variables(), name="retrieve")
@method_decorator(sensitive_variables(), name="create")
class SubsidyViewSet(JsonViewSet):
    @extend_schema(
        operation_id="calculateSubsidy",
        tags=[SUBSIDY],
        summary="Calculate the clean-air subsidy",
        description=f"{DESCRIPTION} Prefer POST: then the income stands in no address.",
        parameters=SubsidyQuery.parameters(),
        responses=RESPONSES,
        extensions=BY_QUERY,
    )
    def retrieve(self, request: Request) -> HttpResponse:
        return answer(self.parse(SubsidyQuery, take_query(request._request)))

    @extend_schema(
        operation_id="calculateSubsidyByPost",
        tags=[SUBSIDY],
        summary="Calculate the clean-air subsidy, with the parameters in the body",
        description=f"{DESCRIPTION} The body is a JSON object or a form; a multipart form without files is read too.",
        request={JSON: schema_ref("SubsidyJson", JSON_BODY), FORM: schema_ref("SubsidyForm", FORM_BODY)},
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
        in_address = self.read(Query, request).ignored
        query = SubsidyQuery.parse(take_body(request._request), today=timezone.localdate())
        return answer(query, in_address=bool(in_address))

    @extend_schema(
        operation_id="getSubsidyLimits",
        tags=[SUBSIDY],
        summary="Thresholds and limits of the clean-air programme",
        description="Income thresholds, shares, and limits of project types and items in force on a day, each dated.",
        parameters=LimitsQuery.parameters(),
        responses=answers(SubsidyLimitsJson, "The numbers."),
        extensions=samples(
            ("Thresholds of the levels", '"/api/v1/subsidy/limits?about=levels"'),
            polish="Progi dochodu, udziały i limity programu jako liczby, każda z dniem i źródłem.",
        ),
    )
    def limits(self, request: Request) -> HttpResponse:
        query = self.read(LimitsQuery, request)
        return json_response(describe_limits(rules.current().on(query.on), query.about))


def answer(query: PlanQuery, *, in_address: bool = False) -> HttpResponse:
    """Return the result. in_address: whether the address has parameters besides, which are not read."""
    on = rules.current().on(query.on)
    notes = [on.text("note_address_ignored")] if in_address else []
    notes += describe_unknown(query, on)
    body = describe_subsidy(calculate(query.application, on), notes=notes, html=query.html, brief=query.brief)
    return json_response(body, headers={"Cache-Control": NO_STORE})
