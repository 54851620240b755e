"""Depots from an OpenStreetMap extract in PBF, such as Geofabrik's of Poland: nodes, ways and relations.

The file is streamed up to three times: objects with the tags of a depot, then the member ways of such relations, then
the nodes of these ways and relations. Only data of depots are kept in memory. Source of the format:
https://wiki.openstreetmap.org/wiki/PBF_Format.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import osmium
import osmium.filter
import osmium.io

from catalog.importers.parsers.files import FileStart, is_zip
from catalog.importers.parsers.osm import depot, fuels_of
from catalog.importers.parsers.values import parse_day
from catalog.importers.records import BadInput, DepotRecord, Extract, Note

SIGNATURE = b"\x0a\x09OSMHeader"
"""Bytes 4 to 15: the first block is a header, preceded by the length of its description."""

MAX_BYTES = 16 << 30
"""Maximum size in bytes. Poland has about 2 GB; the planet, 80 GB, would be a mistake."""

TAG = "shop"
"""Key that every depot has: see `osm.fuels_of`. Filtered in C++, since one object in a thousand has it."""

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


def recognises(start: FileStart) -> bool:
    """Whether a plain file begins like a PBF."""
    return start.head.startswith(SIGNATURE, 4)


def parse(path: Path) -> Extract[DepotRecord]:
    """Parse depots in the order of the file, the same as `osm.parse_overpass` for the same objects.

    as_of is the day of the replication state in the header; None if not stated. The position of a way or relation is
    the centre of its bounding box, as in Overpass; members of members do not count.

    Raises BadInput for an incomplete PBF, a history or change file, an object that occurs twice with different content,
    and a file without depots.
    """
    if is_zip(path, max_bytes=MAX_BYTES):
        raise BadInput(path, "is a zip; unpack it and give the .osm.pbf inside")
    as_of = _header(path)
    candidates = list(_candidates(path))
    ways, nodes = _members(path, candidates)
    depots: dict[str, DepotRecord] = {}
    rejected: dict[str, Note] = {}
    for candidate in candidates:
        position = candidate.position or _centre(candidate, ways, nodes)
        lat, lon = position or (None, None)
        result = depot(candidate.key, lat, lon, candidate.tags)
        if isinstance(result, Note):
            rejected.setdefault(result.key, result)
        elif result is not None and depots.setdefault(result.source_id, result) != result:
            raise BadInput(
                path, f"{result.source_id} is there twice with different content; give an extract of one day"
            )
    if not depots and not rejected:
        raise BadInput(path, "has no depot; is it the extract of Poland?")
    return Extract(rows=tuple(depots.values()), as_of=as_of, rejected=tuple(rejected.values()))


def _header(path: Path) -> date | None:
    """Return the day of the extract. Raises BadInput for no PBF, or one with several states."""
    with path.open("rb") as stream:
        if not stream.read(64).startswith(SIGNATURE, 4):
            raise BadInput(path, "is not an OpenStreetMap PBF")
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
    """Yield every object with the tags of a depot."""
    for element in _objects(path, osmium.osm.NODE | osmium.osm.WAY | osmium.osm.RELATION, osmium.filter.KeyFilter(TAG)):
        tags = dict(element.tags)
        if fuels_of(tags) is None:
            continue
        _check_id(path, element.id)
        if element.is_node():
            location = element.location
            yield _Candidate(
                f"node/{element.id}", tags, position=(location.lat, location.lon) if location.valid() else None
            )
        elif element.is_way():
            yield _Candidate(f"way/{element.id}", tags, parts=tuple(("n", node.ref) for node in element.nodes))
        else:
            yield _Candidate(f"relation/{element.id}", tags, parts=tuple((m.type, m.ref) for m in element.members))


def _check_id(path: Path, number: int) -> None:
    """Raise BadInput for an id that OpenStreetMap has not assigned."""
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
    nodes: dict[int, Position] = {}
    if node_ids:
        for node in _objects(path, osmium.osm.NODE, osmium.filter.IdFilter(node_ids)):
            if node.location.valid():
                nodes[node.id] = (node.location.lat, node.location.lon)
    return ways, nodes


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
    """Yield the nodes, ways or relations that pass a filter, each valid until the next.

    Raises BadInput for a damaged or truncated file.
    """
    try:
        yield from osmium.FileProcessor(osmium.io.File(path, "pbf"), kinds).with_filter(chosen)
    except (RuntimeError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> BadInput:
    return BadInput(path, f"the PBF is damaged or cut off ({error}); download it again")
