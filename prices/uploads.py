"""Uploaded price lists: files of spreadsheets in, rows out, and how a file gets from the preview to its confirmation.

A CSV may be what any spreadsheet writes: in UTF-8, UTF-16 or Windows-1250, with commas, semicolons or tabs. Polish
Excel separates by semicolons, since the comma is in the amounts.
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

MOST_BYTES = 600_000
"""Of an upload. A row takes some fifty bytes; signed, the file still fits into what Django takes of a form."""

MOST_ROWS = 5_000
"""Of an upload: measured, its preview and its confirmation take some seconds each."""

MOST_UNPACKED_BYTES = 20_000_000
"""Of a spreadsheet, which is a zip: what all its parts unpack to."""

PREVIEW_HOLDS_S = 24 * 60 * 60
"""How long a preview may stay open before it is confirmed."""

SEPARATORS = (";", ",", "\t")
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Table(tablib.Dataset):  # type: ignore[misc] # the library has no types
    """Rows of an upload. numbers: of its rows in the file, as a spreadsheet counts them; the header is row 1."""

    numbers: tuple[int, ...] = ()


class SizedCSV(base_formats.CSV):  # type: ignore[misc] # the library has no types
    """CSV of a bearable size."""

    def create_dataset(self, in_stream: bytes, **kwargs: Any) -> Table:
        """The rows. Raises ValidationError for a file that is too large or no table."""
        refuse_large(in_stream)
        text = decode(in_stream)
        header = text.split("\n", 1)[0]
        separator = max(SEPARATORS, key=header.count)
        try:
            lines = list(csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True))
        except csv.Error as error:
            raise ValidationError("Pliku nie da się odczytać jako CSV. Sprawdź, czy cudzysłowy mają parę.") from error
        return tidy(lines[0] if lines else [], lines[1:])

    def get_read_mode(self) -> str:
        return "rb"

    def is_binary(self) -> bool:
        """Whether the bytes come as they are: which encoding they are in is found out here."""
        return True


class SafeXLSX(base_formats.XLSX):  # type: ignore[misc] # the library has no types
    """Spreadsheets, looked at before they are unpacked: a few kilobytes can unpack to gigabytes, or expand as XML."""

    def create_dataset(self, in_stream: bytes) -> Table:
        """The rows. Raises ValidationError for a file that is too large, is no spreadsheet, or defines entities."""
        refuse_large(in_stream)
        try:
            with zipfile.ZipFile(BytesIO(in_stream)) as archive:
                # The sizes that the directory states can be trusted: zipfile never gives more bytes than them.
                if sum(member.file_size for member in archive.infolist()) > MOST_UNPACKED_BYTES:
                    raise ValidationError("Arkusz rozpakowuje się do zbyt wielu danych.")
                for member in archive.infolist():
                    if b"<!DOCTYPE" in archive.read(member).replace(b"\0", b""):
                        raise ValidationError("Arkusz zawiera definicje XML, których arkusze nie mają.")
            sheet = super().create_dataset(in_stream)
        except ValidationError:
            raise
        except Exception as error:
            # Whatever a damaged archive makes of the libraries that read it.
            raise ValidationError("Plik nie jest arkuszem XLSX albo jest uszkodzony.") from error
        return tidy(sheet.headers, list(sheet))


FORMATS = (SizedCSV, SafeXLSX)


class SignedUpload(BaseStorage):  # type: ignore[misc] # the library has no types
    """An upload between its preview and its confirmation: it travels in the form, signed.

    So any process of any machine can confirm it, nothing is left behind, and no form can name a file of ours.
    """

    signer = TimestampSigner(salt="prices.uploads")

    def save(self, data: bytes) -> None:
        """Put the bytes into the name, which the form keeps."""
        self.name = self.signer.sign(base64.urlsafe_b64encode(zlib.compress(data)).decode())

    def read(self) -> bytes:
        """The bytes. Raises BadSignature for a name that is not ours or is too old."""
        packed = self.signer.unsign(self.name or "", max_age=PREVIEW_HOLDS_S)
        return zlib.decompress(base64.urlsafe_b64decode(packed))

    def remove(self) -> None:
        """Nothing: it is stored nowhere."""


def refuse_large(content: bytes) -> None:
    """Raise ValidationError for a file that is too large."""
    if len(content) > MOST_BYTES:
        raise ValidationError(f"Plik ma więcej niż {MOST_BYTES} bajtów. Podziel go na części.")


def decode(content: bytes) -> str:
    """The text of a file. Raises ValidationError for what is in none of the usual encodings."""
    encodings = ("utf-16",) if content.startswith(UTF_16_MARKS) else ("utf-8-sig", "cp1250")
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ValidationError("Plik nie jest tekstem w kodowaniu UTF-8 ani Windows-1250. Zapisz go jako „CSV UTF-8”.")


def tidy(headers: Sequence[Any], rows: Sequence[Sequence[Any]]) -> Table:
    """A table with its columns in small letters and without empty rows.

    Raises ValidationError where no row is left, there are too many, or columns cannot be told apart.
    """
    names = ["" if name is None else str(name).strip().lower() for name in headers]
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


def is_blank(cell: Any) -> bool:
    """Whether nothing stands in a cell."""
    return cell is None or (isinstance(cell, str) and not cell.strip())
