"""Fuel depots of OpenStreetMap: answers of the Overpass API, and extracts in PBF.

An extract is streamed for the ids of the objects with the tags of a depot, for those that they consist of, and for all
of these, in its order: nodes, ways, relations. Source of the format: https://wiki.openstreetmap.org/wiki/PBF_Format.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import osmium
import osmium.filter
import osmium.io

from catalog.depots.attribution import LICENCES
from catalog.importers.parsers import osm_tags
from catalog.importers.parsers.files import is_zip
from catalog.importers.parsers.osm_tags import collect, depot, fuels_of
from catalog.importers.records import BadInput, DepotRecord, Extract, Note, parse_day
from catalog.importers.sources import DataSource, FileFormat
from catalog.importers.sync_depots import sync_depots
from catalog.models import Dataset, Depot

PBF_SIGNATURE = b"\x0a\x09OSMHeader"
"""Bytes 4 to 15: the first block is a header, preceded by the length of its description."""

MAX_BYTES = 16 << 30
"""Maximum size in bytes. Poland has about 2 GB; the planet, 80 GB, would be a mistake."""

TAG = "shop"
"""Key that every depot has: see `osm_tags.fuels_of`. Filtered in C++, since one object in a thousand has it."""

MAX_ID = 1 << 40
"""Maximum id. OpenStreetMap has assigned 14 thousand million; negative ids are of drafts."""

REPLICATION_KEY = "osmosis_replication_timestamp"

TYPES = {"n": "node", "w": "way", "r": "relation"}

Position = tuple[float, float]


def parse_pbf(path: Path) -> Extract[DepotRecord]:
    """Parse depots in the order of the file, the same as `osm_tags.parse_overpass` for the same objects.

    as_of: of the replication state in the header, or None. Position of a way or relation: the centre of its bounding
    box without members of members, as in Overpass. Raises BadInput for another or damaged file, or one without depots.
    """
    if is_zip(path, max_bytes=MAX_BYTES):
        raise BadInput(path, "is a zip; unpack it and give the .osm.pbf inside")
    as_of = _header(path)
    results = ((None, result) for result in _depots(path, _chosen(path)))
    extract = collect(path, as_of, results, "; give an extract of one day")
    if not extract.rows and not extract.rejected:
        raise BadInput(path, "has no depot; is it the extract of Poland?")
    return extract


def _header(path: Path) -> date | None:
    """Return the day of the extract. Raises BadInput for one with several states."""
    with _reading(path) as file, osmium.io.Reader(file) as reader:
        header = reader.header()
    if header.has_multiple_object_versions:
        raise BadInput(path, "holds the history of objects; give an extract of one day")
    stamp = header.get(REPLICATION_KEY)
    # The library formats the number of the file, so it cannot be malformed.
    return parse_day(stamp.partition("T")[0]) if stamp else None


def _chosen(path: Path) -> osmium.IdTracker:
    """Return the ids of the objects with the tags of a depot, and of the ways and nodes that they consist of."""
    chosen = osmium.IdTracker()
    add = {"n": chosen.add_node, "w": chosen.add_way, "r": chosen.add_relation}
    for element in _objects(path, osmium.filter.KeyFilter(TAG)):
        if fuels_of(dict(element.tags)) is None:
            continue
        for number in (element.id, *(ref for _, ref in _parts(element))):
            if not 1 <= number <= MAX_ID:
                reason = f"has the identifier {number}, which is not OpenStreetMap's; give a published extract"
                raise BadInput(path, reason)
        add[element.type_str()](element.id)
    with _reading(path) as file:
        chosen.complete_backward_references(file, relation_depth=1)
    return chosen


def _depots(path: Path, chosen: osmium.IdTracker) -> Iterator[DepotRecord | Note | None]:
    """Yield the result of `osm_tags.depot` for each object, at the centre of its nodes that the extract has."""
    corners: dict[str, dict[int, list[Position]]] = {"n": {}, "w": {}, "r": {}}
    for element in _objects(path, chosen.id_filter()):
        own = [corner for kind, ref in _parts(element) if kind != "r" for corner in corners[kind].get(ref, ())]
        if element.is_node() and element.location.valid():
            own = [(element.location.lat, element.location.lon)]
        kind = element.type_str()
        corners[kind][element.id] = own
        lat, lon = _centre(own)
        yield depot(f"{TYPES[kind]}/{element.id}", lat, lon, dict(element.tags))


def _parts(element: Any) -> list[tuple[str, int]]:
    """Return type and id of the nodes of a way or the members of a relation."""
    if element.is_way():
        return [("n", node.ref) for node in element.nodes]
    return [(member.type, member.ref) for member in element.members] if element.is_relation() else []


def _centre(corners: list[Position]) -> Position | tuple[None, None]:
    """Return the centre of the bounding box of some points; (None, None) without any."""
    if not corners:
        return None, None
    lats, lons = zip(*corners, strict=True)
    # Seven decimals, the precision of OpenStreetMap and Overpass.
    return round((min(lats) + max(lats)) / 2, 7), round((min(lons) + max(lons)) / 2, 7)


def _objects(path: Path, chosen: object) -> Iterator[Any]:
    """Yield the objects that pass a filter, each valid until the next. Raises BadInput for a damaged file."""
    with _reading(path) as file:
        yield from osmium.FileProcessor(file).with_filter(chosen)


@contextmanager
def _reading(path: Path) -> Iterator[osmium.io.File]:
    try:
        yield osmium.io.File(path, "pbf")
    except (RuntimeError, ValueError, MemoryError) as error:  # the last of an impossible identifier
        raise BadInput(path, f"the PBF is damaged or cut off ({error}); download it again") from error


QUERY = f"""\
[out:json][timeout:180][maxsize:268435456];
area["ISO3166-1"="PL"]["admin_level"="2"]->.poland;
(
  nwr["shop"~"(^|;) *({"|".join(sorted(osm_tags.SHOPS))}) *(;|$)",i](area.poland);
  nwr["shop"~"(^|;) *({"|".join(sorted(osm_tags.TRADES))}) *(;|$)",i][~"^(fuel|sells)(:|$)"~"."](area.poland);
);
out center;
"""

SOURCES = (
    DataSource(
        id="osm-depots",
        order=50,
        dataset=Dataset.Slug.DEPOTS,
        title="OpenStreetMap, składy opału",
        publisher="autorzy OpenStreetMap",
        credit="OpenStreetMap, ODbL 1.0",
        licence=LICENCES[Depot.Source.OSM],
        terms="https://www.openstreetmap.org/copyright",
        formats=(
            FileFormat("overpass", osm_tags.recognises_overpass, osm_tags.parse_overpass, r".*overpass.*\.json"),
            FileFormat("osm_pbf", lambda start: start.head.startswith(PBF_SIGNATURE, 4), parse_pbf, r".*\.osm\.pbf"),
        ),
        write=partial(sync_depots, origin=Depot.Source.OSM),
        needs=Dataset.Slug.BOUNDARIES,
        built_on=(Dataset.Slug.UNITS,),
        dated=True,
        rows=Depot.objects.filter(source=Depot.Source.OSM).exclude(publication=Depot.Publication.REMOVED),
        # The main public instance, documented at https://wiki.openstreetmap.org/wiki/Overpass_API. It gives an address
        # two slots and asks for a contact in the User-Agent; one query a week is far below its limits.
        url="https://overpass-api.de/api/interpreter",
        query=QUERY,
        file="depots.overpass.json",
        rhythm_days=7,
        min_rows=100,
        max_megabytes=100,
        confirmed=True,
    ),
)
