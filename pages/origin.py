"""The point that a reader's distances are measured from: `?kod=30-001` or `?p=50.06,19.94`."""

import re
from dataclasses import dataclass

from catalog.params import LAT_RANGE, LON_RANGE, POSTCODE_FORM, Point
from catalog.queries import UnknownPostcode, get_postcode_centre
from catalog.query_string import QueryString
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
class AskedOrigin:
    """origin: None when none was given, or none that can be used. notices: what was ignored and why."""

    origin: Origin | None
    notices: tuple[str, ...]


def find_origin(query_string: str) -> AskedOrigin:
    """Read the point of a query string; a postcode goes before a point, like in the API. One query for a postcode.

    Never raises: what cannot be used is ignored with a notice, and an empty value without one.
    """
    given = QueryString(query_string)
    code = given.pattern("kod", "", POSTCODE_FORM)
    pair = given.pattern("p", "", POINT_FORM)
    notices = [MALFORMED[error.parameter] for error in given.errors if error.code != "empty"]
    origin = None
    if code:
        origin = _of_postcode(normalise_postcode(code), notices)
    if pair and origin is None:
        origin = _of_point(pair, notices)
    return AskedOrigin(origin, tuple(notices))


def _of_postcode(code: str, notices: list[str]) -> Origin | None:
    try:
        return Origin(get_postcode_centre(code), f"środka zabudowy z kodem {code}")
    except UnknownPostcode:
        notices.append(f"Nie znamy kodu pocztowego {code}, więc go pominęliśmy.")
        return None


def _of_point(pair: str, notices: list[str]) -> Origin | None:
    lat, lon = (float(number) for number in pair.split(","))
    if not (LAT_RANGE[0] <= lat <= LAT_RANGE[1] and LON_RANGE[0] <= lon <= LON_RANGE[1]):
        notices.append(OUTSIDE)
        return None
    return Origin(Point(lat, lon), f"wskazanego punktu ({coordinates(lat, lon)})")
