"""Snapshot of the legal states of the voivodeships: sixteen states and some hundred rows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from catalog.models import Dataset, Municipality
from catalog.text import group_by_unit
from fueldepot.data.snapshot import Snapshot
from regulations.applicability import Reach, kinds_of_places, reach_of_units
from regulations.models import Amendment, Deadline, FuelBan, LegalState, Resolution, Scope

WITHOUT_UNIT = ""
"""Key of the reach in all kinds of places that the rules distinguish, whichever of them the register has."""


@dataclass(frozen=True, slots=True)
class LegalStateRecords:
    """A legal state of all days. acts, deadlines, bans: the oldest record first. amendments: by day of adoption.

    reach: what binds each unit of the voivodeship, by code of 2, 4 or 7 digits or WITHOUT_UNIT.
    """

    state: LegalState
    acts: tuple[Resolution, ...]
    amendments: tuple[Amendment, ...]
    deadlines: tuple[Deadline, ...]
    bans: tuple[FuelBan, ...]
    reach: Mapping[str, Reach]

    def amendments_of(self, act: Resolution) -> tuple[Amendment, ...]:
        """Return the amendments of one act, in order."""
        return tuple(change for change in self.amendments if change.resolution_id == act.pk)


def read_states() -> dict[str, LegalStateRecords]:
    """Read the legal states by the two digits of their voivodeship. Six queries."""
    acts = list(Resolution.objects.order_by("pk"))
    amendments = list(Amendment.objects.order_by("adopted", "pk"))
    deadlines, bans = list(Deadline.objects.order_by("pk")), list(FuelBan.objects.order_by("pk"))
    units = group_by_unit(Municipality.objects.order_by("teryt").values_list("pk", flat=True))
    records = {}
    for state in LegalState.objects.order_by("pk"):
        own_acts = {act.pk: act for act in acts if act.state_id == state.pk}
        own_deadlines = tuple(row for row in deadlines if row.state_id == state.pk)
        own_bans = tuple(row for row in bans if row.state_id == state.pk)
        rules: tuple[Scope, ...] = (*own_acts.values(), *own_deadlines, *own_bans)
        own_units: dict[str, Iterable[str]] = {WITHOUT_UNIT: kinds_of_places(state.pk, rules)}
        own_units |= {code: inside for code, inside in units.items() if code.startswith(state.pk)}
        records[state.pk] = LegalStateRecords(
            state,
            tuple(own_acts.values()),
            tuple(change for change in amendments if change.resolution_id in own_acts),
            own_deadlines,
            own_bans,
            reach_of_units(rules, own_units),
        )
    return records


states = Snapshot(read_states, Dataset.Slug.REGULATIONS, Dataset.Slug.UNITS)
"""Legal states by the two digits of their voivodeship."""
