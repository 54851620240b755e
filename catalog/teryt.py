"""What can be read off a TERYT code by itself."""

FIRST_CITY_COUNTY = "61"
"""Counties from this number on are cities with the rights of a county. Source: GUS, numbering of TERC."""


def is_city_county(code: str) -> bool:
    """Whether a code of four or more digits lies in a city with the rights of a county."""
    return code[2:4] >= FIRST_CITY_COUNTY
