"""Whether a depot is open at a moment, in Polish; states for lists, and how long pages that show them hold.

Ranges are local times, also on the two nights of clock changes. Public holidays are ignored, and pages say so.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache, partial
from itertools import takewhile
from zoneinfo import ZoneInfo

from catalog.depots.snapshot import DepotRow, Depots, depots
from catalog.parsing.opening_hours import DAYS, Week
from fueldepot.http.cache_control import Period

WARSAW = ZoneInfo("Europe/Warsaw")

DAY_ABBREVIATIONS = ("pn.", "wt.", "śr.", "czw.", "pt.", "sob.", "niedz.")

NO_HOLIDAYS = "Stałe godziny nie uwzględniają świąt"
"""What every week of hours leaves out."""

AFTER_WORK = 17
"""Hour of the filter for those who come after work, which is of the next day from then on."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class OpeningState:
    """is_open: None if the hours are unknown."""

    is_open: bool | None
    sentence: str


UNKNOWN = OpeningState(None, "godziny nieznane")


def opening_state(week: Week | None, at: datetime) -> OpeningState:
    """Return the state of a depot at an aware datetime. week: None if unknown. Raises ValueError for a naive one.

    A sentence about an open depot also names later hours of the day. A range excludes its end. Adjacent ranges are
    merged: a depot open from Monday 0:00 to Tuesday 24:00 does not close at midnight.
    """
    if at.tzinfo is None:
        raise ValueError("the moment has no time zone")
    if week is None:
        return UNKNOWN
    now = at.astimezone(UTC)
    here = at.astimezone(WARSAW)
    spans = _spans(week, here.date() - _DAY)
    for opens, closes in spans:
        if closes <= now:
            continue
        if opens > now:
            return _closed(here, opens.astimezone(WARSAW))
        # Weeks repeat: a depot open for a whole week never closes.
        if closes - now > timedelta(days=7):
            return OpeningState(True, "otwarte całą dobę")
        later = _of_day(opens.astimezone(WARSAW).date(), spans)
        return _open(now, closes.astimezone(WARSAW), " i ".join(_hours(*span) for span in later))
    return OpeningState(False, "zamknięte")


def _open(now: datetime, closes: datetime, later: str) -> OpeningState:
    # Without a day, "do 6:00" means the next 6:00 on the clock, which may show it twice when it goes back.
    if now >= (closes - _DAY).replace(fold=1):
        sentence = f"otwarte do {_closing_clock(closes)}"
        return OpeningState(True, f"{sentence}, potem {later}" if later else sentence)
    day = closes - timedelta(minutes=1)
    return OpeningState(True, f"otwarte do {DAY_ABBREVIATIONS[day.weekday()]} {_closing_clock(closes)}")


def _of_day(day: date, spans: Iterator[tuple[datetime, datetime]]) -> Iterator[tuple[datetime, datetime]]:
    """Return the first of ascending spans, those that begin on a day."""
    return takewhile(lambda span: span[0].astimezone(WARSAW).date() == day, spans)


def _hours(opens: datetime, closes: datetime) -> str:
    """Return a span on the clock: "13:00–17:00", "od 13:00" for one longer than a day."""
    start, end = opens.astimezone(WARSAW), closes.astimezone(WARSAW)
    return f"{clock_time(start)}–{_closing_clock(end)}" if closes - opens <= _DAY else f"od {clock_time(start)}"


def _closed(now: datetime, opens: datetime) -> OpeningState:
    if opens.date() == now.date():
        return OpeningState(False, f"zamknięte, otwiera o {clock_time(opens)}")
    return OpeningState(False, f"zamknięte, otwiera {DAY_ABBREVIATIONS[opens.weekday()]} {clock_time(opens)}")


def _spans(week: Week, first: date) -> Iterator[tuple[datetime, datetime]]:
    """Yield the open spans of ten days from `first`, in UTC, ascending and merged."""
    span: tuple[datetime, datetime] | None = None
    for day in (first + timedelta(days=number) for number in range(10)):
        for text in week[DAYS[day.weekday()]]:
            # Minutes beyond 24 hours are of the next day.
            clocks = (midnight(day) + timedelta(minutes=minutes) for minutes in _minutes(text))
            opens, closes = (clock.astimezone(UTC) for clock in clocks)
            if opens >= closes:
                continue  # in the hour that is skipped in March
            if span is not None and opens <= span[1]:
                span = span[0], max(span[1], closes)
                continue
            if span is not None:
                yield span
            span = opens, closes
    if span is not None:
        yield span


@lru_cache(maxsize=1000)
def _minutes(text: str) -> tuple[int, int]:
    """Start and end of a range in minutes since midnight: "22:00-6:00" ends on the next day."""
    hours = [clock.split(":") for clock in text.split("-")]
    opens, closes = (int(hour) * 60 + int(minute) for hour, minute in hours)
    return opens, closes if closes > opens else closes + 24 * 60


def _closing_clock(moment: datetime) -> str:
    """A closing time on the clock: midnight is 24:00."""
    return "24:00" if moment.time() == time.min else clock_time(moment)


class Openings:
    """Opening hours of all depots of a snapshot, with their states in the present period, in which none changes.

    Periods also end at AFTER_WORK. Depots of the same hours share one week (`DepotRow.hours_ranges`): sets of weeks
    hold their identities.
    """

    def __init__(self, published: Depots) -> None:
        self._weeks = {id(row.hours_ranges): row.hours_ranges for row in published.rows if row.hours_ranges}
        ranges = {hours for week in self._weeks.values() for day in week.values() for hours in day}
        # "24:00" is midnight.
        ends = {tuple(map(int, clock.split(":"))) for hours in ranges for clock in hours.split("-")}
        clocks = [time(hour % 24, minute) for hour, minute in {*ends, (AFTER_WORK, 0)}]
        # Caches of functions, not of methods: a replaced snapshot is freed without a garbage collection.
        self.period = lru_cache(maxsize=4)(partial(find_period, lru_cache(maxsize=4)(partial(find_starts, clocks))))
        self._states_in = lru_cache(maxsize=1)(lambda _period: dict[int, OpeningState]())
        self._open_in = lru_cache(maxsize=1)(partial(find_open_in, self._weeks))
        self.open_on = cache(partial(find_open_on, self._weeks))

    def state(self, week: Week | None, now: datetime) -> OpeningState:
        """Return the state of the depots of a week, None for unknown hours."""
        states = self._states_in(self.period(now))
        if id(week) not in states:
            states[id(week)] = opening_state(week, now)
        return states[id(week)]

    def open_now(self, now: datetime) -> set[int]:
        """Return the weeks of the depots that are open."""
        return self._open_in(self.period(now))


def find_period(starts_of: Callable[[date], list[datetime]], now: datetime) -> Period:
    """Return the period around a moment, within its Polish day, in which no depot opens or closes."""
    starts = starts_of(now.astimezone(WARSAW).date())
    following = bisect_right(starts, now)
    return Period(starts[following - 1], starts[following])


def find_starts(clocks: Iterable[time], day: date) -> list[datetime]:
    """Return the moments of a day, in UTC, at which states may change. clocks: on which depots open or close."""
    first, last = (midnight(each).astimezone(UTC) for each in (day, day + _DAY))
    local = [datetime.combine(day, clock, WARSAW) for clock in clocks]
    moments = {moment.replace(fold=fold).astimezone(UTC) for moment in local for fold in (0, 1)}
    return sorted({first, *moments, last})


def find_open_in(weeks: Mapping[int, Week], period: Period) -> set[int]:
    """Return the weeks of the depots that are open in a period in which no state changes."""
    return {number for number, week in weeks.items() if opening_state(week, period.start).is_open}


def find_open_on(weeks: Mapping[int, Week], day: int, hour: int | None) -> set[int]:
    """Return the weeks of the depots that open on a day (0 is Monday), or are open at an hour of it."""
    return {number for number, week in weeks.items() if opening_day(week, day, hour) is not None}


def opening_day(week: Week | None, day: int, hour: int | None) -> int | None:
    """Return the day whose hours include the beginning of an hour of a day (0 is Monday); None for a closed depot.

    That is the day, or the one before, whose hours may end after midnight. hour: None for any of the day's own hours.
    """
    if week is None or hour is None:
        return day if week and week[DAYS[day]] else None
    for number, clock in ((day, hour * 60), ((day - 1) % 7, (hour + 24) * 60)):
        if any(opens <= clock < closes for opens, closes in map(_minutes, week[DAYS[number]])):
            return number
    return None


def midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, WARSAW)


_openings_of = lru_cache(maxsize=1)(Openings)


def openings() -> Openings:
    return _openings_of(depots.get())


def opening_of(row: DepotRow, now: datetime) -> OpeningState:
    return openings().state(row.hours_ranges, now)


def opening_period(now: datetime) -> Period:
    return openings().period(now)


def clock_time(moment: datetime) -> str:
    return f"{moment.hour}:{moment.minute:02d}"
