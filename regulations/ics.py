"""Deadlines as a calendar (RFC 5545)."""

from datetime import UTC, datetime, time, timedelta

from icalendar import Calendar, Event

from regulations.models import Deadline
from regulations.queries import Regulation
from regulations.serializers import page_url

PRODUCT = "-//fueldepot//regulations//PL"
PART = "Obejmuje tylko część obszaru, o który pytasz."
UNCERTAIN = "Nie wiadomo, czy obowiązuje."


def deadline_calendar(entry: Regulation) -> bytes:
    """The deadlines of a voivodeship, or those that bind the unit asked for or a part of it, as all-day events.

    An event keeps its UID when its day moves, so calendars move it too. DTSTAMP is the day the state is current to.
    """
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", calendar_name(entry))
    for deadline in entry.deadlines:
        if entry.unit is None or entry.binds(deadline) is not False:
            calendar.add_component(event(entry, deadline))
    return bytes(calendar.to_ical())


def calendar_name(entry: Regulation) -> str:
    """What a calendar programme shows beside the events."""
    place = f"województwo {entry.voivodeship.name}"
    if entry.unit and entry.unit.level != "voivodeship":
        place = f"{entry.unit.name}, {place}"
    return f"Terminy antysmogowe: {place}"


def event(entry: Regulation, deadline: Deadline) -> Event:
    """One deadline on its day."""
    assert entry.state is not None  # noqa: S101 - deadlines belong to a state
    part = PART if entry.unit and entry.binds(deadline) is None else ""
    doubt = UNCERTAIN if deadline.uncertain else part
    lines = [deadline.description, f"Gdzie: {deadline.scope}.", deadline.caveat, doubt]
    found = Event()
    found.add("uid", str(deadline.uid))
    found.add("dtstamp", datetime.combine(entry.state.as_of, time.min, tzinfo=UTC))
    found.add("dtstart", deadline.date)
    found.add("dtend", deadline.date + timedelta(days=1))
    found.add("summary", deadline.applies_to)
    found.add("description", "\n".join(line for line in lines if line))
    found.add("location", deadline.scope)
    found.add("categories", [deadline.get_kind_display()])
    found.add("transp", "TRANSPARENT")
    found.add("url", page_url(entry.voivodeship.slug))
    return found
