"""Registers of GUGiK: boundaries and postcodes of addresses (PRG), towns and villages (PRNG).

Postcodes are read from the address points, or from a CSV of them merged by code. Columns: postcode; municipalities,
"TERYT:addresses|…"; places, "name|…"; lat, lon (centre, WGS84 degrees); addresses; source, "prg-2023" or, for codes
that the register lacks, "geonames-2026", which have no numbers of addresses.

Towns and villages come by the npm package that the starter data were taken from: a JSON array of objects: Id, Name,
Type (city or village), Province, District, Commune ("Kraków-gmina miejska"), Latitude, Longitude (WGS84 degrees).
Municipalities are given by names of 2021 only, so they are found by the names of the stored ones.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from catalog import starter
from catalog.importers.parsers import boundaries, prg_addresses
from catalog.importers.parsers.files import FileStart, csv_rows, json_keys, load_json, open_source
from catalog.importers.records import (
    MAX_PLACE_NAME,
    BadInput,
    Extract,
    Note,
    PlaceRecord,
    PostcodeRecord,
    parse_degrees,
    tidy,
)
from catalog.importers.sources import DataSource, FileFormat, Rank
from catalog.importers.sync_places import sync_boundaries, sync_places, sync_postcodes
from catalog.models import Dataset, Municipality, Place, Postcode
from catalog.territory.coordinates import in_poland
from catalog.text import normalise_postcode

POSTCODE_COLUMNS = ("postcode", "municipalities", "places", "lat", "lon", "addresses", "source")

POSTCODE_KINDS = {"prg": "prg", "geonames": "filled"}

_SHARE = re.compile(r"([0-9]{6}[123]?):([0-9]{0,9})")
_COUNT = re.compile(r"[0-9]{0,9}")


def recognises_postcodes(start: FileStart) -> bool:
    return start.has_columns(("postcode", "municipalities", "places"), delimiter=",")


def parse_postcodes(path: Path) -> Extract[PostcodeRecord]:
    """Parse one record per postcode, in the order of the file, without as_of. Raises BadInput."""
    records: dict[str, PostcodeRecord] = {}
    rejected: list[Note] = []
    with open_source(path, (".csv",)) as source:
        for row, values in csv_rows(source, POSTCODE_COLUMNS, delimiter=","):
            try:
                record = _record(values)
            except ValueError as error:
                raise BadInput(source.label, str(error), row=row) from error
            if record.code in records:
                raise BadInput(source.label, f"the postcode {record.code} is there twice", row=row)
            if not in_poland(record.lat, record.lon):
                rejected.append(Note(record.code, f"the centre is outside Poland: '{record.lat}, {record.lon}'"))
                continue
            records[record.code] = record
    if not records:
        raise BadInput(path, "has no usable postcode")
    return Extract(rows=tuple(records.values()), rejected=tuple(rejected))


def _record(values: dict[str, str]) -> PostcodeRecord:
    """Parse one row. Raises ValueError naming the unreadable value."""
    code = normalise_postcode(values["postcode"])
    if _COUNT.fullmatch(values["addresses"]) is None:
        raise ValueError(f"addresses is {values['addresses'][:20]!r}, not a number")
    source = POSTCODE_KINDS.get(values["source"].partition("-")[0])
    if source is None:
        raise ValueError(f"source is {values['source'][:20]!r}; expected prg-YYYY or geonames-YYYY")
    shares: dict[str, int] = {}
    for part in values["municipalities"].split("|"):
        share = _SHARE.fullmatch(part.strip())
        if share is None:
            raise ValueError(f"municipalities has {part[:30]!r}; expected TERYT:addresses")
        if share[1] in shares:
            raise ValueError(f"municipalities has {share[1]} twice")
        shares[share[1]] = int(share[2] or 0)
    places = dict.fromkeys(name for part in values["places"].split("|") if (name := tidy(part)))
    too_long = [name for name in places if len(name) > MAX_PLACE_NAME]
    if too_long:
        raise ValueError(f"the place {too_long[0][:40]!r}… is longer than {MAX_PLACE_NAME} characters")
    # Stable sort: shares without numbers keep the order of the file.
    ordered = sorted(shares.items(), key=lambda share: -share[1])
    return PostcodeRecord(
        code, tuple(ordered), tuple(places), parse_degrees(values["lat"]), parse_degrees(values["lon"]), source
    )


UnitNames = Mapping[tuple[str, str, str, int], str]
"""(voivodeship, county, municipality, kind 1 to 3) → code of seven digits. Names as in TERC, voivodeships lower case.
"""

TEXTS = ("Id", "Name", "Type", "Province", "District", "Commune")
DEGREES = ("Latitude", "Longitude")
FIELDS = TEXTS + DEGREES

PLACE_KINDS = {"city": "miasto", "village": "wieś"}

MUNICIPALITY_KINDS = {
    "gmina miejska": 1,
    "gmina wiejska": 2,
    "gmina miejsko-wiejska": 3,
    "obszar wiejski w gminie miejsko-wiejskiej": 3,
}

RENAMED = {
    ("kujawsko-pomorskie", "wąbrzeski", "Wąbrzeźno", 2): "Ryńsk",
    ("pomorskie", "słupski", "Słupsk", 2): "Redzikowo",
    ("świętokrzyskie", "jędrzejowski", "Słupia (Jędrzejowska)", 2): "Słupia",
    ("świętokrzyskie", "kielecki", "Sitkówka-Nowiny", 2): "Nowiny",
    ("świętokrzyskie", "konecki", "Słupia (Konecka)", 2): "Słupia Konecka",
    ("warmińsko-mazurskie", "nowomiejski", "Nowe Miasto Lubawskie", 2): "Bratian",
    ("zachodniopomorskie", "stargardzki", "Stargard Szczeciński", 1): "Stargard",
    ("zachodniopomorskie", "stargardzki", "Stargard Szczeciński", 2): "Stargard",
}
"""Municipalities renamed by 2026. Source: TERC, states of 2024 and 2026, by county."""

# A village that became a town made its municipality mixed; a town may lose its rights or absorb the villages around it.
# A rural municipality never becomes the town of the same name beside it.
_OTHER_KINDS = {1: (3,), 2: (3,), 3: (2, 1)}


def recognises_places(start: FileStart) -> bool:
    return start.text.startswith(b"[") and json_keys(start) >= {"Id", "Province", "District", "Commune"}


def parse_places(path: Path, units: UnitNames) -> Extract[PlaceRecord]:
    """Parse places in the order of the file, also of renamed municipalities, without as_of. Raises BadInput.

    A place with an unknown municipality or outside Poland is rejected.
    """
    rows: list[PlaceRecord] = []
    rejected: list[Note] = []
    seen: set[str] = set()
    for number, entry in _entries(path):
        identifier, name = entry["Id"], tidy(entry["Name"])
        if identifier in seen:
            raise BadInput(path, f"the Id {identifier!r} is there twice", row=number)
        seen.add(identifier)
        if not name or len(name) > MAX_PLACE_NAME or not (identifier.isascii() and identifier.isalnum()):
            raise BadInput(path, f"the Id {identifier[:20]!r} or the Name {name[:20]!r} cannot be one", row=number)
        kind = PLACE_KINDS.get(entry["Type"])
        if kind is None:
            raise BadInput(path, f"the Type is {entry['Type']!r}; expected {' or '.join(PLACE_KINDS)}", row=number)
        lat, lon = float(entry["Latitude"]), float(entry["Longitude"])
        key = f"prng:{identifier}"
        unit = find_unit(units, entry["Province"], entry["District"], entry["Commune"])
        if unit is None:
            reason = f"no municipality is called {entry['Commune']} in {entry['District']}, {entry['Province']}"
            rejected.append(Note(f"{key} {name}", reason))
        elif not in_poland(lat, lon):
            rejected.append(Note(f"{key} {name}", f"the position is outside Poland: '{lat}, {lon}'"))
        else:
            rows.append(PlaceRecord(key, name, kind, unit, lat=lat, lon=lon))
    if not rows:
        raise BadInput(path, f"no place is left of {len(rejected)}: {rejected[0].reason if rejected else 'empty'}")
    return Extract(rows=tuple(rows), rejected=tuple(rejected))


def find_unit(units: UnitNames, voivodeship: str, county: str, commune: str) -> str | None:
    """Return the code of a municipality by its names in the package, e.g. "Kraków-gmina miejska"; None if unknown."""
    for label, kind in MUNICIPALITY_KINDS.items():
        if commune.endswith(f"-{label}"):
            name = commune.removesuffix(f"-{label}")
            name = RENAMED.get((voivodeship, county, name, kind), name)
            codes = (units.get((voivodeship, county, name, possible)) for possible in (kind, *_OTHER_KINDS[kind]))
            return next(filter(None, codes), None)
    return None


def _entries(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of the array, numbered from 1, each with all fields."""
    document = load_json(path)
    if not isinstance(document, list):
        raise BadInput(path, "is not a JSON array of places")
    for number, entry in enumerate(document, 1):
        if not isinstance(entry, dict):
            raise BadInput(path, "is not an object", row=number)
        missing = [name for name in FIELDS if name not in entry]
        if missing:
            raise BadInput(path, f"lacks {', '.join(missing)}; expected {', '.join(FIELDS)}", row=number)
        for name in TEXTS:
            if not isinstance(entry[name], str):
                raise BadInput(path, f"{name} is {entry[name]!r:.40}, not a text", row=number)
        for name in DEGREES:
            if isinstance(entry[name], bool) or not isinstance(entry[name], int | float):
                raise BadInput(path, f"{name} is {entry[name]!r:.40}, not a number of degrees", row=number)
        yield number, entry


def parse_stored_places(path: Path) -> Extract[PlaceRecord]:
    """Parse a file with the stored units: it has their names instead of codes. One query."""
    municipalities = Municipality.objects.select_related("county", "voivodeship")
    return parse_places(path, {(m.voivodeship.name, m.county.name, m.name, m.kind): m.teryt for m in municipalities})


TERMS = "https://www.geoportal.gov.pl/pl/dane/panstwowy-rejestr-granic-prg/"
PACKAGE = "https://www.npmjs.com/package/polskie-miejscowosci"

gugik_source = partial(DataSource, publisher="Główny Urząd Geodezji i Kartografii", needs=Dataset.Slug.UNITS)
register_source = partial(
    gugik_source, licence="bezpłatne, art. 40a ustawy Prawo geodezyjne i kartograficzne", terms=TERMS
)

BOUNDARIES = register_source(
    id="prg-boundaries",
    order=30,
    dataset=Dataset.Slug.BOUNDARIES,
    title="Państwowy Rejestr Granic, jednostki administracyjne",
    credit="GUGiK, Państwowy Rejestr Granic",
    formats=(
        FileFormat(
            "boundaries",
            boundaries.recognises_shapefile,
            boundaries.parse_shapefile,
            r"00_jednostki.*\.zip|a03_granice_gmin.*\.(shp|zip)",
        ),
        FileFormat(
            "boundaries_geojson",
            boundaries.recognises_geojson,
            boundaries.parse_geojson,
            r"(gminy|a03_granice_gmin).*\.(geojson|json)",
        ),
    ),
    write=sync_boundaries,
    # Others have recorded downloads of 19 and 23 September 2026 (378 MB). The WFS of the same publisher is not used:
    # one file for the country asks less of the server than sixteen queries.
    url="https://opendata.geoportal.gov.pl/prg/granice/00_jednostki_administracyjne.zip",
    file="00_jednostki_administracyjne.zip",
    rhythm_days=90,
    min_rows=2400,
    max_megabytes=1000,
    confirmed=True,
)

RANKS = {
    Postcode.Source.POINTS.value: Rank(2, "kept as the address points have it"),
    Postcode.Source.PRG.value: Rank(1, "kept as the address register has it"),
    Postcode.Source.FILLED.value: Rank(1, "kept as the address register has it"),
}

ADDRESSES = register_source(
    id="prg-addresses",
    order=40,
    dataset=Dataset.Slug.POSTCODES,
    title="Państwowy Rejestr Granic, punkty adresowe",
    credit="GUGiK, punkty adresowe PRG",
    formats=(
        FileFormat("prg_postcodes", recognises_postcodes, parse_postcodes, r"prg_postcodes.*\.(csv|zip)"),
        FileFormat(
            "prg_addresses",
            prg_addresses.recognises,
            prg_addresses.parse,
            r"(.*_)?prg[_-](addresses|punkty_?adresowe|ad).*\.(xml|gml|zip)",
            in_parts=True,
        ),
    ),
    write=sync_postcodes,
    rows=Postcode.objects.filter(source__in=RANKS),
    ranks=RANKS,
    # The page of the register; the addresses of its files were not looked up.
    url=TERMS,
    rhythm_days=365,
)

PLACES = gugik_source(
    id="prng-places",
    order=21,
    dataset=Dataset.Slug.PLACES,
    title="Państwowy Rejestr Nazw Geograficznych (pakiet polskie-miejscowosci)",
    credit="GUGiK, PRNG",
    licence="CC BY 3.0",
    terms=PACKAGE,
    formats=(FileFormat("places_json", recognises_places, parse_stored_places, r"polskie-miejscowosci.*\.(json|zip)"),),
    write=sync_places,
    rows=Place.objects.filter(id__startswith="prng:"),
    starter=(starter.PLACES_CREDIT, starter.PLACES_AS_OF),
    url=PACKAGE,
    rhythm_days=365,
)

SOURCES = (BOUNDARIES, ADDRESSES, PLACES)
