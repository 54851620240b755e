"""Parser of opening hours as people write them, into rules. `opening_hours` evaluates the rules.

Understands the plain part of OpenStreetMap's `opening_hours` and common Polish forms ("pn.-pt. 8-16", "od poniedziałku
do piątku 8.00 – 16.00"). Any unknown word or sign makes a text unreadable, which excludes conditions, dates, years,
weeks, comments, open ends and sunrise.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from catalog.text import plain

Range = tuple[int, int]
"""Minutes of a day, an end past 24:00 on the next day."""

DAY_MINUTES = 24 * 60
EVERY_DAY = frozenset(range(7))
ALL_DAY = ((0, DAY_MINUTES),)

# Words by kind of token, folded.
_VOCABULARY = {
    "every": "codziennie",
    "holiday": "ph sh swieta swieto",
    "off": "off closed nieczynne nieczynny zamkniete zamkniety",
    "all_day": "calodobowo calodobowe calodobowy calodobowa",
    "open": "open",
    "from": "od",
    "dash": "do",
    "comma": "i oraz",
    "label": "w godz godziny godzinach otwarcia pracy czynne czynny otwarte zapraszamy h",
}

# No "po" for Monday: it is a preposition.
_DAYS = (
    "mo mon monday pn pon poniedzialek poniedzialku poniedzialki",
    "tu tue tuesday wt wto wtor wtorek wtorku wtorki",
    "we wed wednesday sr sro sroda srody srode",
    "th thu thursday cz czw czwart czwartek czwartku czwartki",
    "fr fri friday pt pi pia piat piatek piatku piatki",
    "sa sat saturday so sb sob sobota soboty sobote",
    "su sun sunday nd ndz nie niedz niedziela niedzieli niedziele",
)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_WORDS = {word: (kind, 0) for kind, words in _VOCABULARY.items() for word in words.split()}
_WORDS |= {word: ("day", day) for day, words in enumerate(_DAYS) for word in words.split()}
_WORDS |= {name.lower(): ("month", number) for number, name in enumerate(MONTHS)}

# Words of the standard. Other known words mark a text that only resembles it.
_STANDARD = {words.split()[0] for words in _DAYS} | {name.lower() for name in MONTHS}
_STANDARD |= {"ph", "sh", "off", "closed", "open"}

_TOKEN = re.compile(
    r"""
    (?P<all_day> 24/7 | 24\s?h(?:/(?:7|dobe))?\b | cala\sdobe\b )
    | (?P<not_open> nie\s+(?:czynne|czynny|otwarte)\b )
    | (?P<time> (?P<hour>[0-9]{1,2}) (?P<mark>[:.]) (?P<minute>[0-5][0-9]) (?![0-9]|[.:][0-9]) )
    | (?P<number> [0-9]{1,2} (?![0-9]) )
    | (?P<word> [a-z]+ ) (?P<dot> \.? )
    | (?P<dash> [-‐‑‒–—―−] )
    | (?P<comma> , ) | (?P<semicolon> ; ) | (?P<colon> : )
    | (?P<blank> [ \t\n\r\x0b\x0c\x85\u2028\u2029] )
    """,
    re.VERBOSE,
)
_STANDARD_SIGNS = {"24/7", "-", ",", ";", ":"}
# Superscript minutes, 8⁰⁰. Without this they would join the hour.
_RAISED_MINUTES = re.compile("([0-9]) ?([⁰¹²³⁴⁵][⁰¹²³⁴⁵⁶⁷⁸⁹])(?![⁰¹²³⁴⁵⁶⁷⁸⁹])")
_COMMENT_ON_CLOSED = re.compile(r'\b(off|closed)\s*"[^"]*"', re.IGNORECASE)


class UnreadableError(Exception):
    """The text is unknown to this module, or ambiguous."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Hours on days. months: 0 for January, empty if none is named. days: 0 for Monday, none for holidays only.

    ranges: minutes of the day, an end past 24:00 on the next day; empty if closed. joined: whether a comma precedes, so
    that it adds to earlier rules. everyday: whether no day was named.
    """

    months: frozenset[int]
    days: frozenset[int]
    ranges: tuple[Range, ...]
    joined: bool
    everyday: bool


@dataclass(frozen=True, slots=True)
class _Token:
    """value: number of the day or month, or minutes since midnight."""

    kind: str
    value: int = 0


def read(text: str) -> tuple[list[Rule], bool]:
    """Parse a text. Returns its rules, and whether it had to be repaired. Raises UnreadableError."""
    tokens, sloppy = _tokens(text)
    reader = _HoursReader(tokens)
    rules = reader.rules()
    return rules, sloppy or reader.repaired


def read_ranges(text: str) -> tuple[Range, ...]:
    """Parse the hours of one day, as `Rule.ranges` has them, in the order written. Raises UnreadableError."""
    reader = _HoursReader(_tokens(text.replace(";", ","))[0])
    ranges = reader.ranges()
    # Not even the standard's 26:00, which people type by mistake.
    if reader.peek() or any(token.value > DAY_MINUTES for token in reader.tokens):
        raise UnreadableError
    return ranges


def _tokens(text: str) -> tuple[list[_Token], bool]:
    """Split a text into known tokens. The second value is True if a token is not of the standard."""
    text = _COMMENT_ON_CLOSED.sub(r"\1", text)
    level = _RAISED_MINUTES.sub(lambda match: f"{match[1]}:{plain(match[2])}", text)
    # Other superscript, subscript or circled digits would join the preceding number.
    if any(character.isdigit() and not character.isdecimal() for character in level):
        raise UnreadableError
    sloppy = level != text
    text = plain(level).strip().rstrip(".,;").strip()
    tokens: list[_Token] = []
    position = 0
    after_label = False
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise UnreadableError
        position = match.end()
        # A label may end with a colon: "czynne: …".
        if match["blank"] or (match["colon"] and after_label):
            continue
        after_label = False
        if match["word"]:
            # An unknown word becomes a token that no rule accepts.
            kind, value = _WORDS.get(match["word"], ("unknown", 0))
            sloppy = sloppy or bool(match["dot"]) or match["word"] not in _STANDARD
            after_label = kind == "label"
            if not after_label:
                tokens.append(_Token(kind, value))
        elif match["time"]:
            sloppy = sloppy or match["mark"] == "."
            tokens.append(_Token("time", int(match["hour"]) * 60 + int(match["minute"])))
        elif match["number"]:
            sloppy = True
            tokens.append(_Token("number", int(match["number"]) * 60))
        else:
            sloppy = sloppy or match.group() not in _STANDARD_SIGNS
            tokens.append(_Token("off" if match["not_open"] else str(match.lastgroup)))
    return tokens, sloppy


class _HoursReader:
    """Parses tokens into rules: [months] [days] then closed, all day, or time ranges.

    repaired: set once something had to be supplied or skipped. Every method may raise UnreadableError.
    """

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.repaired = False

    def rules(self) -> list[Rule]:
        rules: list[Rule] = []
        joined = False
        while self.at < len(self.tokens):
            rules.append(self.rule(joined=joined))
            joined = self.take("comma")
            if joined or self.take("semicolon") or self.at == len(self.tokens):
                continue
            # Without a separator, only a day can start the next rule: anything else might belong to this one.
            if self.peek() not in {"day", "every", "holiday", "from"}:
                raise UnreadableError
            self.repaired = True
        if joined:
            # "pn-pt 8-16 i": truncated.
            raise UnreadableError
        return rules

    def rule(self, *, joined: bool) -> Rule:
        months = self.months()
        days, named = self.days()
        if named and not self.take("colon") and self.take("dash"):
            # "niedziela – nieczynne"
            self.repaired = True
        ranges = self.ranges()
        if any(later[0] < earlier[1] for earlier, later in pairwise(ranges)):
            raise UnreadableError
        return Rule(months, days, ranges, joined, everyday=not named)

    def months(self) -> frozenset[int]:
        months: set[int] = set()
        while self.peek() == "month":
            months |= self.span("month", len(MONTHS))
            if not (self.peek() == "comma" and self.peek(1) == "month"):
                break
            self.at += 1
        return frozenset(months)

    def days(self) -> tuple[frozenset[int], bool]:
        """Parse days. Returns them, and whether they were named; without, it is every day."""
        days: set[int] = set()
        if self.take("every"):
            return EVERY_DAY, True
        while True:
            self.take("from")
            if self.peek() == "day":
                days |= self.span("day", len(EVERY_DAY))
            elif not self.take("holiday"):
                return EVERY_DAY, False
            following = self.peek(1) if self.peek() == "comma" else ""
            if following in {"day", "holiday"}:
                self.at += 1
            elif following in {"time", "number", "from", "off", "all_day"}:
                self.at += 1
                self.repaired = True
                return frozenset(days), True
            else:
                return frozenset(days), True

    def span(self, kind: str, size: int) -> set[int]:
        """Parse one of `size` days or months, or the first and the last of several: "Fr-Mo" is four days."""
        first = last = self.value_of(kind)
        if self.peek() == "dash" and self.peek(1) == kind:
            self.at += 1
            last = self.value_of(kind)
        return {(first + step) % size for step in range((last - first) % size + 1)}

    def ranges(self) -> tuple[Range, ...]:
        if self.take("off"):
            return ()
        if self.take("all_day"):
            return ALL_DAY
        ranges = [self.range()]
        while self.peek() == "comma" and self.peek(1) in {"time", "number", "from"}:
            self.at += 1
            ranges.append(self.range())
        self.take("open")
        return tuple(ranges)

    def range(self) -> Range:
        self.take("from")
        bare = self.peek() == "number"
        start = self.value_of("time", "number")
        self.value_of("dash")
        bare = bare or self.peek() == "number"
        end = self.value_of("time", "number")
        # "8-4" could mean 16:00.
        if bare and (end <= start or end > DAY_MINUTES):
            raise UnreadableError
        if end < start:
            end += DAY_MINUTES
        # Equal ends are used for closed, for round the clock and by mistake.
        if start >= DAY_MINUTES or end == start or end - start > DAY_MINUTES:
            raise UnreadableError
        return start, end

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead].kind if self.at + ahead < len(self.tokens) else ""

    def take(self, kind: str) -> bool:
        found = self.peek() == kind
        self.at += found
        return found

    def value_of(self, *kinds: str) -> int:
        if self.peek() not in kinds:
            raise UnreadableError
        self.at += 1
        return self.tokens[self.at - 1].value
