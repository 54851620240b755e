"""Single values as the sources write them, checked: dates, numbers, texts, positions."""

import math
import re
import unicodedata
from datetime import date

from catalog.params import LAT_RANGE, LON_RANGE

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"-?[0-9]{1,4}(\.[0-9]{1,20})?")


def parse_day(text: str) -> date:
    """A day written as YYYY-MM-DD. Raises ValueError for anything else."""
    if _DAY.fullmatch(text) is None:
        raise ValueError(f"{text[:20]!r} is not a day; expected YYYY-MM-DD")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the calendar") from None


def parse_degrees(text: str) -> float:
    """Degrees with a decimal point, e.g. "51.3504". Raises ValueError for exponents, infinities and the rest."""
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{text[:20]!r} is not a number of degrees; expected e.g. 51.3504")
    return float(text)


def in_poland(lat: float, lon: float) -> bool:
    """Whether a WGS84 point is in the ranges that the API accepts, ends included. False for NaN and infinities."""
    if not (math.isfinite(lat) and math.isfinite(lon)):
        return False
    return LAT_RANGE[0] <= lat <= LAT_RANGE[1] and LON_RANGE[0] <= lon <= LON_RANGE[1]


def tidy(text: str) -> str:
    """Text on one line: composed letters (NFC), no control, format or unassigned characters, single blanks.

    Such characters (joiners, marks that turn the direction of writing) would make two names look equal, or one look
    like another.
    """
    kept = []
    for character in unicodedata.normalize("NFC", text):
        category = unicodedata.category(character)
        if character.isspace() or category == "Cc":
            kept.append(" ")
        elif category[0] != "C":
            kept.append(character)
    return " ".join("".join(kept).split())


def cut(text: str, limit: int) -> str:
    """The text, or its beginning up to the last whole word with "…", at most `limit` characters."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    whole_words = head.rsplit(" ", 1)[0]
    # One endless word is cut inside rather than dropped.
    return (whole_words if len(whole_words) >= limit // 2 else head).rstrip() + "…"
