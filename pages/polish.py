"""Polish as pages write it: numbers with their nouns, days, coordinates."""

from datetime import date, datetime, timedelta
from functools import lru_cache

from django.utils import timezone
from django.utils.formats import date_format

NO_BREAK = "\N{NO-BREAK SPACE}"


def whole(number: int) -> str:
    """A whole number, "44 005" kept on one line; four digits stay together, as is the custom."""
    return f"{number:,}".replace(",", NO_BREAK) if abs(number) >= 10_000 else str(number)


def tenths(number: float) -> str:
    """A number with one decimal: "0,9", "12,0"."""
    return f"{number:.1f}".replace(".", ",")


def counted(number: int, one: str, few: str, many: str) -> str:
    """A number with the right form of its noun: "1 skład", "2 składy", "5 składów", "22 składy"."""
    if number == 1:
        return f"1 {one}"
    if number % 10 in {2, 3, 4} and number % 100 not in {12, 13, 14}:
        return f"{whole(number)} {few}"
    return f"{whole(number)} {many}"


@lru_cache(maxsize=1000)
def day(value: date) -> str:
    """ "3 października 2026 r.", kept on one line."""
    return date_format(value, "j E Y \\r.").replace(" ", NO_BREAK)


def until(moment: datetime, now: datetime) -> str:
    """ "po 14:35", "jutro po 9:00": from when on, in our time and never earlier than it is; at most a day ahead."""
    shown = timezone.localtime(moment + timedelta(seconds=59, microseconds=999_999))
    return f"{'' if shown.date() == timezone.localdate(now) else 'jutro '}po {date_format(shown, 'G:i')}"


def coordinates(lat: float, lon: float) -> str:
    """ "50,0614° N, 19,9366° E": four decimals, about ten metres."""
    return f"{lat:.4f}° N, {lon:.4f}° E".replace(".", ",")


def zloty(amount: float | None, places: int = 2) -> str:
    """ "1 520,50 zł", kept on one line; a dash for None."""
    if amount is None:
        return "–"
    return f"{amount:,.{places}f} zł".replace(",", " ").replace(".", ",").replace(" ", NO_BREAK)
