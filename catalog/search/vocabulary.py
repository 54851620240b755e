"""The vocabulary of queries: other names of cities and regions, kinds of units, fuels, words to ignore; and cases.

All words are folded. Names are known in the genitive, the locative and the instrumental: "do Krakowa", "w Krakowie",
"pod Krakowem". Endings follow the declension of the last letter ("Gramatyka współczesnego języka polskiego.
Morfologia", PWN). Gender and stem of a name are not known, so more forms are made than exist; a form is only looked up,
never shown.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache

NICKNAMES = {"wawa": "warszawa", "wwa": "warszawa", "krk": "krakow", "warsaw": "warszawa", "cracow": "krakow"}
"""Short and English names of cities that are no prefixes of the name."""

ABBREVIATIONS = NICKNAMES | {
    "wlkp": "wielkopolsk",
    "mlp": "malopolsk",
    "zachpom": "zachodniopomorsk",
    "zach": "zachodni",
    "nw": "now",
    "wlk": "wielk",
}
"""Abbreviations that are no prefixes of their word → the common stem of the word's forms."""

REGIONS: dict[str | tuple[str, ...], tuple[str, ...]] = {
    "02": ("dolny slask", "dolnym slasku"),
    "04": ("kujawy", "kujawach"),
    "06": ("lubelszczyzna", "lubelszczyznie"),
    "12": ("malopolska", "malopolsce"),
    "14": ("mazowsze", "mazowszu"),
    "16": ("opolszczyzna", "opolszczyznie"),
    "18": ("podkarpacie", "podkarpaciu"),
    "20": ("podlasie", "podlasiu"),
    "22": ("pomorze", "pomorzu"),
    "24": ("slask", "slasku", "gorny slask", "gornym slasku"),
    "28": ("warmia", "warmii", "mazury", "mazurach"),
    "30": ("wielkopolska", "wielkopolsce"),
    ("1211", "1217"): ("podhale", "podhalu"),
    ("1801", "1821"): ("bieszczady", "bieszczadach"),
    ("2205", "2206", "2211", "2215"): ("kaszuby", "kaszubach"),
    ("2009", "2012", "2063"): ("suwalszczyzna", "suwalszczyznie"),
    ("2261", "2262", "2264"): ("trojmiasto", "trojmiescie"),
    ("2401", "2465", "2475"): ("zaglebie dabrowskie", "zaglebiu dabrowskim"),
}
"""Names of regions that stand for the voivodeship of a code or for counties, also as after "w" and "na"."""

ENGLISH = {
    "lower silesia": "dolnoslaskie",
    "kuyavia pomerania": "kujawsko-pomorskie",
    "lesser poland": "malopolskie",
    "masovia": "mazowieckie",
    "mazovia": "mazowieckie",
    "subcarpathia": "podkarpackie",
    "podlachia": "podlaskie",
    "pomerania": "pomorskie",
    "silesia": "slaskie",
    "warmia masuria": "warminsko-mazurskie",
    "greater poland": "wielkopolskie",
    "west pomerania": "zachodniopomorskie",
}
"""Folded Polish names of voivodeships by their English ones, which are those of GeoNames.

Lublin and Nowy Lubusz are Polish places, too, and left out, as are names that are the same in Polish.
"""

WORD_GAP = "n?[ -]"
"""What stands between two words of an English name: "Kuyavian-Pomeranian"."""

ENGLISH_NAME = re.compile(
    rf"(?<![^\W_])(?:{'|'.join(name.replace(' ', WORD_GAP) for name in ENGLISH)})n?(?![^\W_])", re.IGNORECASE
)


class ContextScope(Enum):
    """Level of unit that a word of a query names."""

    MUNICIPALITY = "municipality"
    COUNTY = "county"
    VOIVODESHIP = "voivodeship"


SCOPES = {
    **dict.fromkeys(("powiat", "powiatu", "powiecie", "pow"), ContextScope.COUNTY),
    **dict.fromkeys(("wojewodztwo", "wojewodztwa", "wojewodztwie", "woj", "voivodeship"), ContextScope.VOIVODESHIP),
}
"""Words that tell the level of the adjacent name."""

MUNICIPALITY_WORDS = frozenset(("gmina", "gminy", "gminie", "gm"))

KINDS = {"miejska": 1, "miejskiej": 1, "wiejska": 2, "wiejskiej": 2}
"""Kinds of municipality by the word after "gmina"; "miejsko-wiejska" is 3."""

NEAR = (
    *("kolo", "wokol", "okolo", "obok", "pod", "przy", "blisko", "niedaleko", "nieopodal", "poblizu"),
    *("okolice", "okolicy", "okolicach"),
)
"""Words between a place and the town that it is near, beside "k.", which may also have a stroke behind it."""

PREPOSITIONS = frozenset({"w", "we", "na", "k", *NEAR, "do", "od", "dla", "z", "ze", "miedzy", "poza", "przed", "spod"})
"""Prepositions, which inflect the name: "w Krakowie", "koło Krakowa"."""

DEPOT = frozenset({"sklad", "sklady", "skladu"})
"""Words for a depot. Hamlets are called so, too, but no longer name contains one."""

ASIDE = DEPOT.union(
    {"tani", "tanie", "tanio", "najtanszy", "najtansze", "najtaniej", "najblizszy", "najblizsze", "najblizej"}
    | {"cena", "ceny", "gdzie", "kupic", "otwarty", "otwarte", "where", "buy", "cheap", "cheapest", "price", "prices"}
    | {"luzem", "worek", "workach", "workowany", "dostawa", "dowozem", "transportem", "kupie", "ile", "kosztuje"}
    | {"opal", "opalu", "olej", "oleju", "opalowy", "opalowe", "hurtownia", "sprzedaz"}
    | {"in", "near", "me", "to", "fuel", "depot", "depots", "mnie", "teraz", "dzis", "dzisiaj", "sobota", "sobote"}
    | {"poniedzialek", "wtorek", "srode", "czwartek", "niedziela", "niedziele", "miejscowosci", "osiedlu", "dzielnicy"}
    | {"kod", "pocztowy", "za", "tone", "tona", "tony", "zime", "domu"}
)
"""Words beside a place, which begin none. Of the days of the week without Piątek and Środa, which are towns."""

COUNTRY = frozenset({"polska", "poland"})

FILLERS = (ASIDE | PREPOSITIONS | COUNTRY).union(
    {"m", "miasto", "miasta", "miescie", "wies", "wsi", "osada", "osiedle", "dzielnica", "solectwo", "miejscowosc"},
    {"i", "okolica", "terenie", "prawach", "centrum"},
)
"""Words without information on a location. First tried as parts of names: Nowa Wieś, Kamienica Polska."""

STREETS = frozenset(["ul", "ulica", "ulicy", "al", "aleja", "aleje", "pl", "plac", "os"])

SQUARE = "rynek"
"""The main square of a town. Few parts of villages have this name, and their addresses no numbers."""

FUELS = {
    slug: re.compile(rf"(?<![^\W_])(?:(?:{'|'.join(DEPOT)}) )?(?:{forms.replace(' ', '[ -]')})(?![^\W_])")
    for slug, forms in {
        "wegiel-kostka": r"(?:wegiel |wegla )?kostk[aie]|lump coal",
        "wegiel-orzech": r"(?:wegiel |wegla )?orzecha?|nut coal",
        "ekogroszek": r"eko ?grosz(?:ek|ku|kiem)|eco pea coal",
        "wegiel-groszek": r"(?:wegiel |wegla )?grosz(?:ek|ku)|pea coal",
        "mial-weglowy": r"mial(?:u|em)?(?: weglow(?:y|ego))?|fine coal",
        "wegiel": r"weg(?:iel|la|lem)(?: kamienn(?:y|ego))?|(?:hard )?coal",
        "pellet": r"(?:wood )?pell?et(?:u|y|em|ow|s)?(?: drzewn(?:y|ego))?",
        "brykiet": r"brykiet(?:u|y|em|ow)?(?: drzewn(?:y|ego))?|(?:wood )?briquettes?",
        "drewno-kominkowe": r"drew(?:no|na|nem)(?: (?:kominkow|opalow)(?:e|ego|ym))?(?: do kominka)?"
        r"|drzewo (?:kominkowe|opalowe)|firewood",
    }.items()
}
"""Spellings of the slugs of `catalog.depots.fuels`, folded; longer spellings first. A blank may be a dash.

A depot of a fuel ("skład węgla") is no place called Skład.
"""

CASE_ENDING = re.compile(r"(?<=[a-z]{3})(?:ego|iu|iem|ie|ach|ami|em|ej|ym|im|om|a|u|y|i|e)$")
"""Inflected endings of names; the rest is a prefix of the name."""

Forms = frozenset[str]

GENITIVE, LOCATIVE, INSTRUMENTAL = CASES = range(3)

VOWELS = "aeiouy"

FEWEST_LETTERS = 2
"""Letters of an abbreviated word in an inflected name."""

COMPOUNDS = {"bialystok": ("bialy", "stok"), "krasnystaw": ("krasny", "staw")}
"""Names that inflect inside."""

IRREGULAR = {
    "wies": "wsi",
    "miasto": "miescie",
    "ujazd": "ujezdzie",
    "las": "lesie",
    "blota": "blotach",
    "ostrow": "ostrowi",  # Ostrów Mazowiecka is feminine.
}
NOMINATIVES = {form: name for name, form in IRREGULAR.items()}

UNINFLECTED_AFTER = frozenset({"nad", "pod", "na", "w", "przy", "kolo"})
"""Words after which the rest of a name stays: Nakło nad Notecią."""

SOFTENED = {"k": "ce", "g": "dze", "ch": "sze", "r": "rze", "t": "cie", "d": "dzie", "l": "le", "st": "scie"}
"""Ends of stems before the locative's -e: Wieliczka, w Wieliczce."""


def soften(stem: str) -> str:
    """Return the locative in -e of a stem."""
    for length in (2, 1):
        if ending := SOFTENED.get(stem[-length:]):
            return stem[:-length] + ending
    return f"{stem}ie"


def fleeting(stem: str) -> Iterable[str]:
    """Yield a stem with the vowel that appears before its last consonant: siedlc, siedlec; zabk, zabek."""
    if len(stem) > 2 and stem[-1] not in VOWELS and stem[-2] not in VOWELS:
        yield f"{stem[:-1]}e{stem[-1]}"
        yield f"{stem[:-1]}ie{stem[-1]}"


@lru_cache(maxsize=4096)
def inflect(word: str) -> tuple[Forms, ...]:
    """Return the possible genitives, locatives and instrumentals of a folded word in the nominative."""
    if word in COMPOUNDS:
        adjective, noun = map(inflect, COMPOUNDS[word])
        return tuple(
            frozenset(f"{first}{second}" for first in adjective[case] for second in noun[case]) for case in CASES
        )
    stem, last = word[:-1], word[-1]
    extra = {IRREGULAR[word]} if word in IRREGULAR else set()
    match last:
        case "a":
            hard = stem.removesuffix("i")
            of = {f"{stem}y", f"{stem}i", f"{stem}ej", f"{stem}iej", f"{hard}i", f"{hard}ii"}
            at = {*of, soften(stem), f"{stem}e"}
            by = {word}
        case "o":
            of, at = {f"{stem}a"}, {f"{stem}u", f"{stem}e", soften(stem)}
            by = {f"{stem}em", f"{stem}iem"}
        case "e":
            plural = {stem, f"{stem}ow", f"{stem}i", f"{stem}ych", f"{stem}ch", *fleeting(stem)}
            plural |= set() if stem.endswith("c") else {f"{stem}y"}  # "w Krynicy" is no Krynice
            of = {f"{stem}a", f"{stem}ego", *plural}
            at = {f"{stem}u", f"{stem}em", f"{stem}ym", f"{stem}m", f"{stem}ach", f"{stem}ych", f"{stem}ch"}
            by = {f"{stem}em", f"{stem}ym", f"{stem}m", f"{stem}ami", f"{stem}ymi", f"{stem}mi"}
        case "y" | "i":
            of = {stem, f"{stem}ow", f"{stem}ego", f"{word}ego", *fleeting(stem)}
            at = {f"{stem}ach", f"{word}ach", f"{stem}ym", f"{word}m"}
            by = {f"{stem}ami", f"{word}ami", f"{stem}ym", f"{word}m"}
        case _:
            short = re.sub(r"(?<=..)i?e(cz|[cklnrz])$", r"\1", word)
            feminine = ("i", "y") if last in "clpz" else ()  # Łódź, Bydgoszcz, Sól, Gołdap
            soft = "i" if last in "bcmnpw" else ""  # Radom, Toruń, Zamość
            of = {f"{form}{ending}" for form in {word, short} for ending in ("a", "u", f"{soft}a", *feminine)}
            at = {f"{form}{ending}" for form in {word, short} for ending in ("u", f"{soft}u", *feminine)}
            by = {f"{form}{ending}" for form in {word, short} for ending in ("em", "iem", "ia", "a")}
            at |= {soften(word), soften(short)}
    return frozenset(of | extra), frozenset(at | extra), frozenset(by)


LONGEST_ENDING = 3
"""Most letters at the end of a case that its nominative lacks: "rudzie", "czarnego"."""


def find_nominatives(form: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the words that have a folded word as a case. words: folded and sorted."""
    beginning = form[: max(2, len(form) - LONGEST_ENDING)]
    for place in range(bisect_left(words, beginning), len(words)):
        word = words[place]
        if not word.startswith(beginning):
            break
        if len(word) > 1 and any(form in forms for forms in inflect(word)):
            yield word
    if form in NOMINATIVES:
        yield NOMINATIVES[form]


class InflectedNames:
    def __init__(self, names: Iterable[str]) -> None:
        """names: folded, most important first."""
        self._by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for name in dict.fromkeys(names):
            words = tuple(name.split())
            for form in frozenset().union(*inflect(words[0])):
                self._by_first[form].append(words)

    def find(self, words: Sequence[str], *, spoken: bool = False) -> str | None:
        """Return the most important name that has folded words as a case, None without one.

        spoken: whether a preposition is before them; the instrumental is a nominative too often without.
        """
        cases = CASES if spoken else (GENITIVE, LOCATIVE)
        for name in self._by_first.get(words[0], ()) if words else ():
            if len(name) == len(words) and any(in_case(name, words, case) for case in cases):
                return " ".join(name)
        return None


def in_case(name: Sequence[str], words: Sequence[str], case: int) -> bool:
    """Whether words are a name in one of the `CASES`; those after the first may be abbreviated."""
    fixed = False
    for place, (nominative, word) in enumerate(zip(name, words, strict=True)):
        fixed = fixed or (nominative in UNINFLECTED_AFTER and nominative != name[0])
        if fixed:
            if word != nominative:
                return False
        elif word not in inflect(nominative)[case] and not (place and is_abbreviation(word, nominative)):
            return False
    return True


def is_abbreviation(word: str, nominative: str) -> bool:
    """Whether a word without its full stop shortens another: "sl" for "slaska", "wlkp" for "wielkopolski"."""
    return FEWEST_LETTERS <= len(word) < len(nominative) and nominative.startswith(ABBREVIATIONS.get(word, word))
