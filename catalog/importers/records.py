"""Records of the parsers, compared by importers: frozen dataclasses without database access."""

from dataclasses import dataclass, field
from datetime import date
from typing import Generic, TypeVar

from shapely import Geometry

Row = TypeVar("Row", covariant=True)


class BadInput(Exception):
    """A source cannot be read. States file, row if any, and reason on one line.

    Reasons quote untrusted text, so unprintable characters (line ends, terminal escapes) become blanks.
    """

    def __init__(self, path: object, reason: str, *, row: int | None = None) -> None:
        reason = " ".join(_printable(reason).split())
        self.path, self.reason, self.row = path, reason, row
        where = _printable(f"{path}, row {row}" if row is not None else f"{path}")
        super().__init__(f"{where}: {reason}")


class DownloadFailed(BadInput):
    """A source could not be fetched; stored data are unchanged. States address, cause and remedy."""


class DownloadBusy(DownloadFailed):
    """Another process fetches the same source."""


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


@dataclass(frozen=True, slots=True)
class Note:
    """A row of a report with the reason why it was skipped or rejected."""

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

    id: source and its id, e.g. "simc:0851732".
    unit: the 7 digits of the source; may be a part (kinds 4, 5) or a district (8, 9) of a municipality.
    kind: Polish name of the kind of locality, e.g. "wieś".
    main: whether it is independent, not a part of another.
    district: code of the district that it is or lies in, "" for none; set when the unit is resolved.
    """

    id: str
    name: str
    kind: str
    unit: str
    main: bool = True
    lat: float | None = None
    lon: float | None = None
    district: str = ""


@dataclass(frozen=True, slots=True)
class PostcodeRecord:
    """A postcode, merged over the rows of its source.

    code: "30-001". municipalities: (7-digit code or its first six, number of addresses), most addresses first. places:
    names, in the order of the source. lat, lon: centre of the built-up area, WGS84.

    source: "points" (address points), "prg" (address points merged by code elsewhere), "filled" (a gap of the register,
    filled from GeoNames) or "geonames".
    """

    code: str
    municipalities: tuple[tuple[str, int], ...]
    places: tuple[str, ...]
    lat: float
    lon: float
    source: str


@dataclass(frozen=True, slots=True)
class BoundaryRecord:
    """The area of a municipality: polygon or multipolygon in metres on `catalog.territory.coordinates`."""

    teryt: str
    name: str
    area: Geometry


@dataclass(frozen=True, slots=True)
class DepotRecord:
    """A depot of a source, cleaned: unreliable values are absent and listed in `notes`. Texts may exceed their columns.

    source_id: id within the source, e.g. "node/9000000001".
    fuels: slugs of `catalog.depots.fuels`, in its order. denied_fuels: stated as not sold.
    hours: see `catalog.parsing.opening_hours`; None if unknown.
    opening_hours: text of the source. review: reason for a review by an editor, "" for none.
    held: whether it must not be published before a review (a private person's name).
    kind_name: "" for a named depot. For one without a name its kind, e.g. "Skład opału"; `name` is then kind and
    `place`, or the kind alone if the place is unknown and the caller has to add the municipality.
    notes: values that were not used, with the reason.
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
    denied_fuels: tuple[str, ...] = ()
    hours: dict[str, str] | None = None
    opening_hours: str = ""
    location_approximate: bool = False
    review: str = ""
    held: bool = False
    kind_name: str = ""
    notes: tuple[Note, ...] = field(default=(), compare=False)


# No slots: in Python 3.11 a frozen generic class with slots cannot be created by `Extract[Row](…)`.
@dataclass(frozen=True)
class Extract(Generic[Row]):
    """A parsed source: rows, day they are current to (None if not stated), skipped and rejected rows.

    remarks: properties of the source as a whole, for the report.
    """

    rows: tuple[Row, ...]
    as_of: date | None = None
    rejected: tuple[Note, ...] = ()
    remarks: tuple[str, ...] = ()
