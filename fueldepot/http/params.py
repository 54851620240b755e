"""Strict parsing of query strings.

Django's QueryDict replaces invalid UTF-8 and keeps the last of repeated keys; DRF's fields accept exponents, Arabic
digits and a trailing line feed. The API refuses all of that: raw text is checked here, and inner layers see typed
values only.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Self, TypeVar
from urllib.parse import unquote_to_bytes

from fueldepot.http.written_numbers import AmbiguousNumber, ThreeDigits, read_decimal

MAX_VALUE_LENGTH = 100
"""Maximum length of a value without its surrounding blanks, in characters."""

BLANK = r"\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
CONTROL = r"\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029"
"""Tabs and spaces; control characters and line separators. Classes of regular expressions, as patterns publish them."""

BLANKS = "".join(re.findall(f"[{BLANK}]", "".join(map(chr, range(0x3001)))))
ANY_BLANK = re.compile(f"[{BLANK}]")
ANY_CONTROL = re.compile(f"[{CONTROL}]")


def text_pattern(min_length: int) -> str:
    """Return the pattern of what `ParamReader.text` accepts. min_length: at least 2."""
    end, inner = f"[^{BLANK}{CONTROL}]", f"[^{CONTROL}]{{{min_length - 2},{MAX_VALUE_LENGTH - 2}}}"
    return f"^[{BLANK}]*{end}{inner}{end}[{BLANK}]*$"


NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", re.ASCII)
INTEGER = re.compile(r"-?[0-9]{1,18}(\.0{1,20})?", re.ASCII)
"""`4.0` is the integer four in JSON Schema and JavaScript; some clients send it."""
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
PARAM_ERROR_CODES = (
    "missing",
    "empty",
    "repeated",
    "malformed",
    "too_short",
    "too_long",
    "out_of_range",
    "not_a_choice",
    "ambiguous",
)
"""Error codes of parameters before any lookup."""

BOOLEAN = f"one of {', '.join(BOOLEANS)}"


@dataclass(frozen=True, slots=True)
class ParameterError:
    """An error of a parameter. code: one of PARAM_ERROR_CODES, or one that an endpoint documents."""

    parameter: str
    code: str
    message: str


class InvalidParameters(Exception):
    """The request is invalid. Contains every error found, not only the first."""

    def __init__(self, errors: list[ParameterError]) -> None:
        self.errors = errors
        super().__init__("; ".join(error.message for error in errors))


class NumberLiteral(bytes):
    """A number that a program states as such, in JSON for example: a point in it never separates thousands."""


def quote(value: str) -> str:
    """Quote a value for an error message: short, with visible control characters."""
    shown = value if len(value) <= 40 else value[:40] + "…"
    return "'" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown) + "'"


Default = TypeVar("Default", int, None)


class ParamReader:
    """The parameters of one request. Each reader returns a typed value, or None after recording an error.

    Other parameters are ignored and listed by `unknown`. `raise_for_errors` raises once for all recorded errors.
    """

    def __init__(self, raw: str) -> None:
        """raw: the WSGI query string, percent-encoded, in Latin-1."""
        self.given = group_values(split_pairs(raw.encode("latin-1")))
        self.read: set[str] = set()
        self.errors: list[ParameterError] = []
        self.empty_is_absent = False
        self.private: Collection[str] = ()

    @classmethod
    def of_pairs(cls, pairs: Iterable[tuple[bytes, bytes]]) -> Self:
        """Create a reader of parameters from a body."""
        reader = cls("")
        reader.given = group_values(pairs)
        return reader

    def rename(self, synonyms: Mapping[str, str]) -> None:
        """Accept a parameter under another name, but not under both."""
        for synonym, name in synonyms.items():
            if synonym not in self.given:
                continue
            if name in self.given:
                self.add_error(name, "repeated", f"{name} and its synonym {synonym} are both given; give one of them")
            self.given[name] = self.given.pop(synonym)

    def unknown(self) -> list[str]:
        """Return the names that have not been read so far, in the order of the request.

        Without those that are empty, where that counts as not given.
        """
        return [
            name
            for name, values in self.given.items()
            if name not in self.read and name.strip() and (any(values) or not self.empty_is_absent)
        ]

    def redact(self, name: str, text: str) -> str:
        """Quote a value, unless the parameter is private."""
        return "unreadable (the value is not repeated here)" if name in self.private else quote(text)

    def add_error(self, name: str, code: str, message: str) -> None:
        """Record an error of a parameter."""
        self.errors.append(ParameterError(name, code, message))

    def refuse(self, name: str, code: str, text: str, accepted: str) -> None:
        """Record that a text is not what a parameter accepts."""
        self.add_error(name, code, f"{name} is {self.redact(name, text)}; give {accepted}")

    def raise_for_errors(self) -> None:
        """Raise InvalidParameters if there are errors."""
        if self.errors:
            raise InvalidParameters(self.errors)

    def text_or_none(self, name: str, accepted: str, *, required: bool = False) -> str | None:
        """Return the trimmed text of a parameter; None if it is missing or invalid.

        accepted: description of valid values for the message.
        """
        self.read.add(name)
        values = self.given.get(name)
        if values is None:
            if required:
                self.add_error(name, "missing", f"{name} is missing; give {accepted}")
            return None
        if len(values) > 1:
            self.add_error(name, "repeated", f"{name} is given {len(values)} times; give it once")
            return None
        try:
            text = values[0].decode("utf-8").strip(BLANKS)
        except UnicodeDecodeError:
            self.add_error(name, "malformed", f"{name} is not valid UTF-8; give {accepted}")
            return None
        if not text and self.empty_is_absent:
            return None
        if not text:
            otherwise = "" if required else ", or leave the parameter out"
            self.add_error(name, "empty", f"{name} is empty; give {accepted}{otherwise}")
            return None
        if len(text) > MAX_VALUE_LENGTH:
            self.add_error(name, "too_long", f"{name} has {len(text)} characters; give {accepted}")
            return None
        return text

    def text(self, name: str, accepted: str, *, min_length: int, required: bool = False) -> str | None:
        """Return free text without control characters, as `text_pattern` says; any kind of space becomes a blank."""
        text = self.text_or_none(name, accepted, required=required)
        if text is None:
            return None
        text = ANY_BLANK.sub(" ", text)
        if ANY_CONTROL.search(text):
            self.add_error(
                name, "malformed", f"{name} holds control characters: {self.redact(name, text)}; give {accepted}"
            )
            return None
        if len(text) < min_length:
            self.refuse(name, "too_short", text, accepted)
            return None
        return text

    def pattern(self, name: str, accepted: str, form: re.Pattern[str], *, required: bool = False) -> str | None:
        """Return text that matches a pattern."""
        text = self.text_or_none(name, accepted, required=required)
        if text is not None and not form.fullmatch(text):
            self.refuse(name, "malformed", text, accepted)
            return None
        return text

    def choice(self, name: str, accepted: str, choices: Collection[str]) -> str | None:
        """Return one of a list of words."""
        text = self.text_or_none(name, accepted)
        if text is not None and text not in choices:
            self.refuse(name, "not_a_choice", text, f"one of {', '.join(choices)}")
            return None
        return text

    def number(self, name: str, accepted: str, low: float, high: float, *, required: bool = False) -> float | None:
        """Return a decimal number with a point within an inclusive range."""
        text = self.pattern(name, accepted, NUMBER, required=required)
        if text is None:
            return None
        value = float(text)
        if not low <= value <= high:
            self.refuse(name, "out_of_range", text, accepted)
            return None
        return value

    def integer(self, name: str, accepted: str, low: int, high: int, *, default: Default) -> int | Default:
        """Return a whole number within an inclusive range; the default if missing or invalid."""
        text = self.pattern(name, accepted, INTEGER)
        if text is None:
            return default
        value = read_integer(text)
        if not low <= value <= high:
            self.refuse(name, "out_of_range", text, accepted)
            return default
        return value

    def decimal(
        self, name: str, accepted: str, low: int, high: int, three_digits: ThreeDigits = "refused"
    ) -> Decimal | None:
        """Return an exact decimal within an inclusive range. three_digits: of a text, see `read_decimal`."""
        text = self.text_or_none(name, accepted)
        if text is None:
            return None
        is_literal = isinstance(self.given[name][0], NumberLiteral)
        try:
            value = read_decimal(text, "decimals" if is_literal else three_digits)
        except AmbiguousNumber as error:
            self.add_error(name, "ambiguous", self.both_readings(name, text, error))
            return None
        except ValueError:
            self.refuse(name, "malformed", text, accepted)
            return None
        if not low <= value <= high:
            self.add_error(name, "out_of_range", f"{name} is {self.out_of_range(name, text)}; give {accepted}")
            return None
        return abs(value) if value == 0 else value

    def both_readings(self, name: str, text: str, error: AmbiguousNumber) -> str:
        """Return the message for a number with two readings."""
        if name in self.private:
            return (
                f"{name} can be read in two ways (the value is not repeated here): three digits behind the only point "
                "or comma are decimals or thousands; write thousands without a mark, decimals with two or four digits"
            )
        return f"{name} is {quote(text)}, which can be read in two ways; give {error.thousands} or {error.decimal}"

    def out_of_range(self, name: str, text: str) -> str:
        """Quote a number out of range."""
        return "out of range (the value is not repeated here)" if name in self.private else quote(text)

    def boolean(self, name: str) -> bool:
        """Return a boolean, False by default; ignores case."""
        text = self.text_or_none(name, BOOLEAN)
        if text is None:
            return False
        value = BOOLEANS.get(text.lower())
        if value is None:
            self.refuse(name, "not_a_choice", text, BOOLEAN)
            return False
        return value

    def day(self, name: str, accepted: str, first: date = date.min, last: date = date.max) -> date | None:
        """Return a day YYYY-MM-DD from `first` to `last`, inclusive."""
        text = self.pattern(name, accepted, DAY)
        if text is None:
            return None
        try:
            value = date.fromisoformat(text)
        except ValueError:
            self.add_error(
                name, "out_of_range", f"{name} is {quote(text)}, which is no day of the calendar; give {accepted}"
            )
            return None
        if not first <= value <= last:
            self.add_error(name, "out_of_range", f"{name} is {quote(text)}; give {accepted}")
            return None
        return value


def read_integer(text: str) -> int:
    """Return the number in a text that matches `INTEGER`."""
    return int(text.partition(".")[0])


def group_values(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, list[bytes]]:
    """Return all values by name, in the order of the request."""
    found: dict[str, list[bytes]] = {}
    for name, value in pairs:
        found.setdefault(name.decode("utf-8", "replace"), []).append(value)
    return found


def split_pairs(encoded: bytes) -> Iterable[tuple[bytes, bytes]]:
    """Split a query string or form body into percent-decoded names and values."""
    for pair in encoded.split(b"&"):
        name, _, value = pair.partition(b"=")
        yield unquote_to_bytes(name.replace(b"+", b" ")), unquote_to_bytes(value.replace(b"+", b" "))
