"""Maps of the territory from the boundaries of its snapshot, and what a process keeps of them.

Drawing the outlines of a voivodeship or of the country takes a tenth of a second, so they are kept until the territory
changes. What lies below the depots of a municipality takes some milliseconds; as many of these as fit into
`GROUND_BYTES` are kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from threading import Lock

import numpy as np
import shapely
from cachetools import LRUCache

from catalog import plane
from catalog.boundaries import BoundaryIndex
from catalog.territory.snapshot import territory
from pages.pictures import maps, outlines
from pages.pictures.frames import Frame

OVERVIEW_TOLERANCE = 1.0
"""Outlines of many areas together: a little coarser, so that the picture of the largest voivodeship stays small."""


GROUND_BYTES = 12 * 1024 * 1024
"""Of maps of municipalities: some nineteen hundred of the 2,479, those that are asked for most."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A depot in a list. number: its place there. osm: OpenStreetMap must be credited for it."""

    number: int
    lat: float
    lon: float
    osm: bool


@dataclass(frozen=True, slots=True)
class Drawn:
    """Outlines ready for a page: of each area by its key the path and the middle. names: of voivodeships only."""

    frame: Frame
    keys: tuple[str, ...]
    paths: tuple[str, ...]
    middles: tuple[maps.Place, ...]
    approximate: bool
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class _Kept:
    """What was drawn from one state of the territory. grounds: by municipality and frame."""

    index: BoundaryIndex
    grounds: LRUCache[tuple[str, Frame], maps.Ground]
    filling: Lock
    voivodeships: dict[str, Drawn | None] = field(default_factory=dict)
    country: Drawn | None = None


class _Current:
    kept: _Kept | None = None


def depot_map(teryt: str, depots: Sequence[Numbered], origin: tuple[float, float] | None) -> maps.DepotMap | None:
    """A municipality with depots, and the WGS84 point that was asked for. None when there is nothing to show."""
    kept = _kept()
    own = kept.index.positions.get(teryt)
    places = [(depot.number, plane.to_plane(depot.lat, depot.lon)) for depot in depots]
    asked = None if origin is None else plane.to_plane(*origin)
    seen = [place for _, place in places] + ([] if asked is None else [asked])
    frame = maps.depot_frame(None if own is None else kept.index.areas[own], seen)
    if frame is None:
        return None
    with kept.filling:
        below = kept.grounds.get((teryt, frame))
    if below is None:
        below = _draw_ground(kept.index, frame, own)
        # A frame around a point that somebody asked for is not had again soon.
        if asked is None:
            with kept.filling:
                kept.grounds[teryt, frame] = below
    return maps.depot_map(
        frame,
        below,
        depots=places,
        origin=asked,
        credit_osm=any(depot.osm for depot in depots),
    )


def _draw_ground(index: BoundaryIndex, frame: Frame, own: int | None) -> maps.Ground:
    """What lies in a frame. own: position of the municipality that it is about."""
    found = np.sort(index.tree.query(shapely.box(*frame.bounds)))
    units = [index.municipalities[position] for position in found]
    return maps.ground(
        frame,
        index.areas[found],
        own=None if own is None else int(np.searchsorted(found, own)),
        names=[unit.name for unit in units],
        counties=[unit.teryt[:4] for unit in units],
        approximate=any(unit.approximate for unit in units),
    )


def prepare() -> None:
    """Draw ahead what most pages show."""
    kept = _kept()
    kept.country = _draw_country(kept.index)


def voivodeship_map(slug: str, units: Mapping[str, maps.Unit]) -> maps.AreaMap | None:
    """Return the municipalities of a voivodeship, None where none has a boundary.

    units: by TERYT, of the same state of the territory; one without a boundary is left out.
    """
    kept = _kept()
    if slug not in kept.voivodeships:
        kept.voivodeships[slug] = _draw_voivodeship(kept.index, slug)
    drawn = kept.voivodeships[slug]
    if drawn is None:
        return None
    return maps.area_map(
        drawn.frame,
        drawn.paths,
        drawn.middles,
        [units[teryt] for teryt in drawn.keys],
        approximate=drawn.approximate,
    )


def country_map(unit_of: Callable[[str, str], maps.Unit]) -> maps.AreaMap | None:
    """The voivodeships of Poland that have boundaries. unit_of: slug and name to what is shown. None without any."""
    kept = _kept()
    if kept.country is None:
        kept.country = _draw_country(kept.index)
    drawn = kept.country
    if drawn is None:
        return None
    return maps.area_map(
        drawn.frame,
        drawn.paths,
        drawn.middles,
        [unit_of(slug, name) for slug, name in zip(drawn.keys, drawn.names, strict=True)],
        approximate=drawn.approximate,
    )


def _draw_voivodeship(index: BoundaryIndex, slug: str) -> Drawn | None:
    positions = [i for i, unit in enumerate(index.municipalities) if unit.voivodeship_slug == slug]
    if not positions:
        return None
    frame, areas = maps.simple_map(index.areas[positions], tolerance=OVERVIEW_TOLERANCE)
    units = [index.municipalities[i] for i in positions]
    return Drawn(
        frame=frame,
        keys=tuple(unit.teryt for unit in units),
        paths=maps.area_paths(frame, areas),
        middles=maps.middles(frame, areas),
        approximate=any(unit.approximate for unit in units),
    )


def _draw_country(index: BoundaryIndex) -> Drawn | None:
    if not index.municipalities:
        return None
    slugs, areas = outlines.dissolve(index.areas, [unit.voivodeship_slug for unit in index.municipalities])
    frame, simple = maps.simple_map(areas, tolerance=OVERVIEW_TOLERANCE)
    names = {unit.voivodeship_slug: unit.voivodeship_name for unit in index.municipalities}
    return Drawn(
        frame=frame,
        names=tuple(names[slug] for slug in slugs),
        keys=tuple(slugs),
        paths=maps.area_paths(frame, simple),
        middles=maps.middles(frame, simple),
        approximate=any(unit.approximate for unit in index.municipalities),
    )


def _kept() -> _Kept:
    """Return what this process has drawn; nothing yet when the territory is new."""
    index = territory.get().boundaries
    kept = _Current.kept
    if kept is None or kept.index is not index:
        kept = _Current.kept = _Kept(index, LRUCache(GROUND_BYTES, getsizeof=attrgetter("bytes")), Lock())
    return kept
