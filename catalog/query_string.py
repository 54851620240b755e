"""Strict reading of query strings.

Django's QueryDict replaces invalid UTF-8 and keeps the last of repeated keys; DRF's fields accept exponents, Arabic
digits and a trailing line feed. The API promises to refuse all of that, so raw text is checked here, and everything
below sees typed values only.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

MAX_VALUE_LENGTH = 100
"""Longest value of any parameter, in characters."""

NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", re.ASCII)
INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)

TRUE_WORDS = frozenset({"1", "true", "yes", "on", "tak"})
FALSE_WORDS = frozenset({"0", "false", "no", "off", "nie"})
BOOLEAN = "one of 1, 0, true, false, yes, no, on, off, tak, nie"


@dataclass(frozen=True, slots=True)
class ParameterError:
    """What is wrong with one parameter. code: missing, empty, repeated, malformed, too_short, too_long,
    out_of_range or not_a_choice."""

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


class QueryString:
    """The parameters of one request. Each reader returns a typed value, or None after noting what is wrong.

    Unknown parameters are never looked at. `finish` raises once with all that was noted.
    """

    def __init__(self, raw: str) -> None:
        """raw: the query string as WSGI gives it, percent-encoded, in Latin-1."""
        self.given: dict[str, list[bytes]] = {}
        self.errors: list[ParameterError] = []
        for pair in raw.encode("latin-1").split(b"&"):
            name, _, value = pair.partition(b"=")
            key = unquote_to_bytes(name.replace(b"+", b" ")).decode("utf-8", "replace")
            self.given.setdefault(key, []).append(unquote_to_bytes(value.replace(b"+", b" ")))

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
        if not text:
            self.refuse(name, "empty", f"{name} is empty; give {accepted}, or leave the parameter out")
            return None
        if len(text) > MAX_VALUE_LENGTH:
            self.refuse(name, "too_long", f"{name} has {len(text)} characters; give {accepted}")
            return None
        return text

    def text(self, name: str, accepted: str, *, min_length: int, required: bool = False) -> str | None:
        """Free text without control characters."""
        text = self.raw(name, accepted, required=required)
        if text is None:
            return None
        if not text.isprintable():
            self.refuse(name, "malformed", f"{name} holds control characters: {quote(text)}; give {accepted}")
            return None
        if len(text) < min_length:
            self.refuse(name, "too_short", f"{name} is {quote(text)}; give {accepted}")
            return None
        return text

    def pattern(self, name: str, accepted: str, form: re.Pattern[str]) -> str | None:
        """Text of a fixed form."""
        text = self.raw(name, accepted)
        if text is None:
            return None
        if not form.fullmatch(text):
            self.refuse(name, "malformed", f"{name} is {quote(text)}; give {accepted}")
            return None
        return text

    def choice(self, name: str, accepted: str, choices: Collection[str]) -> str | None:
        """One of a list of words."""
        text = self.raw(name, accepted)
        if text is None:
            return None
        if text not in choices:
            self.refuse(name, "not_a_choice", f"{name} is {quote(text)}; give one of {', '.join(choices)}")
            return None
        return text

    def number(self, name: str, accepted: str, low: float, high: float, *, required: bool = False) -> float | None:
        """A decimal number with a point, ends of the range included."""
        text = self.raw(name, accepted, required=required)
        if text is None:
            return None
        if not NUMBER.fullmatch(text):
            self.refuse(name, "malformed", f"{name} is {quote(text)}; give {accepted}")
            return None
        value = float(text)
        if not low <= value <= high:
            self.refuse(name, "out_of_range", f"{name} is {quote(text)}; give {accepted}")
            return None
        return value

    def integer(self, name: str, accepted: str, low: int, high: int, *, default: int) -> int:
        """A whole number in decimal digits, ends of the range included."""
        text = self.raw(name, accepted)
        if text is None:
            return default
        if not INTEGER.fullmatch(text):
            self.refuse(name, "malformed", f"{name} is {quote(text)}; give {accepted}")
            return default
        value = int(text)
        if not low <= value <= high:
            self.refuse(name, "out_of_range", f"{name} is {quote(text)}; give {accepted}")
            return default
        return value

    def boolean(self, name: str, *, default: bool = False) -> bool:
        """A switch, in English, Polish or digits, any case."""
        text = self.raw(name, BOOLEAN)
        if text is None:
            return default
        word = text.lower()
        if word not in TRUE_WORDS | FALSE_WORDS:
            self.refuse(name, "not_a_choice", f"{name} is {quote(text)}; give {BOOLEAN}")
            return default
        return word in TRUE_WORDS
