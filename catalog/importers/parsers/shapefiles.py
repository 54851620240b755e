"""Shapefiles: finding the parts in a zip or directory, and the attribute table (dBASE III).

The table is parsed here because only the raw bytes of three columns are needed: their encoding is known afterwards, and
the first row alone identifies the layer of municipalities. Source of the layout: dBASE III PLUS, table file structure.
"""

import codecs
import io
import re
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import ZipInfo

from catalog.importers.parsers.files import OpenFile, is_zip, members, open_member, open_source, open_zip
from catalog.importers.records import BadInput

LAYER = "a03_granice_gmin"
"""Layer of municipalities in the official zip, lower case."""

CODE_COLUMN = "JPT_KOD_JE"

PARTS = (".shp", ".dbf", ".prj", ".cpg")
"""Required and optional files. The index (.shx) is not needed: shapes are read sequentially."""

COPY_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Shapefile:
    """An open layer. shapes: the .shp, seekable. projection: WKT, "" without .prj. encoding: "" without .cpg."""

    label: str
    shapes: IO[bytes]
    table: IO[bytes]
    projection: str = ""
    encoding: str = ""


@contextmanager
def open_shapefile(path: Path) -> Iterator[Shapefile]:
    """Open a layer of municipalities: a zip that contains it, or a .shp with its .dbf beside it.

    Zip members are unpacked to anonymous temporary files, so memory does not grow with them.

    Raises BadInput if a part is missing, or if none of several layers is named after municipalities.
    """
    with ExitStack() as stack:
        parts: dict[str, OpenFile] = {}
        if is_zip(path):
            archive = stack.enter_context(open_zip(path))
            for suffix, member in municipal_layer(path, members(archive)).items():
                with open_member(path, archive, member) as packed:
                    copy = stack.enter_context(tempfile.TemporaryFile())
                    while chunk := packed.stream.read(COPY_BYTES):
                        copy.write(chunk)
                    copy.seek(0)
                    parts[suffix] = OpenFile(copy, packed.label)
        else:
            for suffix, beside in _beside(path).items():
                parts[suffix] = stack.enter_context(open_source(beside, (suffix,)))
        for suffix in (".shp", ".dbf"):
            if suffix not in parts:
                raise BadInput(path, f"the shapefile has no {suffix}")
        projection, code_page = (
            parts[suffix].stream.read(100_000).decode("utf-8", "replace").strip() if suffix in parts else ""
            for suffix in (".prj", ".cpg")
        )
        yield Shapefile(
            parts[".shp"].label, parts[".shp"].stream, parts[".dbf"].stream, projection, _encoding(code_page)
        )


def municipal_layer(path: Path, found: list[ZipInfo]) -> dict[str, ZipInfo]:
    """Return the parts of the layer of municipalities among zip members, by suffix; {} without a shapefile.

    Raises BadInput if several layers are candidates.
    """
    layers: dict[str, dict[str, ZipInfo]] = {}
    for member in found:
        name = PurePosixPath(member.filename)
        if name.suffix.lower() in PARTS:
            layers.setdefault(str(name.with_suffix("")).lower(), {})[name.suffix.lower()] = member
    layers = {stem: parts for stem, parts in layers.items() if ".shp" in parts}
    for meant in (
        [stem for stem in layers if PurePosixPath(stem).name == LAYER],
        [stem for stem in layers if "gmin" in PurePosixPath(stem).name],
        list(layers),
    ):
        if len(meant) == 1:
            return layers[meant[0]]
    if layers:
        raise BadInput(path, f"holds {len(layers)} layers, none or several of them called after {LAYER}")
    return {}


def _beside(path: Path) -> dict[str, Path]:
    """Return the parts beside a .shp, by suffix, ignoring the case of suffixes."""
    if path.suffix.lower() != ".shp":
        raise BadInput(path, "is neither a zip nor a .shp")
    return {
        beside.suffix.lower(): beside
        for beside in path.parent.iterdir()
        if beside.stem == path.stem and beside.suffix.lower() in PARTS
    }


def _encoding(code_page: str) -> str:
    """Return Python's name of the encoding in a .cpg ("UTF-8", "1250", "ANSI 1250", "Windows-1250"); "" if unknown."""
    digits = re.search(r"(125[0-9]|852)$", code_page.strip())
    name = f"cp{digits[1]}" if digits else code_page.strip()
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""


def _read_header(stream: IO[bytes]) -> tuple[int, int, dict[str, tuple[int, int]]]:
    """Return the number of rows of a dBASE table, their size, and (offset, size) of each column within a row.

    A row starts with its deletion mark. Raises ValueError for anything else.
    """
    head = stream.read(32)
    if len(head) < 32:
        raise ValueError("the table of attributes is cut off")
    rows, first_row, row_size = struct.unpack("<4xIHH20x", head)
    columns: dict[str, tuple[int, int]] = {}
    start = 1
    count = (first_row - 33) // 32
    for _ in range(count):
        column = stream.read(32)
        if len(column) < 32:
            raise ValueError("the table of attributes is cut off")
        name = column[:11].split(b"\0")[0].decode("ascii", "replace").strip().upper()
        columns[name] = start, column[16]
        start += column[16]
    if not columns or start > row_size:
        raise ValueError("the table of attributes has a damaged header")
    stream.read(first_row - 32 - 32 * count)
    return rows, row_size, columns


def table_rows(stream: IO[bytes], names: tuple[str, ...]) -> Iterator[dict[str, bytes] | None]:
    """Yield the stripped values of columns, row by row; None for a deleted row.

    A missing column is b"". Raises ValueError for a damaged header and for a truncated table.
    """
    count, row_size, columns = _read_header(stream)
    for number in range(count):
        row = stream.read(row_size)
        if len(row) < row_size:
            raise ValueError(f"the table of attributes ends after {number} of {count} rows")
        if row[:1] == b"*":
            yield None
            continue
        values = {}
        for name in names:
            start, size = columns.get(name, (0, 0))
            values[name] = row[start : start + size].strip(b" \0")
        yield values


def holds_municipalities(start: bytes) -> bool:
    """Whether the first row of a table has a code of seven digits."""
    try:
        for values in table_rows(io.BytesIO(start), (CODE_COLUMN,)):
            if values is not None:
                return re.fullmatch(rb"[0-9]{7}", values[CODE_COLUMN]) is not None
    except ValueError:
        pass
    return False
