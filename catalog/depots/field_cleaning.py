"""The text fields of a depot as people write them, refused in the words of the form. Lengths are the model's."""

from collections.abc import Callable, Mapping

from django.core.exceptions import ValidationError

from catalog.parsing import contacts
from catalog.parsing.opening_hours import weekly_hours
from catalog.text import normalise_postcode


def clean_line(text: str) -> str:
    return " ".join(text.split())


def _contact(read: Callable[[str], tuple[str | None, str]]) -> Callable[[str], str]:
    """Make a reader of a function of `contacts` that also tells why it refuses a text."""

    def reader(text: str) -> str:
        value, reason = read(text)
        if value is None or reason:
            raise ValueError(reason)
        return value

    return reader


def _read_hours(text: str) -> str:
    line = clean_line(text)
    if weekly_hours(line) is None:
        raise ValueError("no week")
    return line


READERS: Mapping[str, Callable[[str], str]] = {
    "name": clean_line,
    "street": clean_line,
    "house_number": clean_line,
    "postcode": lambda text: normalise_postcode(clean_line(text)),
    "place": clean_line,
    "nip": _contact(contacts.clean_nip),
    "phone": _contact(contacts.clean_phone),
    "website": _contact(contacts.clean_website),
    "opening_hours": _read_hours,
}
"""What a text means, by field of `Depot`. Each raises ValueError."""


TYPED_LENGTHS = {"nip": 20, "phone": 200, "postcode": 10}
"""How long a text may be before it is read, where it may have blanks or dashes more than its column holds."""


def clean_field(name: str, text: str, mistakes: Mapping[str, str]) -> str | None:
    """Return a text as a depot stores it. mistakes: what the form says, by field. Raises ValidationError."""
    if not text.strip():
        return None if name == "nip" else ""
    try:
        return READERS[name](text)
    except ValueError:
        raise ValidationError(mistakes[name]) from None
