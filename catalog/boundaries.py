"""Which municipality a point lies in: a spatial index over the stored boundaries."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Geometry, STRtree

from catalog import plane
from catalog.models import Boundary, Municipality

TOUCH_M = 0.05
"""Points this near to a boundary lie on it: rounding of coordinates to seven decimals moves them by a centimetre."""

REACH_M = 100.0
"""Outside every boundary the nearest municipality still answers up to this distance."""


class PointOutsideMunicipalities(Exception):
    """The point lies in no municipality, nor within 100 m of one."""


@dataclass(frozen=True, slots=True)
class Located:
    """The municipality of a point. approximate: its boundary is the starter's, not the register's."""

    teryt: str
    name: str
    slug: str
    voivodeship_slug: str
    voivodeship_name: str
    description: str
    approximate: bool


class BoundaryIndex:
    """Areas of municipalities, ready to be asked for points.

    Areas are sorted so that the first hit wins: official boundaries before approximate ones, then by TERYT.
    """

    def __init__(self, municipalities: list[Located], areas: NDArray[np.object_]) -> None:
        order = sorted(
            range(len(municipalities)), key=lambda i: (municipalities[i].approximate, municipalities[i].teryt)
        )
        self.municipalities = [municipalities[i] for i in order]
        self.positions = {unit.teryt: position for position, unit in enumerate(self.municipalities)}
        self.areas = areas[order] if len(order) else areas
        shapely.prepare(self.areas)
        self.tree = STRtree(self.areas)

    @classmethod
    def load(
        cls, municipalities: Mapping[str, Municipality] | None = None, *, only: Collection[str] | None = None
    ) -> Self:
        """Read every boundary, or those of the given codes. One query, two without the municipalities.

        municipalities: by code, with county and voivodeship loaded.
        """
        if municipalities is None:
            units = Municipality.objects.select_related("county", "voivodeship")
            municipalities = {unit.teryt: unit for unit in (units if only is None else units.filter(pk__in=only))}
        stored = Boundary.objects.all() if only is None else Boundary.objects.filter(pk__in=only)
        rows = list(stored.values_list("municipality_id", "approximate", "area"))
        located = [describe(municipalities[code], approximate=approximate) for code, approximate, _ in rows]
        return cls(located, np.array(shapely.from_wkb([bytes(area) for _, _, area in rows]), dtype=object))

    def get(self, lat: float, lon: float) -> Located:
        """Return the municipality of a WGS84 point; see `find`. Raises PointOutsideMunicipalities."""
        located = self.find(lat, lon)
        if located is None:
            raise PointOutsideMunicipalities(lat, lon)
        return located

    def find(self, lat: float, lon: float) -> Located | None:
        """The municipality of a WGS84 point, or None.

        On a shared border the lower code wins; up to 100 m outside every boundary the nearest answers.
        """
        point = shapely.Point(*plane.to_plane(lat, lon))
        inside = self.tree.query(point, predicate="dwithin", distance=TOUCH_M)
        if len(inside):
            return self.municipalities[int(inside.min())]
        near = self.tree.query(point, predicate="dwithin", distance=REACH_M)
        if not len(near):
            return None
        distances = shapely.distance(self.areas[near], point)
        return self.municipalities[int(near[distances <= distances.min() + TOUCH_M].min())]

    def middle_of(self, teryt: str) -> tuple[float, float] | None:
        """A WGS84 point (lat, lon) that surely lies in a municipality; None where its boundary is unknown."""
        position = self.positions.get(teryt)
        if position is None:
            return None
        point = shapely.point_on_surface(self.areas[position])
        return plane.from_plane(shapely.get_x(point), shapely.get_y(point))

    def nearest(self, lat: float, lon: float) -> str | None:
        """Code of the municipality nearest to a point at any distance; None when the index is empty."""
        located = self.find(lat, lon)
        if located:
            return located.teryt
        hit = self.tree.nearest(shapely.Point(*plane.to_plane(lat, lon)))
        return None if hit is None else self.municipalities[int(hit)].teryt

    def neighbour(self, area: Geometry) -> str | None:
        """Code of the municipality with the longest border along an area of the plane; None when none is near it.

        Borders are as one up to 100 m apart, since those of different years and sources do not meet.
        """
        around = shapely.buffer(area, REACH_M)
        hits = self.tree.query(around, predicate="intersects")
        if not len(hits):
            return None
        shared = shapely.length(shapely.intersection(shapely.boundary(self.areas[hits]), around))
        return self.municipalities[int(hits[np.argmax(shared)])].teryt


def describe(municipality: Municipality, *, approximate: bool) -> Located:
    """What an answer needs to know of a municipality."""
    return Located(
        teryt=municipality.teryt,
        name=municipality.name,
        slug=municipality.slug,
        voivodeship_slug=municipality.voivodeship.slug,
        voivodeship_name=municipality.voivodeship.name,
        description=municipality.description,
        approximate=approximate,
    )
