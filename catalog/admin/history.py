"""History pages of django-simple-history in the wording of the desk."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseNotAllowed
from django.template.defaultfilters import floatformat
from django.utils import timezone
from django.utils.formats import date_format
from simple_history.admin import SimpleHistoryAdmin
from simple_history.models import DeletedObject
from simple_history.template_utils import HistoricalRecordContextHelper

from catalog.admin.desk import MissingObjectMixin

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A changed field in words. before: "" for a new row."""

    label: str
    before: str
    after: str


class HistoryAdmin(MissingObjectMixin, SimpleHistoryAdmin):  # type: ignore[misc] # the package has no types
    """Admin with history pages. revertible: whether saving an old version is offered."""

    revertible: ClassVar[bool] = True

    def revert_disabled(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not self.revertible or bool(super().revert_disabled(request, obj))

    def history_form_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and not self.revertible:
            return HttpResponseNotAllowed(["GET", "HEAD"])
        response: HttpResponse = super().history_form_view(request, *args, **kwargs)
        return response

    def history_view_title(self, request: HttpRequest, obj: Model) -> str:
        return f"Historia: {obj}"

    def history_form_view_title(self, request: HttpRequest, obj: Model) -> str:
        return f"Poprzedni stan: {obj}"

    def get_historical_record_context_helper(self, request: HttpRequest, historical_record: Any) -> Any:
        return HistoryChange(self.model, historical_record)


class HistoryChange(HistoricalRecordContextHelper):  # type: ignore[misc] # the package has no types
    """Changes from one version to the next, with formatted values."""

    def prepare_delta_change_value(self, change: Any, value: Any) -> str:
        choices = dict(getattr(self.model._meta.get_field(change.field), "flatchoices", None) or ())
        return written(choices.get(value, value) if isinstance(value, str) else value)


def written(value: Any) -> str:
    """A stored value in words; a dash for none."""
    if value is None or value == "" or value == []:
        return NOTHING
    if isinstance(value, DeletedObject):
        return NOTHING if value.pk is None else f"usunięty wpis {value.pk}"
    if isinstance(value, bool):
        return "tak" if value else "nie"
    if isinstance(value, datetime):
        return date_format(timezone.localtime(value), "d.m.Y H:i")
    if isinstance(value, date):
        return date_format(value, "d.m.Y")
    if isinstance(value, Decimal):
        return floatformat(value, "-2g")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
