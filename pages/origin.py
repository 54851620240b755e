"""The point that a reader's distances are measured from: `?kod=30-001` or `?p=50.06,19.94`."""

import re
from dataclasses import dataclass

from catalog.params import LAT_RANGE, LON_RANGE, POSTCODE_FORM, Point
from catalog.query_string import QueryString
from catalog.territory.snapshot import territory
from catalog.text import normalise_postcode
from pages.polish import coordinates

POINT_FORM = re.compile(r"(-?[0-9]{1,3}(?:\.[0-9]{1,20})?), ?(-?[0-9]{1,3}(?:\.[0-9]{1,20})?)", re.ASCII)

MALFORMED = {
    "kod": "Kod pocztowy w adresie strony jest zapisany nieprawidłowo, więc go pominęliśmy. Poprawny zapis: 30-001.",
    "p": "Punkt w adresie strony jest zapisany nieprawidłowo, więc go pominęliśmy. Poprawny zapis: 50.0614,19.9366.",
}
OUTSIDE = "Punkt w adresie strony leży poza Polską, więc go pominęliśmy."


@dataclass(frozen=True, slots=True)
class Origin:
    """label: what the distances are measured from, in the genitive."""

    point: Point
    label: str


@dataclass(frozen=True, slots=True)
class RequestedPoint:
    """What a query string asks to measure from. origin: None for nothing. notices: what was ignored and why."""

    origin: Origin | None
    notices: tuple[str, ...]


def read_origin(query_string: str) -> RequestedPoint:
    """Read the point of a query string; a postcode goes before a point, like in the API.

    Never raises: what cannot be used is ignored with a notice, and an empty value without one.
    """
    given = QueryString(query_string)
    code = given.pattern("kod", "", POSTCODE_FORM)
    pair = given.pattern("p", "", POINT_FORM)
    notices = [MALFORMED[error.parameter] for error in given.errors if error.code != "empty"]
    origin = None
    if pair:
        lat, lon = (float(number) for number in pair.split(","))
        if LAT_RANGE[0] <= lat <= LAT_RANGE[1] and LON_RANGE[0] <= lon <= LON_RANGE[1]:
            origin = Origin(Point(lat, lon), f"wskazanego punktu ({coordinates(lat, lon)})")
        else:
            notices.append(OUTSIDE)
    if code:
        code = normalise_postcode(code)
        known = territory.get().postcodes.get(code)
        if known is None:
            notices.append(f"Nie znamy kodu pocztowego {code}, więc go pominęliśmy.")
        else:
            origin = Origin(known.centre, f"środka zabudowy z kodem {code}")
    return RequestedPoint(origin, tuple(notices))
