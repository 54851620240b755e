"""Parsing of single values: dates, numbers, texts, positions."""

import math
import re
import unicodedata
from datetime import date
from functools import lru_cache

from catalog.territory.coordinates import LAT_RANGE, LON_RANGE

MAX_PLACE_NAME = 120
"""Maximum length of the name of a locality, in characters."""

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"-?[0-9]{1,4}(\.[0-9]{1,20})?")


@lru_cache(maxsize=100)  # registers repeat a few days in a hundred thousand rows
def parse_day(text: str) -> date:
    """Parse a day YYYY-MM-DD. Raises ValueError for anything else."""
    if _DAY.fullmatch(text) is None:
        raise ValueError(f"{text[:20]!r} is not a day; expected YYYY-MM-DD")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the calendar") from None


def parse_degrees(text: str) -> float:
    """Parse degrees with a decimal point, e.g. "51.3504". Raises ValueError for exponents, infinities and the like."""
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{text[:20]!r} is not a number of degrees; expected e.g. 51.3504")
    return float(text)


def in_poland(lat: float, lon: float) -> bool:
    """Whether a WGS84 point is within the ranges of the API, inclusive. False for NaN and infinities."""
    if not (math.isfinite(lat) and math.isfinite(lon)):
        return False
    return LAT_RANGE[0] <= lat <= LAT_RANGE[1] and LON_RANGE[0] <= lon <= LON_RANGE[1]


def tidy(text: str) -> str:
    """Normalise text to one line: NFC, single blanks, no control, format or unassigned characters.

    Format characters (joiners, direction marks) would make different names look equal, or one like another.
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
    """Cut text at the last whole word with "…", to at most `limit` characters."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    whole_words = head.rsplit(" ", 1)[0]
    # A single long word is cut inside.
    return (whole_words if len(whole_words) >= limit // 2 else head).rstrip() + "…"
