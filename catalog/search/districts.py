"""Postcodes of the districts of large cities, which no register states.

`districts.csv` has the first digits of the postcodes of each district of Warszawa and delegation of Kraków, and of the
parts of the delegations that gave the present districts of Kraków their names. Of the codes with these digits, three
fifths or more have their centre within the outline of the district. Source: centres of the PRG (April 2023); outlines
as the two cities publish them. Łódź, Poznań and Wrocław, which have delegations too, are missing.
"""

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

from catalog.text import fold

FILE = Path(__file__).parent / "districts.csv"


class DistrictPart(NamedTuple):
    """A district, or a part of it. district: its TERC code. place: folded name of the part, "" for the whole."""

    district: str
    place: str


@cache
def postcode_prefixes() -> dict[DistrictPart, tuple[str, ...]]:
    """Return the first digits of the postcodes of each district and part."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            DistrictPart(row["district"], fold(row["place"])): tuple(row["postcodes"].split())
            for row in csv.DictReader(file, delimiter=";")
        }
