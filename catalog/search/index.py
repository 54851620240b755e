"""In-memory index of the names that `/locations` suggests, with substring search.

All prefixes are in one sorted array and found by binary search; so are prefixes of later words, and substrings. Equal
names are stored once. The country takes some twelve megabytes, a search no query.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from catalog.models import Municipality, SearchEntry
from catalog.search.entries import DECIMALS
from catalog.search.ranking import LARGEST, URBAN, TextTier

LINE_END, BLANK = b"\n "

MAX_SUGGESTIONS = 8

DEPTH = 8
"""Number of bytes by which a suffix array is sorted; longer keys are compared with every remaining suffix."""

SENTINEL = b"\xff"


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

    def numbers_at(self, offsets: NDArray[np.int32]) -> list[int]:
        """Return the indexes of the texts at the given offsets, ascending and unique."""
        return sorted({*(self.begins.searchsorted(offsets, "right") - 1).tolist()})


class SuffixArray:
    """Offsets into a text, sorted by the `DEPTH` bytes that follow each."""

    def __init__(self, text: bytes, offsets: NDArray[np.int32], prefixes: NDArray[np.uint64]) -> None:
        """offsets: ascending. prefixes: of every offset of the text, see `prefix_numbers`."""
        self.text, self.offsets = text, offsets[np.argsort(prefixes[offsets], kind="stable")]

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


CODE_LENGTH = 7

KINDS = {kind[0]: kind for kind in SearchEntry.Kind.values}

POSITIONS = ("", *SearchEntry.Position.values)
"""Positions by their stored numbers; the first means none."""

UNKNOWN = -(10**9)

FURTHER = 200
"""Names compared with the diacritics of a text."""

# Columns of all rows as one text each: a hundred thousand rows would be as many objects per column. A description
# occurs some ten times, so rows refer to it by number.
READ = """
    WITH descriptions AS MATERIALIZED (
        SELECT description, row_number() OVER () - 1 AS number
        FROM (SELECT DISTINCT description FROM catalog_searchentry) each
    ), entries AS (
        SELECT left(e.kind, 1) AS kind, e.fold, e.label, d.number::int, e.municipality_id,
            coalesce(round(e.lat * %(scale)s)::int, %(unknown)s) AS lat,
            coalesce(round(e.lon * %(scale)s)::int, %(unknown)s) AS lon,
            array_position(%(positions)s, e.position::text) - 1 AS position
        FROM catalog_searchentry e JOIN descriptions d USING (description)
        ORDER BY e.rank
    )
    SELECT
        string_agg(fold, E'\n'), string_agg(label, E'\n'), string_agg(kind, ''),
        string_agg(municipality_id, ''), (SELECT string_agg(description, E'\n' ORDER BY number) FROM descriptions),
        string_agg(position::text, ''), string_agg(int4send(number), ''), string_agg(int4send(lat), ''),
        string_agg(int4send(lon), '')
    FROM entries
"""

Numbers = NDArray[np.int64]
Offsets = NDArray[np.int32]


class Columns(NamedTuple):
    """All entries in order of importance, as columns.

    folds, labels: a line per entry. kinds: an initial per entry. teryts: seven digits per entry. positions: a digit per
    entry, an index into `POSITIONS`.

    descriptions: a line per distinct description; numbers: its index per entry.

    lats, lons: in units of the last of `DECIMALS` decimals, `UNKNOWN` if missing.
    """

    folds: str
    labels: str
    kinds: str
    teryts: str
    descriptions: str
    positions: str
    numbers: NDArray[np.int32]
    lats: NDArray[np.int32]
    lons: NDArray[np.int32]


class SearchIndex:
    """All entries, numbered in order of importance; municipalities first.

    Equal names share one folded text, numbered by its most important entry.
    """

    def __init__(self, columns: Columns, units: Mapping[str, Municipality]) -> None:
        """units: municipalities by code, with county and voivodeship loaded."""
        folds = columns.folds.split("\n") if columns.folds else []
        first: dict[str, int] = {}
        self.fold_of = np.fromiter((first.setdefault(text, len(first)) for text in folds), np.intp, len(folds))
        self.folds = StringColumn("\n".join(first))
        self._entries = np.argsort(self.fold_of, kind="stable").astype(np.int32)
        self._starts = np.searchsorted(self.fold_of[self._entries], np.arange(len(first) + 1)).astype(np.int32)
        self.labels, self.descriptions = StringColumn(columns.labels), StringColumn(columns.descriptions)
        self._kinds, self._positions = columns.kinds, columns.positions
        self._numbers, self._lats, self._lons = columns.numbers, columns.lats, columns.lons
        self.units = units
        self.codes = sorted(units)
        places = {code: place for place, code in enumerate(self.codes)}
        codes = columns.teryts
        self.unit_of = np.fromiter(
            (places[codes[at : at + CODE_LENGTH]] for at in range(0, len(codes), CODE_LENGTH)), np.int16, len(folds)
        )
        """Municipality of each entry, as an index into `codes`."""
        self.municipalities = columns.kinds.count(SearchEntry.Kind.MUNICIPALITY[0])
        """Number of municipality entries; all others follow."""
        self.municipality_folds = int(self.fold_of[: self.municipalities].max(initial=-1)) + 1
        """Number of folded texts of municipalities; they come first."""
        self.largest = np.arange(self.municipalities) < LARGEST
        self.urban = np.array([units[self.teryt(n)].kind in URBAN for n in range(self.municipalities)], dtype=bool)
        self._every = np.ones(self.municipalities, bool)
        text, letters = self.folds.text, self.folds.letters
        self._municipalities_end = int(self.folds.begins[self.municipality_folds - 1]) + 1 if self.municipalities else 0
        """Offset after the start of the last folded text of a municipality."""
        offsets = np.flatnonzero((letters != LINE_END) & (letters != BLANK)).astype(np.int32)
        before = letters[offsets - 1]
        prefixes = prefix_numbers(letters)
        self._firsts = SuffixArray(text, offsets[before == LINE_END], prefixes)
        self._words = SuffixArray(text, offsets[before == BLANK], prefixes)
        self._inside = SuffixArray(text, offsets[(before != LINE_END) & (before != BLANK)], prefixes)

    def kind(self, number: int) -> str:
        return KINDS[self._kinds[number]]

    def teryt(self, number: int) -> str:
        return self.codes[self.unit_of.item(number)]

    def fold(self, number: int) -> str:
        """Return the folded name of an entry, or the five digits of a postcode."""
        return self.folds[self.fold_of.item(number)]

    def description(self, number: int) -> str:
        return self.descriptions[self._numbers.item(number)]

    def described(self, *beginnings: str) -> list[int]:
        """Return the entries whose description begins so, most important first."""
        chosen = [n for n in range(len(self.descriptions)) if self.descriptions[n].startswith(beginnings)]
        numbers: list[int] = np.flatnonzero(np.isin(self._numbers, chosen)).tolist()
        return numbers

    def point(self, number: int) -> tuple[float, float] | None:
        """Return the WGS84 position (lat, lon) of an entry, None if unknown."""
        lat, lon = self._lats.item(number), self._lons.item(number)
        return None if lat == UNKNOWN else (lat / 10**DECIMALS, lon / 10**DECIMALS)

    def position(self, number: int) -> str | None:
        """Return the source of an entry's position, a `SearchEntry.Position`, None if unknown."""
        return POSITIONS[int(self._positions[number])] or None

    def at_point(self, lat: float, lon: float) -> list[int]:
        """Return the entries at a position, most important first."""
        scale = 10**DECIMALS
        numbers: list[int] = np.flatnonzero(
            (self._lats == round(lat * scale)) & (self._lons == round(lon * scale))
        ).tolist()
        return numbers

    def within(self, south: float, west: float, north: float, east: float) -> list[int]:
        """Return the entries in a box of WGS84 degrees, most important first."""
        south, west, north, east = (degrees * 10**DECIMALS for degrees in (south, west, north, east))
        lats, lons = self._lats, self._lons
        numbers: list[int] = np.flatnonzero((lats > south) & (lats < north) & (lons > west) & (lons < east)).tolist()
        return numbers

    def expand(self, folds: NDArray[np.integer]) -> tuple[NDArray[np.int32], Numbers]:
        """Return the entries with the given folded texts, and for each the index of its text."""
        starts = self._starts[folds]
        counts = self._starts[folds + 1] - starts
        place = np.repeat(np.arange(len(folds)), counts)
        ends = np.cumsum(counts)
        inside = np.arange(len(place)) - (ends - counts)[place]
        return self._entries[starts[place] + inside], place

    def find(
        self, key: str, accented: tuple[str, ...] = (), typed: str = "", limit: int = MAX_SUGGESTIONS
    ) -> list[int]:
        """Return the best entries for a folded text.

        In order of `TextTier`, within each by importance.

        accented: words of the text with their diacritics; names with them go first within each group. typed: the text
        in lower case; among exact municipalities the one with exactly that name goes first: Brojce is not Brójce. A
        village of that name goes before towns that begin with the folded text alone: "ząb" is Ząb, not Zabrze.
        """
        found: dict[int, None] = {}
        is_spelled = accented and any(self.labels[number].casefold() == typed for number in self.named(key))
        for tier, offsets, which in self._places(key.encode()):
            if which is None:
                numbers = self._first(offsets, limit, accented)
            else:
                numbers = self._municipalities(offsets, which, limit, accented)
            if tier is TextTier.EXACT_MUNICIPALITY:
                numbers.sort(key=lambda number: self.labels[number].casefold() != typed)
            elif which is not None and is_spelled:
                numbers = [number for number in numbers if not self.mismatches(number, accented)]
            found |= dict.fromkeys(numbers)
            if len(found) >= limit:
                break
        return list(found)[:limit]

    def named(self, key: str) -> list[int]:
        """Return all entries with exactly this folded name, most important first."""
        firsts = self._firsts.lookup(key.encode())
        whole = firsts[self.folds.letters[firsts + len(key.encode())] == LINE_END]
        return [number for fold in self.folds.numbers_at(whole) for number in self._with_fold(fold)]

    def fragments(self, key: str, accented: tuple[str, ...] = ()) -> list[int]:
        """Return the best entries that contain a folded text inside a word, also across blanks."""
        return self._first(np.sort(self._inside.lookup(key.encode())), MAX_SUGGESTIONS, accented)

    def _places(self, text: bytes) -> Iterator[tuple[TextTier, Offsets, NDArray[np.bool_] | None]]:
        """Yield where each tier has a text, looked up when it is asked for.

        Ascending offsets in the folded texts, and the municipalities that count, None for all entries.
        """
        firsts = np.sort(self._firsts.lookup(text))
        following = self.folds.letters[firsts + len(text)]
        whole = following == LINE_END
        exact, longer = firsts[whole], firsts[~whole]
        yield TextTier.EXACT_MUNICIPALITY, exact, self._every
        yield TextTier.LARGEST_MUNICIPALITY, longer, self.largest
        yield TextTier.TOWN, firsts[following == BLANK], self.urban
        yield TextTier.EXACT, exact, None
        yield TextTier.BEGINNING, longer, None
        yield TextTier.LATER_WORD, np.sort(self._words.lookup(text)), None
        if b" " not in text:
            yield TextTier.INSIDE_WORD, np.sort(self._inside.lookup(text)), None

    def _first(self, offsets: Offsets, limit: int, accented: tuple[str, ...]) -> list[int]:
        """Return the most important entries at offsets, which ascend as importance falls."""
        most = FURTHER if accented else limit
        # No entry of a later text is more important than the first of an earlier one.
        folds = self.folds.numbers_at(offsets)[:most]
        numbers = sorted(number for fold in folds for number in self._with_fold(fold, most))
        if accented:
            numbers.sort(key=lambda number: self.mismatches(number, accented))
        return numbers[:limit]

    def _municipalities(
        self, offsets: Offsets, which: NDArray[np.bool_], limit: int, accented: tuple[str, ...]
    ) -> list[int]:
        """Return the most important municipalities at offsets, of those that count."""
        offsets = offsets[: offsets.searchsorted(self._municipalities_end)]
        if not len(offsets):
            return []
        named = np.zeros(self.municipality_folds, bool)
        named[self.folds.begins.searchsorted(offsets, "right") - 1] = True
        numbers: list[int] = np.flatnonzero(named[self.fold_of[: self.municipalities]] & which).tolist()
        if accented:
            numbers.sort(key=lambda number: self.mismatches(number, accented))
        return numbers[:limit]

    def _with_fold(self, fold: int, limit: int | None = None) -> list[int]:
        start, end = self._starts[fold : fold + 2].tolist()
        numbers: list[int] = self._entries[start : end if limit is None else min(end, start + limit)].tolist()
        return numbers

    def mismatches(self, number: int, accented: tuple[str, ...]) -> int:
        """Return the number of words with diacritics that no word of a label starts with."""
        if not accented:
            return 0
        words = self.labels[number].casefold().replace("-", " ").split()
        return sum(not any(word.startswith(typed) for word in words) for typed in accented)

    def find_postcodes(self, pattern: str) -> list[int]:
        """Return the first postcodes that match a pattern of digits and "_" for any digit."""
        known = pattern.partition("_")[0]
        offsets = self._firsts.lookup(known.encode()) if known else self.folds.begins
        letters = self.folds.letters
        for position, digit in enumerate(pattern):
            if digit != "_":
                offsets = offsets[letters.take(offsets + position, mode="clip") == ord(digit)]
        numbers = np.sort(self.expand(self.folds.begins.searchsorted(offsets))[0]).tolist()
        return list(islice((n for n in numbers if self.kind(n) == SearchEntry.Kind.POSTCODE), MAX_SUGGESTIONS))


def read_index(units: Mapping[str, Municipality]) -> SearchIndex:
    """Read the index. One query. units: every municipality by code."""
    with connection.cursor() as cursor:
        cursor.execute(READ, {"scale": 10**DECIMALS, "unknown": UNKNOWN, "positions": list(POSITIONS)})
        *texts, numbers, lats, lons = cursor.fetchone()
    arrays = (np.frombuffer(sent or b"", ">i4").astype(np.int32) for sent in (numbers, lats, lons))
    folds, labels, kinds, teryts, descriptions, positions = (text or "" for text in texts)
    return SearchIndex(Columns(folds, labels, kinds, teryts, descriptions, positions, *arrays), units)
