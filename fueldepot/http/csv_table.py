"""Tables as CSV (RFC 4180): CRLF, and safe from formula injection."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

NEGATIVE_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, separator: str = ",") -> str:
    """Return a table as text. An apostrophe precedes text that a spreadsheet would evaluate as a formula."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([harmless(value) for value in row] for row in rows)
    return text.getvalue()


def harmless(value: Any) -> Any:
    """Return a value that no spreadsheet evaluates as a formula. Negative numbers are none."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS) and not NEGATIVE_NUMBER.fullmatch(value):
        return f"'{value}"
    return value
