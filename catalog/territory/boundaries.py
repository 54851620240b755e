"""Location of points in municipalities: a spatial index over the stored boundaries."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Geometry, STRtree
from shapely.geometry import mapping

from catalog.models import Boundary, Municipality
from catalog.territory import coordinates

DECIMALS = 5

EDGE_TOLERANCE_M = 0.05
"""Distance at which a point counts as on a boundary: rounding to seven decimals moves it by a centimetre."""
SNAP_DISTANCE_M = 100.0
"""Distance outside every boundary up to which the nearest municipality is returned."""


def rounded(area: Geometry) -> Any:
    """Return an area in degrees to DECIMALS, with exterior rings counterclockwise (RFC 7946, section 3.1.6)."""
    return shapely.transform(shapely.orient_polygons(area), lambda points: np.round(points, DECIMALS))


class PointOutsideMunicipalities(Exception):
    """The point is farther than `SNAP_DISTANCE_M` from every municipality."""


class Outline(NamedTuple):
    """The area of a municipality as GeoJSON. bbox: west, south, east, north. approximate: the starter's boundary."""

    geometry: Mapping[str, Any]
    bbox: tuple[float, float, float, float]
    approximate: bool


class BoundaryIndex:
    """Index over areas; of those that overlap, the first counts. approximate: whether each is of the starter data."""

    def __init__(
        self, municipalities: Sequence[Municipality], areas: NDArray[np.object_], approximate: Sequence[bool]
    ) -> None:
        self.municipalities, self.areas, self.approximate = municipalities, areas, np.array(approximate, bool)
        self.positions = {unit.teryt: position for position, unit in enumerate(municipalities)}
        shapely.prepare(areas)
        self.tree = STRtree(areas)

    @classmethod
    def load(
        cls, municipalities: Mapping[str, Municipality] | None = None, *, only: Collection[str] | None = None
    ) -> Self:
        """Read boundaries, all or some: official ones first, then by TERYT. One query, else two.

        municipalities: their rows, if they are read already.
        """
        if municipalities is None:
            municipalities = Municipality.objects.in_bulk(only)
        stored = Boundary.objects.all() if only is None else Boundary.objects.filter(pk__in=only)
        rows = list(stored.order_by("approximate", "pk").values_list("municipality_id", "approximate", "area"))
        areas = np.array(shapely.from_wkb([bytes(area) for _, _, area in rows]), dtype=object)
        return cls([municipalities[code] for code, _, _ in rows], areas, [approximate for _, approximate, _ in rows])

    def get(self, lat: float, lon: float) -> Municipality:
        """Return the municipality of a WGS84 point, see `find`. Raises PointOutsideMunicipalities."""
        located = self.find(lat, lon)
        if located is None:
            raise PointOutsideMunicipalities(lat, lon)
        return located

    def find(self, lat: float, lon: float) -> Municipality | None:
        """Return the municipality of a WGS84 point, of several the lower code; None farther than `SNAP_DISTANCE_M`."""
        # An array of one, which shapely takes as it is: a single point goes through several functions of Python.
        point = shapely.points([coordinates.project(lat, lon)])
        _, inside = self.tree.query(point, predicate="dwithin", distance=EDGE_TOLERANCE_M)
        if len(inside):
            return self.municipalities[int(min(inside))]
        _, near = self.tree.query(point, predicate="dwithin", distance=SNAP_DISTANCE_M)
        if not len(near):
            return None
        distances = shapely.distance(self.areas[near], point)
        return self.municipalities[int(near[distances <= distances.min() + EDGE_TOLERANCE_M].min())]

    def representative_point(self, teryt: str) -> tuple[float, float] | None:
        """Return a WGS84 point (lat, lon) inside a municipality, to DECIMALS; None if its boundary is unknown."""
        if (position := self.positions.get(teryt)) is None:
            return None
        point = shapely.point_on_surface(self.areas[position])
        ((lon, lat),) = coordinates.unproject_array(shapely.get_coordinates(point)).tolist()
        return round(lat, DECIMALS), round(lon, DECIMALS)

    def covers(self, teryt: str, points: NDArray[np.float64], *, within_m: float = 0) -> NDArray[np.bool_]:
        """Return which points of the projection, of shape (n, 2), a municipality covers; all without a boundary.

        within_m: distance from it at which points count too.
        """
        if (position := self.positions.get(teryt)) is None:
            return np.ones(len(points), bool)
        covered: NDArray[np.bool_] = shapely.dwithin(self.areas[position], shapely.points(points), within_m)
        return covered

    def contains(self, teryt: str, lat: float, lon: float) -> bool | None:
        """Return whether a WGS84 point lies in a municipality or on its border; None without a boundary."""
        if (position := self.positions.get(teryt)) is None:
            return None
        point = shapely.Point(*coordinates.project(lat, lon))
        return bool(shapely.dwithin(self.areas[position], point, EDGE_TOLERANCE_M))

    def main_first(self, shares: Sequence[tuple[str, int]], lat: float, lon: float) -> Sequence[tuple[str, int]]:
        """Sort the municipalities of a postcode where the number of addresses of one is unknown.

        Towns without a number come first: the source may lack every address of a town, as of Elbląg in 82-300. Then
        most addresses first, then the municipality in which the centre lies, then those with a town in them.

        shares: municipality and number of addresses, 0 if unknown; most first. lat, lon: the centre.
        """
        if len(shares) == 1 or shares[-1][1]:
            return shares

        def rank(share: tuple[str, int]) -> tuple[bool, int, bool, bool]:
            teryt, addresses = share
            kind = int(teryt[6])
            uncounted_town = kind == Municipality.Kind.TOWN and not addresses
            return not uncounted_town, -addresses, not self.contains(teryt, lat, lon), kind == Municipality.Kind.RURAL

        return sorted(shares, key=rank)

    def outline_of(self, teryt: str) -> Outline | None:
        """Return the area of a municipality in degrees; None where its boundary is unknown."""
        if (position := self.positions.get(teryt)) is None:
            return None
        area = shapely.transform(self.areas[position], coordinates.unproject_array)
        area, full = rounded(area), area
        if not shapely.is_valid(area):  # narrow parts cross themselves
            area = rounded(shapely.set_precision(full, 10**-DECIMALS))
        west, south, east, north = shapely.bounds(area).tolist()
        return Outline(mapping(area), (west, south, east, north), bool(self.approximate[position]))

    def nearest(self, lat: float, lon: float) -> str | None:
        """Return the code of the municipality nearest to a point at any distance; None if the index is empty."""
        located = self.find(lat, lon)
        if located:
            return located.teryt
        hit = self.tree.nearest(shapely.Point(*coordinates.project(lat, lon)))
        return None if hit is None else self.municipalities[int(hit)].teryt

    def neighbour(self, area: Geometry) -> str | None:
        """Return the code of the municipality with the longest common border with an area of the plane, or None.

        Borders up to `SNAP_DISTANCE_M` apart count as common: those of different years and sources do not coincide.
        """
        around = shapely.buffer(area, SNAP_DISTANCE_M)
        hits = self.tree.query(around, predicate="intersects")
        if not len(hits):
            return None
        shared = shapely.length(shapely.intersection(shapely.boundary(self.areas[hits]), around))
        return self.municipalities[int(hits[np.argmax(shared)])].teryt
