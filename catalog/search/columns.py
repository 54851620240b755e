"""Compact storage of many short texts, with substring search."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

LINE_END, BLANK = b"\n "

DEPTH = 8
"""Number of bytes by which a suffix array is sorted; longer keys are compared with every remaining suffix."""

SENTINEL = b"\xff"
"""Sorts after every byte of a folded name."""


class StringColumn:
    """An immutable sequence of texts without line breaks, stored as one text with offsets."""

    def __init__(self, joined: str) -> None:
        """joined: non-empty texts separated by line breaks; "" for no texts."""
        self.text = f"\n{joined}\n".encode() if joined else b"\n"
        self._after_breaks = (np.flatnonzero(self.letters == LINE_END) + 1).astype(np.int32)
        self.begins: NDArray[np.int32] = self._after_breaks[:-1]

    def __len__(self) -> int:
        return len(self.begins)

    def __getitem__(self, number: int) -> str:
        return self.text[self._after_breaks[number] : self._after_breaks[number + 1] - 1].decode()

    @property
    def letters(self) -> NDArray[np.uint8]:
        """The bytes of the whole text; a line break precedes and follows each entry."""
        return np.frombuffer(self.text, np.uint8)

    def numbers_at(self, offsets: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the indexes of the texts at the given offsets, ascending and unique."""
        return np.unique(self.begins.searchsorted(offsets, "right") - 1)


@dataclass(frozen=True, slots=True)
class SuffixArray:
    """Offsets into a text, sorted by the `DEPTH` bytes that follow each."""

    text: bytes
    offsets: NDArray[np.int32]

    @classmethod
    def build(cls, text: bytes, offsets: NDArray[np.int32], prefixes: NDArray[np.uint64]) -> Self:
        """offsets: ascending. prefixes: of every offset of the text, see `prefix_numbers`."""
        return cls(text, offsets[np.argsort(prefixes[offsets], kind="stable")])

    def lookup(self, key: bytes) -> NDArray[np.int32]:
        """Return the offsets at which the text contains `key`, unordered."""
        text, offsets, beginning = self.text, self.offsets.data, key[:DEPTH]

        def read(offset: int) -> bytes:
            return text[offset : offset + DEPTH]

        low = bisect_left(offsets, beginning, key=read)
        high = bisect_left(offsets, beginning + SENTINEL, low, key=read)
        if len(key) > DEPTH:
            return np.array([offset for offset in offsets[low:high] if text.startswith(key, offset)], dtype=np.int32)
        return self.offsets[low:high]


def prefix_numbers(letters: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return for each offset its next `DEPTH` bytes as a number; numbers sort as the bytes do."""
    padded = np.concatenate([letters, np.zeros(DEPTH, np.uint8)])
    numbers = np.zeros(len(letters), np.uint64)
    for position in range(DEPTH):
        numbers <<= np.uint64(8)
        numbers |= padded[position : position + len(letters)]
    return numbers
