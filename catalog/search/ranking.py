"""The order of suggestions: how a name was found, among names found alike importance, and kinds of localities.

Names that begin with the text or contain it come in the order of `TextTier`, names found word by word or in spite of
mistakes in that of `WordTier`. `entries` writes names in order of importance. An index of words.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import IntEnum, auto

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from catalog.models import Municipality
from catalog.text import is_city_with_county_rights

LARGEST = 400
"""Number of the largest municipalities, which are ranked as well known."""

URBAN = frozenset({Municipality.Kind.TOWN, Municipality.Kind.MIXED})
"""Kinds of municipality that are towns or contain one."""

TOWN, DISTRICT, VILLAGE, OTHER = range(4)

KIND_TIERS = {"miasto": TOWN, "dzielnica": DISTRICT, "delegatura": DISTRICT, "wieś": VILLAGE}


def kind_tier(kind: str, municipality: str) -> int:
    """Return the rank of a kind of locality, best known first: parts of large cities before villages."""
    if kind == "część miasta" and is_city_with_county_rights(municipality):
        return DISTRICT
    return KIND_TIERS.get(kind, OTHER)


class TextTier(IntEnum):
    """How a name contains a text, best first."""

    EXACT_MUNICIPALITY = auto()
    LARGEST_MUNICIPALITY = auto()
    """One of the `LARGEST` begins with the text."""
    TOWN = auto()
    """The text is the first word of an `URBAN` municipality."""
    EXACT = auto()
    BEGINNING = auto()
    LATER_WORD = auto()
    """A later word begins with the text."""
    INSIDE_WORD = auto()


class WordTier(IntEnum):
    """How the words of a query cover a name, best first; a name with fewer edits goes before every other."""

    EXACT_MUNICIPALITY = auto()
    WELL_KNOWN = auto()
    """One of the `LARGEST` municipalities, or an `URBAN` one whose words are not shortened."""
    WHOLE_NAME = auto()
    PART_OF_NAME = auto()


Numbers = NDArray[np.int32]

AFTER = "\U0010ffff"


class WordIndex:
    """An inverted index: the numbers of the texts that contain each word."""

    def __init__(self, pairs: Iterable[tuple[str, int]]) -> None:
        """pairs: (word, number of a text), unordered and unique."""
        postings: dict[str, list[int]] = defaultdict(list)
        for word, number in pairs:
            postings[word].append(number)
        self.words = sorted(postings)
        counts = np.fromiter((len(postings[word]) for word in self.words), np.int32, len(self.words))
        self._starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        self._postings = np.fromiter(
            (number for word in self.words for number in postings[word]), np.int32, int(self._starts[-1])
        )
        self._lengths = np.fromiter(map(len, self.words), np.int16, len(self.words))
        self._letters = np.fromiter(map(letter_set, self.words), np.uint64, len(self.words))

    def exact(self, word: str) -> Numbers:
        low = bisect_left(self.words, word)
        high = low + (low < len(self.words) and self.words[low] == word)
        return self._postings[self._starts[low] : self._starts[high]]

    def prefix(self, beginning: str) -> Numbers:
        """Return the texts that contain a word with this prefix, once per word."""
        low = bisect_left(self.words, beginning)
        high = bisect_right(self.words, beginning + AFTER, low)
        return self._postings[self._starts[low] : self._starts[high]]

    def similar(self, word: str, max_edits: int) -> Iterator[tuple[int, Numbers]]:
        """Yield the number of edits to each word within `max_edits`, and the texts that contain it.

        An edit is an inserted, deleted, replaced or transposed letter (optimal string alignment).
        """
        near = np.abs(self._lengths - len(word)) <= max_edits
        # An edit removes at most one letter and adds one: few words remain to be compared exactly.
        near &= np.bitwise_count(self._letters ^ np.uint64(letter_set(word))) <= 2 * max_edits
        words = [self.words[number] for number in np.flatnonzero(near)]
        yield from self._compare(word, words, words, max_edits)

    def similar_prefix(self, beginning: str, max_edits: int) -> Iterator[tuple[int, Numbers]]:
        """Yield the same for words with a prefix within `max_edits`; the first letter has to match."""
        low = bisect_left(self.words, beginning[0])
        high = bisect_right(self.words, beginning[0] + AFTER, low)
        lacking = np.uint64(letter_set(beginning)) & ~self._letters[low:high]
        words = [self.words[low + number] for number in np.flatnonzero(np.bitwise_count(lacking) <= max_edits)]
        for length in range(len(beginning) - max_edits, len(beginning) + max_edits + 1):
            longer = [word for word in words if len(word) > length]
            yield from self._compare(beginning, longer, [word[:length] for word in longer], max_edits)

    def _compare(
        self, key: str, words: list[str], compared: list[str], max_edits: int
    ) -> Iterator[tuple[int, Numbers]]:
        if not words:
            return
        edits = cdist([key], compared, scorer=OSA.distance, score_cutoff=max_edits, dtype=np.uint8)[0]
        for hit in np.flatnonzero(edits <= max_edits):
            yield int(edits[hit]), self.exact(words[hit])


def letter_set(word: str) -> int:
    """Return the letters and digits of a folded word as a bit mask; other letters share bits."""
    bits = 0
    for letter in word:
        bits |= 1 << ord(letter) % 64
    return bits
