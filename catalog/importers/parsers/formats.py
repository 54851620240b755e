"""Detection of the format of a file by its content: files get renamed, and a directory may contain anything."""

import re
from enum import Enum
from pathlib import Path
from typing import IO

from catalog.importers.parsers.files import is_zip, members, open_member, open_source, open_zip
from catalog.importers.parsers.shapefiles import holds_municipalities, municipal_layer, open_shapefile
from catalog.importers.records import BadInput

HEAD_BYTES = 1 << 16
"""Bytes read to detect a format."""

FAR_BYTES = 1 << 22
"""Bytes read of a GeoJSON whose first geometry precedes its properties. A municipality has less than 1 MB."""

LARGEST = 64 << 30
"""Maximum size of a file, unpacked, in bytes. Each parser has its own, lower limit."""

TEXT_SUFFIXES = (".csv", ".xml", ".gml", ".txt", ".json", ".geojson")
MAX_MEMBERS = 20
"""Zip members examined."""

SHP_SIGNATURE = b"\x00\x00\x27\x0a"
"""First bytes of a .shp: file code 9994, big-endian."""

PBF_SIGNATURE = b"\x0a\x09OSMHeader"
"""Bytes 4 to 15 of an OpenStreetMap PBF: its first block is a header, preceded by the length of its description."""


class Format(Enum):
    """Formats of files that importers read."""

    TERC = "terc"
    SIMC = "simc"
    PLACES_JSON = "places_json"
    GEONAMES = "geonames"
    PRG_POSTCODES = "prg_postcodes"
    PRG_ADDRESSES = "prg_addresses"
    BOUNDARIES = "boundaries"
    BOUNDARIES_GEOJSON = "boundaries_geojson"
    OVERPASS = "overpass"
    OSM_PBF = "osm_pbf"


NAMES = (
    (re.compile(r"terc[_. -].*\.(csv|xml|zip)|terc\.(csv|xml|zip)"), Format.TERC),
    (re.compile(r"simc[_. -].*\.(csv|xml|zip)|simc\.(csv|xml|zip)"), Format.SIMC),
    (re.compile(r"polskie-miejscowosci.*\.(json|zip)"), Format.PLACES_JSON),
    (re.compile(r"pl\.(txt|zip)"), Format.GEONAMES),
    (re.compile(r"prg_postcodes.*\.(csv|zip)"), Format.PRG_POSTCODES),
    (re.compile(r"(.*_)?prg[_-](addresses|punkty_?adresowe|ad).*\.(xml|gml|zip)"), Format.PRG_ADDRESSES),
    (re.compile(r"00_jednostki.*\.zip|a03_granice_gmin.*\.(shp|zip)"), Format.BOUNDARIES),
    (re.compile(r"(gminy|a03_granice_gmin).*\.(geojson|json)"), Format.BOUNDARIES_GEOJSON),
    (re.compile(r".*overpass.*\.json"), Format.OVERPASS),
    (re.compile(r".*\.osm\.pbf"), Format.OSM_PBF),
)
"""Usual names of the files, lower case: only for files with unrecognised content."""

_JSON_KEY = re.compile(rb'"([A-Za-z0-9_]{1,30})"\s*:')
_OVERPASS_START = re.compile(rb'\{\s*"(version|generator|osm3s|remark|elements)"\s*:')
_FEATURES = re.compile(rb'"type"\s*:\s*"FeatureCollection"')
_AREA = re.compile(rb'"(Multi)?Polygon"')
_CODE_KEY = re.compile(rb'"(jpt_kod_je|teryt|kod_teryt|terc|kod)"\s*:\s*"[0-9]{7}"', re.IGNORECASE)
ADDRESS_NAMESPACES = (b"urn:gugik:specyfikacje:gmlas:panstwowyRejestrGranicAdresy:", b"geoportal.gov.pl/schemas/prgad/")
"""Namespaces in the root element of address points, models of 2012 and 2021."""

_POSTCODE = re.compile(r"[0-9]{2}-[0-9]{3}")


def identify(path: Path) -> Format | None:
    """Return the format of a file, None if unknown. Raises BadInput for an unreadable one."""
    if is_zip(path, max_bytes=LARGEST):
        return _form_of_zip(path)
    with open_source(path, (), max_bytes=LARGEST) as source:
        head = source.stream.read(HEAD_BYTES)
        if head.startswith(SHP_SIGNATURE):
            return _form_of_shp(path)
        if head.startswith(PBF_SIGNATURE, 4):
            return Format.OSM_PBF
        return _form_of_stream(head, source.stream)


def recognise(path: Path) -> Format | None:
    """Return the format of a file, None for any other file.

    Raises BadInput if it has the name of a known format but not its content: the import of a directory must not skip
    a truncated download.
    """
    reason = "its content is something else"
    try:
        form = identify(path)
    except BadInput as error:
        form, reason = None, error.reason
    if form is None:
        for pattern, named in NAMES:
            if pattern.fullmatch(path.name.lower()):
                raise BadInput(path, f"is named like {named.name} but {reason}")
    return form


def form_of_text(start: bytes) -> Format | None:
    """Return the format of a text by its beginning: header, first row, first elements or first keys."""
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"<"):
        return _form_of_xml(start)
    if start.startswith((b"{", b"[")):
        return _form_of_json(start)
    line = start.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    columns = {column.strip() for column in line.split(";")}
    if columns >= {"WOJ", "POW", "GMI", "RODZ", "NAZWA"}:
        return Format.TERC
    if columns >= {"WOJ", "POW", "GMI", "RODZ_GMI", "SYM", "SYMPOD"}:
        return Format.SIMC
    if {column.strip() for column in line.split(",")} >= {"postcode", "municipalities", "places"}:
        return Format.PRG_POSTCODES
    # Strip only the line end: the last column, accuracy, may be empty.
    row = start.split(b"\n", 1)[0].decode("utf-8", "replace").split("\t")
    if len(row) == 12 and re.fullmatch(r"[A-Z]{2}", row[0]) and _POSTCODE.fullmatch(row[1]):
        return Format.GEONAMES
    return None


def _form_of_xml(start: bytes) -> Format | None:
    if b"<RODZ_GMI" in start and b"<SYMPOD" in start:
        return Format.SIMC
    if b"<RODZ" in start and b"<NAZWA_DOD" in start:
        return Format.TERC
    if any(space in start for space in ADDRESS_NAMESPACES):
        return Format.PRG_ADDRESSES
    return None


def _form_of_json(start: bytes) -> Format | None:
    keys = {key.decode() for key in _JSON_KEY.findall(start[:2000])}
    if start.startswith(b"["):
        return Format.PLACES_JSON if keys >= {"Id", "Province", "District", "Commune"} else None
    if _FEATURES.search(start[:2000]):
        return Format.BOUNDARIES_GEOJSON if _CODE_KEY.search(start) and _AREA.search(start) else None
    if _OVERPASS_START.match(start) and keys & {"osm3s", "elements"}:
        return Format.OVERPASS
    return None


def _form_of_stream(head: bytes, stream: IO[bytes]) -> Format | None:
    """Return the format of a stream whose head was read; reads on for a FeatureCollection of areas."""
    form = form_of_text(head)
    if form is None and _FEATURES.search(head[:2000]) and _AREA.search(head):
        form = form_of_text(head + stream.read(FAR_BYTES))
    return form


def _form_of_shp(path: Path) -> Format | None:
    with open_shapefile(path) as layer:
        return Format.BOUNDARIES if holds_municipalities(layer.table.read(HEAD_BYTES)) else None


def _form_of_zip(path: Path) -> Format | None:
    with open_zip(path) as archive:
        found = members(archive)
        layer = municipal_layer(path, found)
        if layer:
            if ".dbf" not in layer:
                raise BadInput(path, "the shapefile has no .dbf")
            with open_member(path, archive, layer[".dbf"]) as source:
                return Format.BOUNDARIES if holds_municipalities(source.stream.read(HEAD_BYTES)) else None
        texts = [member for member in found if member.filename.lower().endswith(TEXT_SUFFIXES)]
        for member in texts[:MAX_MEMBERS]:
            with open_member(path, archive, member, max_bytes=LARGEST) as source:
                form = _form_of_stream(source.stream.read(HEAD_BYTES), source.stream)
            if form is not None:
                return form
    return None
