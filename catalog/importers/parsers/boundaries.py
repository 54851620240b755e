"""Boundaries of municipalities, of the register (PRG) or GeoJSON, simplified as one coverage: borders stay shared.

The register is published as a shapefile, read by pyshp.
"""

import codecs
import re
import shutil
import struct
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path, PurePosixPath
from typing import IO, Any
from zipfile import ZipInfo

import numpy as np
import orjson
import pyproj
import shapefile  # type: ignore[import-untyped]
import shapely
from numpy.typing import NDArray
from pyproj.exceptions import CRSError
from shapely import Geometry
from shapely.errors import GEOSException

from catalog.importers.parsers import files
from catalog.importers.records import BadInput, BoundaryRecord, Extract, tidy
from catalog.territory import coordinates
from catalog.territory.coordinates import LAT_RANGE, LON_RANGE
from catalog.text import one_line

TOLERANCE_M = 20.0
"""Tolerance of the simplification in metres: bends whose triangle has less than its square are removed."""

OFFICIAL_CRS = "EPSG:2180"
"""PL-1992, the reference system of the register, in metres: assumed for a shapefile without .prj."""

WGS84 = "EPSG:4326"

GAP_WIDTH_M = 100.0
"""Gaps between neighbours narrower than this are closed, in metres; as wide as `/locate` reaches (SNAP_DISTANCE_M)."""

CODE_KEYS = ("jpt_kod_je", "teryt", "kod_teryt", "terc", "kod")
NAME_KEYS = ("jpt_nazwa_", "nazwa", "name")
"""Property names of code and name in GeoJSON, lower case, preferred first."""

MAX_NAME = 80

_CODE = re.compile(r"[0-9]{6}[123]")
_FEATURES = re.compile(rb'"type"\s*:\s*"FeatureCollection"')
_AREA = re.compile(rb'"(Multi)?Polygon"')
_CODE_KEY = re.compile(rf'"({"|".join(CODE_KEYS)})"\s*:\s*"[0-9]{{7}}"'.encode(), re.IGNORECASE)
_POLYGONS = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)

LAYER = "a03_granice_gmin"

SHAPEFILE_SIGNATURE = b"\x00\x00\x27\x0a"
"""First bytes of a .shp: file code 9994, big-endian."""

CODE_COLUMN, NAME_COLUMN, VERSION_COLUMN = "JPT_KOD_JE", "JPT_NAZWA_", "WERSJA_OD"

PARTS = (".shp", ".dbf", ".prj", ".cpg")
"""Required and optional files. The index (.shx) is not needed: shapes are read sequentially."""

DAMAGED = (shapefile.ShapefileException, struct.error, ValueError, IndexError, KeyError, GEOSException)


def recognises_shapefile(start: files.FileStart) -> bool:
    shapes = start.head.startswith(SHAPEFILE_SIGNATURE) or (
        start.name != start.path.name and start.name.lower().endswith(".shp")
    )
    return shapes and _holds_municipalities(start.path)


def recognises_geojson(start: files.FileStart) -> bool:
    """Whether a FeatureCollection has areas with codes of municipalities. Reads on if codes follow a long geometry."""
    if not _FEATURES.search(start.text[:2000]) or not _AREA.search(start.head):
        return False
    return bool(_CODE_KEY.search(start.head) or _CODE_KEY.search(start.read_on()))


def parse_shapefile(path: Path) -> Extract[BoundaryRecord]:
    """Parse areas in metres, by code, each valid and simplified by `TOLERANCE_M`. as_of: the newest version, or None.

    path: a zip with the layer A03_Granice_gmin, or a .shp beside its other files. Raises BadInput for wrong or repeated
    codes, another geometry, reference system or country, and areas entirely covered by others.
    """
    with _open_parts(path, PARTS) as parts:
        label = parts[".shp"].label
        projection, code_page = (
            parts[suffix].stream.read(100_000).decode("utf-8", "replace").strip() if suffix in parts else ""
            for suffix in (".prj", ".cpg")
        )
        try:
            rows = list(_rows(parts[".dbf"].stream, [CODE_COLUMN, NAME_COLUMN, VERSION_COLUMN]))
            areas = _shapes(parts[".shp"].stream)
        except DAMAGED as error:
            reason = one_line(str(error), 200)
            raise BadInput(label, f"the shapefile is damaged or cut off: {reason}") from error
    if len(rows) != len(areas):
        raise BadInput(label, f"has {len(areas)} shapes and {len(rows)} rows of attributes")
    names = _decode(label, [str(row[NAME_COLUMN]) for row in rows], _encoding(code_page) or "utf-8")
    days = {row[VERSION_COLUMN] for row in rows} - {""}
    if strange := [day for day in days if not isinstance(day, date)]:
        raise BadInput(label, f"{VERSION_COLUMN}: {strange[0]!r} is not a day")
    codes = [str(row[CODE_COLUMN]) for row in rows]
    records, quality = _records(label, codes, names, areas, _crs(label, projection or OFFICIAL_CRS))
    return Extract(rows=records, as_of=max(days, default=None), remarks=(quality,))


def _holds_municipalities(path: Path) -> bool:
    """Whether the first row of a shapefile has a code of seven digits. Raises BadInput without its attributes."""
    with _open_parts(path, (".dbf",)) as parts:
        if ".dbf" not in parts:
            raise BadInput(path, "the shapefile has no .dbf")
        try:
            codes = (row[CODE_COLUMN] for row in _rows(parts[".dbf"].stream, [CODE_COLUMN]))
            return re.fullmatch(r"[0-9]{7}", str(next(codes, ""))) is not None
        except DAMAGED:
            return False


@contextmanager
def _open_parts(path: Path, suffixes: Sequence[str]) -> Iterator[dict[str, files.OpenFile]]:
    """Open parts of the layer, by suffix. Zip members are unpacked to temporary files: memory does not grow."""
    with ExitStack() as stack:
        parts: dict[str, files.OpenFile] = {}
        if files.is_zip(path):
            archive = stack.enter_context(files.open_zip(path))
            for suffix, member in _municipal_layer(path, files.members(archive)).items():
                if suffix in suffixes:
                    with files.open_member(path, archive, member) as packed:
                        copy = stack.enter_context(tempfile.TemporaryFile())
                        shutil.copyfileobj(packed.stream, copy)
                        copy.seek(0)
                        parts[suffix] = files.OpenFile(copy, packed.label)
        elif path.suffix.lower() == ".shp":
            for beside in path.parent.iterdir():
                if beside.stem == path.stem and (suffix := beside.suffix.lower()) in suffixes:
                    parts[suffix] = stack.enter_context(files.open_source(beside, (suffix,)))
        else:
            raise BadInput(path, "is neither a zip nor a .shp")
        yield parts


def _municipal_layer(path: Path, data: list[ZipInfo]) -> dict[str, ZipInfo]:
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


def _decode(label: str, names: list[str], stated: str) -> list[str]:
    """Decode names, read as Latin-1, by the stated encoding, else as Windows-1250. Raises BadInput."""
    for encoding in (stated, "cp1250"):
        try:
            return [name.encode("latin-1").decode(encoding) for name in names]
        except UnicodeDecodeError:
            continue
    raise BadInput(label, f"the names ({NAME_COLUMN}) are in none of {stated} and cp1250")


def _rows(table: IO[bytes], columns: list[str]) -> Iterator[dict[str, Any]]:
    """Yield rows, "" for a missing value; texts as Latin-1. Raises as pyshp does."""
    reader = shapefile.Reader(dbf=table, encoding="latin-1").dbf_reader
    names = {field.name.upper(): field.name for field in reader.data_fields if field.name.upper() in columns}
    for row in reader.iterRecords(fields=list(names.values())):
        values = {column: row[names[column]] or "" if column in names else "" for column in columns}
        yield {key: value.strip(" \0") if isinstance(value, str) else value for key, value in values.items()}


def _shapes(shapes: IO[bytes]) -> NDArray[np.object_]:
    """Return shapes in their own reference system. Raises as pyshp and shapely do."""
    # pyshp only warns if a file is shorter than its header says. Padding is harmless. Numpy warns of points that are no
    # numbers, which are refused later.
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
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


def parse_geojson(path: Path) -> Extract[BoundaryRecord]:
    """Parse areas as `parse_shapefile` does, without as_of."""
    document = files.load_json(path)
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(document, dict) or document.get("type") != "FeatureCollection" or not isinstance(features, list):
        raise BadInput(path, "is not a GeoJSON FeatureCollection")
    codes, names, areas = [], [], []
    for number, feature in enumerate(features, 1):
        properties = feature.get("properties") if isinstance(feature, dict) else None
        geometry = feature.get("geometry") if isinstance(feature, dict) else None
        if not isinstance(properties, dict) or not isinstance(geometry, dict):
            raise BadInput(path, "is not a feature with properties and geometry", row=number)
        small = {key.lower(): value for key, value in properties.items()}
        codes.append(str(next((small[key] for key in CODE_KEYS if key in small), "")).strip())
        names.append(str(next((small[key] for key in NAME_KEYS if small.get(key)), "")))
        try:
            areas.append(shapely.from_geojson(orjson.dumps(geometry)))
        except (GEOSException, ValueError) as error:
            raise BadInput(path, f"the geometry of {codes[-1]!r:.20} is damaged: {error}", row=number) from error
    # RFC 7946 allows WGS84 only; its predecessor of 2008, still written by GIS programs, could name another system.
    system = document.get("crs")
    named = system.get("properties") if isinstance(system, dict) else None
    name = str(named.get("name", WGS84)) if isinstance(named, dict) else WGS84
    records, quality = _records(str(path), codes, names, np.array(areas, dtype=object), _crs(str(path), name))
    return Extract(rows=records, remarks=(quality,))


def _crs(label: str, text: str) -> pyproj.CRS:
    try:
        return pyproj.CRS.from_user_input(text)
    except CRSError as error:
        raise BadInput(label, f"the reference system {' '.join(text.split())[:60]!r} is unknown") from error


def _records(
    label: str, codes: Sequence[str], names: Sequence[str], areas: NDArray[np.object_], crs: pyproj.CRS
) -> tuple[tuple[BoundaryRecord, ...], str]:
    """Return records by code, and the quality of the source in words. codes, names, areas: one for each row."""
    first: dict[str, int] = {}
    for row, code in enumerate(codes, 1):
        if _CODE.fullmatch(code) is None:
            raise BadInput(label, f"the code {code[:20]!r} is not seven digits that end in 1, 2 or 3", row=row)
        if code in first:
            raise BadInput(label, f"the municipality {code} is there twice, first in row {first[code]}", row=row)
        first[code] = row
    if not codes:
        raise BadInput(label, "has no municipality")
    wrong = np.flatnonzero(~_is_polygon(areas))
    if wrong.size:
        raise BadInput(label, f"the geometry of {codes[wrong[0]]} is no area", row=int(wrong[0]) + 1)
    projected = project_areas(label, areas, crs)
    try:
        cleaned, quality = clean_coverage(projected)
        reduced = reduce_coverage(cleaned)
    except GEOSException as error:
        raise BadInput(label, f"the areas form no coverage: {error}") from error
    wrong = np.flatnonzero(~(_is_polygon(reduced) & shapely.is_valid(reduced)))
    if wrong.size:
        reason = f"the area of {codes[wrong[0]]} is broken or lies wholly on others"
        raise BadInput(label, reason, row=int(wrong[0]) + 1)
    order = sorted(range(len(codes)), key=codes.__getitem__)
    return tuple(BoundaryRecord(codes[i], tidy(names[i])[:MAX_NAME], reduced[i]) for i in order), quality


def project_areas(label: str, areas: NDArray[np.object_], crs: pyproj.CRS) -> NDArray[np.object_]:
    """Project areas to `catalog.territory.coordinates`. Drops heights. Raises BadInput for points outside Poland."""
    transformer = pyproj.Transformer.from_crs(crs, WGS84, always_xy=True)

    def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
        lon, lat = transformer.transform(points[:, 0], points[:, 1])
        inside = (lat >= LAT_RANGE[0]) & (lat <= LAT_RANGE[1]) & (lon >= LON_RANGE[0]) & (lon <= LON_RANGE[1])
        if not inside.all():
            x, y = points[np.flatnonzero(~inside)[0]]
            raise BadInput(label, f"the point {x:.6g}, {y:.6g} in {crs.name} is outside Poland; is the system right?")
        return coordinates.project_array(lat, lon)

    return np.asarray(shapely.transform(areas, project, interleaved=True))


def clean_coverage(areas: NDArray[np.object_]) -> tuple[NDArray[np.object_], str]:
    """Remove overlaps and gaps between areas. Returns the areas in order, and the result in words.

    Either goes to the area with the longer border on it, gaps up to `GAP_WIDTH_M`, so that a point is in exactly one.
    Done only if needed: it takes several times as much time and memory as the rest.
    """
    areas = _mended(areas)
    apart = int((~shapely.is_empty(shapely.coverage_invalid_edges(areas))).sum())
    if not apart:
        return areas, f"quality: all {len(areas)} areas meet their neighbours point by point"
    covered = shapely.area(shapely.union_all(areas))
    overlap = float(shapely.area(areas).sum() - covered)
    # The stubs are of shapely 2.1.
    cleaned = _mended(np.asarray(shapely.coverage_clean(areas, gap_width=GAP_WIDTH_M)))  # type: ignore[attr-defined]
    gaps = float(shapely.area(cleaned).sum() - covered)
    return cleaned, (
        f"quality: {apart} of {len(areas)} areas do not meet their neighbours point by point; overlaps of "
        f"{overlap / 1e6:.2f} km² and gaps of {gaps / 1e6:.2f} km² went to the neighbour with the longer border"
    )


def reduce_coverage(areas: NDArray[np.object_]) -> NDArray[np.object_]:
    """Simplify a coverage by `TOLERANCE_M`, keeping shared borders. Returns the areas in the same order."""
    return _mended(np.asarray(shapely.coverage_simplify(areas, TOLERANCE_M)))


def _mended(areas: NDArray[np.object_]) -> NDArray[np.object_]:
    broken = np.flatnonzero(~shapely.is_valid(areas))
    if broken.size:
        areas = areas.copy()
        # Only polygons count: make_valid may leave a line of a loop.
        for index in broken:
            parts = shapely.get_parts(shapely.make_valid(areas[index], method="structure", keep_collapsed=False))
            polygons = parts[_is_polygon(parts)]
            areas[index] = shapely.union_all(polygons) if polygons.size else shapely.Polygon()
    return areas


def _is_polygon(areas: NDArray[np.object_]) -> NDArray[np.bool_]:
    return np.isin(shapely.get_type_id(areas), _POLYGONS) & ~shapely.is_empty(areas)
