"""Strict reading of query strings.

Django's QueryDict replaces invalid UTF-8 and keeps the last of repeated keys; DRF's fields accept exponents, Arabic
digits and a trailing line feed. The API promises to refuse all of that, so raw text is checked here, and everything
below sees typed values only.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Self, TypeVar
from urllib.parse import unquote_to_bytes

MAX_VALUE_LENGTH = 100
"""Longest value of any parameter, in characters."""

NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", re.ASCII)
NUMBER_WITH_COMMA = re.compile(r"-?[0-9]{1,20}([.,][0-9]{1,20})?", re.ASCII)
INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)

BOOLEANS = {
    "1": True,
    "0": False,
    "true": True,
    "false": False,
    "yes": True,
    "no": False,
    "on": True,
    "off": False,
    "tak": True,
    "nie": False,
}
READING_CODES = (
    "missing",
    "empty",
    "repeated",
    "malformed",
    "too_short",
    "too_long",
    "out_of_range",
    "not_a_choice",
)
"""What can be wrong with a parameter before anything is looked up."""

BOOLEAN = f"one of {', '.join(BOOLEANS)}"


@dataclass(frozen=True, slots=True)
class ParameterError:
    """What is wrong with one parameter. code: one of READING_CODES, or what an error of its own documents."""

    parameter: str
    code: str
    message: str


class InvalidParameters(Exception):
    """The request cannot be understood; carries every error found, not only the first."""

    def __init__(self, errors: list[ParameterError]) -> None:
        self.errors = errors
        super().__init__("; ".join(error.message for error in errors))


def quote(value: str) -> str:
    """A given value as an error message repeats it: short, and with control characters made visible."""
    shown = value if len(value) <= 40 else value[:40] + "…"
    return "'" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown) + "'"


Default = TypeVar("Default", int, None)


class QueryString:
    """The parameters of one request. Each reader returns a typed value, or None after noting what is wrong.

    Unknown parameters are ignored; `unknown` names them. `finish` raises once with all that was noted.
    """

    def __init__(self, raw: str) -> None:
        """raw: the query string as WSGI gives it, percent-encoded, in Latin-1."""
        self.given: dict[str, list[bytes]] = {}
        self.read: set[str] = set()
        self.errors: list[ParameterError] = []
        self.empty_is_absent = False
        self.private: Collection[str] = ()
        self._take(split_pairs(raw.encode("latin-1")))

    @classmethod
    def of_pairs(cls, pairs: Iterable[tuple[bytes, bytes]]) -> Self:
        """The same strictness for parameters that came in a body."""
        given = cls("")
        given.given.clear()
        given._take(pairs)
        return given

    def _take(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        for name, value in pairs:
            self.given.setdefault(name.decode("utf-8", "replace"), []).append(value)

    def rename(self, synonyms: Mapping[str, str]) -> None:
        """Let a parameter also be given under another name; under both it is repeated."""
        for synonym, name in synonyms.items():
            if synonym in self.given:
                self.given.setdefault(name, []).extend(self.given.pop(synonym))

    def unknown(self) -> list[str]:
        """Names that were given with a value and that no reader has read so far, in the order of the request."""
        return [name for name, values in self.given.items() if name not in self.read and name.strip() and any(values)]

    def shown(self, name: str, text: str) -> str:
        """A given value as messages repeat it; one that is private never is."""
        return "unreadable (the value is not repeated here)" if name in self.private else quote(text)

    def refuse(self, name: str, code: str, message: str) -> None:
        """Note an error of a parameter."""
        self.errors.append(ParameterError(name, code, message))

    def finish(self) -> None:
        """Raise InvalidParameters when anything was noted."""
        if self.errors:
            raise InvalidParameters(self.errors)

    def raw(self, name: str, accepted: str, *, required: bool = False) -> str | None:
        """The trimmed text of a parameter; None when it was not given or cannot be text.

        accepted: what the parameter takes, as the message says it.
        """
        self.read.add(name)
        values = self.given.get(name)
        if values is None:
            if required:
                self.refuse(name, "missing", f"{name} is missing; give {accepted}")
            return None
        if len(values) > 1:
            self.refuse(name, "repeated", f"{name} is given {len(values)} times; give it once")
            return None
        try:
            text = values[0].decode("utf-8").strip(" \t")
        except UnicodeDecodeError:
            self.refuse(name, "malformed", f"{name} is not valid UTF-8; give {accepted}")
            return None
        if not text and self.empty_is_absent:
            return None
        if not text:
            self.refuse(name, "empty", f"{name} is empty; give {accepted}, or leave the parameter out")
            return None
        if len(text) > MAX_VALUE_LENGTH:
            self.refuse(name, "too_long", f"{name} has {len(text)} characters; give {accepted}")
            return None
        return text

    def text(self, name: str, accepted: str, *, min_length: int, required: bool = False) -> str | None:
        """Free text without control characters; every kind of space is a blank."""
        text = self.raw(name, accepted, required=required)
        if text is None:
            return None
        text = "".join(" " if unicodedata.category(c) == "Zs" else c for c in text).strip(" ")
        if not text.isprintable():
            self.refuse(
                name, "malformed", f"{name} holds control characters: {self.shown(name, text)}; give {accepted}"
            )
            return None
        if len(text) < min_length:
            self.refuse(name, "too_short", f"{name} is {self.shown(name, text)}; give {accepted}")
            return None
        return text

    def pattern(self, name: str, accepted: str, form: re.Pattern[str]) -> str | None:
        """Text of a fixed form."""
        text = self.raw(name, accepted)
        if text is None:
            return None
        if not form.fullmatch(text):
            self.refuse(name, "malformed", f"{name} is {self.shown(name, text)}; give {accepted}")
            return None
        return text

    def choice(self, name: str, accepted: str, choices: Collection[str]) -> str | None:
        """One of a list of words."""
        text = self.raw(name, accepted)
        if text is None:
            return None
        if text not in choices:
            self.refuse(name, "not_a_choice", f"{name} is {self.shown(name, text)}; give one of {', '.join(choices)}")
            return None
        return text

    def number(self, name: str, accepted: str, low: float, high: float, *, required: bool = False) -> float | None:
        """A decimal number with a point, ends of the range included."""
        text = self.raw(name, accepted, required=required)
        if text is None:
            return None
        if not NUMBER.fullmatch(text):
            self.refuse(name, "malformed", f"{name} is {self.shown(name, text)}; give {accepted}")
            return None
        value = float(text)
        if not low <= value <= high:
            self.refuse(name, "out_of_range", f"{name} is {self.shown(name, text)}; give {accepted}")
            return None
        return value

    def integer(self, name: str, accepted: str, low: int, high: int, *, default: Default) -> int | Default:
        """A whole number in decimal digits, ends of the range included; the default also after a refusal."""
        text = self.raw(name, accepted)
        if text is None:
            return default
        if not INTEGER.fullmatch(text):
            self.refuse(name, "malformed", f"{name} is {self.shown(name, text)}; give {accepted}")
            return default
        value = int(text)
        if not low <= value <= high:
            self.refuse(name, "out_of_range", f"{name} is {self.shown(name, text)}; give {accepted}")
            return default
        return value

    def decimal(self, name: str, accepted: str, low: int, high: int) -> Decimal | None:
        """An exact decimal with a point or a comma, ends of the range included."""
        text = self.raw(name, accepted)
        if text is None:
            return None
        if not NUMBER_WITH_COMMA.fullmatch(text):
            self.refuse(name, "malformed", f"{name} is {self.shown(name, text)}; give {accepted}")
            return None
        value = Decimal(text.replace(",", "."))
        if not low <= value <= high:
            self.refuse(name, "out_of_range", f"{name} is {self.out_of_range(name, text)}; give {accepted}")
            return None
        return abs(value) if value == 0 else value

    def out_of_range(self, name: str, text: str) -> str:
        """A number beyond its range, as messages repeat it."""
        return "out of range (the value is not repeated here)" if name in self.private else quote(text)

    def boolean(self, name: str) -> bool:
        """A switch, off where it is not given; any case."""
        text = self.raw(name, BOOLEAN)
        if text is None:
            return False
        value = BOOLEANS.get(text.lower())
        if value is None:
            self.refuse(name, "not_a_choice", f"{name} is {self.shown(name, text)}; give {BOOLEAN}")
            return False
        return value

    def day(self, name: str, accepted: str, first: date = date.min, last: date = date.max) -> date | None:
        """A day of the calendar as YYYY-MM-DD, not before `first` and not after `last`."""
        text = self.pattern(name, accepted, DAY)
        if text is None:
            return None
        try:
            value = date.fromisoformat(text)
        except ValueError:
            self.refuse(
                name, "out_of_range", f"{name} is {quote(text)}, which is no day of the calendar; give {accepted}"
            )
            return None
        if not first <= value <= last:
            self.refuse(name, "out_of_range", f"{name} is {quote(text)}; give {accepted}")
            return None
        return value


def split_pairs(encoded: bytes) -> Iterable[tuple[bytes, bytes]]:
    """Names and values of a query string or of a form body, decoded from percent signs."""
    for pair in encoded.split(b"&"):
        name, _, value = pair.partition(b"=")
        yield unquote_to_bytes(name.replace(b"+", b" ")), unquote_to_bytes(value.replace(b"+", b" "))
