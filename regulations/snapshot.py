"""Snapshot of the legal states of the voivodeships: sixteen states and some hundred rows."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeVar

from catalog.models import Dataset
from fueldepot.data.snapshot import Snapshot
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Resolution

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class LegalStateRecords:
    """A legal state of all days. acts, deadlines, bans: the oldest record first. amendments: by day of adoption."""

    state: LegalState
    acts: tuple[Resolution, ...]
    amendments: tuple[Amendment, ...]
    deadlines: tuple[Deadline, ...]
    bans: tuple[FuelBan, ...]

    def amendments_of(self, act: Resolution) -> tuple[Amendment, ...]:
        """Return the amendments of one act, in order."""
        return tuple(change for change in self.amendments if change.resolution_id == act.pk)


def read_states() -> dict[str, LegalStateRecords]:
    """Read the legal states by the two digits of their voivodeship. Five queries."""
    acts = list(Resolution.objects.order_by("pk"))
    states_of_acts = {act.pk: act.state_id for act in acts}
    acts_of = by_state(acts, attrgetter("state_id"))
    amendments_of = by_state(
        Amendment.objects.order_by("adopted", "pk"), lambda change: states_of_acts[change.resolution_id]
    )
    deadlines_of = by_state(Deadline.objects.order_by("pk"), attrgetter("state_id"))
    bans_of = by_state(FuelBan.objects.order_by("pk"), attrgetter("state_id"))
    return {
        state.pk: LegalStateRecords(
            state, acts_of[state.pk], amendments_of[state.pk], deadlines_of[state.pk], bans_of[state.pk]
        )
        for state in LegalState.objects.order_by("pk")
    }


def by_state(rows: Iterable[Row], state_of: Callable[[Row], str]) -> Mapping[str, tuple[Row, ...]]:
    """Group rows by the voivodeship of their state, in their order; an empty tuple for one without rows."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[state_of(row)].append(row)
    return defaultdict(tuple, {state: tuple(own) for state, own in found.items()})


states = Snapshot(read_states, Dataset.Slug.REGULATIONS)
"""Legal states by the two digits of their voivodeship."""
