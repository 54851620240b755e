"""Depots from a JSON response of the Overpass API (`out center`): nodes, ways and relations.

A response that ran out of time or memory is a valid document with a `remark` and fewer elements: imported, it would
remove every depot it lacks. Source: https://wiki.openstreetmap.org/wiki/OverpassJSON.
"""

import re
from datetime import date
from pathlib import Path

from catalog.importers.parsers.files import FileStart, json_keys, load_json
from catalog.importers.parsers.osm_tags import depot
from catalog.importers.parsers.values import parse_day, tidy
from catalog.importers.records import BadInput, DepotRecord, Extract, Note

TYPES = ("node", "way", "relation")

_START = re.compile(rb'\{\s*"(version|generator|osm3s|remark|elements)"\s*:')
_TIMESTAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T[0-9:]{8}Z")


def recognises(start: FileStart) -> bool:
    """Whether a JSON document begins like an answer of the API."""
    return _START.match(start.text) is not None and bool(json_keys(start) & {"osm3s", "elements"})


def parse(path: Path) -> Extract[DepotRecord]:
    """Parse depots in the order of the file; elements that are no depots are skipped.

    as_of is the day of `timestamp_osm_base`. A depot without a position (a missing or empty `center`) or outside Poland
    is rejected. Equal repeated elements count once.

    Raises BadInput for an incomplete response, one with a `remark`, an element that occurs twice with different
    content, and a response without depots.
    """
    elements, as_of = _document(path)
    depots: dict[str, DepotRecord] = {}
    rejected: dict[str, Note] = {}
    for row, element in enumerate(elements, 1):
        result = _element(path, row, element)
        if isinstance(result, Note):
            rejected.setdefault(result.key, result)
        elif result is not None:
            same = depots.setdefault(result.source_id, result)
            if same != result:
                raise BadInput(path, f"{result.source_id} is there twice with different content", row=row)
    if not depots and not rejected:
        raise BadInput(path, f"has no depot among {len(elements)} elements; was it the right query?")
    return Extract(rows=tuple(depots.values()), as_of=as_of, rejected=tuple(rejected.values()))


def _document(path: Path) -> tuple[list[object], date | None]:
    """Return the elements and the day of a response."""
    document = load_json(path)
    if not isinstance(document, dict) or not isinstance(document.get("elements"), list):
        raise BadInput(path, "is not an answer of the Overpass API: it has no list of elements")
    elements: list[object] = document["elements"]
    for part in (document, *elements):
        if isinstance(part, dict) and "remark" in part:
            raise BadInput(path, f"the answer is not whole, it says: {tidy(str(part['remark']))[:200]}")
    header = document.get("osm3s")
    stamp = header.get("timestamp_osm_base") if isinstance(header, dict) else None
    if stamp is None:
        return elements, None
    match = _TIMESTAMP.fullmatch(stamp) if isinstance(stamp, str) else None
    try:
        return elements, parse_day(match[1] if match else str(stamp))
    except ValueError as error:
        raise BadInput(path, f"timestamp_osm_base: {error}") from error


def _element(path: Path, row: int, element: object) -> DepotRecord | Note | None:
    """Return one element as `osm_tags.depot` does."""
    if not isinstance(element, dict):
        raise BadInput(path, f"the element {str(element)[:40]!r} is not an object", row=row)
    kind, tags = element.get("type"), element.get("tags")
    if kind not in TYPES or tags is None:
        return None
    number = element.get("id")
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise BadInput(path, f"the id {str(number)[:20]!r} of a {kind} is not a number from 1", row=row)
    if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
        raise BadInput(path, f"the tags of {kind}/{number} are not texts", row=row)
    centre = element if kind == "node" else element.get("center")
    lat, lon = (_degrees(centre, name) for name in ("lat", "lon"))
    return depot(f"{kind}/{number}", lat, lon, tags)


def _degrees(centre: object, name: str) -> float | None:
    value = centre.get(name) if isinstance(centre, dict) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
