"""The calculator's endpoint: take the parameters, calculate, render. Nothing is asked of the database, nothing kept."""

from django.http import HttpResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_variables
from rest_framework.request import Request

from catalog.answers import PublicViewSet, json_answer
from catalog.query_string import QueryString
from fueldepot.http.cache_control import NO_STORE
from subsidy import privacy, rules, serializers
from subsidy.calculator import calculate
from subsidy.params import SubsidyQuery


@method_decorator(sensitive_variables(), name="retrieve")
@method_decorator(sensitive_variables(), name="create")
class SubsidyViewSet(PublicViewSet):
    """What the clean-air programme would pay for."""

    def retrieve(self, request: Request) -> HttpResponse:
        """Answer GET /subsidy."""
        return self.answer(privacy.take_query(request._request))

    def create(self, request: Request) -> HttpResponse:
        """Answer POST /subsidy: the same parameters as a form, a multipart form or JSON."""
        return self.answer(privacy.take_body(request._request))

    def answer(self, given: QueryString) -> HttpResponse:
        query = SubsidyQuery.parse(given, today=timezone.localdate())
        on = rules.current().on(query.on)
        result = calculate(query.application, on, query.on)
        answer = serializers.result(result, html=query.html, ignored=serializers.unknown_notes(query, on))
        return json_answer(answer, headers={"Cache-Control": NO_STORE})
