"""Raw text of parameters: splitting, words, errors. `fueldepot.http.query` reads the values."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

MAX_VALUE_LENGTH = 100
"""Maximum length of a value without its surrounding blanks, in characters."""

BLANK = r"\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
CONTROL = r"\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029"
"""Tabs and spaces; control characters and line separators. Classes of regular expressions, as patterns publish them."""

BLANKS = "".join(re.findall(f"[{BLANK}]", "".join(map(chr, range(0x3001)))))
ANY_BLANK = re.compile(f"[{BLANK}]")
ANY_CONTROL = re.compile(f"[{CONTROL}]")


def text_pattern(min_length: int) -> str:
    """Return the pattern of what `fueldepot.http.query.line` accepts."""
    end = f"[^{BLANK}{CONTROL}]"
    rest = f"[^{CONTROL}]{{{max(min_length - 2, 0)},{MAX_VALUE_LENGTH - 2}}}{end}"
    return f"^[{BLANK}]*{end}{rest if min_length > 1 else f'({rest})?'}[{BLANK}]*$"


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


@dataclass(frozen=True, slots=True)
class ParameterError:
    """An error of a parameter. code: one of PARAM_ERROR_CODES, or one that an endpoint documents."""

    parameter: str
    code: str
    message: str


class InvalidParameters(Exception):
    """The request is invalid. errors: all of them. ignored: names that are no parameters."""

    def __init__(self, errors: list[ParameterError], ignored: Collection[str] = ()) -> None:
        self.errors, self.ignored = errors, ignored
        super().__init__("; ".join(error.message for error in errors))


class NumberLiteral(bytes):
    """A number that a program states as such, in JSON for example: a point in it never separates thousands."""


def quote(value: str) -> str:
    """Quote a value for an error message: short, with visible control characters."""
    short = value if len(value) <= 40 else value[:40] + "…"
    return "'" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in short) + "'"


def group_values(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, list[bytes]]:
    """Return all values by name, in the order of the request."""
    values: dict[str, list[bytes]] = {}
    for name, value in pairs:
        values.setdefault(name.decode("utf-8", "replace"), []).append(value)
    return values


def split_pairs(encoded: bytes) -> Iterable[tuple[bytes, bytes]]:
    """Split a query string or form body into percent-decoded names and values."""
    for pair in encoded.split(b"&"):
        name, _, value = pair.partition(b"=")
        yield unquote_to_bytes(name.replace(b"+", b" ")), unquote_to_bytes(value.replace(b"+", b" "))
