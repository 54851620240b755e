"""The origin of distances on pages: `?kod=30-001` or `?p=50.06,19.94`."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Annotated

from catalog.api.params import POSTCODE, Postcode
from catalog.models import SearchEntry
from catalog.territory.coordinates import LAT_RANGE, LON_RANGE, Point
from catalog.territory.snapshot import territory
from fueldepot.http.params import pattern
from fueldepot.http.query import Query, doc
from pages.polish import coordinates

POINT_PATTERN = re.compile(r"(-?[0-9]{1,3}(?:\.[0-9]{1,20})?), ?(-?[0-9]{1,3}(?:\.[0-9]{1,20})?)", re.ASCII)

MALFORMED = {
    "kod": "Kod pocztowy w adresie strony jest zapisany nieprawidłowo, więc go pominęliśmy. Poprawny zapis: 30-001.",
    "p": "Punkt w adresie strony jest zapisany nieprawidłowo, więc go pominęliśmy. Poprawny zapis: 50.0614,19.9366.",
}
PLACE_UNKNOWN = "Nie znamy położenia szukanego miejsca, więc odległości liczymy od {label}."
OUTSIDE = "Punkt w adresie strony leży poza Polską, więc go pominęliśmy."


class PlaceQuery(Query):
    empty_is_absent = True

    kod: Annotated[Postcode | None, doc(POSTCODE)] = None
    p: Annotated[str | None, pattern(POINT_PATTERN), doc("A latitude and a longitude.")] = None


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of distances. label: its description, in the genitive. place: name or postcode, "" for neither."""

    point: Point
    label: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class RequestedPoint:
    """The requested origin, None for none. notices: about ignored parameters and a place without a position."""

    origin: Origin | None
    notices: tuple[str, ...]


def read_origin(query_string: str) -> RequestedPoint:
    """Read the origin of a query string; a postcode takes precedence over a point, as in the API.

    Never raises: an invalid value is ignored with a notice, an empty one silently.
    """
    query, errors = PlaceQuery.read(query_string)
    notices = [MALFORMED[name] for name in errors]
    origin, notice = None, ""
    if query.p:
        lat, lon = (float(number) for number in query.p.split(","))
        if LAT_RANGE[0] <= lat <= LAT_RANGE[1] and LON_RANGE[0] <= lon <= LON_RANGE[1]:
            label, place, notice = describe_point(lat, lon)
            origin = Origin(Point(lat, lon), label, place)
        else:
            notices.append(OUTSIDE)
    if query.kod:
        postcode = territory.get().postcodes.get(query.kod)
        if postcode is None:
            notices.append(f"Nie znamy kodu pocztowego {query.kod}, więc go pominęliśmy.")
        else:
            origin, notice = Origin(postcode.centre, f"środka zabudowy z kodem {query.kod}", query.kod), ""
    return RequestedPoint(origin, (*notices, notice) if notice else tuple(notices))


def describe_point(lat: float, lon: float) -> tuple[str, str, str]:
    """Return a description of a point in the genitive, the name of its place, and a notice if that may be elsewhere.

    Name and notice are "" for none.

    Suggestions of localities link to pages with the position of the locality or, if unknown, with that of its postcode
    or municipality; the description names the one used. A postcode's centre that several localities share is that of
    one of them at most.
    """
    index = territory.get().search.index
    at = index.at_point(lat, lon)
    localities = [number for number in at if index.kind(number) == SearchEntry.Kind.LOCALITY]
    sources = Counter(index.position(number) for number in localities)
    named = {index.labels[number] for number in localities if index.position(number) == SearchEntry.Position.PLACE}
    if len(named) == 1:
        (name,) = named
        return f"miejscowości {name}", name, ""
    kinds = {index.kind(number): number for number in reversed(at)}
    if not named and SearchEntry.Kind.MUNICIPALITY in kinds and sources.keys() != {SearchEntry.Position.POSTCODE}:
        label = f"środka gminy {index.labels[kinds[SearchEntry.Kind.MUNICIPALITY]]}"
        return label, "", PLACE_UNKNOWN.format(label=label)
    if not named and SearchEntry.Kind.POSTCODE in kinds:
        code = index.fold(kinds[SearchEntry.Kind.POSTCODE])
        label = f"środka zabudowy z kodem {code[:2]}-{code[2:]}"
        return label, "", PLACE_UNKNOWN.format(label=label) if sources[SearchEntry.Position.POSTCODE] > 1 else ""
    return f"wskazanego punktu ({coordinates(lat, lon)})", "", ""
