"""Uploaded price lists: parsing of CSV and XLSX, and storage of a file between preview and confirmation.

CSV as spreadsheets write it: UTF-8, UTF-16 or Windows-1250, separated by commas, semicolons or tabs. Polish Excel uses
semicolons, since its decimal separator is the comma.
"""

import base64
import codecs
import csv
import zipfile
import zlib
from collections.abc import Sequence
from io import BytesIO, StringIO
from typing import Any

import tablib
from django.core.exceptions import ValidationError
from django.core.signing import TimestampSigner
from import_export.formats import base_formats
from import_export.tmp_storages import BaseStorage

from catalog.text import fold

MOST_BYTES = 600_000
"""Size limit of an upload. A row takes some 50 bytes; the signed file fits Django's limit of form data."""

MOST_ROWS = 5_000
"""Row limit of an upload; preview and confirmation of a full file take some seconds each."""

MOST_UNPACKED_BYTES = 20_000_000
"""Limit of the unpacked parts of a spreadsheet, which is a zip."""

PREVIEW_HOLDS_S = 24 * 60 * 60
"""Validity of a preview in seconds."""

POLISH = {
    "depot": "numer składu",
    "fuel": "paliwo",
    "unit": "jednostka",
    "day": "dzień",
    "price": "cena",
    "bag_price": "cena worka",
    "bag_kg": "waga worka",
}
"""Polish column names. Files may use these or the English keys."""

COLUMN_OF = {fold(name): column for column, name in POLISH.items()} | {
    "sklad": "depot",
    "nr skladu": "depot",
    "data": "day",
    "dzien ceny": "day",
    "cena za jednostke": "price",
    "waga worka kg": "bag_kg",
    "worek kg": "bag_kg",
}

SEPARATORS = (";", ",", "\t")
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Table(tablib.Dataset):  # type: ignore[misc] # the library has no types
    """Rows of an upload. numbers: row numbers in the file, where the header is row 1."""

    numbers: tuple[int, ...] = ()


class PriceListFile(base_formats.Format):  # type: ignore[misc] # the library has no types
    """A file in either format, recognised by its first bytes: a spreadsheet is a zip."""

    def __init__(self, encoding: str | None = None) -> None:
        """Accept and ignore the library's argument: `create_dataset` detects the encoding."""

    def get_title(self) -> str:
        return "CSV albo XLSX"

    def create_dataset(self, in_stream: bytes) -> Table:
        """Return the rows. Raises ValidationError for a file that is too large or that neither format can read."""
        if len(in_stream) > MOST_BYTES:
            raise ValidationError(f"Plik ma więcej niż {MOST_BYTES} bajtów. Podziel go na części.")
        return read_xlsx(in_stream) if in_stream.startswith(b"PK\x03\x04") else read_csv(in_stream)

    def get_read_mode(self) -> str:
        return "rb"

    def is_binary(self) -> bool:
        return True

    def can_import(self) -> bool:
        return True


class SignedUpload(BaseStorage):  # type: ignore[misc] # the library has no types
    """Storage of an upload in a signed form field between preview and confirmation.

    Any process of any machine can confirm it, no file is left behind, and a form cannot name a file of the server.
    """

    signer = TimestampSigner(salt="prices.admin.uploads")

    def save(self, data: bytes) -> None:
        """Encode the bytes into `name`, which the form keeps."""
        self.name = self.signer.sign(base64.urlsafe_b64encode(zlib.compress(data)).decode())

    def read(self) -> bytes:
        """Return the bytes. Raises BadSignature for a forged or expired name."""
        packed = self.signer.unsign(self.name or "", max_age=PREVIEW_HOLDS_S)
        return zlib.decompress(base64.urlsafe_b64decode(packed))

    def remove(self) -> None:
        """Do nothing: the server keeps no file."""


def read_csv(content: bytes) -> Table:
    """Return the rows of a CSV file. Raises ValidationError for what is not a table."""
    text = decode(content)
    header = text.split("\n", 1)[0]
    separator = max(SEPARATORS, key=header.count)
    try:
        lines = list(csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValidationError("Pliku nie da się odczytać jako CSV. Sprawdź, czy cudzysłowy mają parę.") from error
    return tidy(lines[0] if lines else [], lines[1:])


def read_xlsx(content: bytes) -> Table:
    """Return the rows of a spreadsheet. Raises ValidationError for what is none, or has a DTD.

    It is checked before unpacking: a few kilobytes can unpack to gigabytes or expand as XML entities.
    """
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            # The sizes in the directory are reliable: zipfile never returns more bytes than they state.
            if sum(member.file_size for member in archive.infolist()) > MOST_UNPACKED_BYTES:
                raise ValidationError("Arkusz rozpakowuje się do zbyt wielu danych.")
            for member in archive.infolist():
                if b"<!DOCTYPE" in archive.read(member).replace(b"\0", b""):
                    raise ValidationError("Arkusz zawiera definicje XML, których arkusze nie mają.")
        sheet = base_formats.XLSX().create_dataset(content)
    except ValidationError:
        raise
    except Exception as error:
        # Damaged archives raise many kinds of errors in zipfile and openpyxl.
        raise ValidationError("Plik nie jest arkuszem XLSX albo jest uszkodzony.") from error
    return tidy(sheet.headers, list(sheet))


def decode(content: bytes) -> str:
    """Return the text of a file. Raises ValidationError for an unknown encoding."""
    encodings = ("utf-16",) if content.startswith(UTF_16_MARKS) else ("utf-8-sig", "cp1250")
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ValidationError("Plik nie jest tekstem w kodowaniu UTF-8 ani Windows-1250. Zapisz go jako „CSV UTF-8”.")


def tidy(headers: Sequence[Any], rows: Sequence[Sequence[Any]]) -> Table:
    """Return a table with lower-case column names and without empty rows.

    Raises ValidationError for no rows, too many rows, repeated columns, or a row wider than the header.
    """
    names = [column_of(name) for name in headers]
    if repeated := sorted({name for name in names if name and names.count(name) > 1}):
        raise ValidationError(f"Kolumna powtarza się: {', '.join(repeated)}.")
    numbered = [(number, list(row)) for number, row in enumerate(rows, start=2) if not all(map(is_blank, row))]
    if not numbered:
        raise ValidationError("W pliku nie ma ani jednego wiersza z ceną.")
    if len(numbered) > MOST_ROWS:
        raise ValidationError(f"Plik ma więcej niż {MOST_ROWS} wierszy. Podziel go na części.")
    width = len(names)
    for number, row in numbered:
        if not all(map(is_blank, row[width:])):
            raise ValidationError(
                f"Wiersz {number} ma więcej pól niż nagłówek. Kwotę z przecinkiem ujmij w cudzysłów albo rozdziel pola "
                "średnikami."
            )
    table = Table(*((row + [""] * width)[:width] for _, row in numbered), headers=names)
    table.numbers = tuple(number for number, _ in numbered)
    return table


def column_of(header: Any) -> str:
    """Return the column of a header; an unknown header in lower case."""
    name = "" if header is None else " ".join(str(header).lower().split())
    return COLUMN_OF.get(fold(name), name)


def is_blank(cell: Any) -> bool:
    """Whether a cell is empty."""
    return cell is None or (isinstance(cell, str) and not cell.strip())
