"""Legal states with all that belongs to them, read by one query and held by the process until an editor changes one.

The rows of the smaller tables come along as JSON. Prefetching them would take a query for each table, and a page or
an answer needs all of them. There are sixteen states and some hundred rows; making the rows anew for every question
would take longer than all the rest of it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Model, OuterRef
from django.db.models.functions import JSONObject

from catalog.held import Held
from catalog.models import Dataset
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Resolution

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class WholeState:
    """A legal state. Acts, deadlines and bans: the oldest record first. amendments: by the day of adoption."""

    state: LegalState
    acts: tuple[Resolution, ...]
    amendments: tuple[Amendment, ...]
    deadlines: tuple[Deadline, ...]
    bans: tuple[FuelBan, ...]

    def amendments_of(self, act: Resolution) -> tuple[Amendment, ...]:
        """The amendments of one act, in order."""
        return tuple(change for change in self.amendments if change.resolution_id == act.pk)


def read_states() -> dict[str, WholeState]:
    """Legal states by the two digits of their voivodeship. One query."""
    found = LegalState.objects.annotate(
        acts=rows_as_json(Resolution, "pk", state=OuterRef("pk")),
        amendments=rows_as_json(Amendment, "adopted", "pk", resolution__state=OuterRef("pk")),
        deadlines=rows_as_json(Deadline, "pk", state=OuterRef("pk")),
        bans=rows_as_json(FuelBan, "pk", state=OuterRef("pk")),
    )
    return {
        state.pk: WholeState(
            state,
            instances(Resolution, state.acts),
            instances(Amendment, state.amendments),
            instances(Deadline, state.deadlines),
            instances(FuelBan, state.bans),
        )
        for state in found
    }


def rows_as_json(model: type[Model], *order: str, **belonging: Any) -> ArraySubquery:
    """The rows of a table that belong to an outer row, as an array of objects with the columns of the table."""
    columns = {field.attname: field.attname for field in model._meta.concrete_fields}
    rows = model._default_manager.filter(**belonging).order_by(*order)
    return ArraySubquery(rows.values(row=JSONObject(**columns)))


def instances(model: type[Row], rows: Iterable[dict[str, Any]]) -> tuple[Row, ...]:
    """Rows of a table, as they would have been read from it."""
    fields = model._meta.concrete_fields
    names = [field.attname for field in fields]
    return tuple(model.from_db(None, names, [field.to_python(row[field.attname]) for field in fields]) for row in rows)


states = Held(read_states, Dataset.Slug.REGULATIONS)
"""Legal states by the two digits of their voivodeship. Nobody may change their rows: threads share them."""
