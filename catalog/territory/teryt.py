"""Structure of TERYT codes."""

from collections import defaultdict
from collections.abc import Iterable

FIRST_CITY_COUNTY = "61"
"""Counties from this number on are cities with county rights. Source: GUS, numbering of TERC."""


def is_city_with_county_rights(code: str) -> bool:
    """Whether a code of four or more digits lies in a city with county rights."""
    return code[2:4] >= FIRST_CITY_COUNTY


def whole_of(code: str) -> str | None:
    """Return the code of the municipality that contains a part; None for a code of another kind.

    The seventh digit is the kind: 4 the town and 5 the rural area of a mixed municipality (3), 8 a district of Warszawa
    and 9 a delegation of a city with county rights, whose only municipality is 01 of kind 1. Source: GUS, TERC.
    """
    if len(code) != 7:
        return None
    if code[6] in "45":
        return f"{code[:6]}3"
    return f"{code[:4]}011" if code[6] in "89" and is_city_with_county_rights(code) else None


def group_by_unit(municipalities: Iterable[str]) -> dict[str, list[str]]:
    """Return codes of municipalities by the codes of all units that contain them: of 2, 4 and 7 digits."""
    units: dict[str, list[str]] = defaultdict(list)
    for teryt in municipalities:
        for unit in (teryt[:2], teryt[:4], teryt):
            units[unit].append(teryt)
    return dict(units)
