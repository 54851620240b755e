"""Maps of the territory from the boundaries of its snapshot, with a cache per process.

The outlines of a voivodeship or of the country take a tenth of a second and are cached until the territory changes. The
ground of a municipality takes some milliseconds; the cache holds `GROUNDS` of these.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import orjson
import shapely

from catalog.depots.snapshot import DepotRow
from catalog.models import SearchEntry
from catalog.territory import coordinates
from catalog.territory.boundaries import BoundaryIndex
from catalog.territory.snapshot import territory
from pages.svg import maps
from pages.svg.scales_and_outlines import Frame, borders, dissolve, simplify

GROUNDS = 1_900
"""Cached grounds, of 2,479 municipalities: some twelve megabytes."""

SURROUNDINGS_M = 12_000.0
"""Distance from a municipality within which the GeoJSON has the borders of others."""

SURROUNDINGS_DETAIL_M = 90.0
NAMED_APART = (0.01, 0.015)
"""Least distance between names on the ground, in degrees of latitude and longitude: about a kilometre."""


class _MapCache:
    def __init__(self, index: BoundaryIndex) -> None:
        self.index, self.bounds = index, shapely.bounds(index.areas)
        self.draw_ground = lru_cache(GROUNDS)(partial(_draw_ground, index))
        self.draw_voivodeship = cache(partial(_draw_voivodeship, index))
        self.draw_country = cache(partial(_draw_country, index))


def depot_map(
    teryt: str, depots: Sequence[DepotRow], origin: coordinates.Point | None, *, credit_osm: bool, framed: int = 0
) -> maps.DepotMap | None:
    """Return the map of a municipality with depots, numbered from 1, and the requested point. None without either.

    credit_osm: whether OpenStreetMap must be credited for the depots or the origin. framed: how many of the first
    depots the frame includes; others are left out if they lie outside. The ground of most maps is drawn once per
    municipality.
    """
    drawings = _map_cache()
    own = drawings.index.positions.get(teryt)
    places = [(number, coordinates.project(row.lat, row.lon)) for number, row in enumerate(depots, start=1)]
    point = None if origin is None else coordinates.project(origin.lat, origin.lon)
    seen = [place for number, place in places if own is None or number <= framed]
    if point is not None:
        seen.append(point)
    bounds = None if own is None else drawings.bounds[own].tolist()
    frame = maps.depot_frame(bounds, seen)
    if frame is None:
        return None
    places = [(number, place) for number, place in places if frame.contains(*place)]
    # A frame enlarged for a requested point is unlikely to be used again.
    is_usual = point is None or frame == maps.depot_frame(bounds, ())
    below = drawings.draw_ground(frame, own) if is_usual else _draw_ground(drawings.index, frame, own)
    return maps.depot_map(frame, below, depots=places, origin=point, credit_osm=credit_osm)


def _draw_ground(index: BoundaryIndex, frame: Frame, own: int | None) -> maps.Ground:
    indexes = np.sort(index.tree.query(shapely.box(*frame.bounds)))
    units = [index.municipalities[position] for position in indexes]
    return maps.ground(
        frame,
        index.areas[indexes],
        own=None if own is None else int(np.searchsorted(indexes, own)),
        names=[unit.name for unit in units],
        counties=[unit.teryt[:4] for unit in units],
        approximate=bool(index.approximate[indexes].any()),
    )


def surroundings(teryt: str) -> dict[str, Any] | None:
    """Return a municipality and the borders around it as GeoJSON, None without a boundary.

    The feature of the municipality has `own` true. Detail below `SURROUNDINGS_DETAIL_M` is left out. `names` are for
    maps without tiles: latitude, longitude and name of the municipalities around, and of localities and postcodes in
    this one, the most important first.
    """
    index = territory.get().boundaries
    own = index.positions.get(teryt)
    if own is None:
        return None
    least_x, least_y, most_x, most_y = shapely.bounds(index.areas[own]).tolist()
    reach = SURROUNDINGS_M
    window = (least_x - reach, least_y - reach, most_x + reach, most_y + reach)
    indexes = np.sort(index.tree.query(shapely.box(*window)))
    simple = simplify(index.areas[indexes], SURROUNDINGS_DETAIL_M, 1.0)
    clipped = shapely.clip_by_rect(borders(simple), *window)
    area = simple[int(np.searchsorted(indexes, own))]
    return {
        "type": "FeatureCollection",
        "features": [_feature(clipped, own=False), _feature(area, own=True)],
        "names": _names(teryt, window),
    }


def _names(teryt: str, window: tuple[float, float, float, float]) -> list[tuple[float, float, str]]:
    """Return the names of `surroundings`. window: in metres, as `shapely.bounds` gives it."""
    corners = np.array(window).reshape(2, 2)
    (west, south), (east, north) = coordinates.unproject_array(corners).tolist()
    index = territory.get().search.index
    names: list[tuple[float, float, str]] = []
    taken: set[object] = set()
    for number in index.within(south, west, north, east):
        lat, lon = index.point(number) or (0.0, 0.0)
        kind, fold = index.kind(number), index.fold(number)
        if kind == SearchEntry.Kind.MUNICIPALITY or index.teryt(number) == teryt:
            name = f"{fold[:2]}-{fold[2:]}" if kind == SearchEntry.Kind.POSTCODE else index.labels[number]
            used = {name, (int(lat / NAMED_APART[0]), int(lon / NAMED_APART[1]))}
            if not used & taken:
                names.append((round(lat, 4), round(lon, 4), name))
                taken |= used
    return names


def _feature(shape: shapely.Geometry, *, own: bool) -> dict[str, Any]:
    """Return a projected shape as a GeoJSON feature with four decimals, about ten metres."""
    degrees = shapely.transform(shape, lambda points: coordinates.unproject_array(points).round(4))
    return {"type": "Feature", "properties": {"own": own}, "geometry": orjson.loads(shapely.to_geojson(degrees))}


def warm_up() -> None:
    """Draw ahead what most pages show."""
    _map_cache().draw_country()


def voivodeship_map(slug: str, units: Mapping[str, maps.MapUnit]) -> maps.AreaMap | None:
    """Return the map of the municipalities of a voivodeship, None if none has a boundary.

    units: by TERYT, of the same snapshot of the territory; those without a boundary are left out.
    """
    drawn = _map_cache().draw_voivodeship(slug)
    return None if drawn is None else maps.area_map(drawn, [units[teryt] for teryt in drawn.keys])


def country_map(unit_of: Callable[[str, str], maps.MapUnit]) -> maps.AreaMap | None:
    """Return the map of the voivodeships with boundaries, None without any. unit_of: takes slug and name."""
    drawn = _map_cache().draw_country()
    names = {unit.slug: unit.name for unit in territory.get().voivodeships.values()}
    return None if drawn is None else maps.area_map(drawn, [unit_of(slug, names[slug]) for slug in drawn.keys])


def _draw_voivodeship(index: BoundaryIndex, slug: str) -> maps.Drawn | None:
    positions = [i for i, unit in enumerate(index.municipalities) if unit.voivodeship.slug == slug]
    if not positions:
        return None
    codes = [index.municipalities[i].teryt for i in positions]
    return maps.draw_areas(index.areas[positions], codes, approximate=bool(index.approximate[positions].any()))


def _draw_country(index: BoundaryIndex) -> maps.Drawn | None:
    if not index.municipalities:
        return None
    slugs, areas = dissolve(index.areas, [unit.voivodeship.slug for unit in index.municipalities])
    return maps.draw_areas(areas, slugs, approximate=bool(index.approximate.any()))


_map_cache_of = lru_cache(maxsize=1)(_MapCache)


def _map_cache() -> _MapCache:
    """Return the cache of this process, empty for a new snapshot of the territory."""
    return _map_cache_of(territory.get().boundaries)
