"""What an Accept header asks for. RFC 9110, section 12.5.1."""


def weights(accept: str) -> dict[str, float]:
    """Each kind that the header names, in small letters, with its weight from 0 to 1 (the highest of several)."""
    wanted: dict[str, float] = {}
    for entry in accept.split(","):
        kind, *parameters = (part.strip().lower() for part in entry.split(";"))
        wanted[kind] = max(wanted.get(kind, 0.0), _weight(parameters))
    return wanted


def _weight(parameters: list[str]) -> float:
    """The weight of an entry: 1 without one, 0 for one that cannot be read."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            digits = value.strip()
            plain = digits.isascii() and digits.replace(".", "", 1).isdecimal()
            return min(float(digits), 1.0) if plain else 0.0
    return 1.0
