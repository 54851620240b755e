"""Tables as CSV (RFC 4180): CRLF, and safe from formula injection; also in the format of a Polish Excel."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any


class Code(str):
    """A code of digits: a spreadsheet must not read it as a number or a date."""


class DecimalText(str):
    """A number with a decimal point."""


def write_table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, excel: bool) -> str:
    """Return a table as text. An apostrophe precedes text that a spreadsheet would evaluate as a formula.

    excel: for a Polish Excel: byte order mark, semicolons, decimal commas, codes that keep their zeros.
    """
    text = io.StringIO("\N{BYTE ORDER MARK}" if excel else "", newline="")
    text.seek(0, io.SEEK_END)
    writer = csv.writer(text, delimiter=";" if excel else ",", lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([(for_excel if excel else harmless)(value) for value in row] for row in rows)
    return text.getvalue()


def for_excel(value: Any) -> Any:
    """Return a value as Excel reads it.

    A code becomes a formula of text, `="02"`: Excel shows 02. LibreOffice evaluates it only with "Evaluate formulas" of
    its import; there, columns of the plain table can be imported as text.
    """
    if isinstance(value, Code):
        return f'="{value}"' if value else ""
    return str(value).replace(".", ",") if isinstance(value, DecimalText | float | Decimal) else harmless(value)


def harmless(value: Any) -> Any:
    """Return a value that no spreadsheet evaluates as a formula. Negative numbers are none."""
    starts_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    return f"'{value}" if starts_formula and not re.fullmatch(r"-[0-9]+(\.[0-9]+)?", value) else value
