"""Parsing of search queries: postcodes, fuels, words, units, streets."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import dropwhile, groupby, pairwise, takewhile

from catalog.search.vocabulary import (
    ABBREVIATIONS,
    ASIDE,
    CASE_ENDING,
    COUNTRY,
    DEPOT,
    ENGLISH,
    ENGLISH_NAME,
    FILLERS,
    FUELS,
    KINDS,
    MUNICIPALITY_WORDS,
    NEAR,
    NOMINATIVES,
    PREPOSITIONS,
    SCOPES,
    SQUARE,
    STREETS,
    WORD_GAP,
    ContextScope,
)
from catalog.text import fold
from fueldepot.http.params import MAX_VALUE_LENGTH

WHOLE_POSTCODE = re.compile(r"(?<![0-9])([0-9]{2})(?: ?- ?|[. ]?)([0-9]{3})(?![0-9])", re.ASCII)
PARTIAL_POSTCODE = re.compile(r"([0-9]{0,2})-([0-9]{0,3})", re.ASCII)
DIGITS = re.compile(r"[0-9][0-9 ]*", re.ASCII)
CODE_IN_FRONT = re.compile(r"^[0-9]{2}-[0-9]{0,2}[\s,;]+(?=[^\W\d_])")
"""Part of a postcode before a name: "30-0 Kraków"."""

KIND_IN_FRONT = re.compile(r"^(gmina|gm|miasto|m|wies|miejscowosc) (?=[a-z0-9]{2})")

DASHES = str.maketrans(dict.fromkeys("‐‒–—―−", "-"))
"""Characters used for a hyphen: hyphen, figure dash, en and em dash, bar, minus."""

SEGMENT_END = re.compile(r"(?:[,;()\[\]|]|(?<![0-9])/|/(?![0-9]))+")
"""A stroke between digits belongs to the number of a house and its flat: "Długa 5/7"."""

WORD = re.compile(r"[^\W_]+\.?")
WRITTEN_OUT = {
    re.compile(r"\bm(?:\. ?| )st(?:\. ?| )", re.IGNORECASE): "",
    re.compile(r"\bw-wa\b", re.IGNORECASE): "wwa",
    re.compile(r"\bn ?/ ?(?=[^\W\d_])", re.IGNORECASE): "nad ",
}
"""Words for abbreviations of several parts: the formal "m.st. Warszawa", "W-wa", a river in "Krościenko n/Dunajcem"."""

NEARBY = re.compile(rf"(.+?)[ ,]+(?:k(?:\. ?|/ ?| )|(?:w )?(?:{'|'.join(NEAR)}|near) )([^,;]+)")

NOTHING: frozenset[str] = frozenset()

MOST_WORDS = 5
"""Words of a place after a street."""


@dataclass(frozen=True, slots=True)
class Token:
    """A folded word of a query. scope: level of the unit that it names, or None.

    prefix: whether it may be incomplete. beginning: its stem if its ending may be inflected.
    """

    text: str
    prefix: bool = False
    scope: ContextScope | None = None
    beginning: str = ""

    @property
    def stem(self) -> str:
        """What is compared where errors are forgiven."""
        return self.beginning or self.text


@dataclass(frozen=True, slots=True)
class Reading:
    """One interpretation of a query. kind: of the municipality, 1 to 3, or None."""

    tokens: tuple[Token, ...]
    kind: int | None = None


def normalize_punctuation(text: str) -> str:
    """Replace full-width digits and dashes of any kind by ASCII, without invisible characters such as soft hyphens.

    Cut to the length of a parameter, as one character may stand for four words: the search takes the cube of their
    number.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text).translate(DASHES)
    return "".join(character for character in text if unicodedata.category(character) != "Cf")[:MAX_VALUE_LENGTH]


def write_out(text: str) -> str:
    """Return a text with words for the abbreviations of `WRITTEN_OUT`."""
    for abbreviation, words in WRITTEN_OUT.items():
        text = abbreviation.sub(words, text)
    return text


def in_polish(text: str) -> str:
    """Return a text with the Polish names of voivodeships in place of English ones, also of their adjectives."""
    return ENGLISH_NAME.sub(lambda name: f"woj. {ENGLISH[english_noun(name[0])]}", text)


def english_noun(name: str) -> str:
    """Return the key of `ENGLISH` for a name: "kuyavia pomerania" for "Kuyavian-Pomeranian"."""
    return re.sub(WORD_GAP, " ", name.lower()).removesuffix("n")


def spoken_name(text: str) -> tuple[list[str], bool]:
    """Return the words of a name in a plain text, and whether a preposition inflects it ("z dowozem Nowe": none does).

    Without words before it that do not locate, without a district's "centrum", up to a comma or a word for a street.
    """
    words = [word.rstrip(".") for word in WORD.findall(before_street(SEGMENT_END.split(text)[0]))]
    start = next((place for place, word in enumerate(words) if word not in FILLERS), len(words))
    name = [word for word in words[start:] if word != "centrum"]
    return name, any(
        word == "centrum" or (word in PREPOSITIONS and inflected not in ASIDE)
        for word, inflected in pairwise(words[: start + 1])
    )


def split_nearby(text: str) -> tuple[str, str] | None:
    """Return a place and what it is near, in a plain text: "slomin k. warszawy", "slomin pod warszawa"; else None."""
    match = NEARBY.match(text)
    return (match[1], match[2]) if match else None


def normalize_query(text: str) -> str:
    """Return the folded name in a text: without a leading word for the kind, abbreviations expanded."""
    name = KIND_IN_FRONT.sub("", fold(text))
    return " ".join(ABBREVIATIONS.get(word, word) for word in name.split())


def postcode_pattern(text: str) -> str | None:
    """Return five characters, "_" for any digit, for part of a postcode with its dash; else None.

    The dash gives the position of the digits: "34-5" does not match 03-450.
    """
    part = PARTIAL_POSTCODE.fullmatch(text)
    if part is None or len(part[1] + part[2]) in {0, 5}:
        return None
    return f"{part[1]:_>2}{part[2]}"


def split_postcode(text: str) -> tuple[str, str] | None:
    """Return the digits of a complete postcode in a text, and the rest of the text; None without one."""
    match = WHOLE_POSTCODE.search(text)
    if match is None:
        return None
    return match[1] + match[2], f"{text[: match.start()]} {text[match.end() :]}".strip(" ,;-")


def split_fuel(text: str) -> tuple[str | None, str]:
    """Return the slug of a fuel in a plain text, or None, and the rest of the text."""
    for slug, form in FUELS.items():
        if match := form.search(text):
            return slug, f"{text[: match.start()]} {text[match.end() :]}".strip(" ,;-")
    return None, text


def accented_words(text: str) -> tuple[str, ...]:
    if text.isascii():
        return ()
    return tuple(word for word in re.findall(r"[^\W_]+", text.casefold()) if not word.isascii())


def read_query(text: str) -> list[Reading]:
    """Return interpretations of a plain text (`catalog.text.plain`), likeliest first.

    First with all words, then without words beside a place, then without all that do not locate, then without streets
    and house numbers after the place; for those before it see `read_after_street`.
    """
    segments = split_segments(text)
    without_streets = [name for segment in segments if not is_street(segment) for name in [before_street(segment)]]
    ways = [segments, without_streets, segments[:1], segments[-1:], *shortened(segments)]
    readings: dict[Reading, None] = {}
    for way in dict.fromkeys(map(tuple, ways)):
        words = [WORD.findall(segment) for segment in way]
        # Prepositions are rarely part of a name, a depot beside another word never is.
        spoken = any(
            word.rstrip(".") in PREPOSITIONS or (word in DEPOT and len(segment) > 1)
            for segment in words
            for word in segment
        )
        for ignored in (ASIDE | PREPOSITIONS, FILLERS) if spoken else (NOTHING, ASIDE, FILLERS):
            reading = read_words(words, ignored)
            if not FILLERS.issuperset(token.text for token in reading.tokens):
                readings[reading] = None
    return list(readings)


def read_with_prepositions(text: str) -> list[Reading]:
    """Return the interpretation of a plain text in which prepositions are part of a name; none without one."""
    words = [WORD.findall(segment) for segment in split_segments(text)]
    return [read_words(words, NOTHING)] if has_preposition(text) else []


def has_preposition(text: str) -> bool:
    return any(word.rstrip(".") in PREPOSITIONS for word in WORD.findall(text))


def split_segments(text: str) -> list[str]:
    """Return the parts of a plain text between commas and the like, without the country: "Rynek 1, Łazy, Polska"."""
    parts = [part.strip() for part in SEGMENT_END.split(text)]
    return [part for part in parts if part and part not in COUNTRY]


def is_street(segment: str) -> bool:
    """Whether part of a text is a street, with or without a house number: "ul. Długa", "Długa 5"."""
    words = [word.rstrip(".") for word in WORD.findall(segment)]
    return bool(words) and (words[0] in STREETS or (len(words) > 1 and is_number(words[-1])))


def before_street(segment: str) -> str:
    """Return the text before a word for a street: "Kraków ul. Długa" gives "Kraków"."""
    words = WORD.findall(segment)
    end = next((place for place, word in enumerate(words) if word.rstrip(".") in STREETS), len(words))
    return " ".join(words[:end])


def shortened(segments: list[str]) -> list[list[str]]:
    """Return shrinking prefixes of an address without separators: of "zakopane krupowki 3" two words, then one."""
    words = WORD.findall(segments[0]) if segments else []
    named = [place for place, word in enumerate(words) if word.rstrip(".") in STREETS]
    if named:
        return [[" ".join(words[: named[0]])]]
    last = len(words)
    while last and is_number(words[last - 1]):
        last -= 1
    return [[" ".join(words[:end])] for end in range(last, 0, -1)] if last < len(words) else []


def read_after_street(text: str) -> list[Reading]:
    """Return interpretations of an address that begins with a street: "ul. Długa 5 Nowy Targ", "Długa 5 Nowy Targ".

    The place begins after the house number. Without one the street's name may have any length, so shrinking ends are
    returned. Only whole names are meant: in "Gdańsk 3 Maja" the rest is a street. What does not locate may be before.
    """
    segments = split_segments(text)
    if len(segments) != 1:
        return []
    words = [*dropwhile(lambda word: word in FILLERS, WORD.findall(segments[0]))]
    name = 1 if words and words[0].rstrip(".") in STREETS else 0
    # A number in front belongs to the street: "ul. 3 Maja".
    first = name + 2 if words[name : name + 1] and is_number(words[name]) else name + 1
    numbers = [place for place in range(first, len(words)) if is_number(words[place])]
    if not numbers and not name:
        return []
    start = numbers[-1] + 1 if numbers else first
    starts = range(max(start, len(words) - MOST_WORDS), len(words)) if name else range(start, len(words))[:1]
    readings = [read_words([words[place:]], ignored) for place in starts for ignored in (NOTHING, FILLERS)]
    return list(dict.fromkeys(readings))


def read_village_address(text: str) -> tuple[str, Reading] | None:
    """Return the village of an address without streets, folded, and it as a place: "Brzezie 12, Kłaj"; else None."""
    segments = [WORD.findall(segment) for segment in split_segments(text)]
    if any(word.rstrip(".") in STREETS for words in segments for word in words):
        return None
    at = next((place for place, words in enumerate(segments) if any(map(is_number, words))), None)
    if at is None:
        return None
    village = list(takewhile(lambda word: not is_number(word) and word.rstrip(".") != "nr", segments[at]))
    segments[at] = segments[at][len(village) + 1 :]
    beside = [[word for word in words if not is_number(word)] for words in segments]
    name = normalize_query(" ".join(village))
    return None if name in {"", SQUARE} or not any(beside) else (name, read_words([name.split(), *beside], NOTHING))


def is_number(word: str) -> bool:
    """Whether a word is the number of a house: "12", "12a"."""
    return word[0].isdigit()


def names_in_address(text: str) -> list[str]:
    """Return the names in a plain address, of streets and places: "Brzezie 12, Kłaj" gives "brzezie" and "klaj"."""
    names = []
    for segment in split_segments(text):
        for are_numbers, words in groupby(WORD.findall(segment), is_number):
            name = " ".join(word for word in words if word.rstrip(".") != "nr")
            if name and not are_numbers:
                names.append(normalize_query(name))
    return names


def read_words(segments: list[list[str]], ignored: frozenset[str]) -> Reading:
    """Return the reading of words, which keep their full stops, without those that are ignored beside others."""
    tokens: list[Token] = []
    kind: int | None = None
    written = [word for segment in segments for word in segment]
    scope: ContextScope | None = None
    expects_kind = other_case = False
    for place, raw in enumerate(written):
        word, last = raw.rstrip("."), place == len(written) - 1
        if len(written) > 1:
            if word in PREPOSITIONS and word in ignored:
                other_case = True
                continue
            if word in SCOPES:
                scope = SCOPES[word]
                if last and tokens:
                    tokens[-1] = Token(tokens[-1].text, tokens[-1].prefix, scope)
                continue
            if word in MUNICIPALITY_WORDS:
                expects_kind = True
                continue
            if expects_kind and word == "miejsko":
                kind = 3
                continue
            if expects_kind and word in KINDS:
                kind = kind or KINDS[word]
                continue
            if word in ignored:
                continue
        text = ABBREVIATIONS.get(word, word)
        beginning = NOMINATIVES.get(word, CASE_ENDING.sub("", word)) if other_case else ""
        prefix = last or raw != word or text != word or bool(beginning)
        tokens.append(Token(text, prefix, scope, beginning))
        scope = None
    return Reading(tuple(tokens), kind)
