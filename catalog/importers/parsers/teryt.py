"""Shared parsing of files of GUS's register TERYT: semicolon CSV or XML, zipped or not."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from catalog.importers.parsers.files import csv_rows, open_source, peek
from catalog.importers.parsers.values import parse_day
from catalog.importers.parsers.xml_rows import xml_rows
from catalog.importers.records import BadInput


def teryt_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a register with their numbers: lines of a CSV, elements of an XML.

    Of a zip with both, the CSV is read, a fifth of the size.

    Raises BadInput as `csv_rows` and `xml_rows` do.
    """
    with open_source(path, (".csv", ".xml")) as source:
        start = peek(source, 64).removeprefix(b"\xef\xbb\xbf").lstrip()
        if start.startswith(b"<"):
            yield from xml_rows(source, columns)
        else:
            yield from csv_rows(source, columns, delimiter=";")


def day_of(path: Path, values: dict[str, str], row: int) -> date:
    """Return the day of a row, STAN_NA. Raises BadInput."""
    try:
        return parse_day(values["STAN_NA"])
    except ValueError as error:
        raise BadInput(path, f"STAN_NA: {error}; is the file cut off?", row=row) from error


def checked_name(path: Path, name: str, limit: int, row: int) -> str:
    """Return a valid name. Raises BadInput if it is empty, longer than `limit`, or not printable."""
    if not name:
        raise BadInput(path, "has no name", row=row)
    if len(name) > limit:
        raise BadInput(path, f"the name {name[:40]!r}… is longer than {limit} characters", row=row)
    if not name.isprintable():
        raise BadInput(path, f"the name {name!r} contains control characters", row=row)
    return name
