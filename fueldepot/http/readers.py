"""Readers of parameters: annotations that read text strictly, and publish what they accept.

limit: Annotated[int, whole(1, 100)]
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, TypeVar

from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from fueldepot.http.params import (
    ANY_BLANK,
    ANY_CONTROL,
    BLANKS,
    BOOLEANS,
    MAX_VALUE_LENGTH,
    NumberLiteral,
    quote,
    text_pattern,
)
from fueldepot.http.written_numbers import AmbiguousNumber, ThreeDigits, read_decimal


def refusal(code: str, fault: str = "") -> PydanticCustomError:
    """Return the error of a value. code: one of PARAM_ERROR_CODES. fault: what is wrong, if not just the value."""
    return PydanticCustomError(code, fault)


@dataclass(frozen=True, slots=True, eq=False)
class TextReader:
    """Annotation of a parameter: how its text is read, and the schema that is published.

    read: raises `refusal`.
    """

    read: Callable[[str], Any]
    schema: CoreSchema

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.read_text, json_schema_input_schema=self.schema)

    def read_text(self, value: Any) -> Any:
        """Return what a text means; other values, from code, as they are."""
        return self.read(value) if isinstance(value, str) else value


def pattern(form: re.Pattern[str], convert: Callable[[str], str] = str, *, max_length: int | None = None) -> TextReader:
    """Return the reader of text with a pattern, which is published with its anchors."""

    def read(text: str) -> str:
        if not form.fullmatch(text):
            raise refusal("malformed")
        return convert(text)

    return TextReader(read, core_schema.str_schema(pattern=form.pattern, max_length=max_length))


def choice(words: Iterable[str]) -> TextReader:
    """Return the reader of one of several words."""
    return word_for({word: word for word in words})


def word_for(meanings: Mapping[str, Any]) -> TextReader:
    """Return the reader of a word that stands for a value."""

    def read(text: str) -> Any:
        if text not in meanings:
            raise refusal("not_a_choice")
        return meanings[text]

    return TextReader(read, core_schema.literal_schema([*meanings]))


def numbers(choices: Iterable[int]) -> TextReader:
    """Return the reader of one of several integers."""
    meanings = {str(number): number for number in choices}

    def read(text: str) -> int:
        if text not in meanings:
            raise refusal("not_a_choice")
        return meanings[text]

    return TextReader(read, core_schema.literal_schema([*meanings.values()]))


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
    """Return the reader of an integer within an inclusive range.

    `4.0` is the integer four in JSON Schema and JavaScript; some clients send it.
    """

    def read(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,100}(\.0{1,20})?", text, re.ASCII):
            raise refusal("malformed")
        return check_range(int(text.partition(".")[0]), low, high)

    return TextReader(read, core_schema.int_schema(ge=low, le=high))


def number(low: float, high: float) -> TextReader:
    """Return the reader of a decimal number with a point within an inclusive range."""

    def read(text: str) -> float:
        if not re.fullmatch(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", text, re.ASCII):
            raise refusal("malformed")
        return check_range(float(text), low, high)

    return TextReader(read, core_schema.float_schema(ge=low, le=high))


class NumberText(str):
    """The text of a number that a program states as such, in JSON for example."""

    __slots__ = ()


def exact(low: int, high: int, three_digits: ThreeDigits = "refused") -> TextReader:
    """Return the reader of an exact decimal within an inclusive range. three_digits: of a text, see `read_decimal`."""

    def read(text: str) -> Decimal:
        try:
            value = read_decimal(text, "decimals" if isinstance(text, NumberText) else three_digits)
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
    """Return a number, unless it is out of an inclusive range."""
    if value < low or (high is not None and value > high):
        raise refusal("out_of_range")
    return value


def read_day(text: str) -> date:
    """Return a day written YYYY-MM-DD."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII):
        raise refusal("malformed")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise refusal("out_of_range", f"is {quote(text)}, which is no day of the calendar") from None


def read_boolean(text: str) -> bool:
    """Return the boolean that a word means, in any case."""
    if text.lower() not in BOOLEANS:
        raise refusal("not_a_choice")
    return BOOLEANS[text.lower()]


Day = Annotated[date, TextReader(read_day, core_schema.date_schema())]
Switch = Annotated[bool, TextReader(read_boolean, core_schema.bool_schema())]


def read_text(values: list[bytes]) -> str:
    """Return the trimmed text of a parameter. Raises a refusal with the fault as its message."""
    if len(values) > 1:
        raise refusal("repeated", f"is given {len(values)} times instead of once")
    try:
        text = values[0].decode("utf-8").strip(BLANKS)
    except UnicodeDecodeError:
        raise refusal("malformed", "is not valid UTF-8") from None
    if not text:
        raise refusal("empty", "is empty")
    if len(text) > MAX_VALUE_LENGTH:
        raise refusal("too_long", f"has {len(text)} characters")
    return NumberText(text) if isinstance(values[0], NumberLiteral) else text
