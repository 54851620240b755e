"""The history of a depot as editors read it: the changes, and the source of each present value."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from catalog.admin.history import FieldChange, written
from catalog.depots import fuels
from catalog.models import Depot
from catalog.submissions.field_groups import DAY_NAMES
from fueldepot.data import history

STATE = ("featured", "data_status", "publication", "removal_reason", "merged_into", "review")
FUELS = ("fuels", "fuels_in_name", "fuels_priced")
FOLLOWED = (*Depot.PUBLIC_FIELDS, *FUELS[1:], *STATE)
"""Fields with a visible history."""

COLUMNS = {name: Depot.column(name) for name in FOLLOWED}
LABELS = {name: Depot.label(name) for name in FOLLOWED}

CHOICES: dict[str, dict[Any, Any]] = {
    "data_status": dict(Depot.DataStatus.choices),
    "publication": dict(Depot.Publication.choices),
    "removal_reason": dict(Depot.RemovalReason.choices),
}

MOST_LINES = 500
"""Newest history rows that a page reads."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change of a depot. who: see `history.author`. changes: empty for the first row."""

    at: datetime
    who: str
    reason: str
    changes: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class FieldHistory:
    """lines: newest first. sources: by field, a sentence on where its present value comes from."""

    lines: tuple[HistoryEntry, ...]
    sources: Mapping[str, str]


def read_history(depot: Depot) -> FieldHistory:
    """Read the history of a depot. One query."""
    rows: list[dict[str, Any]] = list(
        Depot.history.filter(id=depot.pk)
        .order_by("-history_id")
        .values(
            "history_date", "history_user__username", "history_change_reason", "confirmed_fields", *COLUMNS.values()
        )[:MOST_LINES]
    )
    rows.reverse()
    lines: list[HistoryEntry] = []
    last: dict[str, HistoryEntry] = {}
    # The first row has none before it, and so no changes.
    for before, row in pairwise([*rows[:1], *rows]):
        changed = [name for name, column in COLUMNS.items() if before[column] != row[column]]
        line = HistoryEntry(
            at=row["history_date"],
            who=history.author(row["history_user__username"], row["history_change_reason"]),
            reason=row["history_change_reason"] or "",
            changes=changes_of(before, row),
        )
        last |= dict.fromkeys(changed if lines else COLUMNS, line)
        lines.append(line)
    sources = {name: source_of(name, line, depot) for name, line in last.items() if name in Depot.PUBLIC_FIELDS}
    return FieldHistory(tuple(reversed(lines)), sources)


def changes_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[FieldChange, ...]:
    """Return the changed fields of two history rows in words."""
    return tuple(
        FieldChange(LABELS[name], shown(name, before[column]), shown(name, after[column]))
        for name, column in COLUMNS.items()
        if before[column] != after[column]
    )


def source_of(name: str, line: HistoryEntry, depot: Depot) -> str:
    """A sentence on the source of a field's present value. line: the change that set it."""
    if line.reason.startswith((history.REQUESTED, history.REQUESTED_BEFORE)):
        source = f"zgłoszenie; przyjęła redakcja ({line.who})"
    elif line.who in {history.IMPORTED, history.BY_OWNER}:
        source = line.who
    else:
        source = f"redakcja ({line.who})"
    text = f"Źródło: {source}, {line.at:%d.%m.%Y}"
    if name == "fuels" and depot.fuels_by_name:
        text += f"; według nazwy, bez potwierdzenia: {', '.join(fuels.labels(depot.fuels_by_name))}"
    if name == "fuels" and depot.fuels_priced:
        text += f"; z cen: {', '.join(fuels.labels(depot.fuels_priced))}"
    if name not in depot.confirmed_fields:
        return f"{text}; import może je zmienić."
    owner = depot.data_status == Depot.DataStatus.OWNER
    return f"{text}; {'potwierdzone przez właściciela' if owner else 'ustalone przez człowieka'}, import go nie zmieni."


def shown(name: str, value: Any) -> str:
    """A value of a field in words."""
    if name in FUELS and value:
        return ", ".join(fuels.labels(value))
    if name == "hours" and value is not None:
        # A day with several ranges has no value in the week; the line of `opening_hours` lists them.
        return "; ".join(
            f"{label} {value[day] or 'kilka przedziałów'}" for day, label in DAY_NAMES.items() if day in value
        )
    return written(CHOICES[name].get(value, value) if name in CHOICES else value)
