"""Text as the catalog compares, sorts and prints it: folded names, slugs, Polish order, postcodes, addresses."""

import re
import unicodedata

# Letters that Unicode does not decompose into a base letter and a mark. Covers Latin-1 and Latin Extended-A.
_UNDECOMPOSED = str.maketrans(
    {
        "æ": "ae",
        "ð": "d",
        "đ": "d",
        "ħ": "h",
        "ı": "i",
        "ĸ": "k",
        "ł": "l",
        "ŋ": "n",
        "ø": "o",
        "œ": "oe",
        "ŧ": "t",
        "þ": "th",
        "\u02bc": "'",  # the apostrophe that counts as a letter, also inside ŉ
    }
)

# Each Polish letter sorts as its base letter followed by a character that comes after "z" in ASCII, so that
# every word with ą stands after every word with a in its place and before every word with b.
_POLISH_ORDER = {
    "ą": "a{",
    "ć": "c{",
    "ę": "e{",
    "ł": "l{",
    "ń": "n{",
    "ó": "o{",
    "ś": "s{",
    "ź": "z{",
    "ż": "z|",
}

_POSTCODE = re.compile(r"([0-9]{2})-?([0-9]{3})")


def plain(text: str) -> str:
    """Lower case without diacritics; punctuation and blanks stay as they are.

    Compatibility forms become ordinary ones (full-width digits, ligatures, superscripts); ß becomes ss.
    """
    # Twice, because lower-casing can bring back a composed letter and decomposing a letter with a capital.
    for _ in range(2):
        text = unicodedata.normalize("NFKD", text).casefold()
    # Decomposed once more after the table, which has no entry for a letter that still carries its mark.
    text = unicodedata.normalize("NFKD", text).translate(_UNDECOMPOSED)
    return "".join(character for character in text if not unicodedata.combining(character))


def fold(text: str) -> str:
    """Text as names are searched: `plain`, and every run of other than letters and digits is one blank.

    Latin input gives only a-z, 0-9 and single inner blanks. `%`, `_` and backslashes never remain, so the result
    can stand in a LIKE pattern as it is. Folding twice changes nothing.
    """
    return _words(plain(text))


def slug(text: str, fallback: str = "bez-nazwy") -> str:
    """Text as part of an address: a-z, 0-9 and single dashes, never empty.

    fallback: what stands where nothing of the text can be written in these characters.
    """
    return re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-") or fallback


def sort_key(text: str) -> str:
    """A string whose code-point order (COLLATE "C") is the Polish alphabetical order of the texts.

    a ą b c ć … z ź ż; blanks before digits before letters, so word by word; capitals equal small letters,
    foreign diacritics their base letter, punctuation a blank. Keys can be equal: order by something else too.
    """
    composed = unicodedata.normalize("NFC", text).casefold()
    # A folded character cannot contain the two marks, so they come from the table only.
    return " ".join("".join(_POLISH_ORDER.get(c) or _letters(c) for c in composed).split())


def normalise_postcode(text: str) -> str:
    """A Polish postcode with its dash: "30001" and "30-001" give "30-001".

    Raises ValueError for anything else, blanks and digits of other scripts included.
    """
    match = _POSTCODE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a postcode: {text[:20]!r}; write it as 30-001 or 30001")
    return f"{match[1]}-{match[2]}"


def format_address(street: str, house_number: str, postcode: str, place: str, municipality: str) -> str:
    """One line: "ul. Długa 5, 30-001 Kraków"; without a street "30-001 Lipnica 29"; else the municipality.

    Any part but the municipality may be "", and none holds a line break or a run of blanks: importers and forms
    see to that. A missing place is replaced by the municipality. A house number alone is left out: it would read
    as one of the municipality's seat.
    """
    town = f"{postcode} {place or municipality}" if postcode else place or municipality
    if street:
        return f"{street} {house_number}, {town}" if house_number else f"{street}, {town}"
    return f"{town} {house_number}" if house_number and place else town


def _words(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text).split())


def _letters(character: str) -> str:
    return "".join(c if c.isalnum() else " " for c in plain(character))
