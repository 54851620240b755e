"""The history of a depot as an editor reads it: what changed, and where each present value comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog import fuels, history
from catalog.models import Depot
from catalog.requests.proposals import DAY_NAMES

FOLLOWED = (*Depot.PUBLIC_FIELDS, "featured", "data_status", "publication", "removal_reason", "merged_into", "review")
"""Fields whose changes are shown."""

COLUMNS = {name: Depot.column(name) for name in FOLLOWED}
LABELS = {name: Depot.label(name) for name in FOLLOWED}

CHOICES: dict[str, dict[Any, Any]] = {
    "data_status": dict(Depot.DataStatus.choices),
    "publication": dict(Depot.Publication.choices),
    "removal_reason": dict(Depot.RemovalReason.choices),
}

MOST_LINES = 500
"""Newest lines of history that a page reads."""

NONE = "–"


@dataclass(frozen=True, slots=True)
class Change:
    """One field of one change, in words."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Line:
    """One change of a depot. who: "import" where nobody decided. changes: none for the first line."""

    at: datetime
    who: str
    reason: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """lines: newest first. sources: by field, where its present value comes from, in a sentence."""

    lines: tuple[Line, ...]
    sources: Mapping[str, str]


def story(depot: Depot) -> Story:
    """The history of a depot. One query."""
    rows: list[dict[str, Any]] = list(
        Depot.history.filter(id=depot.pk)
        .order_by("-history_id")
        .values(
            "history_date", "history_user__username", "history_change_reason", "confirmed_fields", *COLUMNS.values()
        )[:MOST_LINES]
    )
    rows.reverse()
    lines: list[Line] = []
    last: dict[str, Line] = {}
    before: dict[str, Any] | None = None
    for row in rows:
        changed = [name for name, column in COLUMNS.items() if before is not None and before[column] != row[column]]
        line = Line(
            at=row["history_date"],
            who=row["history_user__username"] or history.IMPORTED,
            reason=row["history_change_reason"] or "",
            changes=tuple(
                Change(LABELS[name], shown(name, before[COLUMNS[name]]), shown(name, row[COLUMNS[name]]))
                for name in changed
                if before is not None
            ),
        )
        lines.append(line)
        last.update(dict.fromkeys(COLUMNS if before is None else changed, line))
        before = row
    sources = {name: source_of(name, line, depot) for name, line in last.items() if name in Depot.PUBLIC_FIELDS}
    return Story(tuple(reversed(lines)), sources)


def source_of(name: str, line: Line, depot: Depot) -> str:
    """Where the present value of a field comes from, by the line that set it."""
    if line.reason.startswith(history.REQUESTED):
        source = f"zgłoszenie, przyjął(-ęła) {line.who}"
    elif line.who == history.IMPORTED:
        source = "import"
    else:
        source = f"redakcja ({line.who})"
    said = f"Źródło: {source}, {line.at:%d.%m.%Y}"
    if name not in depot.confirmed_fields:
        return f"{said}; import może je zmienić."
    owner = depot.data_status == Depot.DataStatus.OWNER
    return f"{said}; {'potwierdzone przez właściciela' if owner else 'ustalone przez człowieka'}, import go nie zmieni."


def shown(name: str, value: Any) -> str:
    """A value of a field in words."""
    if value is None or value == "" or value == []:
        return NONE
    if name == "fuels":
        return names_of(value)
    if name == "hours":
        # Several ranges in a day do not fit the week; the line of the source below has them.
        return "; ".join(
            f"{name} {value[day] or 'kilka przedziałów'}" for day, name in DAY_NAMES.items() if day in value
        )
    if isinstance(value, bool):
        return "tak" if value else "nie"
    return str(CHOICES.get(name, {}).get(value, value))


def names_of(slugs: Sequence[str]) -> str:
    """Display names of fuels, those that the catalog no longer knows as they are stored."""
    return ", ".join(fuels.BY_SLUG[slug].name if slug in fuels.BY_SLUG else slug for slug in slugs)
