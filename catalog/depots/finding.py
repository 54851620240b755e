"""Search for published depots by name, telephone and tax number, for the home page."""

import re
from itertools import islice
from weakref import WeakKeyDictionary

from catalog.depots.snapshot import DepotRow, Depots, depots
from catalog.text import fold

MOST_FOUND = 8
FEWEST_LETTERS = 3
FEWEST_DIGITS = 7
"""Digits of a telephone or tax number, of which the end may be typed without the country code."""

NUMBER = re.compile(r"[+\d][\d ()./-]*", re.ASCII)
NOT_DIGIT = re.compile(r"\D", re.ASCII)

_folded: WeakKeyDictionary[Depots, list[str]] = WeakKeyDictionary()
"""Folded names of the rows of a snapshot, kept as long as it."""


def find_by_words(text: str) -> list[DepotRow]:
    """Return at most `MOST_FOUND` depots with all words of a text in their name, as a telephone or as a tax number.

    Names equal to the text come first, then those that begin with it, then the shorter ones.
    """
    rows = depots.get()
    number = text.strip().upper().removeprefix("NIP").lstrip(" :")
    if NUMBER.fullmatch(number):
        digits = NOT_DIGIT.sub("", number)
        if len(digits) < FEWEST_DIGITS:
            return []
        matches = (row for row in rows.rows if row.nip == digits or ends_any(row.phone, digits))
        return list(islice(matches, MOST_FOUND))
    key = fold(text)
    if len(key) < FEWEST_LETTERS:
        return []
    names = _folded.get(rows)
    if names is None:
        names = _folded[rows] = [fold(row.name) for row in rows.rows]
    words = key.split()
    named = [
        (name != key, not name.startswith(key), len(name), place)
        for place, name in enumerate(names)
        if all(word in name for word in words)
    ]
    return [rows.rows[place] for *_, place in sorted(named)[:MOST_FOUND]]


def ends_any(phone: str, digits: str) -> bool:
    """Whether one of the stored numbers, with ", " between them, ends with digits."""
    return any(NOT_DIGIT.sub("", number).endswith(digits) for number in phone.split(",")) if phone else False
