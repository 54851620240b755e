"""Words that queries are read by: other names of cities and regions, kinds of units, fuels, streets, words to ignore.

All are folded.
"""

import re
from enum import Enum

NICKNAMES = {"wawa": "warszawa", "wwa": "warszawa", "krk": "krakow", "warsaw": "warszawa", "cracow": "krakow"}
"""Short and English names of cities that are no prefixes of the name."""

ABBREVIATIONS = NICKNAMES | {
    "wlkp": "wielkopolsk",
    "mlp": "malopolsk",
    "zachpom": "zachodniopomorsk",
    "zach": "zachodni",
}
"""Abbreviations that are no prefixes of their word → the common stem of the word's forms."""

REGIONS = {
    "02": ("dolny slask",),
    "04": ("kujawy", "kujawach"),
    "06": ("lubelszczyzna", "lubelszczyznie"),
    "12": ("malopolska",),
    "14": ("mazowsze", "mazowszu"),
    "16": ("opolszczyzna", "opolszczyznie"),
    "18": ("podkarpacie", "podkarpaciu"),
    "20": ("podlasie", "podlasiu"),
    "22": ("pomorze", "pomorzu"),
    "24": ("slask", "slasku", "gorny slask"),
    "28": ("warmia", "mazury", "mazurach"),
    "30": ("wielkopolska",),
}
"""Names of regions that stand for the voivodeship of a code."""


class ContextScope(Enum):
    """Level of unit that a word of a query names."""

    MUNICIPALITY = "municipality"
    COUNTY = "county"
    VOIVODESHIP = "voivodeship"


SCOPES = {
    **dict.fromkeys(("powiat", "powiatu", "powiecie", "pow"), ContextScope.COUNTY),
    **dict.fromkeys(("wojewodztwo", "wojewodztwa", "wojewodztwie", "woj"), ContextScope.VOIVODESHIP),
}
"""Words that tell the level of the adjacent name."""

MUNICIPALITY_WORDS = frozenset(("gmina", "gminy", "gminie", "gm"))

KINDS = {"miejska": 1, "miejskiej": 1, "wiejska": 2, "wiejskiej": 2}
"""Kinds of municipality by the word after "gmina"; "miejsko-wiejska" is 3."""

ABOUT_FUELS = frozenset(
    {"tani", "tanie", "tanio", "najtanszy", "najtansze", "najtaniej", "najblizszy", "najblizsze", "najblizej"}
    | {"cena", "ceny", "gdzie", "kupic", "otwarty", "otwarte", "where", "buy", "cheap", "cheapest", "price", "prices"}
    | {"luzem", "worek", "workach", "workowany", "dostawa", "dowozem", "transportem"}
)
"""Words beside a fuel that begin no name of a place: "tani pellet" is not sought in Tanibórz."""

NEAR = ("kolo", "obok", "pod", "blisko", "niedaleko")
"""Words between a place and the town that it is near, beside "k.", which may also have a stroke behind it."""

PREPOSITIONS = frozenset({"w", "we", "k", *NEAR, "przy", "do", "dla", "z", "okolice", "okolicy", "okolicach"})
"""Prepositions, which inflect the name: "w Krakowie", "koło Krakowa"."""

ASIDE = ABOUT_FUELS.union(
    {"sklad", "sklady", "skladu", "opal", "opalu", "opalowy", "opalowe", "hurtownia", "sprzedaz", "kupie", "ile"},
    {"in", "near", "me", "to", "fuel", "depot", "depots", "kod", "pocztowy", "teraz", "dzis", "dzisiaj", "kosztuje"},
    {"mnie", "poniedzialek", "wtorek", "srode", "czwartek", "sobota", "sobote", "niedziela", "niedziele"},
)
"""Words beside a place. Of the days of the week without Piątek and Środa, which are towns."""

FILLERS = (ASIDE | PREPOSITIONS).union(
    {"m", "miasto", "miasta", "miescie", "wies", "wsi", "osada", "osiedle", "dzielnica", "solectwo", "miejscowosc"},
    {"i", "okolica", "polska", "na", "prawach", "centrum", "poblizu"},
)
"""Words without information on a location. First tried as parts of names: Nowa Wieś, Kamienica Polska."""

STREETS = frozenset(["ul", "ulica", "ulicy", "al", "aleja", "aleje", "pl", "plac", "os"])

SQUARE = "rynek"
"""The main square of a town. Few parts of villages have this name, and their addresses no numbers."""

FUELS = {
    slug: re.compile(rf"(?<![^\W_])(?:{forms.replace(' ', '[ -]')})(?![^\W_])")
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
"""Spellings of the slugs of `catalog.depots.fuels`, folded; longer spellings first. A blank may be a dash."""
