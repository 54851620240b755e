"""Files of price lists: their columns, limits, CSV and XLSX, and the file between preview and confirmation.

One row, one price: `depot` (id), `fuel`, `unit`, `day`, and either `price` or `bag_price` and `bag_kg`, under these
names, those of `POLISH` or those of merchants ("Rodzaj opału", "Cena brutto [zł/t]"); fuels and units by slug or name,
fuels also by the label of their chip or a description ("Orzech II"). What could mean another quantity is refused.

CSV as spreadsheets write it: UTF-8, UTF-16 or Windows-1250, separated by commas, semicolons or tabs. Polish Excel uses
semicolons, since its decimal separator is the comma.
"""

import base64
import codecs
import csv
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from io import BytesIO, StringIO
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.core.signing import TimestampSigner
from openpyxl import load_workbook

from catalog.text import fold, plain
from prices.price_list_cells import BAG, LONGEST_CELL, UNIT_OF

MOST_BYTES = 600_000
"""Size limit of an upload. A row takes some 50 bytes; the signed file fits Django's limit of form data."""

MOST_ROWS = 5_000
"""Row limit of an upload; preview and confirmation of a full file take some seconds each."""

MOST_OWNERS_ROWS = 500
"""Most prices that an owner publishes or confirms at once: nine fuels of some fifty depots."""

MOST_LINES = 4 * MOST_ROWS
"""Limit of the rows of an upload with empty ones, on all its sheets."""

MOST_SHEETS = 10
"""Limit of the sheets of an upload. Data may be on one of them only."""

MOST_COLUMNS = 100
"""Limit of the columns of an upload; cells of a spreadsheet beyond it are not read."""

MOST_UNPACKED_BYTES = 20_000_000
"""Limit of the unpacked parts of a spreadsheet, which is a zip."""

MOST_TAGS = 1_000_000
"""Limit of the XML tags of a part of a spreadsheet. An empty cell of four bytes takes five microseconds to read."""

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

ALIASES = {
    "depot": "sklad, nr skladu, id skladu, oddzial, filia",
    "fuel": "opal, rodzaj paliwa, rodzaj opalu, nazwa paliwa, nazwa opalu, typ paliwa",
    "unit": "j m, jm, jedn, jednostka miary, miara",
    "day": "data, dzien ceny, data ceny, data cennika, data obowiazywania, obowiazuje od, wazne od, z dnia, "
    "data aktualizacji, aktualizacja, od dnia, obowiazuje od dnia",
    "bag_kg": "waga worka kg, worek kg",
}
COLUMN_OF = {fold(name): column for column, name in POLISH.items()}
COLUMN_OF |= {alias: column for column, aliases in ALIASES.items() for alias in aliases.split(", ")}

VAGUE = frozenset(("nazwa", "rodzaj", "towar", "produkt", "asortyment", "nazwa towaru", "nazwa produktu"))
"""Names of a column of fuels in a file that has no plainer one."""

SAYS_NOTHING = frozenset(("zl", "pln", "w", "za", "brutto", "z", "vat", "jednostke", "jednostkowa", "detaliczna"))
"""Words in the name of a column of prices that are none of a quantity. Prices without VAT are not read."""

REQUIRED = ("depot", "fuel", "unit", "day")
OWNERS_REQUIRED = ("fuel",)
AMOUNTS = {"price": "zł", "bag_price": "zł", "bag_kg": "kg"}
"""Columns of amounts, with the unit that may stand in their cells."""

PRICES = ("price", "bag_price")
"""Columns of prices; a file needs at least one of them."""

SEPARATORS = (";", ",", "\t")

TITLE_ROWS = 10
"""Among how many first rows the names of the columns are looked for: above them may stand a title."""

OLD_SPREADSHEET = b"\xd0\xcf\x11\xe0"
"""First bytes of a file of Excel 97 to 2003."""

NO_TABLES = (b"%PDF", b"\xff\xd8\xff", b"\x89PNG", b"{\\rtf")
"""First bytes of PDF, of pictures and of formatted text."""

OPEN_DOCUMENT = b"application/vnd.oasis.opendocument"
"""Stands in the first, unpacked part of a file of LibreOffice."""

HIDDEN_ROW = re.compile(rb'<row (?=[^<>]*?\bhidden="(?:1|true)")[^<>]*+>(?:(?!</?row).)*?<(?:v|is)>', re.DOTALL)
"""A hidden or filtered row with a value in the part of a sheet: it may be an old price."""

MERGED = re.compile(rb'<mergeCell ref="[A-Z]{1,3}([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})"')
"""First and last row of merged cells in the part of a sheet. Only the first has their value."""

UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Table(NamedTuple):
    """Rows of an upload. columns: lower-case names. rows: number in the file, from 1, and cells.

    unit: of the prices, by the name of their column; "" where it states none. bag: what the prices of bags are called.
    """

    columns: list[str]
    rows: list[tuple[int, dict[str, Any]]]
    unit: str = ""
    bag: str = ""

    @property
    def unread(self) -> list[str]:
        """Names of the columns that mean nothing here."""
        return [name for name in self.columns if name and name not in POLISH]


def read_table(content: bytes) -> Table:
    """Return the rows of a file in either format, recognised by its first bytes: a spreadsheet is a zip.

    Raises ValidationError for a file that is too large or that neither format can read.
    """
    if len(content) > MOST_BYTES:
        raise ValidationError(f"Plik ma więcej niż {MOST_BYTES // 1000} kB. Podziel go na części.")
    if content.startswith(OLD_SPREADSHEET):
        raise ValidationError("To arkusz starego formatu XLS. Zapisz go w programie jako XLSX albo CSV.")
    if content.startswith(NO_TABLES):
        raise ValidationError("To PDF, obraz albo dokument, a nie arkusz. Przepisz ceny do pliku XLSX albo CSV.")
    if OPEN_DOCUMENT in content[:100]:
        raise ValidationError("To arkusz ODS. Zapisz go w programie jako XLSX albo CSV.")
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

    def fitness(mark: str) -> tuple[int, int]:
        return max(header_fitness(name_columns(line.split(mark, MOST_COLUMNS))) for line in first), first[0].count(mark)

    separator = max(SEPARATORS, key=fitness)
    try:
        lines = list(csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValidationError("Pliku nie da się odczytać jako CSV. Sprawdź, czy cudzysłowy mają parę.") from error
    return make_table(lines)


def read_xlsx(content: bytes) -> Table:
    """Return the rows of a spreadsheet. Raises ValidationError for what is none, or has a DTD.

    It is checked before unpacking: a few kilobytes can unpack to gigabytes or expand as XML entities.
    """
    try:
        has_formulas, merged = False, Counter[int]()
        with zipfile.ZipFile(BytesIO(content)) as archive:
            # The sizes in the directory are reliable: zipfile never returns more bytes than they state.
            if sum(member.file_size for member in archive.infolist()) > MOST_UNPACKED_BYTES:
                raise ValidationError("Arkusz rozpakowuje się do zbyt wielu danych.")
            for member in archive.infolist():
                part = archive.read(member).replace(b"\0", b"")
                if b"<!DOCTYPE" in part:
                    raise ValidationError("Arkusz zawiera definicje XML, których arkusze nie mają.")
                if part.count(b"<") > MOST_TAGS:
                    raise ValidationError("Arkusz ma zbyt wiele komórek. Usuń puste, sformatowane wiersze i kolumny.")
                if HIDDEN_ROW.search(part):
                    raise ValidationError("Arkusz ma ukryte wiersze z danymi. Odkryj je albo usuń.")
                has_formulas = has_formulas or b"<f>" in part or b"<f " in part
                for first, last in MERGED.findall(part):
                    merged[int(first) + 1] += 1
                    merged[int(last) + 1] -= 1
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
    return make_table(empty_as_text(next(iter(sheets.values()), []), merged))


def empty_as_text(rows: Sequence[Sequence[Any]], merged: Mapping[int, int]) -> list[Sequence[Any]]:
    """Return rows with empty cells as a CSV file has them; in rows below the first of merged cells they are None.

    merged: how many merged cells begin to have no value at a row, less those that no longer reach it.
    """
    filled, above, width = list[Sequence[Any]](), 0, max(map(len, rows), default=0)
    for number, row in enumerate(rows, start=1):
        above += merged.get(number, 0)
        filled.append([*row, *[None] * (width - len(row))] if above else ["" if cell is None else cell for cell in row])
    return filled


def read_sheets(content: bytes, *, results: bool) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of the visible sheets with a filled cell, by name. results: of formulas, in place of their text.

    A file whose only sheet is hidden has none. Raises ValidationError for too many sheets, or rows of all together.
    """
    visible = [
        sheet
        for sheet in load_workbook(BytesIO(content), read_only=True, data_only=results).worksheets
        if sheet.sheet_state == "visible"
    ]
    if len(visible) > MOST_SHEETS:
        raise ValidationError(f"Plik ma więcej niż {MOST_SHEETS} arkuszy. Zostaw jeden.")
    sheets, lines = {}, 0
    for sheet in visible:
        width = sheet.max_column  # None if the file does not state it
        sheet.reset_dimensions()  # as stated, they may be a million rows of nothing
        rows = islice(sheet.iter_rows(max_col=width and min(width, MOST_COLUMNS)), MOST_LINES + 1 - lines)
        # An empty text is the result of a formula, which openpyxl does not tell from none.
        sheets[sheet.title] = [
            tuple("" if cell.data_type == "str" else cell.value for cell in row[:MOST_COLUMNS]) for row in rows
        ]
        lines += len(sheets[sheet.title])
    if lines > MOST_LINES:
        raise too_many_rows(MOST_ROWS)
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


def make_table(rows: Sequence[Sequence[Any]]) -> Table:
    """Return a table with lower-case column names, stripped cells, and without empty rows and those above the names.

    Raises ValidationError for no rows, too many rows or columns, repeated columns, or a row wider than the header.
    """
    if any(len(row) > MOST_COLUMNS for row in rows[:TITLE_ROWS]):
        raise ValidationError(f"Plik ma więcej niż {MOST_COLUMNS} kolumn.")
    lines = dict(enumerate(rows or [[]], start=1))
    columns = {number: name_columns(lines[number]) for number in [*lines][:TITLE_ROWS]}
    top = max(columns, key=lambda number: header_fitness(columns[number]))
    names, header = columns[top], lines.pop(top)
    if repeated := sorted({name for name in names if name and names.count(name) > 1}):
        raise ValidationError(f"Kolumna powtarza się: {', '.join(POLISH.get(name, name) for name in repeated)}.")
    below = {number: [tidy_cell(cell) for cell in row] for number, row in lines.items() if number > top}
    filled = {number: row for number, row in below.items() if not is_blank(row)}
    if not filled:
        raise ValidationError("W pliku nie ma ani jednego wiersza z ceną pod wierszem z nazwami kolumn.")
    if len(filled) > MOST_ROWS or len(rows) > MOST_LINES:
        raise too_many_rows(MOST_ROWS)
    for number, row in filled.items():
        if not is_blank(row[len(names) :]):
            advice = "Kwotę z przecinkiem ujmij w cudzysłów albo rozdziel pola średnikami."
            raise ValidationError(f"Wiersz {number} ma więcej pól niż nagłówek. {advice}")
    for number, remarks in lines.items():
        if any(map(is_without_vat, remarks)):
            raise ValidationError(f"Wiersz {number} mówi o cenach bez VAT. Podaj ceny brutto i usuń tę uwagę.")
        if any(map(is_of_other_quantity, remarks)):
            raise ValidationError(f"Wiersz {number} mówi o cenach za inną ilość. Przelicz je i usuń tę uwagę.")
    titles = dict(zip(names, map(str, header), strict=True))
    table = [(number, dict(zip_longest(names, row[: len(names)], fillvalue=""))) for number, row in filled.items()]
    return Table(names, table, price_unit(titles.get("price")) or "", titles.get("bag_price", ""))


def too_many_rows(most: int) -> ValidationError:
    return ValidationError(f"Plik ma więcej niż {most} wierszy. Podziel go na części.")


def tidy_cell(cell: Any) -> Any:
    """Return a cell without blanks around a text, and a date of a spreadsheet, whose cells have a time, as a day."""
    if isinstance(cell, datetime):
        return cell.date()
    return cell.strip() if isinstance(cell, str) else cell


def name_columns(row: Iterable[Any]) -> list[str]:
    """Return the columns that the cells of a row name: keys of `POLISH`, other names in lower case."""
    names = [column_of(cell) for cell in row]
    return names if "fuel" in names else ["fuel" if fold(name) in VAGUE else name for name in names]


def header_fitness(names: Collection[str]) -> int:
    """Return whether a row names the column of fuels, 1, and one of amounts, too, 2: a title may name a fuel."""
    return ("fuel" in names) * (1 + any(name in AMOUNTS for name in names))


def column_of(header: Any) -> str:
    name = "" if header is None else " ".join(str(header).lower().split())
    column, unit = COLUMN_OF.get(fold(name)), price_unit(name)
    if column or unit is None:
        return column or name
    return "bag_price" if unit == BAG else "price"


def price_unit(header: Any) -> str | None:
    """Return the unit that the name of a column of prices states, "" without one; None for other columns."""
    first, *words = fold(str(header)).split() or [""]
    quantity = " ".join(word for word in words if word not in SAYS_NOTHING)
    if re.fullmatch(r"(?:worek|worka) [0-9]+ ?kg", quantity):
        return BAG
    if first != "cena":
        return None
    return UNIT_OF.get(quantity) if quantity else ""


def is_without_vat(cell: Any) -> bool:
    """Whether a remark says that prices are without VAT: "Ceny netto"."""
    text = cell[:LONGEST_CELL].lower() if isinstance(cell, str) else ""
    return bool(re.search(r"^ *netto *$|\bcen(?:a|y|ami)\b.*\b(?:netto|bez vat)\b", text)) and "brutto" not in text


def is_of_other_quantity(cell: Any) -> bool:
    """Whether a remark says that prices are of a quantity that is not read: "Ceny za m3"."""
    text = plain(cell[:LONGEST_CELL]) if isinstance(cell, str) else ""
    quantities = "(?:1 ?|100 ?)?(?:kg|m3|mps|mpn|metr szesc|kubi|palet)"
    return bool(re.search(rf"\bcen(?:a|y|ami)\b[^.,;]*(?:\bza|\bzl ?/) ?{quantities}", text))


def is_blank(row: Iterable[Any]) -> bool:
    return all(cell is None or cell == "" for cell in row)


def readable(cells: Iterable[Any], read: Callable[[Any], Any]) -> set[Any]:
    """Return the valid values of the cells of a column."""
    values = set()
    for cell in cells:
        with suppress(ValidationError):
            values.add(read(cell))
    return values
