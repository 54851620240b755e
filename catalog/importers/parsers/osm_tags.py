"""Depots of OpenStreetMap: their tags, for every file format, and JSON responses of the Overpass API (`out center`).

Keys: https://wiki.openstreetmap.org/wiki/Key:fuel:*, Tag:shop=fuel, Key:addr:*, Key:contact:*. In Poland, shop=fuel
maps a yard that sells coal and wood; a filling station is amenity=fuel.

A response that ran out of time or memory is a valid document with a `remark` and fewer elements: imported, it would
remove every depot it lacks. Source: https://wiki.openstreetmap.org/wiki/OverpassJSON.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from catalog.depots import fuels
from catalog.importers.parsers.files import FileStart, json_keys, load_json
from catalog.importers.records import BadInput, DepotRecord, Extract, Note, cut, parse_day, tidy
from catalog.parsing.contacts_and_names import clean_nip, clean_phone, clean_website, is_personal_name
from catalog.parsing.opening_hours import weekly_hours
from catalog.territory.coordinates import in_poland
from catalog.text import normalise_postcode

Tags = Mapping[str, str]
Clean = Callable[[str | None], tuple[str | None, str]]

FUEL_OF = {
    word: fuel
    for fuel, words in {
        "wegiel": "coal hard_coal anthracite wegiel węgiel",
        "ekogroszek": "ekogroszek eko_groszek eco_pea_coal",
        "wegiel-kostka": "cobble_coal kostka",
        "wegiel-orzech": "nut_coal orzech",
        "wegiel-groszek": "pea_coal groszek",
        "mial-weglowy": "coal_dust fine_coal mial miał",
        "pellet": "pellet pellets wood_pellet wood_pellets",
        "brykiet": "brykiet briquette briquettes wood_briquette wood_briquettes coal_briquette coal_briquettes",
        "drewno-kominkowe": "wood firewood logs drewno drewno_opałowe drewno_kominkowe",
    }.items()
    for word in words.split()
}
"""Fuel slugs by the suffix of `fuel:` or `sells:`. Lower case, "_" for blanks and dashes."""

# Not evidence for or against a depot: charcoal is for the grill, and depots sell other solid fuels beside those of the
# catalog.
_INDIFFERENT = frozenset(
    {
        *("charcoal", "others", "other", "solid", "solid_fuel", "solid_fuels"),
        *("biomass", "brown_coal", "coke", "lignite", "peat"),
    }
)

SHOPS = {"coal": "wegiel", "firewood": "drewno-kominkowe", "fuel": ""}
"""Shops that are depots by themselves, with the fuel they sell unless the tags deny it."""

TRADES = frozenset(
    {
        *("agrarian", "building_materials", "country_store", "doityourself"),
        *("garden_centre", "hardware", "trade", "wholesale"),
    }
)
"""Shops that are depots if they state a fuel of the catalog. A grocery with bags of logs is none."""

_NO = frozenset({"no", "none", "never", "false", "0"})
_NOT_SAID = frozenset({"", "unknown"})
_GONE = ("disused", "abandoned", "demolished", "removed", "razed")

_NEXT_WEBSITE = re.compile(r";\s*(?:https?://|www\.)", re.IGNORECASE)

NO_NAME = "źródło nie podaje nazwy"
PERSON = "nazwa wygląda na imię i nazwisko"


def depot(source_id: str, lat: float | None, lon: float | None, tags: Tags) -> DepotRecord | Note | None:
    """Return the depot of an object, e.g. "node/9000000001"; None if it is none; a Note if it is rejected."""
    offered = fuels_of(tags)
    if offered is None:
        return None
    if lat is None or lon is None:
        return Note(source_id, "has no position")
    if not in_poland(lat, lon):
        return Note(source_id, f"the position is outside Poland: '{lat}, {lon}'")

    refused: list[str] = []
    address = _address(tags, refused)
    return DepotRecord(
        source_id=source_id,
        lat=lat,
        lon=lon,
        **address,
        **_name(tags, offered, address["place"]),
        **_hours(tags, refused),
        nip=_first(clean_nip, tags, ("ref:vatin", "ref:nip", "ref:NIP", "ref:PL:nip"), refused),
        phone=_first(clean_phone, tags, ("phone", "contact:phone", "mobile", "contact:mobile"), refused) or "",
        website=_first(_first_website, tags, ("website", "contact:website", "url", "contact:url"), refused) or "",
        fuels=fuels.in_order(offered),
        denied_fuels=fuels.in_order(denied_fuels(tags)),
        notes=tuple(Note(source_id, reason) for reason in refused),
    )


def fuels_of(tags: Tags) -> frozenset[str] | None:
    """Return the slugs of the fuels sold, empty if not stated; None if the object is no depot.

    shop=fuel is a depot unless its tags name other fuels only (diesel, gas); shop=coal and shop=firewood are; other
    shops are if they state a fuel of the catalog. Fuels denied by `fuel:*` or `sells:*` are not sold.
    """
    shops = set(_values(tags.get("shop", "")))
    if not shops & (SHOPS.keys() | TRADES) or any(not _denied(tags.get(key, "")) for key in _GONE):
        return None
    sold: set[str] = set()
    denied: set[str] = set()
    foreign = False
    for what, value in _goods(tags):
        slug = FUEL_OF.get(what)
        if slug is None:
            foreign = foreign or not (_denied(value) or what in _INDIFFERENT)
        elif _denied(value):
            denied.add(slug)
        else:
            sold.add(slug)
    implied = {SHOPS[shop] for shop in shops if SHOPS.get(shop)} - denied
    if not sold | implied and (foreign or not shops & SHOPS.keys()):
        return None
    return frozenset(sold | implied)


def denied_fuels(tags: Tags) -> frozenset[str]:
    """Return the slugs of fuels stated as not sold; denying coal denies its assortments."""
    denied = {FUEL_OF[what] for what, value in _goods(tags) if what in FUEL_OF and value.strip().lower() in _NO}
    return frozenset(assortment for fuel in denied for assortment in fuels.assortments(fuel))


def _goods(tags: Tags) -> Iterator[tuple[str, str]]:
    """Yield goods with the value that tells whether they are sold: `fuel:coal=yes` and `fuel=coal;wood` alike."""
    for key, value in tags.items():
        prefix, colon, what = key.partition(":")
        if prefix not in ("fuel", "sells"):
            continue
        if colon:
            yield what.lower().replace(" ", "_").replace("-", "_"), value
        else:
            for listed in _values(value.replace(",", ";")):
                if listed not in ("yes", "no"):
                    yield listed.replace(" ", "_").replace("-", "_"), "yes"


def _values(text: str) -> list[str]:
    return [value.strip().lower() for value in text.split(";") if value.strip()]


def _denied(value: str) -> bool:
    return value.strip().lower() in _NO | _NOT_SAID


def _name(tags: Tags, offered: frozenset[str], place: str) -> dict[str, Any]:
    name = tidy(tags.get("name", "")) or tidy(tags.get("name:pl", ""))
    if not name:
        kind = kind_of(tags, offered)
        return {"name": f"{kind}, {place}" if place else kind, "kind_name": kind, "review": NO_NAME}
    return {"name": name, "review": PERSON, "held": True} if is_personal_name(name) else {"name": name}


def kind_of(tags: Tags, offered: frozenset[str]) -> str:
    """Return what to call a depot without a name, by its fuels."""
    shops = _values(tags.get("shop", ""))
    if shops == ["firewood"] or offered == {"drewno-kominkowe"}:
        return "Drewno opałowe"
    if shops == ["coal"] or (offered and offered <= fuels.COALS):
        return "Skład węgla"
    return "Skład opału"


def _hours(tags: Tags, refused: list[str]) -> dict[str, Any]:
    text = tidy(tags.get("opening_hours", ""))
    hours = weekly_hours(text) if text else None
    if text and hours is None:
        refused.append(f"opening hours say no plain week: {cut(text, 100)!r}")
    return {"opening_hours": text, "hours": hours}


def _address(tags: Tags, refused: list[str]) -> dict[str, Any]:
    street = tidy(tags.get("addr:street", ""))
    if street.lower().rstrip(".") in ("ul", "ulica"):
        refused.append(f"street is only {street!r}")
        street = ""
    house_number = tidy(tags.get("addr:housenumber", ""))
    city, hamlet = tidy(tags.get("addr:city", "")), tidy(tags.get("addr:place", ""))
    # Without a street, the number belongs to addr:place; addr:city may be the town of the post office.
    place = city or hamlet if street else hamlet or city
    text = tidy(tags.get("addr:postcode", ""))
    postcode = ""
    if text:
        try:
            postcode = normalise_postcode(text)
        except ValueError as error:
            refused.append(str(error))
    return {"street": street, "house_number": house_number, "postcode": postcode, "place": place}


def _first(clean: Clean, tags: Tags, keys: tuple[str, ...], refused: list[str]) -> str | None:
    """Return the first publishable value of several keys for the same field. Notes every refused one."""
    for key in keys:
        value, reason = clean(tags.get(key))
        if reason:
            refused.append(f"{key}: {reason}")
        if value:
            return value
    return None


def _first_website(text: str | None) -> tuple[str | None, str]:
    """Clean the first publishable one of addresses between ";", which may also be part of a single address."""
    whole = clean_website(text)
    if text is None or (whole[0] and not _NEXT_WEBSITE.search(text)):
        return whole
    return next((clean for part in text.split(";") if (clean := clean_website(part))[0]), whole)


_START = re.compile(rb'\{\s*"(version|generator|osm3s|remark|elements)"\s*:')
_TIMESTAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T[0-9:]{8}Z")


def recognises_overpass(start: FileStart) -> bool:
    return _START.match(start.text) is not None and bool(json_keys(start) & {"osm3s", "elements"})


def parse_overpass(path: Path) -> Extract[DepotRecord]:
    """Parse depots in the order of the file; equal repeated elements count once. as_of: of `timestamp_osm_base`.

    A depot without a position or outside Poland is rejected. Raises BadInput for an incomplete response, an element
    that occurs twice with different content, and a response without depots.
    """
    elements, as_of = _document(path)
    results = ((row, _element(path, row, element)) for row, element in enumerate(elements, 1))
    extract = collect(path, as_of, results)
    if not extract.rows and not extract.rejected:
        raise BadInput(path, f"has no depot among {len(elements)} elements; was it the right query?")
    return extract


def collect(
    path: Path, as_of: date | None, results: Iterable[tuple[int | None, DepotRecord | Note | None]], hint: str = ""
) -> Extract[DepotRecord]:
    """Return depots and rejected objects, each once. results: of `depot`, with rows. Raises BadInput as parsers do."""
    depots: dict[str, DepotRecord] = {}
    rejected: dict[str, Note] = {}
    for row, result in results:
        if isinstance(result, Note):
            rejected.setdefault(result.key, result)
        elif result is not None and depots.setdefault(result.source_id, result) != result:
            raise BadInput(path, f"{result.source_id} is there twice with different content{hint}", row=row)
    return Extract(rows=tuple(depots.values()), as_of=as_of, rejected=tuple(rejected.values()))


def _document(path: Path) -> tuple[list[object], date | None]:
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
    if not isinstance(element, dict):
        raise BadInput(path, f"the element {str(element)[:40]!r} is not an object", row=row)
    kind, tags = element.get("type"), element.get("tags")
    if kind not in ("node", "way", "relation") or tags is None:
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
