"""Deadlines as a calendar, `/regulations/{voivodeship}.ics`. RFC 5545."""

from datetime import UTC, datetime, time, timedelta

from icalendar import Calendar, Event, vText

from catalog.models import County, Municipality
from catalog.text import full_sentence, writable
from fueldepot.http.links import route_url
from regulations.models import Deadline, Scope
from regulations.queries import Regulation

PRODUCT = "-//fueldepot//regulations//PL"

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


def deadline_calendar(entry: Regulation) -> bytes:
    """Return deadlines as all-day events with stable UIDs. DTSTAMP and SEQUENCE follow `as_of` of the legal state."""
    calendar = Calendar()
    for name, value in {"prodid": PRODUCT, "version": "2.0", "calscale": "GREGORIAN", "method": "PUBLISH"}.items():
        calendar.add(name, value)
    calendar.add("x-wr-calname", vText(f"Terminy antysmogowe: {entry.full_place}"))
    for deadline in entry.deadlines_of_unit:
        calendar.add_component(event(entry, deadline))
    return bytes(calendar.to_ical())


def event_title(entry: Regulation, deadline: Deadline) -> str:
    """Return place and effect: "Małopolskie: koniec używania: kotły klasy 3 i 4"."""
    if isinstance(entry.unit, County | Municipality):
        place = entry.place
    elif deadline.area == Scope.Area.LISTED and len(deadline.scope) <= LONGEST_PLACE:
        place = deadline.scope
    else:
        place = entry.voivodeship.name + AREAS[Scope.Area(deadline.area)]
    doubt = " (niepewne)" if deadline.uncertain else ""
    return f"{place[:1].upper()}{place[1:]}: {CHANGES[Deadline.Kind(deadline.kind)]}: {deadline.applies_to}{doubt}"


def event(entry: Regulation, deadline: Deadline) -> Event:
    assert entry.state is not None  # noqa: S101 - deadlines belong to a state
    part = "Obejmuje tylko część obszaru, o który pytasz." if entry.unit and entry.binds(deadline) is None else ""
    doubt = "Nie wiadomo, czy obowiązuje." if deadline.uncertain else part
    lines = [deadline.description, f"Gdzie: {full_sentence(deadline.scope)}", entry.caveat_of(deadline), doubt]
    added = Event()
    added.add("uid", str(deadline.uid))
    added.add("dtstamp", datetime.combine(entry.state.as_of, time.min, tzinfo=UTC))
    added.add("sequence", entry.state.as_of.toordinal())  # calendars that hold an older one take this one instead
    added.add("dtstart", deadline.date)
    added.add("dtend", deadline.date + timedelta(days=1))
    texts = {"summary": event_title(entry, deadline), "description": "\n".join(filter(None, lines))}
    for name, text in (texts | {"location": deadline.scope}).items():
        added.add(name, writable(text))
    added.add("categories", [deadline.get_kind_display()])
    added.add("transp", "TRANSPARENT")
    added.add("url", route_url("regulation", entry.voivodeship.slug))
    return added
