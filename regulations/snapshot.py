"""Snapshot of the legal states of the voivodeships: sixteen states and some hundred rows."""

from dataclasses import dataclass

from catalog.models import Dataset
from fueldepot.data.snapshot import Snapshot
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Resolution


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
    amendments = list(Amendment.objects.order_by("adopted", "pk"))
    deadlines, bans = list(Deadline.objects.order_by("pk")), list(FuelBan.objects.order_by("pk"))
    found = {}
    for state in LegalState.objects.order_by("pk"):
        own_acts = {act.pk: act for act in acts if act.state_id == state.pk}
        found[state.pk] = LegalStateRecords(
            state,
            tuple(own_acts.values()),
            tuple(change for change in amendments if change.resolution_id in own_acts),
            tuple(row for row in deadlines if row.state_id == state.pk),
            tuple(row for row in bans if row.state_id == state.pk),
        )
    return found


states = Snapshot(read_states, Dataset.Slug.REGULATIONS)
"""Legal states by the two digits of their voivodeship."""
