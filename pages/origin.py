"""The point that a reader's distances are measured from: `?kod=30-001` or `?p=50.06,19.94`."""

import re
from dataclasses import dataclass, replace
from typing import Self

from catalog.params import LAT_RANGE, LON_RANGE, POSTCODE_FORM, Point
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
    """What a query string asks for. code: a postcode, whose centre is not known yet. point: what is used without it.

    origin: what to measure from. notices: what was ignored and why.
    """

    code: str | None
    point: Origin | None
    notices: tuple[str, ...]
    origin: Origin | None = None

    def located(self, centre: Point | None) -> Self:
        """With what to measure from, given the centre of the postcode, None when nobody knows the code.

        A postcode goes before a point, like in the API.
        """
        if self.code is None:
            return replace(self, origin=self.point)
        if centre is None:
            notice = f"Nie znamy kodu pocztowego {self.code}, więc go pominęliśmy."
            return replace(self, origin=self.point, notices=(*self.notices, notice))
        return replace(self, origin=Origin(centre, f"środka zabudowy z kodem {self.code}"))


def read_origin(query_string: str) -> AskedOrigin:
    """Read the point of a query string.

    Never raises: what cannot be used is ignored with a notice, and an empty value without one.
    """
    given = QueryString(query_string)
    code = given.pattern("kod", "", POSTCODE_FORM)
    pair = given.pattern("p", "", POINT_FORM)
    notices = [MALFORMED[error.parameter] for error in given.errors if error.code != "empty"]
    point = None
    if pair:
        lat, lon = (float(number) for number in pair.split(","))
        if LAT_RANGE[0] <= lat <= LAT_RANGE[1] and LON_RANGE[0] <= lon <= LON_RANGE[1]:
            point = Origin(Point(lat, lon), f"wskazanego punktu ({coordinates(lat, lon)})")
        else:
            notices.append(OUTSIDE)
    return AskedOrigin(normalise_postcode(code) if code else None, point, tuple(notices))
