"""Search for units, places and postcodes by name, as typed, by words, with typing errors."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from catalog.depots.snapshot import FEWEST_DIGITS
from catalog.models import SearchEntry
from catalog.parsing.contacts_and_names import typed_digits
from catalog.search import query
from catalog.search.index import MAX_SUGGESTIONS, SearchIndex
from catalog.search.matching import CANDIDATES, Match, Mode, WordMatcher, is_single
from catalog.search.query import Reading
from catalog.search.street_and_town import Towns
from catalog.search.vocabulary import FILLERS, NICKNAMES
from catalog.text import fold, plain

MAX_GUESSES = 3
GUESS_SIMILARITY = 0.5

LONG_ENOUGH = 4
"""Letters of the last word from which on places with their unit are searched besides prefix matches."""


@dataclass(frozen=True, slots=True)
class Found:
    """Entries for a text, best first. single: whether one is best. forgiven: whether nothing matched as typed.

    fuel: slug of a fuel in the text. typed: folded text that the entries contain as typed, "" for none.
    """

    numbers: tuple[int, ...] = ()
    fuel: str | None = None
    typed: str = ""
    single: bool = False
    forgiven: bool = False


class Suggestion(NamedTuple):
    """A suggestion of `/locations`. fold: the five digits of a postcode. fuel: slug of a fuel typed beside.

    point: WGS84 (lat, lon); position: its source, a `SearchEntry.Position`; both None if unknown.
    """

    kind: str
    label: str
    fold: str
    description: str
    teryt: str
    slug: str
    voivodeship_slug: str
    point: tuple[float, float] | None
    position: str | None
    fuel: str | None

    @property
    def query(self) -> dict[str, str]:
        """Query parameters of the municipality's page: a postcode, or the point of a locality, and the fuel.

        A point that is not the locality's own is shared with others, so its name goes along.
        """
        parameters = {}
        if self.kind == SearchEntry.Kind.POSTCODE:
            parameters["kod"] = f"{self.fold[:2]}-{self.fold[2:]}"
        elif self.kind == SearchEntry.Kind.LOCALITY and self.point:
            lat, lon = self.point
            parameters["p"] = f"{lat},{lon}"
            if self.position != SearchEntry.Position.PLACE:
                parameters["miejsce"] = self.label
        if self.fuel:
            parameters["paliwo"] = self.fuel
        return parameters


class Suggestions(NamedTuple):
    """Suggestions for a text, best first; for the other fields see `Found` and `Search.is_clear`."""

    found: list[Suggestion]
    fuel: str | None
    forgiven: bool
    clear: bool


class Search:
    def __init__(self, index: SearchIndex, postcodes: Mapping[str, Collection[str]]) -> None:
        """postcodes: municipalities by the five digits of the code."""
        self.index, self._postcodes = index, postcodes
        self.words = WordMatcher(index)
        self.towns = Towns(index)

    def suggest(self, text: str) -> Suggestions:
        """Return at most eight municipalities, localities and postcodes for a text."""
        matches = self.find(text)
        suggestions = [self._describe(number, matches.fuel) for number in matches.numbers]
        return Suggestions(suggestions, matches.fuel, matches.forgiven, self.is_clear(matches))

    def guess(self, text: str) -> list[Suggestion]:
        """Return guesses for a text without matches.

        Municipalities named in it, places of a name that few have, municipalities with similar names.
        """
        fuel, rest = query.split_fuel(plain(text))
        key = query.normalize_query(rest.partition(",")[0])
        words = key.split()
        sizes = range(query.MOST_WORDS, 0, -1)
        runs = (" ".join(words[start : start + size]) for size in sizes for start in range(len(words) - size + 1))
        named = [numbers for run in runs if (numbers := self.index.named(run))]
        municipalities = (numbers[0] for numbers in named if numbers[0] < self.index.municipalities)
        rare = (number for numbers in named if len(numbers) <= MAX_GUESSES for number in numbers)
        names = [self.index.folds[number] for number in range(self.index.municipality_folds)]
        alike = extract(key, names, scorer=OSA.normalized_similarity, score_cutoff=GUESS_SIMILARITY, limit=MAX_GUESSES)
        similar = [self.index.named(name)[0] for name, _, _ in alike]
        rows = dict.fromkeys((*municipalities, *rare, *similar))
        return [self._describe(row, fuel) for row in islice(rows, MAX_GUESSES)]

    def _describe(self, number: int, fuel: str | None) -> Suggestion:
        index = self.index
        unit = index.units[index.teryt(number)]
        return Suggestion(
            kind=index.kind(number),
            label=index.labels[number],
            fold=index.fold(number),
            description=index.description(number),
            teryt=unit.teryt,
            slug=unit.slug,
            voivodeship_slug=unit.voivodeship.slug,
            point=index.point(number),
            position=index.position(number),
            fuel=fuel,
        )

    def find(self, text: str) -> Found:
        """Find entries for a text: as typed, else by words, else with edits."""
        text = query.write_out(query.in_polish(query.normalize_punctuation(text)))
        matches = self._find(text)
        _, rest = query.split_fuel(plain(text))
        if meant := self.words.in_region(rest)[: MAX_SUGGESTIONS // 2] or self._town_behind(rest, matches):
            numbers = tuple(dict.fromkeys((*meant, *matches.numbers)))[:MAX_SUGGESTIONS]
            matches = replace(matches, numbers=numbers, single=False, typed="")
        is_said = query.split_nearby(rest) is not None
        is_village = matches.single and matches.numbers[0] >= self.index.municipalities
        near = self.towns.places_near(rest) if is_said or not is_village else ()
        if near and (is_said or not {*near}.intersection(matches.numbers[:1])):
            numbers = tuple(dict.fromkeys((*near, *matches.numbers)))[:MAX_SUGGESTIONS]
            matches = replace(matches, numbers=numbers, single=len(near) == 1, forgiven=False, typed="")
        return matches

    def _find(self, text: str) -> Found:
        text = NICKNAMES.get(fold(text), text)  # "wawa" is also a prefix of Wąwał
        if len(typed_digits(text)) >= FEWEST_DIGITS:
            return Found()
        if pattern := query.postcode_pattern(text):
            return Found(tuple(self.index.find_postcodes(pattern)))
        if query.DIGITS.fullmatch(text):
            return Found(tuple(self.index.find(text.replace(" ", ""))))
        accented = query.accented_words(text)
        if parted := query.split_postcode(text):
            code, rest = parted
            if numbers := self.index.find(code):
                fuel, rest = query.split_fuel(plain(rest))
                return replace(self._postcode_with_place(code, numbers, rest), fuel=fuel)
            text = rest
        text = query.CODE_IN_FRONT.sub("", text)
        if inflected := self._inflected(text, accented):
            return inflected
        typed = " ".join(text.casefold().split())
        for normalize in (fold, query.normalize_query):
            key = normalize(text)
            if key and (numbers := self.index.find(key, accented, typed)):
                return self._as_typed(key, numbers, text, accented)
        fuel, rest = query.split_fuel(plain(text))
        key = query.normalize_query(rest)
        if FILLERS.issuperset(key.split()) and not self.index.named(key):
            return Found(fuel=fuel)
        if fuel and key and (numbers := self.index.find(key, accented, typed)):
            matches = self._as_typed(key, numbers, rest, accented)
        else:
            matches = self._word_by_word(rest, key, accented)
        return replace(matches, fuel=fuel)

    def is_clear(self, found: Found) -> bool:
        """Whether the first entry is unambiguous.

        It is the only one, or the only best match, or has the typed name: alone, or as the only municipality of that
        name if it is large or a town.
        """
        if found.forgiven or not found.numbers:
            return False
        first = found.numbers[0]
        if len(found.numbers) == 1 or found.single:
            return True
        if not found.typed or self.index.fold(first) != found.typed:
            return False
        named = self.index.named(found.typed)
        municipalities = [number for number in named if number < self.index.municipalities]
        known = first in municipalities and bool(self.index.largest[first] or self.index.urban[first])
        return len(named) == 1 or (known and len(municipalities) == 1)

    def _town_behind(self, rest: str, matches: Found) -> tuple[int, ...]:
        """Return the municipalities of a town that stands behind a comma and narrows nothing; () for none.

        What is in front of it in `rest` may be a street ("Lipowa, Gliwice") or a village, unless it is a town.
        Without a comma the last words may name one of the largest towns: "Lipowa Gliwice".
        """
        parts, words = query.split_segments(rest), fold(rest).split()
        has_comma = len(parts) > 1
        # A misspelt name goes first.
        if not matches.numbers or query.split_postcode(rest) or (has_comma and matches.forgiven):
            return ()
        if not has_comma:
            is_named = matches.typed or (not matches.forgiven and self._contain_name(matches.numbers, words))
            if is_named or not (parts := self.towns.split_street(words)):
                return ()
        (front, _), (behind, _) = (self.towns.named(part) for part in (parts[0], parts[-1]))
        town = front if self.towns.is_town(front, behind) else behind
        if not behind or any(self.towns.contains(town, number) for number in matches.numbers):
            return ()
        if has_comma:
            # It may be the name of a county: "Zielonki, Kraków".
            nearby = self.words.find(query.read_query(rest)[0], Mode.WORDS)
            if self._contain_name(_numbers(nearby), words):
                return ()
        return town

    def _contain_name(self, numbers: Collection[int], words: list[str]) -> bool:
        """Whether words contain the name of an entry, not only its beginning or names of the units around it."""
        return any(set(words).issuperset(self.index.fold(number).split()) for number in numbers)

    def _inflected(self, text: str, accented: tuple[str, ...]) -> Found | None:
        """Return the town of "pellet w Zielonej Górze" first; None where the words are a name as they are.

        After a preposition they are a form even of another place's name ("do Konina" means Konin), unless a place is
        called so with it ("Na Błoniu"). Without one they are a form, no clear one, before the same name of a locality
        if the town is among the largest ("radomia"), but not where a unit after a comma narrows to it ("Konina,
        Niedźwiedź"), nor where they are the first letters of the town or the first words of a municipality ("nowy":
        Nowy Targ, not Nowe). Other names that begin with them follow ("tarnowie": Tarnów, Tarnowiec).
        """
        fuel, rest = query.split_fuel(plain(text))
        words, spoken = query.spoken_name(rest)
        town, key = self.towns.inflected(words, spoken=spoken), " ".join(words)
        if town is None:
            return None
        typed = fold(query.SEGMENT_END.split(rest)[0])
        if typed != key and self._is_meant(self.index.named(typed), rest, typed, accented):
            return None
        if spoken:
            return Found(tuple(self.index.find(town)), fuel, typed=town)
        named, same = self.index.named(town), self.index.named(key)
        if town.startswith(key) or (same and (same[0] < self.index.municipalities or not self.index.largest[named[0]])):
            return None
        if fold(rest) != typed and self._is_meant(same, rest, typed, accented):
            return None
        begun = [number for number in self.index.find(key, accented) if self.index.fold(number).startswith(key)]
        others = [self.index.fold(number) for number in begun if number < self.index.municipalities]
        if any(name.startswith(f"{key} ") for name in others):
            return None
        towns = [number for number in named if number < self.index.municipalities]
        numbers = dict.fromkeys((*towns, *begun)) if begun else self.index.find(town)
        return Found(tuple(numbers)[:MAX_SUGGESTIONS], fuel, typed="" if others or same else town)

    def _is_meant(self, numbers: Collection[int], text: str, name: str, accented: tuple[str, ...]) -> bool:
        """Whether a text is the folded name of one of these entries, alone or with a unit that it is in."""
        if not numbers or fold(text) == name:
            return bool(numbers)
        matches = self.words.find(query.read_query(text)[0], Mode.WORDS, accented)
        return any(match.number in numbers for match in matches)

    def _postcode_with_place(self, code: str, numbers: list[int], rest: str) -> Found:
        """Return postcodes; before them the place of an address, if it is in another municipality of the code.

        Names in one municipality mean that; else the first counts, the village in "Ostrów 12, 33-101 Tarnów". Beside a
        street a name means the town, not its rural namesake: "Wałowa, 84-100 Puck".
        """
        municipalities, teryt = self._postcodes.get(code, ()), self.index.teryt
        names = query.names_in_address(rest)
        named = ([number for number in self.index.named(name) if teryt(number) in municipalities] for name in names)
        places = [inside for inside in named if inside]
        if len(places) == 1 < len(names):
            places = [places[0][:1]]
        units = [set(map(teryt, inside)) for inside in places]
        meant = (set.intersection(*units) or units[0]) if units else set()
        if not meant or teryt(numbers[0]) in meant:
            return Found(tuple(numbers))
        first = next(number for number in places[0] if teryt(number) in meant)
        return Found((first, *numbers), single=all(teryt(first) in unit for unit in units))

    def _as_typed(self, key: str, numbers: list[int], text: str, accented: tuple[str, ...]) -> Found:
        several = " " in key and len(key.rpartition(" ")[2]) >= LONG_ENOUGH
        if several and len(numbers) < MAX_SUGGESTIONS and not any(self.index.fold(number) == key for number in numbers):
            # "bielany wroclaw" is a prefix of Bielany Wrocławskie, and may be Bielany in Wrocław.
            for reading in query.read_query(plain(text)):
                matches = self.words.find(reading, Mode.WORDS, accented)
                numbers = list(dict.fromkeys((*numbers, *(match.number for match in matches if match.whole))))
        return Found(tuple(numbers[:MAX_SUGGESTIONS]), typed=key)

    def _word_by_word(self, text: str, key: str, accented: tuple[str, ...]) -> Found:
        """Return the entries of the first way to read a text that leads to any."""
        readings = query.read_query(text)
        ways = chain(
            self._ways_as_typed(text, key, readings, accented),
            self._forgiving_ways(text, key, readings, accented),
        )
        return next((matches for matches in ways if matches.numbers), Found())

    def _ways_as_typed(
        self, text: str, key: str, readings: Sequence[Reading], accented: tuple[str, ...]
    ) -> Iterator[Found]:
        """Yield entries by way of reading words as they are: in names with a preposition, addresses, names, units."""
        for reading in query.read_with_prepositions(text):
            matches = self.words.find(reading, Mode.WORDS, accented)
            yield _by_words(match for match in matches if self._is_with_preposition(match.number, text))
        village = self._village_of_address(text, accented)
        yield Found(_numbers(village)[:MAX_SUGGESTIONS], single=len(village) == 1)
        for mode in (Mode.CASES, Mode.WORDS, Mode.PREFIXES):
            for reading in readings:
                yield _by_words(self.words.find(reading, mode, accented))
                if mode is not Mode.CASES:
                    yield Found(tuple(self.words.units_of(reading, mode)))
            for reading in query.read_after_street(text) if mode is Mode.WORDS else ():
                yield _by_words(match for match in self.words.find(reading, mode, accented) if match.whole)
        if " " in key:
            yield Found(tuple(self.index.fragments(key, accented)))

    def _forgiving_ways(
        self, text: str, key: str, readings: Sequence[Reading], accented: tuple[str, ...]
    ) -> Iterator[Found]:
        """Yield entries by way of forgiving: cases without a preposition, blanks, typing errors, unknown streets."""
        spoken = (self.words.find(reading, Mode.CASES, accented) for reading in query.read_query(f"w {text}"))
        # A municipality in a case goes before misspelt names ("gorzowie"), a village after them.
        if (cases := next(filter(None, spoken), [])) and cases[0].number < self.index.municipalities:
            yield _by_words(cases)
        for respaced in chain.from_iterable(map(self.words.respaced, readings)):
            yield Found(_numbers(self.words.find(respaced, Mode.WORDS, accented)), forgiven=True)
        modes = Mode.UNKNOWN_WORDS, Mode.ALL_WORDS
        tries = (self.words.find(reading, mode, accented) for mode in modes for reading in readings)
        matches = next(filter(None, tries), cases)
        town = self.towns.in_address(text)
        # In a case, a town goes before misspelt villages: "w Kielcach dobry".
        is_doubtful = not matches or (query.spoken_name(text)[1] and matches[0].number >= self.index.municipalities)
        if town and is_doubtful:
            yield Found(tuple(self.index.find(town)), typed=town)
        if " nad " in text and not matches:  # "Dębki nad morzem"
            yield self._word_by_word(text.partition(" nad ")[0], key, accented)
        # Words that are all names are a street and its town rather than misspelt: "Nysa Polna".
        before = self.towns.named(town)[0] if town and town in key and any(map(self.words.knows, readings)) else ()
        yield Found(tuple(dict.fromkeys((*before, *_numbers(matches))))[:MAX_SUGGESTIONS], forgiven=True)
        for mode in (Mode.CASES, Mode.WORDS):
            for reading in map(self.words.without_strangers, readings):
                matches = self.words.find(reading, mode, accented)
                yield Found(_numbers([match for match in matches if match.whole]), forgiven=True)

    def _village_of_address(self, text: str, accented: tuple[str, ...]) -> list[Match]:
        """Return the villages of an address without streets, in the municipality that it names, if it names one."""
        address = query.read_village_address(text)
        if address is None:
            return []
        village, reading = address
        beside = (self.towns.named(name)[0] for name in query.names_in_address(text) if name != village)
        municipalities = {self.index.teryt(number) for named in beside for number in named}
        return [
            match
            for match in self.words.find(reading, Mode.WORDS, accented, limit=CANDIDATES)
            if match.is_spelled_out
            and self.index.fold(match.number) == village
            and (not municipalities or self.index.teryt(match.number) in municipalities)
        ]

    def _is_with_preposition(self, number: int, text: str) -> bool:
        """Whether the name of an entry has a preposition and stands in a text as a whole: "Pod Lasem, Tuchola"."""
        name = self.index.fold(number)
        return query.has_preposition(name) and f" {name} " in f" {fold(text)} "


def _by_words(matches: Iterable[Match]) -> Found:
    matches = [*matches]
    return Found(_numbers(matches), single=is_single(matches))


def _numbers(matches: Sequence[Match]) -> tuple[int, ...]:
    return tuple(match.number for match in matches)
