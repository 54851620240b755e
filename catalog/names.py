"""The names that `/locations` suggests, in the memory of each process, and the places in them where a text occurs.

Most questions are for the beginning of a name. All beginnings stand in one order, and a text is looked up in it by
halving, as in a dictionary; so are beginnings of later words, and all that stands inside words. A whole country takes
about nine megabytes, and no question costs a query.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Self

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from catalog.models import SearchEntry

LINE_END, BLANK = b"\n "

DEPTH = 8
"""By how many characters places in names are ordered; longer texts are compared with each place that is left."""

AT_ONCE = 32
"""So many places are looked at together: more than suggestions, since a name may hold a text twice."""

BEHIND = b"\xff"
"""Sorts behind whatever a folded name holds."""

CODE_LENGTH = 7

KINDS = {kind[0]: kind for kind in SearchEntry.Kind.values}
"""By their initials, which are what is read."""

# Each column of all rows as one text: a hundred thousand rows would be as many objects of each. A description stands
# some ten times, so a number is sent for it.
READ = """
    WITH descriptions AS MATERIALIZED (
        SELECT description, row_number() OVER () - 1 AS number
        FROM (SELECT DISTINCT description FROM catalog_searchentry) each
    ), entries AS (
        SELECT left(e.kind, 1) AS kind, e.fold, e.label, d.number::int, e.municipality_id
        FROM catalog_searchentry e JOIN descriptions d USING (description)
        ORDER BY e.rank
    )
    SELECT
        string_agg(fold, E'\n'), string_agg(label, E'\n'), string_agg(kind, ''),
        string_agg(municipality_id, ''), (SELECT string_agg(description, E'\n' ORDER BY number) FROM descriptions),
        string_agg(int4send(number), '')
    FROM entries
"""

READ_SLUGS = """
    SELECT m.teryt, m.slug, v.slug
    FROM catalog_municipality m JOIN catalog_voivodeship v ON v.teryt = m.voivodeship_id
"""


class Lines:
    """Many short texts without line breaks, in little more memory than their letters take."""

    def __init__(self, joined: str) -> None:
        """joined: the texts, none of them empty, with a line break between them; "" for no texts."""
        self.text = f"\n{joined}\n".encode() if joined else b"\n"
        ends = np.flatnonzero(np.frombuffer(self.text, np.uint8) == LINE_END)
        self.begins: NDArray[np.int32] = (ends[:-1] + 1).astype(np.int32)
        self._last = int(ends[-1])

    def __getitem__(self, number: int) -> str:
        return self.text[self.begins[number] : self.end(number)].decode()

    def end(self, number: int) -> int:
        """Where a text ends."""
        return int(self.begins[number + 1]) - 1 if number + 1 < len(self.begins) else self._last


@dataclass(frozen=True, slots=True)
class Places:
    """Places in folded names, in the order of what is read from each."""

    text: bytes
    places: NDArray[np.int32]

    @classmethod
    def of(cls, text: bytes, places: NDArray[np.int32], beginnings: NDArray[np.uint64]) -> Self:
        """places: ascending. beginnings: for each place of the text its next eight bytes as a number."""
        return cls(text, places[np.argsort(beginnings[places], kind="stable")])

    def reading(self, key: bytes) -> NDArray[np.int32]:
        """Where a text is read, in no order."""
        text, places, beginning = self.text, self.places.data, key[:DEPTH]

        def read(place: int) -> bytes:
            return text[place : place + DEPTH]

        low = bisect_left(places, beginning, key=read)
        high = bisect_left(places, beginning + BEHIND, low, key=read)
        if len(key) > DEPTH:
            return np.array([place for place in places[low:high] if text.startswith(key, place)], dtype=np.int32)
        return self.places[low:high]


class Names:
    """Every name that can be suggested, numbered in the order of importance."""

    def __init__(
        self,
        folds: str,
        labels: str,
        kinds: str,
        teryts: str,
        descriptions: str,
        numbers: NDArray[np.int32],
        slugs: dict[str, tuple[str, str]],
    ) -> None:
        """folds, labels: a line for each name. kinds, teryts: one letter and seven digits for each.

        descriptions: a line for each that there is. numbers: of the description of each name. slugs: of municipality
        and voivodeship, by TERYT.
        """
        self.folds, self.labels, self.descriptions, self.slugs = Lines(folds), Lines(labels), Lines(descriptions), slugs
        self._kinds, self._teryts, self._numbers = kinds, teryts, numbers
        letters = self._letters()
        places = np.flatnonzero((letters != LINE_END) & (letters != BLANK)).astype(np.int32)
        before = letters[places - 1]
        beginnings = _beginnings(letters)
        text = self.folds.text
        self._firsts = Places.of(text, places[before == LINE_END], beginnings)
        self._words = Places.of(text, places[before == BLANK], beginnings)
        self._inside = Places.of(text, places[(before != LINE_END) & (before != BLANK)], beginnings)

    def kind(self, number: int) -> str:
        """One of SearchEntry.Kind."""
        return KINDS[self._kinds[number]]

    def teryt(self, number: int) -> str:
        """The municipality of a name."""
        return self._teryts[number * CODE_LENGTH : (number + 1) * CODE_LENGTH]

    def description(self, number: int) -> str:
        """What a name is, and where."""
        return self.descriptions[int(self._numbers[number])]

    def _letters(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.folds.text, np.uint8)

    def find(self, key: str, limit: int) -> list[int]:
        """Numbers of the first names for a folded text, the best first.

        Exact names before those that begin with it, before those of which a later word does, before those that have it
        inside a word; within each in the order of importance.
        """
        found: dict[int, None] = {}
        for places in self._classes(key.encode()):
            # Names follow each other in the order of importance, and so do places in them.
            ordered = np.sort(places)
            for start in range(0, len(ordered), AT_ONCE):
                numbers = self.folds.begins.searchsorted(ordered[start : start + AT_ONCE], "right") - 1
                found |= dict.fromkeys(numbers.tolist())
                if len(found) >= limit:
                    return list(found)[:limit]
        return list(found)

    def _classes(self, text: bytes) -> Iterator[NDArray[np.int32]]:
        firsts = self._firsts.reading(text)
        whole = self._letters()[firsts + len(text)] == LINE_END
        yield firsts[whole]
        yield firsts[~whole]
        yield self._words.reading(text)
        yield self._inside.reading(text)

    def find_postcodes(self, pattern: str, limit: int) -> list[int]:
        """Numbers of the first postcodes with some digits at their places. pattern: digits, "_" for any one."""
        known = pattern.partition("_")[0]
        places = self._firsts.reading(known.encode()) if known else self.folds.begins
        letters = self._letters()
        for position, digit in enumerate(pattern):
            if digit != "_":
                places = places[letters.take(places + position, mode="clip") == ord(digit)]
        numbers = np.sort(self.folds.begins.searchsorted(places))
        found = (int(number) for number in numbers if self.kind(number) == SearchEntry.Kind.POSTCODE)
        return list(islice(found, limit))


def _beginnings(letters: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """For each place the eight bytes from there as a number, whose order is that of the bytes."""
    padded = np.concatenate([letters, np.zeros(DEPTH, np.uint8)])
    numbers = np.zeros(len(letters), np.uint64)
    for position in range(DEPTH):
        numbers <<= np.uint64(8)
        numbers |= padded[position : position + len(letters)]
    return numbers


def read_names() -> Names:
    """The names of the present state. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(READ)
        *columns, sent = cursor.fetchone()
        cursor.execute(READ_SLUGS)
        slugs = {teryt: (municipality, voivodeship) for teryt, municipality, voivodeship in cursor.fetchall()}
    numbers = np.frombuffer(sent or b"", ">i4").astype(np.int32)
    folds, labels, kinds, teryts, descriptions = (column or "" for column in columns)
    return Names(folds, labels, kinds, teryts, descriptions, numbers, slugs)
