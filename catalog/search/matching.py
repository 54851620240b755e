"""Matching by words: in any order, narrowed by surrounding units, with a few edits if nothing else matches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catalog.models import Municipality
from catalog.search.index import MAX_SUGGESTIONS, SearchIndex
from catalog.search.query import Reading, Token, is_number
from catalog.search.ranking import Numbers, WordIndex, WordTier
from catalog.search.vocabulary import FILLERS, REGIONS, ContextScope, find_nominatives
from catalog.text import fold

Costs = NDArray[np.uint8]

NO_MATCH = 255
PREFIX, STEM, EDIT = 2, 1, 16
"""Costs of a word: a prefix, another form, each edit. Exact words cost nothing."""

LONG = 8
"""Words of at least this length may have two edits, shorter ones one."""

SHORTEST = 3

MAX_EDITS = 2

LONG_ENOUGH = 4
"""Minimum length of a word prefix with an edit."""

MAX_PARTS = 4
"""Maximum number of words that may have been joined to one."""

CANDIDATES = 100
"""Number of entries that are sorted completely."""

WORDS_CACHED = 32
"""Words whose costs are cached, some 60 KB each: the readings of a query share words."""

FEMININE = ("ska", "cka", "zka")
"""Ends of adjectives that name streets ("Krakowska, Zakopane"), no counties or voivodeships."""

ADJECTIVE_ENDINGS = ("iego", "iej", "iemu", "ich", "im", "ie", "a", "i", "u", "o", "")
"""Endings after "-sk", "-ck" and "-dzk" in the forms of a unit's name: nowotarski, nowotarskiego, nowotarskim."""


class Mode(IntEnum):
    """How much words may differ; each mode includes the one before.

    In order: a word that a preposition inflects is a case of one in the name ("w Bystrej": Bystra); the last word, and
    the stem of an inflected one, may be a prefix; every word may be; edits in words that match nothing; edits in every
    word.
    """

    CASES = 0
    WORDS = 1
    PREFIXES = 2
    UNKNOWN_WORDS = 3
    ALL_WORDS = 4


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
        return self[:5]

    @property
    def whole(self) -> bool:
        return self.tier in (WordTier.EXACT_MUNICIPALITY, WordTier.WHOLE_NAME) and self.cost < PREFIX

    @property
    def is_spelled_out(self) -> bool:
        """Whether no word is a prefix: those of units may be forms of it."""
        return self.edits == 0 and self.cost <= self.context * STEM


def is_single(matches: Sequence[Match]) -> bool:
    """Whether the first match has its whole name in the text, and no other matches as well; False without any."""
    return bool(matches) and matches[0].whole and not any(match.fit == matches[0].fit for match in matches[1:])


class Units:
    """Names of units at one level: single words, all words, and their stems.

    The values are numbers of municipalities.
    """

    def __init__(self, names: Sequence[tuple[str, int]]) -> None:
        """names: pairs of a folded name and the number of a municipality in the unit."""
        words = {(word, number) for name, number in names for word in name.split()}
        self.names = WordIndex((name, number) for name, number in names if " " not in name)
        self.words = WordIndex(words)
        self.stems = WordIndex({(stem(word), number) for word, number in words})


def stem(word: str) -> str:
    """Return an adjective without its ending: "nowotarskiego" gives "nowotarsk"; other words unchanged."""
    for ending in ADJECTIVE_ENDINGS:
        root = word.removesuffix(ending)
        if word.endswith(ending) and root.endswith(("sk", "ck", "zk")):
            return root
    return word


def max_edits(word: str) -> int:
    if len(word) < SHORTEST:
        return 0
    return 2 if len(word) >= LONG else 1


class WordMatcher:
    """Finds entries where each word of a query is in the name, or in the name of a surrounding unit."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        lines = index.folds.text.decode().split("\n")[1:-1]
        folds = [(number, text) for number, text in enumerate(lines) if not text[0].isdigit()]
        self._word_counts = np.zeros(len(index.folds), np.uint8)
        for number, text in folds:
            self._word_counts[number] = len(set(text.split()))
        joined = [(text.replace(" ", ""), n) for n, text in folds if n < index.municipality_folds and " " in text]
        self._joined = WordIndex(joined)
        self.names = WordIndex((word, number) for number, text in folds for word in set(text.split()))
        units = [index.units[code] for code in index.codes]
        self._kinds = np.array([unit.kind for unit in units], np.uint8)
        self._units = {
            scope: Units([(name, number) for number, unit in enumerate(units) for name in names_of(unit, scope)])
            for scope in ContextScope
        }
        # Caches of functions, not of methods: a replaced index is freed without a garbage collection.
        find_in_names = partial(_find_in_names, self.names, self._joined, len(self._word_counts))
        self._costs_in_names = lru_cache(WORDS_CACHED)(find_in_names)
        self._costs_of_cases = lru_cache(WORDS_CACHED)(partial(_find_cases, self.names, len(self._word_counts)))
        self._costs_in_units = lru_cache(WORDS_CACHED)(partial(_find_in_units, self._units, len(index.codes)))

    def find(
        self, reading: Reading, mode: Mode, accented: tuple[str, ...] = (), limit: int = MAX_SUGGESTIONS
    ) -> list[Match]:
        """Return the best entries for a reading, only those with the fewest edits."""
        if not reading.tokens or (mode is Mode.CASES and not any(token.beginning for token in reading.tokens)):
            return []
        entries, total, named, whole = self._covering(reading, mode)
        if not len(entries):
            return []
        edits, cost = np.divmod(total, EDIT)
        context = len(reading.tokens) - named
        tier = self._tiers(entries, covered=named >= self._word_counts[self.index.fold_of[entries]], whole=whole)
        order = np.lexsort((entries, cost, context, tier, edits))[:CANDIDATES]
        order = order[edits[order] == edits[order[0]]]
        mismatches = [self.index.mismatches(number, accented) for number in entries[order].tolist()]
        columns = (edits[order], tier[order], context[order], cost[order], mismatches, entries[order])
        return sorted(Match(*map(int, row)) for row in zip(*columns, strict=True))[:limit]

    def _covering(
        self, reading: Reading, mode: Mode
    ) -> tuple[NDArray[np.int32], NDArray[np.int16], NDArray[np.int64], NDArray[np.bool_]]:
        """Return the entries that have each word in the name or in a surrounding unit, and at least one in the name.

        With the cost of all words, the number of words in the name, and whether none of these is shortened.
        """
        in_names = np.array([self._costs(token, mode, in_names=True) for token in reading.tokens])
        in_units = np.array([self._costs(token, mode, in_names=False) for token in reading.tokens])
        folds = np.flatnonzero(in_names.min(axis=0) < NO_MATCH)
        entries, place = self.index.expand(folds)
        units = self.index.unit_of[entries]
        # From here on a row per word of the reading, a column per entry.
        by_name, by_unit = in_names[:, folds[place]], in_units[:, units]
        # A misspelt word of a name may be the right word of a unit.
        in_name = (by_name < EDIT) | ((by_name < NO_MATCH) & (by_name <= by_unit))
        costs = np.where(in_name, by_name, by_unit)
        total, named = costs.sum(axis=0, dtype=np.int16), in_name.sum(axis=0)
        # One word without a match costs more than all edits.
        fits = (named > 0) & (total // EDIT <= MAX_EDITS)
        if reading.kind is not None:
            of_kind = fits & (self._kinds[units] == reading.kind) & (entries < self.index.municipalities)
            fits = of_kind if of_kind.any() else fits
        whole: NDArray[np.bool_] = np.all(~in_name | (by_name % EDIT < PREFIX), axis=0)
        return entries[fits], total[fits], named[fits], whole[fits]

    def units_of(self, reading: Reading, mode: Mode) -> list[int]:
        """Return the municipalities of units named by a reading without a place.

        For a county, its seat goes first: the municipality with the most similar name, else a town.
        """
        found = [self._costs(token, mode, in_names=False) for token in reading.tokens]
        costs = np.sum(found, axis=0, dtype=np.int16)
        if costs.min(initial=NO_MATCH) >= EDIT:
            token, *others = reading.tokens
            if others or token.scope is not ContextScope.VOIVODESHIP:
                return []
            # Many a voivodeship of before 1999 has a county of its name: "woj. bielskie".
            return self.units_of(Reading((replace(token, scope=ContextScope.COUNTY),), reading.kind), mode)
        best = np.flatnonzero(costs == costs.min())
        fits = np.isin(self.index.unit_of[: self.index.municipalities], best)
        numbers: list[int] = np.flatnonzero(fits).tolist()
        counties = {self.index.teryt(number)[:4] for number in numbers}
        if len({code[:2] for code in counties}) == len(counties):
            numbers.sort(key=self._seat_order)
        return numbers[:MAX_SUGGESTIONS]

    def in_region(self, text: str) -> list[int]:
        """Return the municipalities of the region that a text names. Seats go first where it is one of counties."""
        name = " ".join(word for word in fold(text).split() if word not in FILLERS)
        codes = next((codes for codes, names in REGIONS.items() if name in names), ())
        if not codes:
            return []
        numbers = (number for number in range(self.index.municipalities) if self.index.teryt(number).startswith(codes))
        return sorted(numbers, key=self._seat_order if isinstance(codes, tuple) else None)

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
        """Return the `WordTier` of each entry. covered: whether all its words are typed; whole: and none shortened."""
        municipality = entries < self.index.municipalities
        known = np.zeros(len(entries), bool)
        numbers = entries[municipality]
        known[municipality] = self.index.largest[numbers] | (self.index.urban[numbers] & whole[municipality])
        tiers = np.where(covered, WordTier.WHOLE_NAME, WordTier.PART_OF_NAME)
        tiers[known] = WordTier.WELL_KNOWN
        tiers[covered & whole & municipality] = WordTier.EXACT_MUNICIPALITY
        return tiers

    def _costs(self, token: Token, mode: Mode, *, in_names: bool) -> Costs:
        edits = max_edits(token.stem) if mode is Mode.ALL_WORDS or self._is_unknown(token, mode) else 0
        if in_names and mode is Mode.CASES and token.beginning:
            return self._costs_of_cases(token)
        costs_in = self._costs_in_names if in_names else self._costs_in_units
        return costs_in(token, edits, token.prefix or mode > Mode.WORDS)

    def knows(self, reading: Reading) -> bool:
        """Whether every word is one of a name, or a form of one of a unit's."""
        return not any(self._is_unknown(token, Mode.UNKNOWN_WORDS) for token in reading.tokens)

    def without_strangers(self, reading: Reading) -> Reading:
        """Return a reading without words that resemble none of a place or unit: "promocja Sękowa"."""
        return replace(reading, tokens=tuple(token for token in reading.tokens if not self._is_stranger(token)))

    def _is_stranger(self, token: Token) -> bool:
        """Whether no name has a word like this, even with edits. Numbers of houses and names of units are none."""
        if token.scope or is_number(token.text):
            return False
        costs = (self._costs(token, Mode.ALL_WORDS, in_names=in_names) for in_names in (True, False))
        return all(cost.min(initial=NO_MATCH) == NO_MATCH for cost in costs)

    def _is_unknown(self, token: Token, mode: Mode) -> bool:
        if mode is not Mode.UNKNOWN_WORDS or len(self.names.exact(token.text)):
            return False
        return not any(len(units.stems.exact(stem(token.text))) for units in self._units.values())


def _find_in_names(names: WordIndex, joined: WordIndex, count: int, token: Token, edits: int, prefix: bool) -> Costs:
    costs = np.full(count, NO_MATCH, np.uint8)
    if token.scope is not None:
        return costs
    _match(costs, token, names, edits, prefix=prefix)
    if edits:
        _match_similar(costs, joined.similar(token.text, edits))
        if token.prefix and len(token.stem) >= LONG_ENOUGH:
            # The last word may be incomplete.
            _match_similar(costs, names.similar_prefix(token.stem, 1), PREFIX)
    return costs


def _find_cases(names: WordIndex, count: int, token: Token) -> Costs:
    costs = np.full(count, NO_MATCH, np.uint8)
    if token.scope is None:
        for word in find_nominatives(token.text, names.words):
            _lower(costs, names.exact(word), STEM)
        _lower(costs, names.exact(token.text), 0)
    return costs


def _find_in_units(units: Mapping[ContextScope, Units], count: int, token: Token, edits: int, prefix: bool) -> Costs:
    costs = np.full(count, NO_MATCH, np.uint8)
    for scope, of_scope in units.items():
        if token.scope in (None, scope):
            _match(costs, token, of_scope.words, edits, prefix=prefix and len(token.text) > 1, exact=STEM)
            if scope is ContextScope.MUNICIPALITY or not token.text.endswith(FEMININE):
                _lower(costs, of_scope.stems.exact(stem(token.text)), STEM)
            _lower(costs, of_scope.names.exact(token.text), 0)
    return costs


def _match(costs: Costs, token: Token, index: WordIndex, edits: int, *, prefix: bool, exact: int = 0) -> None:
    """Lower the costs of texts that match a word, to `exact` for an exact match."""
    if edits:
        _match_similar(costs, index.similar(token.stem, edits))
    if prefix:
        _lower(costs, index.prefix(token.stem), PREFIX)
    _lower(costs, index.exact(token.text), exact)


def _match_similar(costs: Costs, found: Iterable[tuple[int, Numbers]], more: int = 0) -> None:
    for edits, texts in found:
        _lower(costs, texts, EDIT * edits + more)


def _lower(costs: Costs, texts: Numbers, cost: int) -> None:
    costs[texts] = np.minimum(costs[texts], cost)


def names_of(unit: Municipality, scope: ContextScope) -> tuple[str, ...]:
    if scope is ContextScope.MUNICIPALITY:
        return (fold(unit.name),)
    if scope is ContextScope.COUNTY:
        return (fold(unit.county.name),)
    regions = (name for codes, names in REGIONS.items() if unit.teryt.startswith(codes) for name in names)
    return (fold(unit.voivodeship.name), *regions)
