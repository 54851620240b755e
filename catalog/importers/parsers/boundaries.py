"""Boundaries of municipalities, of the register (PRG) or GeoJSON, simplified as one coverage: borders stay shared."""

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import orjson
import pyproj
import shapely
from numpy.typing import NDArray
from pyproj.exceptions import CRSError
from shapely.errors import GEOSException

from catalog.importers.parsers import binary_files
from catalog.importers.parsers.files import FileStart, is_zip, load_json, members, open_zip
from catalog.importers.records import BadInput, BoundaryRecord, Extract, parse_day, tidy
from catalog.territory import coordinates
from catalog.territory.coordinates import LAT_RANGE, LON_RANGE

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
_CODE_KEY = re.compile(rb'"(jpt_kod_je|teryt|kod_teryt|terc|kod)"\s*:\s*"[0-9]{7}"', re.IGNORECASE)
_POLYGONS = (shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON)


def recognises_shapefile(start: FileStart) -> bool:
    shapes = start.head.startswith(binary_files.SHAPEFILE_SIGNATURE) or (
        start.name != start.path.name and start.name.lower().endswith(".shp")
    )
    return shapes and binary_files.holds_municipalities(start.path)


def recognises_geojson(start: FileStart) -> bool:
    """Whether a FeatureCollection has areas with codes of municipalities. Reads on if codes follow a long geometry."""
    if not _FEATURES.search(start.text[:2000]) or not _AREA.search(start.head):
        return False
    return bool(_CODE_KEY.search(start.head) or _CODE_KEY.search(start.read_on()))


def parse(path: Path) -> Extract[BoundaryRecord]:
    """Parse areas in metres, by code, each valid and simplified by `TOLERANCE_M`. as_of: the newest version, or None.

    path: a zip with the layer A03_Granice_gmin, a .shp beside its other files, or a GeoJSON. Raises BadInput for wrong
    or repeated codes, another geometry, reference system or country, and areas entirely covered by others.
    """
    names = [path.name]
    if is_zip(path):
        with open_zip(path) as archive:
            names += [member.filename for member in members(archive)]
    if any(name.lower().endswith(".shp") for name in names):
        return _from_shapefile(binary_files.read_layer(path))
    return _from_geojson(path)


def _from_shapefile(layer: binary_files.Layer) -> Extract[BoundaryRecord]:
    try:
        days = [day for row in layer.rows if (day := _day(row[binary_files.VERSION_COLUMN]))]
    except ValueError as error:
        raise BadInput(layer.label, f"{binary_files.VERSION_COLUMN}: {error}") from error
    columns = (binary_files.CODE_COLUMN, binary_files.NAME_COLUMN)
    codes, names = ([str(row[column]) for row in layer.rows] for column in columns)
    crs = _crs(layer.label, layer.projection or OFFICIAL_CRS)
    records, quality = _records(layer.label, codes, names, layer.areas, crs)
    return Extract(rows=records, as_of=max(days, default=None), remarks=(quality,))


def _day(value: date | str) -> date | None:
    """Return the day of a version, None if not stated as a date or eight digits. Raises ValueError."""
    if isinstance(value, date):
        return value
    return parse_day(f"{value[:4]}-{value[4:6]}-{value[6:]}") if re.fullmatch(r"[0-9]{8}", value) else None


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
