"""Opening states of depots for lists, cached while they hold, and the validity of pages that show them."""

from bisect import bisect_right
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from weakref import WeakKeyDictionary

from catalog.depots.opening_state import WARSAW, OpeningState, opening_state
from catalog.depots.snapshot import DepotRow, Depots, depots
from fueldepot.http.cache_control import Period

MIDNIGHT = time.min


class Openings:
    """Opening hours of all depots of a snapshot.

    clocks: every time of day at which any depot opens or closes, ascending. No `opening_state` changes between two of
    them, or between one and midnight.
    """

    def __init__(self, known: Depots) -> None:
        weeks = {id(row.hours_ranges): row.hours_ranges for row in known.rows if row.hours_ranges}
        ranges = {hours for week in weeks.values() for day in week.values() for hours in day}
        ends = {clock for hours in ranges for clock in hours.split("-")}
        self.clocks = tuple(sorted(map(read_clock, ends)))
        self._states: dict[int, tuple[datetime, OpeningState]] = {}

    def state(self, row: DepotRow, now: datetime) -> OpeningState:
        """Return the state of a depot, cached while it holds and shared by depots of the same hours."""
        known = self._states.get(id(row.hours_ranges))
        if known is not None and known[0] <= now and (known[1].valid_until is None or now < known[1].valid_until):
            return known[1]
        state = opening_state(row.hours_ranges, now)
        self._states[id(row.hours_ranges)] = now, state
        return state

    def period(self, now: datetime) -> Period:
        """Return the period around a moment, within its Polish day, in which no depot opens or closes."""
        starts = starts_of(now.astimezone(WARSAW).date(), self.clocks)
        following = bisect_right(starts, now)
        return Period(starts[following - 1], starts[following])


@lru_cache(maxsize=4)
def starts_of(day: date, clocks: tuple[time, ...]) -> list[datetime]:
    """Return the moments of a Polish day at which states may change, in UTC, from midnight to midnight.

    On the days on which the clocks change, there are more of them than needed: each also an hour earlier and later.
    """
    first, last = midnight(day).astimezone(UTC), midnight(day + timedelta(days=1)).astimezone(UTC)
    local = [datetime.combine(day, clock, WARSAW) for clock in clocks]
    moments = {moment.replace(fold=fold).astimezone(UTC) for moment in local for fold in (0, 1)}
    if last - first != timedelta(days=1):
        hour = timedelta(hours=1)
        moments |= {moment + shift for moment in moments for shift in (hour, -hour)}
    return [first, *sorted(moment for moment in moments if first < moment < last), last]


def midnight(day: date) -> datetime:
    """Return the beginning of a day in Poland."""
    return datetime.combine(day, MIDNIGHT, WARSAW)


_openings: WeakKeyDictionary[Depots, Openings] = WeakKeyDictionary()
"""Kept as long as their snapshot."""


def openings() -> Openings:
    """Return the opening hours of the current snapshot."""
    rows = depots.get()
    result = _openings.get(rows)
    if result is None:
        result = _openings[rows] = Openings(rows)
    return result


def opening_of(row: DepotRow, now: datetime) -> OpeningState:
    """Return the opening state of a depot of the current snapshot at a moment."""
    return openings().state(row, now)


def opening_period(now: datetime) -> Period:
    """Return the period in which a page with opening states is valid."""
    return openings().period(now)


def read_clock(text: str) -> time:
    """Return a time of day; "24:00" is midnight."""
    hour, minute = text.split(":")
    return time(int(hour) % 24, int(minute))
