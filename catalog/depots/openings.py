"""Opening states of depots for lists, cached while they hold, and the validity of pages that show them."""

from bisect import bisect_right
from datetime import UTC, date, datetime, time, timedelta
from weakref import WeakKeyDictionary

from catalog.depots.opening_state import WARSAW, OpeningState, opening_state
from catalog.depots.snapshot import DepotRow, Depots, depots
from fueldepot.http.conditional import Period

MIDNIGHT = time.min


class Openings:
    """Opening hours of all depots of a snapshot.

    clocks: midnight and every time of day at which any depot opens or closes, ascending. No `opening_state` changes
    between two of them.
    """

    def __init__(self, known: Depots) -> None:
        weeks = {id(row.hours_ranges): row.hours_ranges for row in known.rows if row.hours_ranges}
        ranges = {hours for week in weeks.values() for day in week.values() for hours in day}
        ends = {clock for hours in ranges for clock in hours.split("-")}
        self.clocks = sorted({MIDNIGHT, *map(read_clock, ends)})
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
        """Return the period around a moment in which no depot of the country opens or closes."""
        here = now.astimezone(WARSAW)
        clocks = self._clocks_of(here.date())
        following = bisect_right(clocks, here.time())
        day, clock = here.date(), MIDNIGHT
        if following < len(clocks):
            clock = clocks[following]
        else:
            day += timedelta(days=1)
        # The repeated hour in October has the same clock but another UTC offset.
        key = f"{here:%Y-%m-%d%z} {clocks[following - 1]}"
        start = datetime.combine(here.date(), clocks[following - 1], WARSAW)
        return Period(key, start.astimezone(UTC), datetime.combine(day, clock, WARSAW).astimezone(UTC))

    def _clocks_of(self, day: date) -> list[time]:
        """Return the times at which states change on a day. The skipped hour in March becomes the next one."""
        if midnight(day).utcoffset() == midnight(day + timedelta(days=1)).utcoffset():
            return self.clocks
        return sorted({*self.clocks, *(time((clock.hour + 1) % 24, clock.minute) for clock in self.clocks)})


def midnight(day: date) -> datetime:
    """Return the beginning of a day in Poland."""
    return datetime.combine(day, MIDNIGHT, WARSAW)


_openings: WeakKeyDictionary[Depots, Openings] = WeakKeyDictionary()
"""Kept as long as their snapshot."""


def openings() -> Openings:
    """Return the opening hours of the current snapshot."""
    known = depots.get()
    found = _openings.get(known)
    if found is None:
        found = _openings[known] = Openings(known)
    return found


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
