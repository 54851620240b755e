"""Values before and after a change, for the audit page."""

from collections.abc import Collection, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import DateTimeField, Field, Model, OuterRef, Subquery
from simple_history.utils import get_history_model_for_model

from catalog.admin.depots import field_history
from catalog.admin.history import FieldChange, written
from catalog.models import Depot
from fueldepot.data import history


def read_changes(model: type[Model], lines: Collection[int]) -> dict[int, tuple[FieldChange, ...]]:
    """Return the fields that history rows changed, by `history_id`; none for the first row of an object. Two queries.

    Moments and users are left out: the page shows those of the change itself.
    """
    historical = get_history_model_for_model(model)
    key = model._meta.pk.name
    earlier = historical._default_manager.filter(**{key: OuterRef(key)}, history_id__lt=OuterRef("history_id"))
    former = Subquery(earlier.order_by("-history_id").values("history_id")[:1])
    rows = list(historical._default_manager.filter(history_id__in=lines).annotate(former=former).values())
    formers = historical._default_manager.filter(history_id__in=[row["former"] for row in rows if row["former"]])
    before = {row["history_id"]: row for row in formers.values()}
    compare = field_history.changes_of if model is Depot else _Comparison(historical)
    return {row["history_id"]: compare(before[row["former"]], row) for row in rows if row["former"]}


class _Comparison:
    """Compares rows of any history by the labels and choices of its fields."""

    def __init__(self, historical: type[Model]) -> None:
        self.fields: list[Field[Any, Any]] = [
            field
            for field in historical._meta.concrete_fields
            if field.name not in history.OWN_FIELDS
            and not isinstance(field, DateTimeField)
            and field.related_model is not get_user_model()
        ]

    def __call__(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
        return tuple(
            FieldChange(str(field.verbose_name), _worded(field, before), _worded(field, after))
            for field in self.fields
            if before[field.attname] != after[field.attname]
        )


def _worded(field: "Field[Any, Any]", row: Mapping[str, Any]) -> str:
    value = row[field.attname]
    choices = dict(field.flatchoices)
    return written(choices.get(value, value) if isinstance(value, str) else value)
