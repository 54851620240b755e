"""Shared parts of writing imports: compare, refuse, report.

An import parses its source, compares it with the database, and only then writes, in one transaction. Keys are those of
the register (TERYT, postcode, id of the source), so importing again changes nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, TypeVar

from catalog.importers.records import Note

R = TypeVar("R")

MOST_REMOVED = 0.10
"""Share of stored rows that may disappear in one import without `--allow-removals`."""


class TooManyRemovals(Exception):
    """A source lacks too many stored rows, so it is probably damaged. Nothing was written."""


class ImportRefused(Exception):
    """The source is readable but must not be imported; the message gives cause and remedy."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an import. today: day of the changes. write: False only compares.

    allow_older: whether a source may be older than the stored data.
    """

    today: date
    write: bool
    allow_removals: bool = False
    allow_older: bool = False
    progress: Callable[[Iterable[Any], str], Iterable[Any]] = lambda rows, _label: rows


@dataclass(frozen=True, slots=True)
class Diff(Generic[R]):
    """Differences by key: added rows, (stored, incoming) pairs of changed rows, and removed rows."""

    stored: int
    added: dict[str, R]
    changed: dict[str, tuple[R, R]]
    removed: dict[str, R]

    @property
    def empty(self) -> bool:
        return not (self.added or self.changed or self.removed)


@dataclass(slots=True)
class Report:
    """Result of an import, or of a comparison.

    as_of: day the source is current to, if stated.
    lines: one per notable change. skipped: rows left alone because a person decided, or because of a better source.
    rejected: unusable rows. notes: unused values of used rows.
    beside: how many of the changed are no rows of the source but data about them.
    """

    title: str
    as_of: date | None = None
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    lines: list[str] = field(default_factory=list)
    skipped: list[Note] = field(default_factory=list)
    rejected: list[Note] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    beside: int = 0

    @property
    def rows(self) -> int:
        """Number of rows of the source in the catalog after the import."""
        return self.added + self.changed + self.unchanged - self.beside

    @property
    def changes(self) -> int:
        """Number of changed rows."""
        return self.added + self.changed + self.removed


def compare(stored: Mapping[str, R], incoming: Mapping[str, R]) -> Diff[R]:
    """Split rows into added, changed and removed ones."""
    return Diff(
        stored=len(stored),
        added={key: row for key, row in incoming.items() if key not in stored},
        changed={key: (stored[key], row) for key, row in incoming.items() if key in stored and stored[key] != row},
        removed={key: row for key, row in stored.items() if key not in incoming},
    )


def report_of(title: str, diff: Diff[Any]) -> Report:
    """Return a report with the counts of a diff."""
    return Report(
        title=title,
        added=len(diff.added),
        changed=len(diff.changed),
        removed=len(diff.removed),
        unchanged=diff.stored - len(diff.changed) - len(diff.removed),
    )


def check_removals(title: str, *, removed: int, stored: int, options: Options) -> None:
    """Raise TooManyRemovals if more than `MOST_REMOVED` of the stored rows would go, unless allowed."""
    if not options.allow_removals and removed > stored * MOST_REMOVED:
        raise TooManyRemovals(
            f"{title}: {removed} of {stored} rows would be removed, more than 10 %; "
            "check the source, or add --allow-removals"
        )
