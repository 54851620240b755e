"""Present municipalities of the places of the package. Used by `catalog.starter.build` only.

The place register names municipalities by voivodeship, county, name and kind, in a state some years old. Later changes
that do not follow from the units themselves are listed here, with their legal act if known; new names in
`catalog.importers.parsers.prng`, which reads the same package.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from catalog.importers.parsers.prng import RENAMED
from catalog.importers.records import PlaceRecord, UnitRecord

MOVED = {
    # voivodeship, county, municipality in the place register -> place -> code today
    ("podlaskie", "białostocki", "Supraśl"): dict.fromkeys(
        # Journal of Laws 2024 item 1454: the municipality Grabówka from 1 January 2025.
        ("Grabówka", "Henrykowo", "Sobolewo", "Sowlany", "Zaścianki"),
        "2002162",
    ),
    # The municipality Szczawa from 1 January 2025: the village, without small parts of two others.
    ("małopolskie", "limanowski", "Kamienica"): {"Szczawa": "1207132"},
    # Incorporated into Rzeszów on 1 January 2021.
    ("podkarpackie", "rzeszowski", "Głogów Małopolski"): {"Pogwizdów Nowy": "1863011"},
    # Journal of Laws 2018 item 1527: Ostrowice divided between Drawsko Pomorskie and Złocieniec on 1 January 2019.
    ("zachodniopomorskie", "drawski", "Ostrowice"): {
        **dict.fromkeys(("Borne", "Dołgie", "Donatowo", "Grzybno", "Jelenino", "Ostrowice", "Przytoń"), "3203023"),
        **dict.fromkeys(
            (
                "Chlebowo",
                "Cieminko",
                "Gronowo",
                "Nowe Worowo",
                "Płocie",
                "Siecino",
                "Smołdzęcino",
                "Szczycienko",
                "Śmidzięcino",
            ),
            "3203063",
        ),
    },
}


@dataclass(frozen=True, slots=True)
class RawPlace:
    """A row of the place register. municipality: its name; kind: 1 town, 2 rural, 3 town and country."""

    id: str
    name: str
    town: bool
    voivodeship: str
    county: str
    municipality: str
    kind: int
    lat: float
    lon: float


def match_places(units: Iterable[UnitRecord], rows: Iterable[RawPlace]) -> tuple[list[PlaceRecord], Counter[str]]:
    """Match places with present municipalities.

    Returns the places by number, and the municipalities of the register that were not found with their numbers of
    places, which are omitted. A place that named a municipality changed from rural (2) to mixed (3) since is a town.
    """
    names = {unit.teryt: unit.name for unit in units}
    by_key: dict[tuple[str, str, str], dict[int, str]] = defaultdict(dict)
    for teryt, name in names.items():
        if len(teryt) == 7:
            by_key[names[teryt[:2]], names[teryt[:4]], name][int(teryt[6])] = teryt
    rows = sorted(map(_renamed, rows), key=lambda row: int(row.id))
    # A changed kind is assumed only if no other municipality of the same name claims the code.
    exact = {
        code
        for row in rows
        if (code := by_key[row.voivodeship, row.county, row.municipality].get(row.kind)) is not None
    }
    found: list[PlaceRecord] = []
    missing: Counter[str] = Counter()
    for row in rows:
        key = (row.voivodeship, row.county, row.municipality)
        candidates = by_key[key]
        changed = [code for kind, code in sorted(candidates.items()) if code not in exact]
        code = MOVED.get(key, {}).get(row.name) or candidates.get(row.kind)
        if code is None and len(changed) == 1:
            code = changed[0]
        if code is None or code not in names:
            missing["/".join((*key, str(row.kind)))] += 1
            continue
        town = row.town or (row.kind == 2 and code[6] == "3" and row.name == names[code])
        kind = "miasto" if town else "wieś"
        found.append(PlaceRecord(f"prng:{row.id}", row.name, kind, code, lat=row.lat, lon=row.lon))
    return found, missing


def _renamed(row: RawPlace) -> RawPlace:
    name = RENAMED.get((row.voivodeship, row.county, row.municipality, row.kind), row.municipality)
    return replace(row, municipality=name)


def place_key(name: str) -> str:
    """Fold a place name for comparison: lower case, without additions in brackets, abbreviated as in the register."""
    name = re.sub(r"\s*\(.*?\)", "", name.casefold())
    name = re.sub(r"\bn/\s*", "nad ", name)
    name = re.sub(r"\bk[./]\s*", "k. ", name)
    return " ".join(name.split())


def format_name(name: str) -> str:
    """Format a place name of the postcodes: small words lower case, no additions in brackets."""
    name = re.sub(r"\s*\(.*?\)", "", name)
    name = re.sub(r"\bN/\s*", "nad ", name)
    name = re.sub(r"\bK[./]\s*", "k. ", name)
    name = re.sub(r"(?<= )(Nad|Pod|Przy|W|Na|Koło|We|Ku|I|Do|Za|Od)(?= )", lambda word: word[0].lower(), name)
    return " ".join(name.split())
