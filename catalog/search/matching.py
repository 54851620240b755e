"""Matching by words: in any order, narrowed by surrounding units, with a few edits if nothing else matches."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.models import Municipality
from catalog.search.index import SearchIndex
from catalog.search.query import ContextScope, Reading, Token
from catalog.search.ranking import WordTier
from catalog.search.words import Numbers, WordIndex
from catalog.text import fold

Costs = NDArray[np.uint8]

NO_MATCH = 255
PREFIX, STEM, EDIT = 2, 1, 16
"""Costs of a word: a prefix, another form, each edit. Exact words cost nothing."""

LONG = 8
"""Words of at least this length may have two edits, shorter ones one."""

SHORTEST = 3
"""Minimum length of words with edits."""

MAX_EDITS = 2
"""Maximum number of edits of a query."""

LONG_ENOUGH = 4
"""Minimum length of a word prefix with an edit."""

MAX_PARTS = 4
"""Maximum number of words that may have been joined to one."""

CANDIDATES = 100
"""Number of entries that are sorted completely."""

ADJECTIVE_ENDINGS = ("iego", "iej", "iemu", "ich", "im", "ie", "a", "i", "u", "o", "")
"""Endings after "-sk", "-ck" and "-dzk" in the forms of a unit's name: nowotarski, nowotarskiego, nowotarskim."""

REGIONS = {
    "02": ("dolny slask",),
    "04": ("kujawy", "kujawach"),
    "06": ("lubelszczyzna", "lubelszczyznie"),
    "14": ("mazowsze", "mazowszu"),
    "16": ("opolszczyzna", "opolszczyznie"),
    "18": ("podkarpacie", "podkarpaciu"),
    "20": ("podlasie", "podlasiu"),
    "22": ("pomorze", "pomorzu"),
    "24": ("slask", "slasku", "gorny slask"),
    "28": ("warmia", "mazury", "mazurach"),
}
"""Colloquial names of voivodeships by TERYT, folded."""


class Mode(IntEnum):
    """How much words may differ; each mode includes the one before.

    In order: the last word may be a prefix; every word may be; edits in words that match nothing; edits in every word.
    """

    WORDS = 0
    PREFIXES = 1
    UNKNOWN_WORDS = 2
    ALL_WORDS = 3


class Match(NamedTuple):
    """A match of a query, compared by all fields: the least is the best.

    context: number of words that name surrounding units. cost: of inexact words. mismatches: of diacritics.
    """

    edits: int
    tier: int
    context: int
    cost: int
    mismatches: int
    number: int

    @property
    def fit(self) -> tuple[int, ...]:
        """Quality of the match without importance."""
        return self[:5]

    @property
    def whole(self) -> bool:
        """Whether the name matches completely."""
        return self.tier in (WordTier.EXACT_MUNICIPALITY, WordTier.WHOLE_NAME) and self.cost < PREFIX


Memo = dict[tuple[Token, Mode, bool], Costs]
"""Cached costs of the words of a query, in names (True) and units: readings share words."""


@dataclass(frozen=True, slots=True)
class Units:
    """Names of units at one level: single words, all words, and their stems.

    The values are numbers of municipalities.
    """

    names: WordIndex
    words: WordIndex
    stems: WordIndex

    @classmethod
    def of(cls, names: Iterable[tuple[str, int]]) -> "Units":
        """names: pairs of a folded name and the number of a municipality in the unit."""
        given = list(names)
        words = {(word, number) for name, number in given for word in name.split()}
        return cls(
            WordIndex((name, number) for name, number in given if " " not in name),
            WordIndex(sorted(words)),
            WordIndex(sorted({(stem(word), number) for word, number in words})),
        )


def stem(word: str) -> str:
    """Return an adjective without its ending: "nowotarskiego" gives "nowotarsk"; other words unchanged."""
    for ending in ADJECTIVE_ENDINGS:
        root = word.removesuffix(ending)
        if word.endswith(ending) and root.endswith(("sk", "ck", "zk")):
            return root
    return word


def max_edits(word: str) -> int:
    """Return the maximum number of edits of a word."""
    if len(word) < SHORTEST:
        return 0
    return 2 if len(word) >= LONG else 1


class WordMatcher:
    """Finds entries where each word of a query is in the name, or in the name of a surrounding unit."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        folds = [(number, text) for number, text in enumerate(_lines(index)) if not text[0].isdigit()]
        self._word_counts = np.zeros(len(index.folds), np.uint8)
        for number, text in folds:
            self._word_counts[number] = len(set(text.split()))
        joined = [(text.replace(" ", ""), n) for n, text in folds if n < index.municipality_folds and " " in text]
        self._joined = WordIndex(joined)
        self.names = WordIndex((word, number) for number, text in folds for word in set(text.split()))
        numbers = {code: number for number, code in enumerate(index.codes)}
        self._kinds = np.array([index.units[code].kind for code in index.codes], np.uint8)
        self._units = {
            scope: Units.of((name, numbers[code]) for code, unit in index.units.items() for name in names(unit))
            for scope, names in NAMES.items()
        }

    def find(self, reading: Reading, mode: Mode, limit: int, accented: tuple[str, ...], memo: Memo) -> list[Match]:
        """Return the best entries for a reading, only those with the fewest edits."""
        in_names = [self._costs(token, mode, memo, in_names=True) for token in reading.tokens]
        in_units = [self._costs(token, mode, memo, in_names=False) for token in reading.tokens]
        folds = np.flatnonzero(np.min(in_names, axis=0) < NO_MATCH)
        entries, place = self.index.expand(folds)
        units = self.index.unit_of[entries]
        total, named, shortened = (np.zeros(len(entries), np.int16) for _ in range(3))
        fits = np.ones(len(entries), bool)
        for of_names, of_units in zip(in_names, in_units, strict=True):
            by_name, by_unit = of_names[folds][place], of_units[units]
            in_name = (by_name < NO_MATCH) & ((by_name < EDIT) | (by_name <= by_unit))
            cost = np.where(in_name, by_name, by_unit)
            fits &= cost < NO_MATCH
            total += cost
            named += in_name
            shortened += in_name & (by_name % EDIT >= PREFIX)
        fits &= (named > 0) & (total // EDIT <= MAX_EDITS)
        if reading.kind is not None:
            kind = fits & (self._kinds[units] == reading.kind) & (entries < self.index.municipalities)
            fits = kind if kind.any() else fits
        at = np.flatnonzero(fits)
        if not len(at):
            return []
        entries, total, named = entries[at], total[at], named[at]
        edits, cost, context = total // EDIT, total % EDIT, len(reading.tokens) - named
        tier = self._tiers(
            entries, covered=named >= self._word_counts[self.index.fold_of[entries]], whole=shortened[at] == 0
        )
        order = np.lexsort((entries, cost, context, tier, edits))[:CANDIDATES]
        order = order[edits[order] == edits[order[0]]]
        matches = (
            Match(
                int(edits[n]),
                int(tier[n]),
                int(context[n]),
                int(cost[n]),
                self.index.mismatches(int(entries[n]), accented) if accented else 0,
                int(entries[n]),
            )
            for n in order
        )
        return sorted(matches)[:limit]

    def units_of(self, reading: Reading, mode: Mode, limit: int, memo: Memo) -> list[int]:
        """Return the municipalities of units named by a reading without a place.

        For a county, its seat goes first: the municipality with the most similar name, else a town.
        """
        found = [self._costs(token, mode, memo, in_names=False).astype(np.int16) for token in reading.tokens]
        costs = np.sum(found, axis=0)
        if costs.min(initial=NO_MATCH) >= EDIT:
            return []
        best = np.flatnonzero(costs == costs.min())
        fits = np.isin(self.index.unit_of[: self.index.municipalities], best)
        numbers: list[int] = np.flatnonzero(fits).tolist()
        counties = {self.index.teryt(number)[:4] for number in numbers}
        if len({code[:2] for code in counties}) == len(counties):
            numbers.sort(key=self._seat_order)
        return numbers[:limit]

    def respaced(self, reading: Reading) -> Iterator[Reading]:
        """Yield readings with joined words split, or split words joined."""
        tokens = reading.tokens
        for place, token in enumerate(tokens):
            for parts in self._parts(token.text, MAX_PARTS):
                apart = tuple(Token(part, scope=token.scope) for part in parts)
                yield Reading((*tokens[:place], *apart, *tokens[place + 1 :]), reading.kind)
        for place, (one, other) in enumerate(pairwise(tokens)):
            word = one.text + other.text
            if len(self.names.exact(word)):
                yield Reading((*tokens[:place], Token(word, scope=one.scope), *tokens[place + 2 :]), reading.kind)

    def _parts(self, text: str, most: int) -> Iterator[tuple[str, ...]]:
        """Yield splits of a text into two or more known words of at least two letters."""
        for cut in range(2, len(text) - 1):
            if len(self.names.exact(text[:cut])):
                if len(self.names.exact(text[cut:])):
                    yield text[:cut], text[cut:]
                if most > 2:
                    for rest in self._parts(text[cut:], most - 1):
                        yield text[:cut], *rest

    def _seat_order(self, number: int) -> tuple[int, bool, int]:
        unit = self.index.units[self.index.teryt(number)]
        name, county = fold(unit.name), fold(unit.county.name)
        alike = next((n for n, (a, b) in enumerate(zip(name, county, strict=False)) if a != b), len(name))
        return -alike if alike >= SHORTEST else 0, unit.kind != Municipality.Kind.TOWN, number

    def _tiers(
        self, entries: NDArray[np.int32], *, covered: NDArray[np.bool_], whole: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        municipality = entries < self.index.municipalities
        known = np.zeros(len(entries), bool)
        numbers = entries[municipality]
        known[municipality] = self.index.largest[numbers] | (self.index.urban[numbers] & whole[municipality])
        tiers = np.where(covered, WordTier.WHOLE_NAME, WordTier.PART_OF_NAME)
        tiers[known] = WordTier.WELL_KNOWN
        tiers[covered & whole & municipality] = WordTier.EXACT_MUNICIPALITY
        return tiers

    def _costs(self, token: Token, mode: Mode, memo: Memo, *, in_names: bool) -> Costs:
        key = token, mode, in_names
        if key not in memo:
            edits = max_edits(token.text) if mode is Mode.ALL_WORDS or self._is_unknown(token, mode) else 0
            prefix = token.prefix or mode > Mode.WORDS
            memo[key] = (self._costs_in_names if in_names else self._costs_in_units)(token, edits, prefix)
        return memo[key]

    def _is_unknown(self, token: Token, mode: Mode) -> bool:
        if mode is not Mode.UNKNOWN_WORDS or len(self.names.exact(token.text)):
            return False
        return not any(len(units.stems.exact(stem(token.text))) for units in self._units.values())

    def _costs_in_names(self, token: Token, edits: int, prefix: bool) -> Costs:
        costs = np.full(len(self._word_counts), NO_MATCH, np.uint8)
        if token.scope is not None:
            return costs
        _lower(costs, token, self.names, edits, prefix=prefix)
        if edits:
            _lower_all(costs, self._joined.similar(token.text, edits), 0)
            if token.prefix and len(token.text) >= LONG_ENOUGH:
                # The last word may be incomplete.
                _lower_all(costs, self.names.similar_prefix(token.text, 1), PREFIX)
        return costs

    def _costs_in_units(self, token: Token, edits: int, prefix: bool) -> Costs:
        costs = np.full(len(self.index.codes), NO_MATCH, np.uint8)
        for scope, units in self._units.items():
            if token.scope in (None, scope):
                _lower(costs, token, units.words, edits, prefix=prefix and len(token.text) > 1, exact=STEM)
                forms = units.stems.exact(stem(token.text))
                costs[forms] = np.minimum(costs[forms], STEM)
                costs[units.names.exact(token.text)] = 0
        return costs


def _lower(costs: Costs, token: Token, index: WordIndex, edits: int, *, prefix: bool, exact: int = 0) -> None:
    """Lower the costs of texts that match a word, to `exact` for an exact match."""
    if edits:
        _lower_all(costs, index.similar(token.text, edits), 0)
    if prefix:
        texts = index.prefix(token.beginning or token.text)
        costs[texts] = np.minimum(costs[texts], PREFIX)
    texts = index.exact(token.text)
    costs[texts] = np.minimum(costs[texts], exact)


def _lower_all(costs: Costs, found: Iterable[tuple[int, Numbers]], more: int) -> None:
    for edits, texts in found:
        costs[texts] = np.minimum(costs[texts], EDIT * edits + more)


def _lines(index: SearchIndex) -> list[str]:
    return index.folds.text.decode().split("\n")[1:-1] if len(index.folds) else []


def _municipality_names(unit: Municipality) -> tuple[str, ...]:
    return (fold(unit.name),)


def _county_names(unit: Municipality) -> tuple[str, ...]:
    return (fold(unit.county.name),)


def _voivodeship_names(unit: Municipality) -> tuple[str, ...]:
    return (fold(unit.voivodeship.name), *REGIONS.get(unit.voivodeship_id, ()))


NAMES = {
    ContextScope.MUNICIPALITY: _municipality_names,
    ContextScope.COUNTY: _county_names,
    ContextScope.VOIVODESHIP: _voivodeship_names,
}
"""Folded names of the units around a municipality, by level."""
