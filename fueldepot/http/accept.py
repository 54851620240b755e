"""Parsing of headers of negotiation: Accept and Accept-Encoding. RFC 9110, sections 12.5.1 and 12.5.3."""


def parse_accept(accept: str) -> dict[str, float]:
    """Return the weight, 0 to 1, of each media type or coding in lower case; of repeated ones the highest."""
    wanted: dict[str, float] = {}
    for entry in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in entry.split(";"))
        wanted[kind] = max(wanted.get(kind, 0.0), _weight(parameters))
    return wanted


def _weight(parameters: list[str]) -> float:
    """Return the weight of an entry: 1 by default, 0 if invalid."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            digits = value.strip()
            plain = digits.isascii() and digits.replace(".", "", 1).isdecimal()
            return min(float(digits), 1.0) if plain else 0.0
    return 1.0
