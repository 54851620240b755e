"""Searches over the publishers' files, the starter data or a few names, without a database."""

import numpy as np
import pytest

from catalog import starter
from catalog.importers.records import PlaceRecord, PostcodeRecord, UnitRecord
from catalog.importers.sources import gugik, teryt
from catalog.importers.sync_places import district_of
from catalog.models import County, Municipality, Voivodeship
from catalog.search.engine import Search
from catalog.search.entries import DECIMALS, PlaceRegister, PlaceRow, PostcodeRow, iter_entries
from catalog.search.index import POSITIONS, UNKNOWN, Columns, SearchIndex
from catalog.territory.boundaries import BoundaryIndex
from catalog.text import is_city_with_county_rights, slug
from tests import SHARED

HERE = pytest.mark.skipif(not (SHARED / "data").is_dir(), reason="needs the publishers' files")
PUBLISHED = pytest.param("published", marks=[pytest.mark.full_scale, HERE])
"""The register of the publishers' files, beside that of the starter data."""

UNITS = {"12": "małopolskie", "1205": "gorlicki", "1211": "nowotarski", "1217": "tatrzański"}
ROPA, SEKOWA, NOWY_TARG, ZAKOPANE = "1205082", "1205092", "1211011", "1217011"
PLACES = UNITS | {ROPA: "Ropa", SEKOWA: "Sękowa", NOWY_TARG: "Nowy Targ", ZAKOPANE: "Zakopane"}
"""A small register, to which tests add villages."""


def starter_register():
    return make_register(starter.read_units(), starter.read_places(), starter.read_postcodes())


def register_of(origin):
    """The starter data, or TERC, SIMC and the postcodes of the address register."""
    if origin == "starter":
        return starter_register()
    files = ("TERC_*.csv", teryt.parse_units), ("SIMC_*.zip", teryt.parse_places), ("prg_*.csv", gugik.parse_postcodes)
    return make_register(*(parse(next((SHARED / "data").glob(name))).rows for name, parse in files))


def make_register(units, places, postcodes):
    """Make a register of records as the importers do, apart from codes that have left it."""
    voivodeships, counties, municipalities = {}, {}, {}
    for unit in sorted(units, key=lambda unit: (len(unit.teryt), unit.teryt)):
        code, name = unit.teryt, unit.name
        if len(code) == 2:
            voivodeships[code] = Voivodeship(code, name, slug(name))
        elif len(code) == 4:
            counties[code] = County(teryt=code, name=name, voivodeship=voivodeships[code[:2]])
        else:
            above = {"county": counties[code[:4]], "voivodeship": voivodeships[code[:2]]}
            municipalities[code] = Municipality(teryt=code, name=name, kind=unit.kind, slug=slug(name), **above)
    by_number = {code[:6]: code for code in municipalities}

    def current(code):
        return by_number.get(code[:6]) or (by_number.get(f"{code[:4]}01") if is_city_with_county_rights(code) else None)

    found = [
        PlaceRow(place.name, place.kind, place.main, code, place.lat, place.lon, district_of(place.unit))
        for place in places
        if (code := current(place.unit))
    ]
    codes = []
    for row in postcodes:
        shares = [(code, addresses) for unit, addresses in row.municipalities if (code := current(unit))]
        shares.sort(key=lambda share: (-share[1], share[0][6], share[0]))
        if shares:
            codes.append(PostcodeRow(row.code, tuple(row.places), row.lat, row.lon, tuple(shares)))
    return PlaceRegister(municipalities, found, codes, BoundaryIndex([], np.empty(0, object), []))


def search_of(register):
    index = SearchIndex(columns_of(iter_entries(register)), register.municipalities)
    codes = {row.code.replace("-", ""): [code for code, _ in row.municipalities] for row in register.postcodes}
    return Search(index, codes)


def columns_of(entries):
    """Make the columns of entries as the database does, most important first."""
    rows, numbers = list(entries), {}
    described = [numbers.setdefault(row.description, len(numbers)) for row in rows]
    scale = 10**DECIMALS
    return Columns(
        folds="\n".join(row.fold for row in rows),
        labels="\n".join(row.label for row in rows),
        kinds="".join(row.kind[0] for row in rows),
        teryts="".join(row.municipality for row in rows),
        descriptions="\n".join(numbers),
        positions="".join(str(POSITIONS.index(row.position.source if row.position else "")) for row in rows),
        numbers=np.array(described, np.int32),
        lats=np.array([round(row.position.lat * scale) if row.position else UNKNOWN for row in rows], np.int32),
        lons=np.array([round(row.position.lon * scale) if row.position else UNKNOWN for row in rows], np.int32),
    )


def make_search(units, *villages, kind="wieś", postcodes=None):
    """Build a search. units: names by TERYT, with those above them.

    villages: names with their municipalities, and perhaps latitude and longitude; kind: of all.

    postcodes: municipalities by code, main one first. Without postcodes, municipalities come by voivodeship and name,
    villages by the codes of their municipalities and by name.
    """
    records = [UnitRecord(code, name, int(code[6:] or 0)) for code, name in units.items()]
    places = [PlaceRecord(f"simc:{n}", name, kind, unit, True, *at) for n, (name, unit, *at) in enumerate(villages)]
    codes = []
    for code, municipalities in (postcodes or {}).items():
        shares = tuple((unit, 9 - n) for n, unit in enumerate(municipalities))
        codes.append(PostcodeRecord(code, shares, (units[municipalities[0]],), 50.0, 20.0, "points"))
    return search_of(make_register(records, places, codes))


def found(search, text):
    return [search.index.labels[number] for number in search.find(text).numbers]


def units_found(search, text):
    return [search.index.teryt(number) for number in search.find(text).numbers]
