"""What every import does between parsing and writing: compare, refuse, report.

An import reads its source, compares it with what is stored, and only then writes, all in one transaction. Keys are
the register's own (TERYT, postcode, identifier of the source), so a second run finds nothing to do.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, TypeVar

from catalog.importers.records import Note

R = TypeVar("R")

MOST_REMOVED = 0.10
"""Share of the stored rows that may disappear at once without `--allow-removals`."""


class TooManyRemovals(Exception):
    """A source lacks so many stored rows that it is more likely broken than right. Nothing was written."""


class ImportRefused(Exception):
    """The source can be read but must not be applied; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Options:
    """How an import runs. today: the day that changes are dated. write: False only compares.

    allow_older: whether a source may be older than what is stored, where its day is known.
    """

    today: date
    write: bool
    allow_removals: bool = False
    allow_older: bool = False
    progress: Callable[[Iterable[Any], str], Iterable[Any]] = lambda rows, _label: rows


@dataclass(frozen=True, slots=True)
class Diff(Generic[R]):
    """Rows by key: new ones, (stored, incoming) pairs that differ, and stored ones that the source lacks."""

    stored: int
    added: dict[str, R]
    changed: dict[str, tuple[R, R]]
    removed: dict[str, R]

    @property
    def empty(self) -> bool:
        return not (self.added or self.changed or self.removed)


@dataclass(slots=True)
class Report:
    """What an import did, or would do.

    as_of: the day the source is current to, when it says so.
    lines: a readable line per change worth naming. skipped: rows left alone because a person decided, or because a
    better source has them. rejected: rows that cannot be used. notes: values left out of rows that were used.
    beside: how many of the changed are no rows but what is said of them.
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
        """How many rows of the source the catalog holds after the import."""
        return self.added + self.changed + self.unchanged - self.beside

    @property
    def changes(self) -> int:
        """How many rows differ now."""
        return self.added + self.changed + self.removed


def compare(stored: Mapping[str, R], incoming: Mapping[str, R]) -> Diff[R]:
    """Sort rows into added, changed and removed; equal rows are in none of them."""
    return Diff(
        stored=len(stored),
        added={key: row for key, row in incoming.items() if key not in stored},
        changed={key: (stored[key], row) for key, row in incoming.items() if key in stored and stored[key] != row},
        removed={key: row for key, row in stored.items() if key not in incoming},
    )


def report_of(title: str, diff: Diff[Any]) -> Report:
    """A report with the counts of a diff."""
    return Report(
        title=title,
        added=len(diff.added),
        changed=len(diff.changed),
        removed=len(diff.removed),
        unchanged=diff.stored - len(diff.changed) - len(diff.removed),
    )


def check_removals(title: str, *, removed: int, stored: int, options: Options) -> None:
    """Raise TooManyRemovals when more than a tenth of the stored rows would go, unless that was allowed."""
    if not options.allow_removals and removed > stored * MOST_REMOVED:
        raise TooManyRemovals(
            f"{title}: {removed} of {stored} rows would be removed, more than 10 %; "
            "check the source, or add --allow-removals"
        )
