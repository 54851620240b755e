"""The history of a row as editors read it: in Polish, with the words that the forms use."""

from typing import Any

from django.contrib.admin.utils import display_for_field
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseNotAllowed
from simple_history.admin import SimpleHistoryAdmin
from simple_history.models import DeletedObject
from simple_history.template_utils import HistoricalRecordContextHelper

NOTHING = "–"


class WordedChanges(HistoricalRecordContextHelper):  # type: ignore[misc] # the library has no types
    """Changes with the labels of choices, local days and numbers; the library shows what the columns hold."""

    def prepare_delta_change_value(self, change: Any, value: Any) -> Any:
        if isinstance(value, DeletedObject):
            return NOTHING if value.pk is None else f"usunięty wpis {value.pk}"
        field = self.model._meta.get_field(change.field)
        if field.is_relation:
            return NOTHING if value is None else value
        return display_for_field(value, field, NOTHING)


class HistoryAdmin(SimpleHistoryAdmin):  # type: ignore[misc] # the library has no types
    """A page with history. restorable: whether an earlier state can be put back by its button."""

    restorable = True

    def revert_disabled(self, request: HttpRequest, obj: Any = None) -> bool:
        return not self.restorable or bool(super().revert_disabled(request, obj))

    def history_form_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and not self.restorable:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        response: HttpResponse = super().history_form_view(request, *args, **kwargs)
        return response

    def get_historical_record_context_helper(self, request: HttpRequest, historical_record: Any) -> WordedChanges:
        return WordedChanges(self.model, historical_record)
