"""Searches over hand-made registers of a few names, without a database."""

from typing import Any

from catalog.importers.records import PlaceRecord, PostcodeRecord, UnitRecord
from catalog.search.engine import Search
from tests.catalog.search.country import make_register, search_of


def make_search(
    units: dict[str, str], *villages: tuple[Any, ...], postcodes: dict[str, tuple[str, ...]] | None = None
) -> Search:
    """Build a search. units: names by TERYT, with those above them.

    villages: names with their municipalities, and perhaps latitude and longitude.

    postcodes: municipalities by code, main one first. Without postcodes, municipalities come by voivodeship and name,
    villages by the codes of their municipalities and by name.
    """
    codes = [
        (code, tuple((unit, 9 - n) for n, unit in enumerate(shares)), (units[shares[0]],), 50.0, 20.0, "points")
        for code, shares in (postcodes or {}).items()
    ]
    register = make_register(
        [
            UnitRecord(code, units[code], int(code[6:] or 0))
            for code in sorted(units, key=lambda code: (len(code), code))
        ],
        [PlaceRecord(f"simc:{n}", name, "wieś", unit, True, *point) for n, (name, unit, *point) in enumerate(villages)],
        [PostcodeRecord(*row) for row in codes],
    )
    return search_of(register)


def found(search: Search, text: str) -> list[str]:
    return [search.index.labels[number] for number in search.find(text, 8).numbers]


def units_found(search: Search, text: str) -> list[str]:
    return [search.index.teryt(number) for number in search.find(text, 8).numbers]
