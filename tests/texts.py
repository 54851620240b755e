"""Texts of a depot of a chosen length, valid but for the length."""

from catalog.models import Depot, max_length
from catalog.models.depots import READERS
from catalog.parsing.opening_hours import DAYS, to_osm_string, weekly_hours
from pages.forms.fields import read_day

LIMITS = {name: max_length(Depot, name) for name in READERS}
"""Every text that a source, a reader, an owner or an editor may set."""

MOBILE, ABROAD = "+48 60{} 234 567", "+44 20 7946 095{}"
LONGEST_WEEK = (5, 5, 5, 5, 5, 4, 4), (0, 0, 1, 1, 2, 3, 4)
TOO_LONG_WEEK = (4, 4, 4, 4, 4, 4, 3), (0, 0, 1, 2, 3, 4, 5)
"""Numbers of ranges and minutes of the hours, by day; days with equal hours are one rule."""


def longest(name: str) -> str:
    """Return a valid text that just fits its column."""
    match name:
        case "postcode":
            return "30-001"
        case "nip":
            return "5260250274"
        case "phone":
            return phones(mobiles=4)
        case "website":
            return "https://opal.pl/".ljust(LIMITS[name], "a")
        case "opening_hours":
            return written_week(longest_week())
    return "Opał ".ljust(LIMITS[name], "a")


def too_long(name: str) -> str:
    if name == "phone":
        return phones(mobiles=3)
    return written_week(too_long_week()) if name == "opening_hours" else f"{longest(name)}1"


def phones(*, mobiles: int) -> str:
    """Return seven numbers, of which the mobile ones are one character shorter."""
    return ", ".join((MOBILE if number < mobiles else ABROAD).format(number) for number in range(7))


def longest_week() -> dict[str, str]:
    return week(*LONGEST_WEEK)


def too_long_week() -> dict[str, str]:
    return week(*TOO_LONG_WEEK)


def week(counts: tuple[int, ...], minutes: tuple[int, ...]) -> dict[str, str]:
    return {
        day: ",".join(f"{hour}:{minute:02}-{hour + 1}:{minute:02}" for hour in range(6, 6 + 2 * count, 2))
        for day, count, minute in zip(DAYS, counts, minutes, strict=True)
    }


def written_week(typed: dict[str, str]) -> str:
    text = to_osm_string({day: read_day(hours) for day, hours in typed.items()})
    assert weekly_hours(text) is not None
    return text
