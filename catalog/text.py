"""Normalisation and formatting of text: folded names, slugs, Polish order, postcodes, addresses, numbers, amounts.

Structure of TERYT codes.
"""

import re
import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import filterfalse

_POLISH = str.maketrans("ąćęłńóśźżĄĆĘŁŃÓŚŹŻ", "acelnoszzACELNOSZZ")

# Letters that Unicode does not decompose into a base letter and a mark. Covers Latin-1 and Latin Extended-A.
# The last is the modifier letter apostrophe, also inside ŉ.
_UNDECOMPOSED = str.maketrans("ðđħıĸłŋøŧ\u02bc", "ddhiklnot'") | {ord("æ"): "ae", ord("œ"): "oe", ord("þ"): "th"}

# Each Polish letter sorts as its base letter followed by a character after "z" in ASCII: ą follows every a and precedes
# every b.
_POLISH_ORDER = dict(zip("ąćęłńóśźż", ("a{", "c{", "e{", "l{", "n{", "o{", "s{", "z{", "z|"), strict=True))

_POSTCODE = re.compile(r"([0-9]{2})-?([0-9]{3})")

_OTHERS = re.compile(r"[\W_]+")
"""Neither letters nor digits."""

_AMID_INITIALS = re.compile(r"(?<=\b\w) (?=\w\b)")

_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


LETTER_WIDTH = 72
"""Characters of a line that mail programs show, also quoted, without breaking it."""


def plain(text: str) -> str:
    """Lower case without diacritics; punctuation and blanks are kept.

    Compatibility forms become ordinary ones (full-width digits, ligatures, superscripts); ß becomes ss.
    """
    if (bare := text.translate(_POLISH)).isascii():
        return bare.lower()
    # Normalise twice: lower-casing can produce a composed letter, decomposing can produce a capital.
    for _ in range(2):
        text = unicodedata.normalize("NFKD", text).casefold()
    # Decompose again after the table, which has no entries for letters with a further mark.
    text = unicodedata.normalize("NFKD", text).translate(_UNDECOMPOSED)
    return "".join(filterfalse(unicodedata.combining, text))


def fold(text: str) -> str:
    """Search form of a text: `plain`, with every run of other characters than letters and digits as one blank.

    Latin input gives only a-z, 0-9 and single inner blanks. `%`, `_` and backslashes never remain, so the result is
    safe in a LIKE pattern. Idempotent.
    """
    return _OTHERS.sub(" ", plain(text)).strip()


def fold_company(text: str) -> str:
    """`fold` with initials joined, as people search for a company: "P.H.U. Nowak" gives "phu nowak"."""
    return _AMID_INITIALS.sub("", fold(text))


def writable(text: str) -> str:
    """Return a text with blanks for the characters that XML 1.0 and calendars (RFC 5545) have no way to write.

    Such as the vertical tab of a line broken by hand in a word processor.
    """
    return _UNWRITABLE.sub(" ", text)


def slug(text: str) -> str:
    """Slug of a text: a-z, 0-9 and single dashes, "bez-nazwy" for a text without such characters."""
    return re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-") or "bez-nazwy"


@lru_cache(maxsize=50)
def voivodeship_slug(text: str) -> str:
    """Slug of a voivodeship: "Małopolskie" and "województwo małopolskie" give "malopolskie". Cached: paths have it."""
    return slug(text).removeprefix("wojewodztwo-")


@lru_cache(maxsize=4096)
def sort_key(text: str) -> str:
    """Key that sorts by code point (COLLATE "C") in Polish alphabetical order. Cached: pages sort the same names.

    a ą b c ć … z ź ż; blanks before digits before letters, so word by word. Case is ignored, foreign diacritics count
    as their base letter, punctuation as a blank. Keys are not unique: order by something else too.
    """
    composed = unicodedata.normalize("NFC", text).casefold()
    # Folded text never contains the two marks, so they come from the table only.
    letters = "".join(_POLISH_ORDER.get(c) or _OTHERS.sub(" ", plain(c)) for c in composed)
    return " ".join(letters.split())


def normalise_postcode(text: str) -> str:
    """Normalise a Polish postcode: "30001" and "30-001" give "30-001".

    Raises ValueError for anything else, including blanks and digits of other scripts.
    """
    match = _POSTCODE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a postcode: {text[:20]!r}; write it as 30-001 or 30001")
    return f"{match[1]}-{match[2]}"


def one_line(text: str, longest: int | None = None) -> str:
    """Return a text without line breaks and runs of blanks. longest: cut to so many characters."""
    return " ".join(text.split())[:longest]


def wrapped(text: str) -> str:
    """Return the text of a letter in lines of at most `LETTER_WIDTH`, those of an item indented as its first.

    Lines end at blanks only, so an address stays whole, and so does what a non-breaking space holds together.
    """
    wrapper = textwrap.TextWrapper(LETTER_WIDTH, break_long_words=False, break_on_hyphens=False)
    lines = []
    for line in text.strip().splitlines():
        wrapper.subsequent_indent = " " * (len(line) - len(line.removeprefix("- ").lstrip(" ")))
        lines += wrapper.wrap(line) or [""]
    return "\n".join(lines) + "\n"


def full_sentence(text: str) -> str:
    """Return a text with a full stop, which an abbreviation at its end already has."""
    return text if text.endswith(".") else f"{text}."


def format_address(street: str, house_number: str, postcode: str, place: str, municipality: str) -> str:
    """Address on one line: "ul. Długa 5, 30-001 Kraków"; without a street "30-001 Lipnica 29"; else the municipality.

    Any part but the municipality may be "". Importers and forms ensure that parts hold no line breaks or runs of
    blanks. The municipality replaces a missing place. A house number alone is omitted: it would read as one of the
    municipality's seat.
    """
    town = f"{postcode} {place or municipality}" if postcode else place or municipality
    if street:
        return f"{street} {house_number}, {town}" if house_number else f"{street}, {town}"
    return f"{town} {house_number}" if house_number and place else town


def round_half_up(number: float | Decimal, places: int = 0) -> Decimal:
    """Return a number rounded as on paper, halves away from zero; `round` and formats choose the even digit."""
    return Decimal(str(number)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def zloty(amount: float | Decimal | None, places: int = 2) -> str:
    """ "1 520,50 zł", on one line; a dash for None."""
    return "–" if amount is None else f"{grouped(amount, places)}\N{NO-BREAK SPACE}zł"


def short_zloty(amount: float | Decimal) -> str:
    """ "1 590 zł", "1 590,50 zł": grosze only where needed."""
    return f"{short_amount(amount)}\N{NO-BREAK SPACE}zł"


def short_amount(amount: float | Decimal) -> str:
    """The same without the unit."""
    return grouped(amount, 0 if amount == int(amount) else 2)


def grouped(number: float | Decimal, places: int) -> str:
    return f"{round_half_up(number, places):,}".replace(",", "\N{NO-BREAK SPACE}").replace(".", ",")


def zloty_range(low: float | Decimal, high: float | Decimal) -> str:
    """ "600–4 000 zł"."""
    return f"{short_amount(low)}–{short_zloty(high)}"


def whole(number: int | None) -> str:
    """ "44 005", "4005": four digits are not grouped; "" for None."""
    if number is None:
        return ""
    return f"{number:,}".replace(",", "\N{NO-BREAK SPACE}") if abs(number) >= 10_000 else str(number)


def counted(number: int, one: str, few: str, many: str) -> str:
    """ "1 skład", "2 składy", "5 składów", "22 składy": a number with the form of its noun."""
    if number == 1:
        return f"1 {one}"
    if number % 10 in {2, 3, 4} and number % 100 not in {12, 13, 14}:
        return f"{whole(number)} {few}"
    return f"{whole(number)} {many}"


def out_of(number: int) -> str:
    """ "z 22", "ze 120": a number after its preposition, which is longer before "sto"."""
    preposition = "ze" if re.fullmatch("1..(...)*", str(number)) else "z"
    return f"{preposition}\N{NO-BREAK SPACE}{whole(number)}"


def lasting(period: timedelta) -> str:
    """ "pół roku", "rok"; "200 dni" for a period that is neither. Follows "ponad" or "niż"."""
    return {180: "pół roku", 365: "rok"}.get(period.days, f"{period.days} dni")


def masked_address(email: str) -> str:
    """ "j…@opal.pl": an e-mail address with the first letter of its name only."""
    name, _, domain = email.rpartition("@")
    return f"{name[:1]}…@{domain}"


FIRST_CITY_COUNTY = "61"
"""Counties from this number on are cities with county rights. Source: GUS, numbering of TERC."""


def is_city_with_county_rights(code: str) -> bool:
    """Whether a code of four or more digits lies in a city with county rights."""
    return code[2:4] >= FIRST_CITY_COUNTY


LAST_DISTRICTS = {"02649": "06", "10619": "06", "12619": "05", "14658": "19", "30649": "06"}
"""Number of the last district by county and kind; the first is 02. Source: GUS, TERC."""


def whole_of(code: str) -> str | None:
    """Return the code of the municipality that contains a part; None for a code of another kind.

    The seventh digit is the kind: 4 the town and 5 the rural area of a mixed municipality (3), 8 a district of Warszawa
    and 9 a delegation of a city with county rights, whose only municipality is 01 of kind 1. Source: GUS, TERC.
    """
    if len(code) != 7:
        return None
    if code[6] in "45":
        return f"{code[:6]}3"
    last = LAST_DISTRICTS.get(code[:4] + code[6], "")
    return f"{code[:4]}011" if "02" <= code[4:6] <= last else None


def group_by_unit(municipalities: Iterable[str]) -> dict[str, list[str]]:
    """Return codes of municipalities by the codes of all units that contain them: of 2, 4 and 7 digits."""
    units: dict[str, list[str]] = defaultdict(list)
    for teryt in municipalities:
        for unit in (teryt[:2], teryt[:4], teryt):
            units[unit].append(teryt)
    return dict(units)
