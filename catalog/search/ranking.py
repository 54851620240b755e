"""The order of suggestions: how a name was found, and among names found alike importance.

Names that begin with the text or contain it come in the order of `TextTier`, names found word by word or in spite of
mistakes in that of `WordTier`. `entries` writes all names in order of importance: municipalities by `Sizes`, postcodes,
then localities by `kind_tier` and `Sizes`.
"""

from collections import defaultdict
from enum import IntEnum, auto
from statistics import median

from catalog.models import Municipality
from catalog.search.positions import PlaceRegister
from catalog.territory.teryt import is_city_with_county_rights
from catalog.text import fold

LARGEST = 400
"""Number of the largest municipalities, which are ranked as well known."""

URBAN = frozenset({Municipality.Kind.TOWN, Municipality.Kind.MIXED})
"""Kinds of municipality that are towns or contain one."""

TOWN, DISTRICT, VILLAGE, OTHER = range(4)

KIND_TIERS = {"miasto": TOWN, "dzielnica": DISTRICT, "delegatura": DISTRICT, "wieś": VILLAGE}


class TextTier(IntEnum):
    """How a name contains a text, best first."""

    EXACT_MUNICIPALITY = auto()
    LARGEST_MUNICIPALITY = auto()
    """One of the `LARGEST` begins with the text."""
    TOWN = auto()
    """The text is the first word of an `URBAN` municipality."""
    EXACT = auto()
    BEGINNING = auto()
    LATER_WORD = auto()
    """A later word begins with the text."""
    INSIDE_WORD = auto()


class WordTier(IntEnum):
    """How the words of a query cover a name, best first; a name with fewer edits goes before every other."""

    EXACT_MUNICIPALITY = auto()
    WELL_KNOWN = auto()
    """One of the `LARGEST` municipalities, or an `URBAN` one whose words are not shortened."""
    WHOLE_NAME = auto()
    PART_OF_NAME = auto()


def kind_tier(kind: str, municipality: str) -> int:
    """Return the rank of a kind of locality, best known first: parts of large cities before villages."""
    if kind == "część miasta" and is_city_with_county_rights(municipality):
        return DISTRICT
    return KIND_TIERS.get(kind, OTHER)


class Sizes:
    """Sizes of municipalities and places, in addresses or in weights of a source without numbers."""

    def __init__(self, register: PlaceRegister) -> None:
        self.places: dict[tuple[str, str], float] = defaultdict(float)
        """By folded name and municipality: an equal share of the addresses of each postcode."""
        counted: dict[str, int] = defaultdict(int)
        codes: dict[str, list[bool]] = defaultdict(list)
        for row in register.postcodes:
            names = {fold(place) for place in row.places}
            for code, addresses in row.municipalities:
                counted[code] += addresses
                codes[code].append(addresses > 0)
                for name in names:
                    self.places[name, code] += addresses / len(names)
        # Without numbers for most of its postcodes, a municipality gets the usual size of its kind: the address
        # register lacks whole cities; for Radom it has 20 addresses.
        known = {code for code, kinds in codes.items() if 2 * sum(kinds) > len(kinds)}
        alike: dict[tuple[bool, int], list[int]] = defaultdict(list)
        for code in known:
            unit = register.municipalities[code]
            alike[_likeness(unit)].append(counted[code])
        usual = {likeness: median(sizes) for likeness, sizes in alike.items()}
        self.municipalities: dict[str, float] = {
            code: counted[code] if code in known else max(counted[code], usual.get(_likeness(unit), 0))
            for code, unit in register.municipalities.items()
        }


def _likeness(unit: Municipality) -> tuple[bool, int]:
    return is_city_with_county_rights(unit.teryt), unit.kind
