"""Fuels stated by the name of a depot: "Skład węgla", "Tartak Nowak – pellet, brykiet".

Nouns match as whole words in every case and number, with or without diacritics; longer words (Węgielna, Drewnica,
pelletownia) do not. Other meanings are excluded: boilers "na pellet", charcoal, paving stones, timber, surnames. When
in doubt, a fuel is left out: readers filter depots by it.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from catalog.depots import fuels
from catalog.parsing.contacts_and_names import is_business_word, word_list
from catalog.text import plain

PELLET, BRIQUETTE, ECO_PEA = "pellet", "brykiet", "ekogroszek"
COAL, DUST, WOOD = "wegiel", "mial-weglowy", "drewno-kominkowe"
COBBLE, NUT, PEA = "wegiel-kostka", "wegiel-orzech", "wegiel-groszek"

_NOUNS = {
    slug: re.compile(forms)
    for slug, forms in {
        PELLET: "(?:e[kc]o|bio)?pell?(?:et(?:u|a|y|ow|em|om|ami|ach|s)?|ecie)",
        BRIQUETTE: "(?:e[kc]o|bio)?bryki?(?:et(?:u|y|ow|em|om|ami|ach)?|ecie)",
        ECO_PEA: "e[kc]ogrosz(?:ek|k(?:u|i|ow|owi|iem|om|ami|ach))",
        COAL: "weg(?:iel|l(?:a|u|em|owi|e|i|om|ami|ach))",
        DUST: "(?:e[kc]o)?mial(?:u|e|y|ow|owi|em|om|ami|ach)?",
        WOOD: "drewn(?:o|a|u|em|ie)|drzew(?:o|a|em)",
        COBBLE: "kost(?:ka|ki|ke|ce|ek)",
        NUT: "orzech(?:a|u|y|ow|owi|em)?",
        PEA: "grosz(?:ek|k(?:u|a|i|ow|owi|iem))",
    }.items()
}
_ASSORTMENTS = frozenset({COBBLE, NUT, PEA})
"""Fuels only beside coal: alone these nouns are surnames, nuts and paving stones."""

_FUEL_ADJECTIVES = {COAL: ("kamienn",), WOOD: ("opalow", "kominkow", "grzewcz", "rozpalkow")}
"""Stems of adjectives that make a noun a fuel, whatever else it can mean."""

_OTHER_ADJECTIVES = {
    COAL: ("aktyw", "brunatn", "drzewn", "grillow"),
    DUST: ("bazalt", "cegl", "drzewn", "granit", "gumow", "kamienn", "skaln", "wapien"),
    BRIQUETTE: ("grillow",),
    PELLET: ("paszow", "sciolkow"),
    COBBLE: ("beton", "brukow", "chodnik", "granit", "ogrod"),
    WOOD: (
        *("budowl", "dekorac", "egzot", "elewac", "hebl", "impregn", "klej", "konstrukc", "lite", "mebl", "ogrod"),
        *("okragl", "palet", "podlog", "stolar", "strug", "tart", "wedz"),
    ),
}
"""Stems of adjectives that make a noun other goods."""

_FIREPLACES = ("komin", "kotl", "ogniska", "ogrzew", "opal", "palen", "piec", "rozpal")
"""Stems of purposes of firewood: "drewno do kominka", "drewno na opał"."""

_OTHER_PURPOSES = ("gril", "koni", "kuwet", "zwierz")
"""Stems of purposes of other goods: "węgiel do grilla", "pellet dla koni"."""

_ADJECTIVE = re.compile(r"(?!material)[a-z]{3,}(?:[yiae]|ego|ej|emu|[yi]m|[yi]ch|[yi]mi)")
_CONNECTORS = frozenset({"i", "oraz", "lub", "albo"})
_AGAINST = frozenset({"bez", "dla", "do", "na", "nie", "pod", "w", "zamiast"})
"""Words before a purpose, an absent thing or a place: "kotły na pellet", "bez węgla", "w Drewnie"."""

_MADE_OF = frozenset({"z", "ze"})
_GENITIVE = ("a", "u", "ow")

_TIMBER_TRADE = re.compile(
    r"\b(?:ciesiel|desk|mebl|parkiet|schod|stolar|tarcic|tartak|wiezb|"
    r"(?:ciecie|impregnacja|konstrukcje|obrobka|przerob|przetworstwo|skup|suszarnia|transport|wyroby) drewna\b)"
)
_COAL_YARD = re.compile(r"\bsklad\w* (?:opalowo )?weglow(?:y|ego|emu|ym|e)\b")
_FUEL_TRADE = re.compile(r"\b(?:opal|paliw)")

_FAMILY = frozenset({"bracia", "braci", "rodzina"})
_HEIRS = frozenset({"corka", "ska", "spolka", "syn", "synowie", "wspolnicy"})
_LEGAL_FORMS = frozenset(
    {"fh", "fhu", "firma", "fpuh", "fu", "ph", "phu", "pphu", "ppuh", "pu", "puh", "pw", "zhu", "zpuh"}
)

_WORD = re.compile(r"[^\W\d_]+")
_BREAK = re.compile(r"[–—;|()\[\]„”“«»\"•·!?]|\s-|-\s")
_LIST = re.compile("[,/+&:]")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a name. key: folded. fuel: slug of the first meaning of the noun, "" for other words.

    before: separator from the previous word: "" for blanks and hyphens, "," within a list, ";" before a new phrase.
    capital: whether it may be a proper noun: it starts with a capital letter, or no word of the name does. initial:
    whether it is a letter with a full stop.
    """

    key: str
    fuel: str = ""
    before: str = ";"
    capital: bool = False
    initial: bool = False


_NOTHING = _Word("")


def fuels_in_name(name: str, place: str = "") -> tuple[str, ...]:
    """Return the slugs of the fuels stated by a name, in the order of the catalog.

    place: locality of the depot; its repetition in the name does not count ("Skład opału Drewno" in Drewno).
    """
    return fuels.in_order(frozenset(_Name(name, place).fuels()))


class _Name:
    def __init__(self, name: str, place: str) -> None:
        self.words = list(_words(unicodedata.normalize("NFC", name), place))
        self.text = " ".join(word.key for word in self.words)
        self.one_case = name in (name.upper(), name.lower())

    def fuels(self) -> Iterator[str]:
        if _COAL_YARD.search(self.text):
            yield COAL
        for at, word in enumerate(self.words):
            if word.fuel and self._is_fuel(at):
                yield word.fuel

    def _word(self, at: int) -> _Word:
        return self.words[at] if 0 <= at < len(self.words) else _NOTHING

    def _joined(self, at: int) -> _Word:
        """Return the word at a position if only a blank or hyphen precedes it, else `_NOTHING`."""
        return word if (word := self._word(at)).before == "" else _NOTHING

    def _previous(self, at: int) -> _Word:
        return self._word(at - 1) if self.words[at].before == "" else _NOTHING

    def _is_fuel(self, at: int) -> bool:
        word, adjectives = self.words[at], self._adjectives(at)
        preposition = self._preposition(at)
        if preposition in _AGAINST or (preposition in _MADE_OF and word.key.endswith(_GENITIVE)):
            return False
        purpose = self._joined(at + 2).key if self._joined(at + 1).key in _AGAINST else ""
        if _any_begins(adjectives, _FUEL_ADJECTIVES.get(word.fuel, ())):
            return True
        if purpose.startswith(_OTHER_PURPOSES) or _any_begins(adjectives, _OTHER_ADJECTIVES.get(word.fuel, ())):
            return False
        if word.fuel == WOOD:
            return purpose.startswith(_FIREPLACES) or (not purpose and self._is_firewood(at))
        if word.fuel == BRIQUETTE:
            return "wegla drzewnego" not in " ".join(self._joined(at + step).key for step in (1, 2, 3))
        if word.fuel in _ASSORTMENTS:
            return self._is_assortment(at)
        return word.fuel != COAL or not self._is_surname(at)

    def _adjectives(self, at: int) -> list[str]:
        fuel, adjectives = self.words[at].fuel, []
        words = _FUEL_ADJECTIVES.get(fuel, ()) + _OTHER_ADJECTIVES.get(fuel, ())
        before = self._previous(at)
        if _ADJECTIVE.fullmatch(before.key) and not self._previous(at - 1).fuel:
            adjectives.append(before.key)
        after = at + 1
        while (word := self._word(after)).key in _CONNECTORS or _ADJECTIVE.fullmatch(word.key):
            # After a comma, an adjective may belong to the next noun: "węgiel, drzewny pellet".
            if word.before == ";" or (word.before and (self._joined(after + 1).fuel or not word.key.startswith(words))):
                break
            adjectives.append(word.key)
            after += 1
        return adjectives

    def _preposition(self, at: int) -> str:
        while self.words[at].before != ";":
            previous = self._word(at - 1)
            if previous.key in _AGAINST | _MADE_OF:
                return previous.key
            if previous.fuel or previous.key in _CONNECTORS:
                at -= 1
            elif self._word(at - 2).fuel and _ADJECTIVE.fullmatch(previous.key):
                at -= 2
            else:
                break
        return ""

    def _is_surname(self, at: int) -> bool:
        """Whether a noun is beside a given name, an initial or a word for relatives."""
        word, previous, following = self.words[at], self._previous(at), self._joined(at + 1)
        if not word.capital or following.fuel:
            return False
        if previous.initial or _is_given(previous.key) or previous.key in _FAMILY:
            return True
        heirs = self._joined(at + 2) if following.key == "i" else following
        if heirs.key in _HEIRS:
            return True
        # In "Drewno Jan Kowalski" the given name belongs to another surname.
        last = self._joined(at + 2)
        other = last.capital and not is_business_word(last.key)
        return (following.initial or _is_given(following.key)) and not other

    def _is_firewood(self, at: int) -> bool:
        word, previous = self.words[at], self._previous(at)
        if word.key.startswith("drzew") or self._is_surname(at) or _TIMBER_TRADE.search(self.text):
            return False
        # Inside a name, a capital letter starts a proper name: "Skład opału Drewno", "PHU Drewno".
        if word.key == "drewno" and word.capital and not self._joined(at + 1).fuel:
            apart = not previous.key or previous.fuel or previous.key in _CONNECTORS
            abbreviation = previous.key in _LEGAL_FORMS or len(previous.key) == 1
            if not apart and (abbreviation or not previous.capital):
                return False
        others = any(other.fuel not in ("", WOOD) for other in self.words)
        return others or bool(_FUEL_TRADE.search(self.text)) or "budowl" not in self.text

    def _is_assortment(self, at: int) -> bool:
        word, previous = self.words[at], self._previous(at)
        if previous.fuel == WOOD or self._is_surname(at) or (word.fuel == COBBLE and "bruk" in self.text):
            return False
        # "Skład węgla Orzech" names a person, "Węgiel Orzech" an assortment.
        beside_coal = previous.fuel and previous.fuel not in _ASSORTMENTS and previous.key != "wegiel"
        if beside_coal and word.capital and not self.one_case:
            return False
        listed = [*self._listed(at, -1), *self._listed(at, 1)]
        if any(item.fuel in (COAL, ECO_PEA, DUST) for item in listed):
            return True
        # Two capitalised words may be partners: "Kostka i Orzech s.c.".
        others = {item.fuel: item.capital for item in listed if item.fuel in _ASSORTMENTS - {word.fuel}}
        names = word.capital and all(others.values()) and not self.one_case
        return len(others) > 1 or (len(others) == 1 and not names)

    def _listed(self, at: int, step: int) -> Iterator[_Word]:
        """Yield the fuels in the same list on one side of a noun. step: -1 or 1."""
        at += step
        # Sizes have numbers: "orzech II".
        while (word := self._word(at)).fuel or word.key in _CONNECTORS | {"ii"} or _ADJECTIVE.fullmatch(word.key):
            if word.fuel:
                yield word
            at += step


def _words(name: str, place: str) -> Iterator[_Word]:
    here = {plain(match[0]) for match in _WORD.finditer(place)}
    matches = list(_WORD.finditer(name))
    ended, prefix = 0, ""
    for number, match in enumerate(matches):
        gap, key = name[ended : match.start()], plain(match[0])
        ended = match.end()
        before = ";" if number == 0 or _BREAK.search(gap) else "," if _LIST.search(gap) else ""
        if prefix and not before and _slug(prefix + key):
            key = prefix + key
        prefix = key if key in ("eko", "eco") else ""
        letters = len(key) == 1 and name[ended : ended + 1] == "."
        yield _Word(
            key,
            fuel="" if key in here else _slug(key),
            before=before,
            capital=match[0][0].isupper() or name.islower(),
            # "A. Nowak", not "P.P.H.U. Nowak".
            initial=letters and not (number and len(matches[number - 1][0]) == 1),
        )


def _slug(key: str) -> str:
    """Return the fuel that a folded word is a form of, "" for other words."""
    return next((slug for slug, forms in _NOUNS.items() if forms.fullmatch(key)), "")


def _any_begins(words: list[str], beginnings: tuple[str, ...]) -> bool:
    return any(word.startswith(beginnings) for word in words)


def _is_given(key: str) -> bool:
    """Whether a folded word is a given name, also in the genitive: "u Jana"."""
    names = word_list("given_names")
    return key in names or (key.endswith("a") and key[:-1] in names)
