"""The layer of municipalities of a shapefile, plain or in a zip, read by pyshp."""

import codecs
import re
import shutil
import struct
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any
from zipfile import ZipInfo

import numpy as np
import shapefile  # type: ignore[import-untyped]
import shapely
from numpy.typing import NDArray
from shapely import Geometry
from shapely.errors import GEOSException

from catalog.importers.parsers.files import OpenFile, is_zip, members, open_member, open_source, open_zip
from catalog.importers.records import BadInput

LAYER = "a03_granice_gmin"
"""Layer of municipalities in the official zip, lower case."""

SIGNATURE = b"\x00\x00\x27\x0a"
"""First bytes of a .shp: file code 9994, big-endian."""

CODE_COLUMN, NAME_COLUMN, VERSION_COLUMN = "JPT_KOD_JE", "JPT_NAZWA_", "WERSJA_OD"

PARTS = (".shp", ".dbf", ".prj", ".cpg")
"""Required and optional files. The index (.shx) is not needed: shapes are read sequentially."""

DAMAGED = (shapefile.ShapefileException, struct.error, ValueError, IndexError, KeyError, GEOSException)


@dataclass(frozen=True, slots=True)
class Layer:
    """Rows of a layer that are not deleted, with their shapes. projection: WKT, "" without .prj."""

    label: str
    rows: list[dict[str, Any]]
    areas: NDArray[np.object_]
    projection: str


def read_layer(path: Path) -> Layer:
    """Read the layer of municipalities: of a zip that contains it, or of a .shp with its .dbf beside it.

    Raises BadInput if a part is missing, damaged or longer than the other, if no encoding fits the names, and if none
    of several layers is named after municipalities.
    """
    with _open_parts(path, PARTS) as parts:
        label = parts[".shp"].label if ".shp" in parts else str(path)
        for suffix in (".shp", ".dbf"):
            if suffix not in parts:
                raise BadInput(path, f"the shapefile has no {suffix}")
        projection, code_page = (
            parts[suffix].stream.read(100_000).decode("utf-8", "replace").strip() if suffix in parts else ""
            for suffix in (".prj", ".cpg")
        )
        try:
            rows = list(_rows(parts[".dbf"].stream, [CODE_COLUMN, NAME_COLUMN, VERSION_COLUMN]))
            areas = _shapes(parts[".shp"].stream)
        except DAMAGED as error:
            reason = " ".join(str(error).split())[:200]
            raise BadInput(label, f"the shapefile is damaged or cut off: {reason}") from error
    if len(rows) != len(areas):
        raise BadInput(label, f"has {len(areas)} shapes and {len(rows)} rows of attributes")
    _decode(label, rows, _encoding(code_page) or "utf-8")
    kept = [number for number, row in enumerate(rows) if row is not None]
    return Layer(label, [row for row in rows if row is not None], areas[kept], projection)


def holds_municipalities(path: Path) -> bool:
    """Whether the first row of a shapefile has a code of seven digits. Raises BadInput without its attributes."""
    with _open_parts(path, (".dbf",)) as parts:
        if ".dbf" not in parts:
            raise BadInput(path, "the shapefile has no .dbf")
        try:
            codes = (row[CODE_COLUMN] for row in _rows(parts[".dbf"].stream, [CODE_COLUMN]) if row)
            return re.fullmatch(r"[0-9]{7}", next(codes, "")) is not None
        except DAMAGED:
            return False


@contextmanager
def _open_parts(path: Path, suffixes: Sequence[str]) -> Iterator[dict[str, OpenFile]]:
    """Open parts of the layer, by suffix. Zip members are unpacked to temporary files: memory does not grow."""
    with ExitStack() as stack:
        parts: dict[str, OpenFile] = {}
        if is_zip(path):
            archive = stack.enter_context(open_zip(path))
            for suffix, member in municipal_layer(path, members(archive)).items():
                if suffix in suffixes:
                    with open_member(path, archive, member) as packed:
                        copy = stack.enter_context(tempfile.TemporaryFile())
                        shutil.copyfileobj(packed.stream, copy)
                        copy.seek(0)
                        parts[suffix] = OpenFile(copy, packed.label)
        elif path.suffix.lower() == ".shp":
            for beside in path.parent.iterdir():
                if beside.stem == path.stem and (suffix := beside.suffix.lower()) in suffixes:
                    parts[suffix] = stack.enter_context(open_source(beside, (suffix,)))
        else:
            raise BadInput(path, "is neither a zip nor a .shp")
        yield parts


def municipal_layer(path: Path, data: list[ZipInfo]) -> dict[str, ZipInfo]:
    """Return the parts of the layer of municipalities among zip members, by suffix; {} without a shapefile.

    Raises BadInput if several layers are candidates.
    """
    layers: dict[str, dict[str, ZipInfo]] = {}
    for member in data:
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


def _encoding(code_page: str) -> str:
    """Return Python's name of the encoding in a .cpg ("UTF-8", "1250", "ANSI 1250", "Windows-1250"); "" if unknown."""
    digits = re.search(r"(125[0-9]|852)$", code_page)
    try:
        return codecs.lookup(f"cp{digits[1]}" if digits else code_page).name
    except (LookupError, ValueError):
        return ""


def _decode(label: str, rows: list[dict[str, Any] | None], stated: str) -> None:
    """Decode names by the stated encoding, else as Windows-1250. Raises BadInput."""
    values = [row for row in rows if row is not None]
    for encoding in (stated, "cp1250"):
        try:
            names = [row[NAME_COLUMN].encode("latin-1").decode(encoding) for row in values]
        except UnicodeDecodeError:
            continue
        for row, name in zip(values, names, strict=True):
            row[NAME_COLUMN] = name
        return
    raise BadInput(label, f"the names ({NAME_COLUMN}) are in none of {stated} and cp1250")


def _rows(table: IO[bytes], columns: list[str]) -> Iterator[dict[str, Any] | None]:
    """Yield rows of attributes, "" for a missing column or value; None for a deleted row. Raises as pyshp does.

    Bytes of texts are read as Latin-1, which has a character for each.
    """
    reader = shapefile.Reader(dbf=table, encoding="latin-1").dbf_reader
    names = {field.name.upper(): field.name for field in reader.data_fields if field.name.upper() in columns}
    for row in reader.iterRecords(fields=list(names.values()), deleted_as_None=True):
        values = {} if row is None else {column: row[name] or "" for column, name in names.items()}
        for column, value in values.items():
            values[column] = value.strip(" \0") if isinstance(value, str) else value
        yield None if row is None else {column: values.get(column, "") for column in columns}


def _shapes(shapes: IO[bytes]) -> NDArray[np.object_]:
    """Return shapes in their own reference system. Raises as pyshp and shapely do."""
    # pyshp only warns if a file is shorter than its header says. Padding is harmless.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shapefile.PossiblyCorruptFileHeader)
        reader = shapefile.Reader(shp=shapes).shp_reader
        if reader.file_size_B < reader.shp_file_size_B:
            raise ValueError(f"the .shp has {reader.file_size_B} of {reader.shp_file_size_B} bytes")
        return np.array([_area(shape) for shape in reader.iterShapes()], dtype=object)


def _area(shape: shapefile.Shape) -> Geometry:
    """Return one shape; an empty collection if it is no area."""
    if shape.shapeType not in (shapefile.POLYGON, shapefile.POLYGONZ, shapefile.POLYGONM):
        return shapely.GeometryCollection()
    # A single ring is a shell in either direction; with several, the direction tells shells from holes.
    if len(shape.parts) == 1:
        return shapely.Polygon(shape.points)
    return shapely.geometry.shape(shape.__geo_interface__)
