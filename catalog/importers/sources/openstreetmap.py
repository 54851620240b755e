"""Fuel depots of OpenStreetMap: answers of the Overpass API, and extracts in PBF.

An extract is streamed up to three times: objects with the tags of a depot, then the member ways of such relations, then
the nodes of both. Source of the format: https://wiki.openstreetmap.org/wiki/PBF_Format.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import osmium
import osmium.filter
import osmium.io

from catalog.importers.parsers import osm_tags
from catalog.importers.parsers.files import is_zip
from catalog.importers.parsers.osm_tags import collect, depot, fuels_of
from catalog.importers.records import BadInput, DepotRecord, Extract, parse_day
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

Position = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An object with the tags of a depot. parts: (type, id) of the members of a way or relation."""

    key: str
    tags: dict[str, str]
    position: Position | None = None
    parts: tuple[tuple[str, int], ...] = ()


def parse_pbf(path: Path) -> Extract[DepotRecord]:
    """Parse depots in the order of the file, the same as `osm_tags.parse_overpass` for the same objects.

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
    """Return the day of the extract. Raises BadInput for one with several states."""
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
        licence="ODbL 1.0",
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
