"""Numbers as people write them: with a decimal comma, and with thousands in groups of three digits."""

import re
import unicodedata
from decimal import Decimal
from typing import Literal

ThreeDigits = Literal["refused", "thousands", "decimals"]
"""What three digits behind the only point or comma are."""

_PLAIN = re.compile(r"-?[0-9]{1,20}(?:[.,][0-9]{1,20})?", re.ASCII)
_GROUPED = re.compile(
    r"(?P<whole>-?[1-9][0-9]{0,2}(?P<mark>[ .,])[0-9]{3}(?:(?P=mark)[0-9]{3}){0,5})"
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
    - `140 000`, `1 234,56`, `1.234,56`, `1,234.56`, `1.234.567`: the first or the repeated mark separates thousands.
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
    whole = re.sub(r"[ .,]", "", grouped["whole"])
    thousands = Decimal(f"{whole}.{grouped['decimals']}" if grouped["decimals"] else whole)
    if plain is not None and three_digits == "refused":
        raise AmbiguousNumber(plain, thousands)
    return thousands
