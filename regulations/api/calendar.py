"""Deadlines as a calendar (RFC 5545)."""

from datetime import UTC, datetime, time, timedelta

from icalendar import Calendar, Event

from catalog.text import full_sentence
from regulations.api.regulation_answers import page_url
from regulations.models import Deadline, Scope
from regulations.queries import Regulation

PRODUCT = "-//fueldepot//regulations//PL"
PART = "Obejmuje tylko część obszaru, o który pytasz."
UNCERTAIN = "Nie wiadomo, czy obowiązuje."

LONGEST_PLACE = 40
"""Longest scope in characters that fits into the title of an event."""

AREAS = {
    Scope.Area.VOIVODESHIP: "",
    Scope.Area.TOWNS: ", miasta",
    Scope.Area.OUTSIDE_TOWNS: ", poza miastami",
    Scope.Area.LISTED: ", wybrane gminy",
}

CHANGES = {
    Deadline.Kind.NEW_INSTALLATIONS: "nowe wymagania",
    Deadline.Kind.EXISTING_BOILERS: "koniec używania",
    Deadline.Kind.SPACE_HEATERS: "nowe wymagania",
    Deadline.Kind.SOLID_FUEL_BAN: "koniec paliw stałych",
    Deadline.Kind.COAL_BAN: "koniec węgla",
    Deadline.Kind.FUEL_BAN: "zakaz części paliw",
    Deadline.Kind.NETWORK_CONNECTION: "koniec używania",
}
"""Effects of a deadline by kind, in Polish."""


def deadline_calendar(entry: Regulation) -> bytes:
    """Return the deadlines of a voivodeship, or of the requested unit, as all-day events.

    The UID of an event is stable, so calendars move it with the deadline. DTSTAMP is `as_of` of the legal state.
    """
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", calendar_name(entry))
    for deadline in entry.deadlines_of_unit:
        calendar.add_component(event(entry, deadline))
    return bytes(calendar.to_ical())


def calendar_name(entry: Regulation) -> str:
    """Return the display name of the calendar."""
    place = f"województwo {entry.voivodeship.name}"
    if entry.unit and entry.unit.level != "voivodeship":
        place = f"{entry.unit.name}, {place}"
    return f"Terminy antysmogowe: {place}"


def event_title(entry: Regulation, deadline: Deadline) -> str:
    """Return place and effect: "Małopolskie: koniec używania: kotły klasy 3 i 4"."""
    if entry.unit and entry.unit.level != "voivodeship":
        place = f"powiat {entry.unit.name}" if entry.unit.level == "county" else entry.unit.name
    elif deadline.area == Scope.Area.LISTED and len(deadline.scope) <= LONGEST_PLACE:
        place = deadline.scope
    else:
        place = entry.voivodeship.name + AREAS[Scope.Area(deadline.area)]
    doubt = " (niepewne)" if deadline.uncertain else ""
    return f"{place[:1].upper()}{place[1:]}: {CHANGES[Deadline.Kind(deadline.kind)]}: {deadline.applies_to}{doubt}"


def event(entry: Regulation, deadline: Deadline) -> Event:
    """Return a deadline as an all-day event."""
    assert entry.state is not None  # noqa: S101 - deadlines belong to a state
    part = PART if entry.unit and entry.binds(deadline) is None else ""
    doubt = UNCERTAIN if deadline.uncertain else part
    lines = [deadline.description, f"Gdzie: {full_sentence(deadline.scope)}", entry.caveat_of(deadline), doubt]
    found = Event()
    found.add("uid", str(deadline.uid))
    found.add("dtstamp", datetime.combine(entry.state.as_of, time.min, tzinfo=UTC))
    found.add("dtstart", deadline.date)
    found.add("dtend", deadline.date + timedelta(days=1))
    found.add("summary", event_title(entry, deadline))
    found.add("description", "\n".join(line for line in lines if line))
    found.add("location", deadline.scope)
    found.add("categories", [deadline.get_kind_display()])
    found.add("transp", "TRANSPARENT")
    found.add("url", page_url(entry.voivodeship.slug))
    return found
