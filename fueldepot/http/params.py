"""Raw text of parameters: splitting, words, errors. `fueldepot.http.query` reads the values."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

from pydantic_core import CoreSchema, PydanticCustomError, core_schema

MAX_VALUE_LENGTH = 100
"""Maximum length of a value without its surrounding blanks, in characters."""

MAX_OFFSET = 10_000
"""Maximum number of rows of a list that a request leaves out."""

BLANK = r"\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
CONTROL = r"\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029"
"""Tabs and spaces; control characters and line separators. Classes of regular expressions, as patterns publish them."""

BLANKS = "".join(re.findall(f"[{BLANK}]", "".join(map(chr, range(0x3001)))))
ANY_BLANK = re.compile(f"[{BLANK}]")
ANY_CONTROL = re.compile(f"[{CONTROL}]")


def text_pattern(min_length: int) -> str:
    """Return the pattern of what `fueldepot.http.params.line` accepts."""
    end = f"[^{BLANK}{CONTROL}]"
    rest = f"[^{CONTROL}]{{{max(min_length - 2, 0)},{MAX_VALUE_LENGTH - 2}}}{end}"
    return f"^[{BLANK}]*{end}{rest if min_length > 1 else f'({rest})?'}[{BLANK}]*$"


BOOLEANS = {"1": True, "0": False, "true": True, "false": False, "yes": True, "no": False}
BOOLEANS |= {"on": True, "off": False, "tak": True, "nie": False}

PARAM_ERROR_CODES: tuple[str, ...] = ("missing", "empty", "repeated", "malformed", "too_short", "too_long")
PARAM_ERROR_CODES += ("out_of_range", "not_a_choice", "ambiguous")
"""Error codes of parameters before any lookup."""


class ParameterError(NamedTuple):
    """An error of a parameter. code: one of PARAM_ERROR_CODES, or one that an endpoint documents."""

    parameter: str
    code: str
    message: str


class InvalidParameters(Exception):
    """The request is invalid. errors: all of them. ignored: names that are no parameters."""

    def __init__(self, errors: list[ParameterError], ignored: Collection[str] = ()) -> None:
        self.errors, self.ignored = errors, ignored
        super().__init__("; ".join(error.message for error in errors))


class NumberText(str):
    """A number that a program states as such, in JSON for example: a point in it never separates thousands."""

    __slots__ = ()


def quote(value: str) -> str:
    """Quote a value for an error message: short, with visible control characters."""
    short = value if len(value) <= 40 else value[:40] + "…"
    return "'" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in short) + "'"


def decode_pair(name: bytes, value: bytes) -> tuple[str, str]:
    """Return name and value as text. What is no UTF-8 in the value becomes surrogates, which `read_text` refuses."""
    return name.decode("utf-8", "replace"), value.decode("utf-8", "surrogateescape")


def split_pairs(encoded: bytes) -> Iterable[tuple[str, str]]:
    """Split a query string or form body into percent-decoded names and values."""
    for pair in encoded.split(b"&"):
        name, _, value = pair.replace(b"+", b" ").partition(b"=")
        yield decode_pair(unquote_to_bytes(name), unquote_to_bytes(value))


ThreeDigits = Literal["refused", "thousands", "decimals"]
"""What three digits behind the only point or comma are."""

_PLAIN = re.compile(r"-?[0-9]{1,20}(?:[.,][0-9]{1,20})?", re.ASCII)
_GROUPED = re.compile(
    r"(?P<whole>-?[1-9][0-9]{0,2}(?P<mark>[ .,'’])[0-9]{3}(?:(?P=mark)[0-9]{3}){0,5})"
    r"(?:(?!(?P=mark))[.,](?P<decimals>[0-9]{1,20}))?",
    re.ASCII,
)


class AmbiguousNumber(ValueError):
    """Three digits behind the only point or comma: decimals or thousands.

    decimal, thousands: both readings, written so that `read_decimal` takes each in one way only.
    """

    def __init__(self, decimal: Decimal, thousands: Decimal) -> None:
        exact = f"{decimal.normalize():f}"
        # A fourth decimal rules thousands out.
        self.decimal = f"{exact}0" if len(exact.partition(".")[2]) == 3 else exact
        self.thousands = f"{thousands}"
        super().__init__(f"{self.thousands} or {self.decimal}")


def read_decimal(text: str, three_digits: ThreeDigits = "refused") -> Decimal:
    """Return the number that a text states, exactly. Blanks of any kind may stand around it and between groups.

    - `2000`, `2000.5`, `2000,50`, `0.125`, `2000.125`: a point or comma begins the decimals.
    - `140 000`, `1'234,56`, `1.234,56`, `1,234.56`, `1.234.567`: the first or the repeated mark separates thousands.
    - `140.000`, `2,000`: two readings, since neither 0 nor a fourth digit stands before the mark.

    three_digits: what the digits of the last case are. In an amount that a person types, thousands: złoty have two
    decimals. In a number of a program, decimals. Where either may have written an amount, it is refused.

    Raises AmbiguousNumber for the last case, and ValueError for an exponent, more than twenty digits on either side of
    the mark, and whatever else is no number.
    """
    bare = "".join(" " if unicodedata.category(c) == "Zs" else c for c in text).strip(" ")
    grouped = _GROUPED.fullmatch(bare)
    plain = Decimal(bare.replace(",", ".")) if _PLAIN.fullmatch(bare) else None
    if plain is not None and (grouped is None or three_digits == "decimals"):
        return plain
    if grouped is None:
        raise ValueError("not a number")
    whole = re.sub(r"[ .,'’]", "", grouped["whole"])
    thousands = Decimal(f"{whole}.{grouped['decimals']}" if grouped["decimals"] else whole)
    if plain is not None and three_digits == "refused":
        raise AmbiguousNumber(plain, thousands)
    return thousands


def refusal(code: str, fault: str = "") -> PydanticCustomError:
    """Return the error of a value. code: one of PARAM_ERROR_CODES. fault: what is wrong, if not just the value."""
    return PydanticCustomError(code, fault)


@dataclass(frozen=True, slots=True, eq=False)
class TextReader:
    """Annotation of a parameter: how its text is read, and the schema that is published. read: raises `refusal`."""

    read: Callable[[str], Any]
    schema: CoreSchema

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read_text, json_schema_input_schema=self.schema)

    def read_text(self, value: Any) -> Any:
        """Return what a text means; other values, from code, as they are."""
        return self.read(value) if isinstance(value, str) else value


def pattern(form: re.Pattern[str], convert: Callable[[str], str] = str, *, max_length: int | None = None) -> TextReader:
    """Return the reader of text with a pattern, which is published with its anchors.

    Letters may be decomposed (NFD), as in names of files on macOS.
    """

    def read(text: str) -> str:
        composed = unicodedata.normalize("NFC", text)
        if not form.fullmatch(composed):
            raise refusal("malformed")
        return convert(composed)

    return TextReader(read, core_schema.str_schema(pattern=form.pattern, max_length=max_length))


def choice(words: Iterable[str]) -> TextReader:
    return word_for({word: word for word in words})


def numbers(choices: Iterable[int]) -> TextReader:
    meanings = {str(number): number for number in choices}
    return word_for(meanings, meanings.values())


def word_for(meanings: Mapping[str, Any], published: Iterable[Any] | None = None) -> TextReader:
    """Return the reader of a word that stands for a value. published: the choices, the words by default."""

    def read(text: str) -> Any:
        if text not in meanings:
            raise refusal("not_a_choice")
        return meanings[text]

    return TextReader(read, core_schema.literal_schema([*(published or meanings)]))


def line(min_length: int) -> TextReader:
    """Return the reader of free text, as `text_pattern` says; any kind of space becomes a blank."""

    def read(text: str) -> str:
        text = ANY_BLANK.sub(" ", text)
        if ANY_CONTROL.search(text):
            raise refusal("malformed")
        if len(text) < min_length:
            raise refusal("too_short")
        return text

    return TextReader(read, core_schema.str_schema(min_length=min_length, pattern=text_pattern(min_length)))


def whole(low: int, high: int | None = None) -> TextReader:
    """Return the reader of an integer within an inclusive range."""
    # `4.0` is the integer four in JSON Schema and JavaScript; some clients send it.
    form = re.compile(r"-?[0-9]{1,100}(\.0{1,20})?")
    return bounded(form, lambda text: int(text.partition(".")[0]), core_schema.int_schema(ge=low, le=high))


def number(low: float, high: float) -> TextReader:
    """Return the reader of a decimal number with a point within an inclusive range."""
    return bounded(re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?"), float, core_schema.float_schema(ge=low, le=high))


def bounded(form: re.Pattern[str], convert: Callable[[str], float], schema: Any) -> TextReader:
    def read(text: str) -> float:
        if not form.fullmatch(text):
            raise refusal("malformed")
        return check_range(convert(text), schema["ge"], schema.get("le"))

    return TextReader(read, schema)


def exact(
    low: float, high: float, three_digits: ThreeDigits = "refused", bare: Callable[[str], str] = str
) -> TextReader:
    """Return the reader of an exact decimal within an inclusive range. three_digits: of a text, see `read_decimal`.

    bare: returns a text without what a person may type behind the number.
    """

    def read(text: str) -> Decimal:
        try:
            value = read_decimal(bare(text), "decimals" if isinstance(text, NumberText) else three_digits)
        except AmbiguousNumber as error:
            fault = f"is {quote(text)}, which can be read in two ways; give {error.thousands} or {error.decimal}"
            raise refusal("ambiguous", fault) from None
        except ValueError:
            raise refusal("malformed") from None
        value = check_range(value, low, high)
        return abs(value) if value == 0 else value

    return TextReader(read, core_schema.float_schema(ge=low, le=high))


Numeric = TypeVar("Numeric", int, float, Decimal)


def check_range(value: Numeric, low: float, high: float | None) -> Numeric:
    if value < low or (high is not None and value > high):
        raise refusal("out_of_range")
    return value


def read_day(text: str) -> date:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII):
        raise refusal("malformed")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise refusal("out_of_range", f"is {quote(text)}, which is no day of the calendar") from None


Day = Annotated[date, TextReader(read_day, core_schema.date_schema())]
Switch = Annotated[bool, TextReader(lambda text: word_for(BOOLEANS).read(text.lower()), core_schema.bool_schema())]


def read_text(values: list[str]) -> str:
    """Return the trimmed text of a parameter. Raises a refusal with the fault as its message."""
    if len(values) > 1:
        raise refusal("repeated", f"is given {len(values)} times instead of once")
    try:
        values[0].encode()
    except UnicodeEncodeError:
        raise refusal("malformed", "is not valid UTF-8") from None
    text = type(values[0])(values[0].strip(BLANKS))
    if not text:
        raise refusal("empty", "is empty")
    if len(text) > MAX_VALUE_LENGTH:
        raise refusal("too_long", f"has {len(text)} characters")
    return text
