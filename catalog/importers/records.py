"""What the parsers yield and the importers compare: plain frozen records, without database."""

from dataclasses import dataclass, field
from datetime import date
from typing import Generic, TypeVar

from shapely import Geometry

Row = TypeVar("Row", covariant=True)


class BadInput(Exception):
    """A source cannot be read. Names the file, the row where there is one, and the reason, in one line.

    Reasons quote the source and names may hold anything, so what does not print (line ends, codes that steer a
    terminal) becomes a blank.
    """

    def __init__(self, path: object, reason: str, *, row: int | None = None) -> None:
        reason = " ".join(_printable(reason).split())
        self.path, self.reason, self.row = path, reason, row
        where = _printable(f"{path}, row {row}" if row is not None else f"{path}")
        super().__init__(f"{where}: {reason}")


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


@dataclass(frozen=True, slots=True)
class Note:
    """One row that a report names: which row, and why it was skipped or rejected."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """A unit of the territorial register.

    teryt: 2, 4 or 7 digits for a voivodeship, county or municipality.
    kind: of a municipality 1 (town), 2 (rural), 3 (town and country); of a county or voivodeship 0.
    """

    teryt: str
    name: str
    kind: int = 0


@dataclass(frozen=True, slots=True)
class PlaceRecord:
    """A locality.

    id: source and its identifier, e.g. "simc:0851732".
    unit: the 7 digits the source gives; may be a part (kinds 4, 5) or a district (8, 9) of a municipality.
    kind: Polish name of the kind of locality, e.g. "wieś".
    main: True for a locality in its own right, False for a part of another.
    """

    id: str
    name: str
    kind: str
    unit: str
    main: bool = True
    lat: float | None = None
    lon: float | None = None


@dataclass(frozen=True, slots=True)
class PostcodeRecord:
    """A postcode, merged over the rows of its source.

    code: "30-001". municipalities: (7-digit code or its first six, number of addresses), most addresses first.
    places: names, in the order of the source. lat, lon: centre of the built-up area, WGS84.
    source: "points" (the address register, point by point), "prg" (merged from it by code), "filled" (a gap of the
    register, filled from GeoNames) or "geonames".
    """

    code: str
    municipalities: tuple[tuple[str, int], ...]
    places: tuple[str, ...]
    lat: float
    lon: float
    source: str


@dataclass(frozen=True, slots=True)
class BoundaryRecord:
    """The area of a municipality: polygon or multipolygon in metres on `catalog.plane`."""

    teryt: str
    name: str
    area: Geometry


@dataclass(frozen=True, slots=True)
class DepotRecord:
    """A depot as its source tells it, cleaned: what cannot be trusted is absent and named in `notes`.

    source_id: identifier within the source, e.g. "node/9000000001".
    fuels: slugs of `catalog.fuels`, in its order. hours: see `catalog.reading.hours`; None when unknown.
    opening_hours: the source's own text. review: why an editor should look at it, "" for nothing.
    held: True when it must not be published before an editor has looked (a private person's name).
    kind_name: "" for a depot that its source names. For one without a name what it is, e.g. "Skład opału"; `name` is
    then this and `place`, or this alone where the place is unknown too and the caller has to add the municipality.
    notes: what the source says and was not taken, with the reason.
    """

    source_id: str
    name: str
    lat: float
    lon: float
    street: str = ""
    house_number: str = ""
    postcode: str = ""
    place: str = ""
    nip: str | None = None
    phone: str | None = None
    website: str | None = None
    fuels: tuple[str, ...] = ()
    hours: dict[str, str] | None = None
    opening_hours: str = ""
    location_approximate: bool = False
    review: str = ""
    held: bool = False
    kind_name: str = ""
    notes: tuple[Note, ...] = field(default=(), compare=False)


# Without slots: in Python 3.11 a frozen class with slots cannot be made through `Extract[Row](…)`.
@dataclass(frozen=True)
class Extract(Generic[Row]):
    """A parsed source: its rows, the day they are current to (None when the source does not say), what was left out."""

    rows: tuple[Row, ...]
    as_of: date | None = None
    rejected: tuple[Note, ...] = ()
