"""Records of the parsers, single values, and what imports share: options, differences, reports. Plain Python.

An import parses its source, compares it with the database, and only then writes, in one transaction. Keys are those of
the register (TERYT, postcode, id of the source), so importing again changes nothing.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Generic, TypeVar

from shapely import Geometry

from fueldepot.data.yaml_reader import printable

Row = TypeVar("Row", covariant=True)


class BadInput(Exception):
    """A source cannot be read: file, row if any, and reason on one line, in printable characters."""

    def __init__(self, path: object, reason: str, *, row: int | None = None) -> None:
        reason = " ".join(printable(reason).split())
        self.path, self.reason, self.row = path, reason, row
        where = printable(f"{path}, row {row}" if row is not None else f"{path}")
        super().__init__(f"{where}: {reason}")


class DownloadFailed(BadInput):
    """A source could not be fetched; stored data are unchanged. States address, cause and remedy."""


@dataclass(frozen=True, slots=True)
class Note:
    """key: of the row in its source, with further words that help to find it."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """teryt: 2, 4 or 7 digits. kind: of a municipality 1 (town), 2 (rural) or 3 (mixed); 0 of larger units."""

    teryt: str
    name: str
    kind: int = 0


@dataclass(frozen=True, slots=True)
class PlaceRecord:
    """id: source and its id, e.g. "simc:0851732". kind: in Polish, e.g. "wieś". main: not a part of another.

    unit: 7 digits of the source, perhaps of a part (4, 5) or a district (8, 9) of a municipality. district: its code,
    "" for none; set when the unit is resolved.
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
    """A postcode, "30-001". municipalities: code of 7 digits or its first six, with the number of addresses.

    Most addresses first; places in the order of the source. source: "points" (address points), "prg" (merged by code
    elsewhere), "filled" (a gap filled from GeoNames) or "geonames".
    """

    code: str
    municipalities: tuple[tuple[str, int], ...]
    places: tuple[str, ...]
    lat: float
    lon: float
    source: str

    @staticmethod
    def most_first(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        return tuple(sorted(counts.items(), key=lambda share: (-share[1], share[0])))


@dataclass(frozen=True, slots=True)
class BoundaryRecord:
    """The area of a municipality: polygon or multipolygon in metres on `catalog.territory.coordinates`."""

    teryt: str
    name: str
    area: Geometry


@dataclass(frozen=True, slots=True)
class DepotRecord:
    """A depot of a source, cleaned: unreliable values are absent and listed in `notes`. Texts may exceed their columns.

    source_id: e.g. "node/9000000001". denied_fuels: stated as not sold. hours: see `catalog.parsing.opening_hours`.
    review: reason for a review, "" for none. held: not to be published before it (a private person's name). kind_name:
    of a depot without a name its kind; `name` is then kind and `place`, or the kind alone, to which the caller adds the
    municipality.
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
    phone: str = ""
    website: str = ""
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
    """A parsed source. as_of: None if not stated. rejected: skipped rows too. remarks: on the source as a whole."""

    rows: tuple[Row, ...]
    as_of: date | None = None
    rejected: tuple[Note, ...] = ()
    remarks: tuple[str, ...] = ()


MAX_PLACE_NAME = 120

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"-?[0-9]{1,4}(\.[0-9]{1,20})?")


@lru_cache(maxsize=100)  # registers repeat a few days in a hundred thousand rows
def parse_day(text: str) -> date:
    """Parse a day YYYY-MM-DD. Raises ValueError for anything else."""
    if _DAY.fullmatch(text) is None:
        raise ValueError(f"{text[:20]!r} is not a day; expected YYYY-MM-DD")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the calendar") from None


def parse_degrees(text: str) -> float:
    """Parse degrees with a decimal point, e.g. "51.3504". Raises ValueError for exponents, infinities and the like."""
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"{text[:20]!r} is not a number of degrees; expected e.g. 51.3504")
    return float(text)


def tidy(text: str) -> str:
    """Normalise text to one line: NFC, single blanks, no control or format characters, which make equal what is not."""
    kept = []
    for character in unicodedata.normalize("NFC", text):
        category = unicodedata.category(character)
        if character.isspace() or category == "Cc":
            kept.append(" ")
        elif category[0] != "C":
            kept.append(character)
    return " ".join("".join(kept).split())


def cut(text: str, limit: int) -> str:
    """Cut text at the last whole word with "…", to at most `limit` characters."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    whole_words = head.rsplit(" ", 1)[0]
    # A single long word is cut inside.
    return (whole_words if len(whole_words) >= limit // 2 else head).rstrip() + "…"


R = TypeVar("R")


class ImportRunning(Exception):
    """Another process imports, or fetches the same source."""


class ImportRefused(Exception):
    """The source is readable but must not be imported; the message gives cause and remedy."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of an import. today: day of the changes. write: False only compares."""

    today: date
    write: bool
    allow_removals: bool = False
    allow_older: bool = False
    progress: Callable[[Iterable[Any], str], Iterable[Any]] = lambda rows, _label: rows


@dataclass(frozen=True, slots=True)
class Diff(Generic[R]):
    """Differences by key; changed rows are (stored, incoming) pairs. stored: number of stored rows."""

    stored: int
    added: dict[str, R]
    changed: dict[str, tuple[R, R]]
    removed: dict[str, R]


@dataclass(slots=True)
class Report:
    """Result of an import, or of a comparison. lines: one per notable change. rejected: unusable rows.

    skipped: rows left alone because of a person or a better source. notes: unused values of used rows.
    beside: how many of the changed are no rows of the source but data about them. passed_over: whether its file was
    left out as older than what is stored.
    """

    title: str
    as_of: date | None = None
    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    lines: list[str] = field(default_factory=list)
    skipped: list[Note] = field(default_factory=list)
    rejected: list[Note] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    beside: int = 0
    passed_over: bool = False

    @property
    def rows(self) -> int:
        """Number of rows of the source in the catalog after the import."""
        return self.added + self.changed + self.unchanged - self.beside

    @property
    def changes(self) -> int:
        return self.added + self.changed + self.removed


def compare(stored: Mapping[str, R], incoming: Mapping[str, R], rejected: Iterable[Note] = ()) -> Diff[R]:
    """Compare rows by key. rejected: rows of the source that still exist, so what is stored of them stays."""
    present = {*incoming, *(word for note in rejected for word in note.key.split())}
    return Diff(
        stored=len(stored),
        added={key: row for key, row in incoming.items() if key not in stored},
        changed={key: (stored[key], row) for key, row in incoming.items() if key in stored and stored[key] != row},
        removed={key: row for key, row in stored.items() if key not in present},
    )
