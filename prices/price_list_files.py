"""Files of price lists: their columns, limits, CSV, XLSX and cells, and the file between preview and confirmation.

One row, one price: `depot` (id), `fuel`, `unit`, `day`, and either `price` or `bag_price` and `bag_kg`, under these
names or those of `POLISH`; fuels and units by slug or name, fuels also by the label of their chip.

CSV as spreadsheets write it: UTF-8, UTF-16 or Windows-1250, separated by commas, semicolons or tabs. Polish Excel uses
semicolons, since its decimal separator is the comma.
"""

import base64
import codecs
import csv
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from io import BytesIO, StringIO
from itertools import islice, zip_longest
from typing import Any, NamedTuple, TypeVar

from django.core.exceptions import ValidationError
from django.core.signing import TimestampSigner
from openpyxl import load_workbook

from catalog.depots import fuels
from catalog.text import fold
from fueldepot.http.params import AmbiguousNumber, read_decimal
from prices import validation

MOST_BYTES = 600_000
"""Size limit of an upload. A row takes some 50 bytes; the signed file fits Django's limit of form data."""

MOST_ROWS = 5_000
"""Row limit of an upload; preview and confirmation of a full file take some seconds each."""

MOST_LINES = 4 * MOST_ROWS
"""Limit of the rows of an upload with empty ones."""

MOST_SHEETS = 10
"""Limit of the sheets of an upload. Data may be on one of them only."""

MOST_COLUMNS = 100
"""Limit of the columns of an upload; cells of a spreadsheet beyond it are not read."""

MOST_UNPACKED_BYTES = 20_000_000
"""Limit of the unpacked parts of a spreadsheet, which is a zip."""

PREVIEW_HOLDS_S = 24 * 60 * 60

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
    "cena zl": "price",
    "cena zl t": "price",
    "waga worka kg": "bag_kg",
    "worek kg": "bag_kg",
}

REQUIRED = ("depot", "fuel", "unit", "day")
OWNERS_REQUIRED = ("fuel",)
AMOUNTS = {"price": "zł", "bag_price": "zł", "bag_kg": "kg"}
"""Columns of amounts, with the unit that may stand in their cells."""

FUEL_OF = {fold(name): fuel.slug for fuel in fuels.FUELS for name in (fuel.slug, fuel.name, fuel.label)}
UNIT_OF = {fold(name): unit for unit, word in fuels.UNIT_NAMES.items() for name in (unit, word, f"zł/{unit}")}
"""Fuels and units by their spellings, folded."""

SEPARATORS = (";", ",", "\t")

TITLE_ROWS = 10
"""Among how many first rows the names of the columns are looked for: above them may stand a title."""
Cell = TypeVar("Cell")

OLD_SPREADSHEET = b"\xd0\xcf\x11\xe0"
"""First bytes of a file of Excel 97 to 2003."""

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Table(NamedTuple):
    """Rows of an upload. columns: lower-case names. rows: number in the file, from 1, and cells."""

    columns: list[str]
    rows: list[tuple[int, dict[str, Any]]]


def read_table(content: bytes) -> Table:
    """Return the rows of a file in either format, recognised by its first bytes: a spreadsheet is a zip.

    Raises ValidationError for a file that is too large or that neither format can read.
    """
    if len(content) > MOST_BYTES:
        raise ValidationError(f"Plik ma więcej niż {MOST_BYTES} bajtów. Podziel go na części.")
    if content.startswith(OLD_SPREADSHEET):
        raise ValidationError("To arkusz starego formatu XLS. Zapisz go w programie jako XLSX albo CSV.")
    return read_xlsx(content) if content.startswith(b"PK\x03\x04") else read_csv(content)


# A former name of this module, so that previews stay valid while a release is installed.
_signer = TimestampSigner(salt="prices.uploads")


def pack(content: bytes) -> str:
    """Return a file as signed text, which a form keeps between preview and confirmation.

    Any process of any machine can confirm it, no file is left behind, and a form cannot name a file of the server.
    """
    return _signer.sign(base64.urlsafe_b64encode(zlib.compress(content)).decode())


def unpack(packed: str) -> bytes:
    """Return the file of `pack`. Raises BadSignature if it is forged or older than `PREVIEW_HOLDS_S`."""
    return zlib.decompress(base64.urlsafe_b64decode(_signer.unsign(packed, max_age=PREVIEW_HOLDS_S)))


def read_csv(content: bytes) -> Table:
    """Return the rows of a CSV file. Raises ValidationError for what is not a table."""
    text = decode(content)
    first = text.replace('"', "").splitlines()[:TITLE_ROWS] or [""]
    fitting = (
        mark for mark in SEPARATORS if any("fuel" in map(column_of, line.split(mark, MOST_COLUMNS)) for line in first)
    )
    separator = next(fitting, max(SEPARATORS, key=first[0].count))
    try:
        lines = list(csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValidationError("Pliku nie da się odczytać jako CSV. Sprawdź, czy cudzysłowy mają parę.") from error
    return tidy(lines)


def read_xlsx(content: bytes) -> Table:
    """Return the rows of a spreadsheet. Raises ValidationError for what is none, or has a DTD.

    It is checked before unpacking: a few kilobytes can unpack to gigabytes or expand as XML entities.
    """
    try:
        has_formulas = False
        with zipfile.ZipFile(BytesIO(content)) as archive:
            # The sizes in the directory are reliable: zipfile never returns more bytes than they state.
            if sum(member.file_size for member in archive.infolist()) > MOST_UNPACKED_BYTES:
                raise ValidationError("Arkusz rozpakowuje się do zbyt wielu danych.")
            for member in archive.infolist():
                part = archive.read(member).replace(b"\0", b"")
                if b"<!DOCTYPE" in part:
                    raise ValidationError("Arkusz zawiera definicje XML, których arkusze nie mają.")
                has_formulas = has_formulas or b"<f>" in part or b"<f " in part
        sheets = read_sheets(content, results=True)
        if len(sheets) > 1:
            names = ", ".join(f"„{name}”" for name in sheets)
            raise ValidationError(f"W pliku jest kilka arkuszy z danymi: {names}. Zostaw jeden albo wyślij je osobno.")
        if has_formulas:
            check_formulas(sheets, read_sheets(content, results=False))
    except ValidationError:
        raise
    except Exception as error:
        # Damaged archives raise many kinds of errors in zipfile and openpyxl.
        raise ValidationError("Plik nie jest arkuszem XLSX albo jest uszkodzony.") from error
    return tidy(next(iter(sheets.values()), []))


def read_sheets(content: bytes, *, results: bool) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of the visible sheets with a filled cell, by name. results: of formulas, in place of their text.

    A file whose only sheet is hidden has none. Raises ValidationError for too many sheets.
    """
    visible = [
        sheet
        for sheet in load_workbook(BytesIO(content), read_only=True, data_only=results).worksheets
        if sheet.sheet_state == "visible"
    ]
    if len(visible) > MOST_SHEETS:
        raise ValidationError(f"Plik ma więcej niż {MOST_SHEETS} arkuszy. Zostaw jeden.")
    sheets = {}
    for sheet in visible:
        width = sheet.max_column  # None if the file does not state it
        sheet.reset_dimensions()  # as stated, they may be a million rows of nothing
        rows = islice(sheet.iter_rows(max_col=width and min(width, MOST_COLUMNS)), MOST_LINES + 1)
        # An empty text is the result of a formula, which openpyxl does not tell from none.
        sheets[sheet.title] = [
            tuple("" if cell.data_type == "str" else cell.value for cell in row[:MOST_COLUMNS]) for row in rows
        ]
    return {name: rows for name, rows in sheets.items() if not all(map(is_blank, rows))}


def check_formulas(
    sheets: Mapping[str, Sequence[Sequence[Any]]], formulas: Mapping[str, Sequence[Sequence[Any]]]
) -> None:
    """Raise ValidationError for a formula without a result: programs that write files do not work them out."""
    for name, rows in sheets.items():
        for number, (values, texts) in enumerate(zip(rows, formulas[name], strict=True), start=1):
            for value, text in zip(values, texts, strict=True):
                if value is None and text is not None:
                    raise ValidationError(
                        f"Wiersz {number}: w pliku nie ma wyniku formuły {text}. Otwórz plik w arkuszu i zapisz go "
                        "jeszcze raz albo wpisz samą kwotę."
                    )


def decode(content: bytes) -> str:
    """Return the text of a file. Raises ValidationError for an unknown encoding."""
    encodings = ("utf-16",) if content.startswith(UTF_16_MARKS) else ("utf-8-sig", "cp1250")
    for encoding in encodings:
        with suppress(UnicodeDecodeError):
            text = content.decode(encoding)
            if "\0" not in text:
                return text
    raise ValidationError("Plik nie jest tekstem w kodowaniu UTF-8 ani Windows-1250. Zapisz go jako „CSV UTF-8”.")


def tidy(rows: Sequence[Sequence[Any]]) -> Table:
    """Return a table with lower-case column names, stripped cells, and without empty rows and those above the names.

    Raises ValidationError for no rows, too many rows or columns, repeated columns, or a row wider than the header.
    """
    if any(len(row) > MOST_COLUMNS for row in rows[:TITLE_ROWS]):
        raise ValidationError(f"Plik ma więcej niż {MOST_COLUMNS} kolumn.")
    headers = [[column_of(name) for name in row] for row in rows[:TITLE_ROWS]]
    top = next((number for number, names in enumerate(headers) if "fuel" in names), 0)
    names = headers[top] if headers else []
    if repeated := sorted({name for name in names if name and names.count(name) > 1}):
        raise ValidationError(f"Kolumna powtarza się: {', '.join(POLISH.get(name, name) for name in repeated)}.")
    stripped = ([tidy_cell(cell) for cell in row] for row in rows[top + 1 :])
    numbered = [(number, row) for number, row in enumerate(stripped, start=top + 2) if not is_blank(row)]
    if not numbered:
        raise ValidationError("W pliku nie ma ani jednego wiersza z ceną pod wierszem z nazwami kolumn.")
    if len(numbered) > MOST_ROWS or len(rows) > MOST_LINES:
        raise ValidationError(f"Plik ma więcej niż {MOST_ROWS} wierszy. Podziel go na części.")
    for number, row in numbered:
        if not is_blank(row[len(names) :]):
            advice = "Kwotę z przecinkiem ujmij w cudzysłów albo rozdziel pola średnikami."
            raise ValidationError(f"Wiersz {number} ma więcej pól niż nagłówek. {advice}")
    return Table(
        names, [(number, dict(zip_longest(names, row[: len(names)], fillvalue=""))) for number, row in numbered]
    )


def tidy_cell(cell: Any) -> Any:
    """Return a cell without blanks around a text, and a date of a spreadsheet, whose cells have a time, as a day."""
    if isinstance(cell, datetime):
        return cell.date()
    return cell.strip() if isinstance(cell, str) else cell


def column_of(header: Any) -> str:
    name = "" if header is None else " ".join(str(header).lower().split())
    return COLUMN_OF.get(fold(name), name)


def is_blank(row: Iterable[Any]) -> bool:
    return all(cell is None or cell == "" for cell in row)


def readable(cells: Iterable[Any], read: Callable[[Any], Cell]) -> set[Cell]:
    """Return the valid values of the cells of a column."""
    found = set()
    for cell in cells:
        with suppress(ValidationError):
            found.add(read(cell))
    return found


def read_number(value: Any) -> int:
    """Return the id of a depot, which a spreadsheet may hold as a float. Raises ValidationError."""
    if value is None or value == "":
        raise ValidationError("nie ma numeru składu; scalone komórki mają wartość tylko w pierwszym wierszu")
    try:
        number = Decimal(str(value))
        # Compared first: an exponent such as 1e9999999 would take minutes as an int.
        is_possible = 0 < number < 10**18 and number == int(number)
    except (InvalidOperation, ValueError):
        raise ValidationError(f"„{value}” nie jest numerem składu") from None
    if not is_possible:
        raise ValidationError(f"nie ma opublikowanego składu o numerze {value}")
    return int(number)


def read_day(value: Any) -> date:
    """Return a day: a date of a spreadsheet, 2026-11-21 or 21.11.2026. Raises ValidationError."""
    if isinstance(value, date):
        return value
    for form in ("%Y-%m-%d", "%d.%m.%Y"):
        try:
            return datetime.strptime(str(value), form).date()  # noqa: DTZ007 - a day has no zone
        except ValueError:
            continue
    raise ValidationError(f"„{'' if value is None else value}” nie jest dniem; podaj na przykład 2026-11-21")


def read_amount(value: Any, unit: str = "zł", per: str = "") -> Decimal | None:
    """Return złoty or kilograms, None for an empty cell. Raises ValidationError, with both readings of `1.640` as text.

    unit, per: what may stand behind the number in a text, as in "1640 zł/t".

    A number of a spreadsheet has decimals only; text is read by `read_decimal`.
    """
    if value is None or value == "":
        return None
    try:
        # From text, since a spreadsheet holds 24.99 as a float.
        number = str(value).removesuffix(per).removesuffix(unit)
        amount = read_decimal(number, "refused" if isinstance(value, str) else "decimals")
    except AmbiguousNumber as error:
        decimal = error.decimal.replace(".", ",")
        raise ValidationError(f"„{value}” to {error.thousands} albo {decimal}; wpisz jedno z nich") from None
    except ValueError:
        raise ValidationError(f"„{value}” nie jest liczbą") from None
    if abs(amount) >= validation.PRICE_LIMIT:
        raise ValidationError(f"„{value}” nie jest kwotą ani wagą poniżej {validation.PRICE_LIMIT}")
    return amount
