"""What people type into a search, and what they mean by it."""

import re
import unicodedata

from catalog.text import fold

WHOLE_POSTCODE = re.compile(r"(?<![0-9])([0-9]{2})(?: ?- ?|[. ]?)([0-9]{3})(?![0-9])", re.ASCII)
PARTIAL_POSTCODE = re.compile(r"([0-9]{0,2})-([0-9]{0,3})", re.ASCII)
DIGITS = re.compile(r"[0-9][0-9 ]*", re.ASCII)

KIND_IN_FRONT = re.compile(r"^(gmina|gm|miasto|m st|m) (?=[a-z0-9]{2})")
ABBREVIATIONS = {"wlkp": "wielkopolsk"}
"""Abbreviations in names of towns that are not their beginning → as much as every gender of the word shares."""

DASHES = str.maketrans(dict.fromkeys("‐‒–—―−", "-"))
"""What programs and printed pages put for a hyphen: hyphen, figure dash, en and em dash, bar, minus."""


def plain_signs(text: str) -> str:
    """Text with digits of full width and dashes of any kind as keyboards write them."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(DASHES)


def search_key(text: str) -> str:
    """What to look for: folded text, or the digits of a postcode.

    A whole postcode anywhere in the text is meant, since people copy "30-001 Kraków" together; a word for the kind
    of municipality in front is not part of its name.
    """
    text = plain_signs(text)
    whole = WHOLE_POSTCODE.search(text)
    if whole:
        return whole[1] + whole[2]
    if DIGITS.fullmatch(text):
        return text.replace(" ", "")
    name = KIND_IN_FRONT.sub("", fold(text))
    return " ".join(ABBREVIATIONS.get(word, word) for word in name.split())


def postcode_pattern(text: str) -> str | None:
    """The first of the five digits, "_" for any, for part of a postcode with its dash; None for anything else.

    The dash says where the digits stand: "34-5" is not inside 03-450.
    """
    part = PARTIAL_POSTCODE.fullmatch(plain_signs(text))
    if part is None or len(part[1] + part[2]) in {0, 5}:
        return None
    return f"{part[1]:_>2}{part[2]}"
