"""Boundaries of municipalities: the shapefile of the boundaries register (PRG), or GeoJSON.

Areas are projected to `catalog.plane` and reduced as one coverage, so that neighbours still share their border point
by point: reduced one by one, they would overlap here and leave gaps there, and a point in a gap lies nowhere.
"""

import re
import struct
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
import pyproj
import shapefile  # type: ignore[import-untyped]
import shapely
from numpy.typing import NDArray
from pyproj.exceptions import CRSError
from shapely import Geometry
from shapely.errors import GEOSException

from catalog import plane
from catalog.importers.parsers.files import is_zip, load_json, members, open_zip
from catalog.importers.parsers.shapefiles import CODE_COLUMN, Shapefile, open_shapefile, table_rows
from catalog.importers.parsers.values import parse_day, tidy
from catalog.importers.records import BadInput, BoundaryRecord, Extract
from catalog.params import LAT_RANGE, LON_RANGE

TOLERANCE_M = 20.0
"""Bends whose triangle has an area of less than the square of this are taken out, in metres."""

OFFICIAL_CRS = "EPSG:2180"
"""PL-1992, the system of the register, in metres: meant where a shapefile has no .prj."""

WGS84 = "EPSG:4326"

NAME_COLUMN = "JPT_NAZWA_"
VERSION_COLUMN = "WERSJA_OD"

CODE_KEYS = ("jpt_kod_je", "teryt", "kod_teryt", "terc")
NAME_KEYS = ("jpt_nazwa_", "nazwa", "name")
"""Properties of GeoJSON that hold code and name, in small letters, best first."""

MAX_NAME = 80

_CODE = re.compile(r"[0-9]{6}[123]")
_POLYGONS = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)


def parse(path: Path) -> Extract[BoundaryRecord]:
    """Areas in metres on `catalog.plane`, by code, each a valid polygon or multipolygon reduced to about 20 m.

    path: a zip with the layer A03_Granice_gmin, a .shp beside its other files, or a GeoJSON (plain or zipped). The
    whole country or a part of it. as_of is the day of the newest version of a boundary, where the table says so.

    Raises BadInput for a missing part, a wrong or repeated code, another geometry than areas, an unknown reference
    system, positions outside Poland, and areas that lie wholly on others.
    """
    if path.suffix.lower() == ".shp" or (is_zip(path) and _has_shapes(path)):
        with open_shapefile(path) as layer:
            return _from_shapefile(layer)
    return _from_geojson(path)


def _has_shapes(path: Path) -> bool:
    with open_zip(path) as archive:
        return any(member.filename.lower().endswith(".shp") for member in members(archive))


def _from_shapefile(layer: Shapefile) -> Extract[BoundaryRecord]:
    try:
        rows = list(table_rows(layer.table, (CODE_COLUMN, NAME_COLUMN, VERSION_COLUMN)))
        areas = _shapes(layer)
    except (shapefile.ShapefileException, struct.error, ValueError, IndexError, KeyError, GEOSException) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadInput(layer.label, f"the shapefile is damaged or cut off: {reason}") from error
    if len(rows) != len(areas):
        raise BadInput(layer.label, f"has {len(areas)} shapes and {len(rows)} rows of attributes")
    kept = [number for number, row in enumerate(rows) if row is not None]
    values = [row for row in rows if row is not None]
    codes = [row[CODE_COLUMN].decode("ascii", "replace") for row in values]
    names = _decode(layer, [row[NAME_COLUMN] for row in values])
    days = [text.decode() for row in values if re.fullmatch(rb"[0-9]{8}", text := row[VERSION_COLUMN])]
    newest = max(days, default="")
    try:
        as_of = parse_day(f"{newest[:4]}-{newest[4:6]}-{newest[6:]}") if newest else None
    except ValueError as error:
        raise BadInput(layer.label, f"{VERSION_COLUMN}: {error}") from error
    records = _records(layer.label, codes, names, areas[kept], _crs(layer.label, layer.projection or OFFICIAL_CRS))
    return Extract(rows=records, as_of=as_of)


def _shapes(layer: Shapefile) -> NDArray[np.object_]:
    """The shapes of a layer in their own reference system. Raises what pyshp and shapely raise."""
    size = layer.shapes.seek(0, 2)
    layer.shapes.seek(24)
    stated = 2 * int(struct.unpack(">i", layer.shapes.read(4))[0])
    if size < stated:
        raise ValueError(f"the .shp has {size} of {stated} bytes")
    layer.shapes.seek(0)
    # pyshp warns about sizes that do not match; too short is refused above, and padding does no harm.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shapefile.PossiblyCorruptFileHeader)
        reader = shapefile.Reader(shp=layer.shapes)
        return np.array([_area(shape) for shape in reader.iterShapes()], dtype=object)


def _area(shape: shapefile.Shape) -> Geometry:
    """One shape; an empty collection for what is no area."""
    if shape.shapeType not in (shapefile.POLYGON, shapefile.POLYGONZ, shapefile.POLYGONM):
        return shapely.GeometryCollection()
    # A lone ring is a shell whichever way it turns; only with several does the way tell shells from holes.
    if len(shape.parts) == 1:
        return shapely.Polygon(shape.points)
    return shapely.geometry.shape(shape.__geo_interface__)


def _decode(layer: Shapefile, names: Sequence[bytes]) -> list[str]:
    """Names in the encoding of the .cpg, else UTF-8, else the Windows code page of Central Europe."""
    for encoding in (layer.encoding or "utf-8", "cp1250"):
        try:
            return [name.decode(encoding) for name in names]
        except UnicodeDecodeError:
            continue
    raise BadInput(layer.label, f"the names ({NAME_COLUMN}) are in none of {layer.encoding or 'UTF-8'} and cp1250")


def _from_geojson(path: Path) -> Extract[BoundaryRecord]:
    document = load_json(path)
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
    # RFC 7946 knows WGS84 only; its forerunner of 2008, which GIS programs still write, could name another system.
    system = document.get("crs")
    named = system.get("properties") if isinstance(system, dict) else None
    name = str(named.get("name", WGS84)) if isinstance(named, dict) else WGS84
    return Extract(rows=_records(str(path), codes, names, np.array(areas, dtype=object), _crs(str(path), name)))


def _crs(label: str, text: str) -> pyproj.CRS:
    try:
        return pyproj.CRS.from_user_input(text)
    except CRSError as error:
        raise BadInput(label, f"the reference system {' '.join(text.split())[:60]!r} is unknown") from error


def _records(
    label: str, codes: Sequence[str], names: Sequence[str], areas: NDArray[np.object_], crs: pyproj.CRS
) -> tuple[BoundaryRecord, ...]:
    """Records by code. codes, names, areas: one each for every row of the source, in its order."""
    first: dict[str, int] = {}
    for row, code in enumerate(codes, 1):
        if _CODE.fullmatch(code) is None:
            raise BadInput(label, f"the code {code[:20]!r} is not seven digits that end in 1, 2 or 3", row=row)
        if code in first:
            raise BadInput(label, f"the municipality {code} is there twice, first in row {first[code]}", row=row)
        first[code] = row
    if not codes:
        raise BadInput(label, "has no municipality")
    kinds = shapely.get_type_id(areas)
    wrong = np.flatnonzero(~np.isin(kinds, _POLYGONS) | shapely.is_empty(areas))
    if wrong.size:
        raise BadInput(label, f"the geometry of {codes[wrong[0]]} is no area", row=int(wrong[0]) + 1)
    projected = to_plane(label, areas, crs)
    try:
        reduced = reduce_coverage(projected)
    except GEOSException as error:
        raise BadInput(label, f"the areas form no coverage: {error}") from error
    wrong = np.flatnonzero(~_is_area(reduced))
    if wrong.size:
        raise BadInput(
            label, f"the area of {codes[wrong[0]]} is broken or lies wholly on others", row=int(wrong[0]) + 1
        )
    order = sorted(range(len(codes)), key=lambda index: codes[index])
    return tuple(BoundaryRecord(codes[i], tidy(names[i])[:MAX_NAME], reduced[i]) for i in order)


def to_plane(label: str, areas: NDArray[np.object_], crs: pyproj.CRS) -> NDArray[np.object_]:
    """Project areas of any reference system to `catalog.plane`, in metres. Heights are dropped.

    Raises BadInput when a point is outside Poland, as it is when the reference system is not what it is said to be.
    """
    transformer = pyproj.Transformer.from_crs(crs, WGS84, always_xy=True)

    def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
        lon, lat = transformer.transform(points[:, 0], points[:, 1])
        inside = (lat >= LAT_RANGE[0]) & (lat <= LAT_RANGE[1]) & (lon >= LON_RANGE[0]) & (lon <= LON_RANGE[1])
        if not inside.all():
            x, y = points[np.flatnonzero(~inside)[0]]
            raise BadInput(label, f"the point {x:.6g}, {y:.6g} in {crs.name} is outside Poland; is the system right?")
        return plane.to_plane_array(lat, lon)

    return np.asarray(shapely.transform(areas, project, interleaved=True))


def reduce_coverage(areas: NDArray[np.object_], tolerance_m: float = TOLERANCE_M) -> NDArray[np.object_]:
    """Reduce areas that share borders, in metres, so that they still share them.

    Areas that overlap or do not meet point by point are cleaned first; that takes several times as long and as much
    memory, so only then. Returns the areas in the same order; one that cannot be mended comes back as it became.
    """
    areas = _mended(areas)
    if not shapely.coverage_is_valid(areas):
        areas = _mended(np.asarray(shapely.coverage_clean(areas)))  # type: ignore[attr-defined] # stubs are of 2.1
    return _mended(np.asarray(shapely.coverage_simplify(areas, tolerance_m)))


def _mended(areas: NDArray[np.object_]) -> NDArray[np.object_]:
    """The areas, with loops and crossings of invalid ones resolved and what is not area left out."""
    broken = np.flatnonzero(~shapely.is_valid(areas))
    if broken.size:
        areas = areas.copy()
        # Of what make_valid returns only polygons count: a loop may leave a line behind.
        for index in broken:
            parts = shapely.get_parts(shapely.make_valid(areas[index], method="structure", keep_collapsed=False))
            polygons = parts[np.isin(shapely.get_type_id(parts), _POLYGONS) & ~shapely.is_empty(parts)]
            areas[index] = shapely.union_all(polygons) if polygons.size else shapely.Polygon()
    return areas


def _is_area(areas: NDArray[np.object_]) -> NDArray[np.bool_]:
    return np.isin(shapely.get_type_id(areas), _POLYGONS) & ~shapely.is_empty(areas) & shapely.is_valid(areas)
