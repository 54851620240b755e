"""Towns and villages of the PRNG of GUGiK, by the npm package that the starter data were taken from.

A JSON array of objects: Id, Name, Type (city or village), Province, District, Commune ("Kraków-gmina miejska"),
Latitude, Longitude (WGS84 degrees). Municipalities are given by names of 2021 only, so they are found by the names of
the stored ones.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from catalog import starter
from catalog.importers.parsers.files import FileStart, json_keys, load_json
from catalog.importers.records import MAX_PLACE_NAME, BadInput, Extract, Note, PlaceRecord, tidy
from catalog.importers.sources import DataSource, FileFormat
from catalog.importers.sync_places import sync_places
from catalog.models import Dataset, Municipality, Place
from catalog.territory.coordinates import in_poland

UnitNames = Mapping[tuple[str, str, str, int], str]
"""(voivodeship, county, municipality, kind 1 to 3) → code of seven digits. Names as in TERC, voivodeships lower case.
"""

TEXTS = ("Id", "Name", "Type", "Province", "District", "Commune")
DEGREES = ("Latitude", "Longitude")
FIELDS = TEXTS + DEGREES

KINDS = {"city": "miasto", "village": "wieś"}

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


def recognises(start: FileStart) -> bool:
    return start.text.startswith(b"[") and json_keys(start) >= {"Id", "Province", "District", "Commune"}


def parse(path: Path, units: UnitNames) -> Extract[PlaceRecord]:
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
        kind = KINDS.get(entry["Type"])
        if kind is None:
            raise BadInput(path, f"the Type is {entry['Type']!r}; expected {' or '.join(KINDS)}", row=number)
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


PACKAGE = "https://www.npmjs.com/package/polskie-miejscowosci"


def parse_stored(path: Path) -> Extract[PlaceRecord]:
    """Parse a file with the stored units: it has their names instead of codes. One query."""
    municipalities = Municipality.objects.select_related("county", "voivodeship")
    return parse(path, {(m.voivodeship.name, m.county.name, m.name, m.kind): m.teryt for m in municipalities})


SOURCES = (
    DataSource(
        id="prng-places",
        order=21,
        dataset=Dataset.Slug.PLACES,
        title="Państwowy Rejestr Nazw Geograficznych (pakiet polskie-miejscowosci)",
        publisher="Główny Urząd Geodezji i Kartografii",
        credit="GUGiK, PRNG",
        licence="CC BY 3.0",
        terms=PACKAGE,
        formats=(FileFormat("places_json", recognises, parse_stored, r"polskie-miejscowosci.*\.(json|zip)"),),
        write=sync_places,
        needs=Dataset.Slug.UNITS,
        rows=Place.objects.filter(id__startswith="prng:"),
        starter=(starter.PLACES_CREDIT, starter.PLACES_AS_OF),
        url=PACKAGE,
        rhythm_days=365,
        min_rows=40000,
        confirmed=True,
    ),
)
