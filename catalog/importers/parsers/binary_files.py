"""Files that are not text: depots of an OpenStreetMap extract in PBF, and shapefiles, read by pyshp.

An extract is streamed up to three times: objects with the tags of a depot, then the member ways of such relations, then
the nodes of both. Source of the format: https://wiki.openstreetmap.org/wiki/PBF_Format.
"""

import codecs
import re
import shutil
import struct
import tempfile
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath
from typing import IO, Any
from zipfile import ZipInfo

import numpy as np
import osmium
import osmium.filter
import osmium.io
import shapefile  # type: ignore[import-untyped]
import shapely
from numpy.typing import NDArray
from shapely import Geometry
from shapely.errors import GEOSException

from catalog.importers.parsers.files import FileStart, OpenFile, is_zip, members, open_member, open_source, open_zip
from catalog.importers.parsers.osm import collect, depot, fuels_of
from catalog.importers.records import BadInput, DepotRecord, Extract, parse_day

PBF_SIGNATURE = b"\x0a\x09OSMHeader"
"""Bytes 4 to 15: the first block is a header, preceded by the length of its description."""

MAX_BYTES = 16 << 30
"""Maximum size in bytes. Poland has about 2 GB; the planet, 80 GB, would be a mistake."""

TAG = "shop"
"""Key that every depot has: see `osm.fuels_of`. Filtered in C++, since one object in a thousand has it."""

MAX_ID = 1 << 40
"""Maximum id. OpenStreetMap has assigned 14 thousand million; negative ids are of drafts."""

REPLICATION_KEY = "osmosis_replication_timestamp"

Position = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An object with the tags of a depot. parts: (type, id) of the members of a way or relation."""

    key: str
    tags: dict[str, str]
    position: Position | None = None
    parts: tuple[tuple[str, int], ...] = ()


def recognises(start: FileStart) -> bool:
    return start.head.startswith(PBF_SIGNATURE, 4)


def parse(path: Path) -> Extract[DepotRecord]:
    """Parse depots in the order of the file, the same as `osm.parse_overpass` for the same objects.

    as_of: of the replication state in the header, or None. Position of a way or relation: the centre of its bounding
    box without members of members, as in Overpass. Raises BadInput for another or damaged file, or one without depots.
    """
    if is_zip(path, max_bytes=MAX_BYTES):
        raise BadInput(path, "is a zip; unpack it and give the .osm.pbf inside")
    as_of = _header(path)
    candidates = list(_candidates(path))
    ways, nodes = _members(path, candidates)
    located = ((each, each.position or _centre(each, ways, nodes) or (None, None)) for each in candidates)
    results = ((None, depot(each.key, lat, lon, each.tags)) for each, (lat, lon) in located)
    extract = collect(path, as_of, results, "; give an extract of one day")
    if not extract.rows and not extract.rejected:
        raise BadInput(path, "has no depot; is it the extract of Poland?")
    return extract


def _header(path: Path) -> date | None:
    """Return the day of the extract. Raises BadInput for no PBF, or one with several states."""
    with path.open("rb") as stream:
        if not stream.read(64).startswith(PBF_SIGNATURE, 4):
            raise BadInput(path, "is not an OpenStreetMap PBF")
    try:
        with osmium.io.Reader(osmium.io.File(path, "pbf")) as reader:
            header = reader.header()
    except (RuntimeError, ValueError) as error:
        raise _damaged(path, error) from error
    if header.has_multiple_object_versions:
        raise BadInput(path, "holds the history of objects; give an extract of one day")
    stamp = header.get(REPLICATION_KEY)
    # The library formats the number of the file, so it cannot be malformed.
    return parse_day(stamp.partition("T")[0]) if stamp else None


def _candidates(path: Path) -> Iterator[_Candidate]:
    for element in _objects(path, osmium.osm.NODE | osmium.osm.WAY | osmium.osm.RELATION, osmium.filter.KeyFilter(TAG)):
        tags = dict(element.tags)
        if fuels_of(tags) is None:
            continue
        _check_id(path, element.id)
        if element.is_node():
            at = element.location
            yield _Candidate(f"node/{element.id}", tags, position=(at.lat, at.lon) if at.valid() else None)
        elif element.is_way():
            yield _Candidate(f"way/{element.id}", tags, parts=tuple(("n", node.ref) for node in element.nodes))
        else:
            yield _Candidate(f"relation/{element.id}", tags, parts=tuple((m.type, m.ref) for m in element.members))


def _check_id(path: Path, number: int) -> None:
    if not 1 <= number <= MAX_ID:
        raise BadInput(path, f"has the identifier {number}, which is not OpenStreetMap's; give a published extract")


def _members(path: Path, candidates: list[_Candidate]) -> tuple[dict[int, list[int]], dict[int, Position]]:
    """Return the nodes of the member ways of relations, and the positions of all nodes that are in the extract."""
    parts = [part for candidate in candidates for part in candidate.parts]
    for _, ref in parts:
        _check_id(path, ref)
    ways: dict[int, list[int]] = {ref: [] for kind, ref in parts if kind == "w"}
    if ways:
        for way in _objects(path, osmium.osm.WAY, osmium.filter.IdFilter(ways)):
            ways[way.id] = [node.ref for node in way.nodes]
            for ref in ways[way.id]:
                _check_id(path, ref)
    node_ids = {ref for kind, ref in parts if kind == "n"}.union(*ways.values())
    located = _objects(path, osmium.osm.NODE, osmium.filter.IdFilter(node_ids)) if node_ids else ()
    return ways, {node.id: (node.location.lat, node.location.lon) for node in located if node.location.valid()}


def _centre(candidate: _Candidate, ways: dict[int, list[int]], nodes: dict[int, Position]) -> Position | None:
    """Return the centre of the bounding box of a way or relation; None if the extract has no node of it."""
    refs = [ref for kind, ref in candidate.parts if kind == "n"]
    refs += [node for kind, ref in candidate.parts if kind == "w" for node in ways[ref]]
    corners = [nodes[ref] for ref in refs if ref in nodes]
    if not corners:
        return None
    lats, lons = zip(*corners, strict=True)
    # Seven decimals, the precision of OpenStreetMap and Overpass.
    return round((min(lats) + max(lats)) / 2, 7), round((min(lons) + max(lons)) / 2, 7)


def _objects(path: Path, kinds: osmium.osm.osm_entity_bits, chosen: object) -> Iterator[Any]:
    """Yield the objects that pass a filter, each valid until the next. Raises BadInput for a damaged file."""
    try:
        yield from osmium.FileProcessor(osmium.io.File(path, "pbf"), kinds).with_filter(chosen)
    except (RuntimeError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> BadInput:
    return BadInput(path, f"the PBF is damaged or cut off ({error}); download it again")


LAYER = "a03_granice_gmin"

SHAPEFILE_SIGNATURE = b"\x00\x00\x27\x0a"
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
    """Read the layer of municipalities of a zip, or of a .shp with its .dbf. Raises BadInput for a damaged one."""
    with _open_parts(path, PARTS) as parts:
        for suffix in (".shp", ".dbf"):
            if suffix not in parts:
                raise BadInput(path, f"the shapefile has no {suffix}")
        label = parts[".shp"].label
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
    kept = {number: row for number, row in enumerate(rows) if row is not None}
    _decode(label, kept.values(), _encoding(code_page) or "utf-8")
    return Layer(label, [*kept.values()], areas[[*kept]], projection)


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
    """Return the parts of the layer of municipalities by suffix; {} without one. Raises BadInput for several."""
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


def _decode(label: str, rows: Collection[dict[str, Any]], stated: str) -> None:
    """Decode names by the stated encoding, else as Windows-1250. Raises BadInput."""
    for encoding in (stated, "cp1250"):
        try:
            names = [row[NAME_COLUMN].encode("latin-1").decode(encoding) for row in rows]
        except UnicodeDecodeError:
            continue
        for row, name in zip(rows, names, strict=True):
            row[NAME_COLUMN] = name
        return
    raise BadInput(label, f"the names ({NAME_COLUMN}) are in none of {stated} and cp1250")


def _rows(table: IO[bytes], columns: list[str]) -> Iterator[dict[str, Any] | None]:
    """Yield rows, "" for a missing value, None for a deleted row; texts as Latin-1. Raises as pyshp does."""
    reader = shapefile.Reader(dbf=table, encoding="latin-1").dbf_reader
    names = {field.name.upper(): field.name for field in reader.data_fields if field.name.upper() in columns}
    for row in reader.iterRecords(fields=list(names.values()), deleted_as_None=True):
        if row is not None:
            values = {column: row[names[column]] or "" if column in names else "" for column in columns}
            row = {key: value.strip(" \0") if isinstance(value, str) else value for key, value in values.items()}
        yield row


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
