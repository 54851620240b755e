"""Postcodes from the address points of the PRG: GML of either official model, plain or many in a zip.

Addresses are summed per postcode in cells of 500 m. The centre is the medoid of the cells: of two villages it is in the
larger, not in the field between them. Memory grows with postcodes and localities, and by sixteen bytes per address: its
position, and a number to detect duplicates.
"""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path, PurePosixPath
from sys import intern

import numpy as np
import pyproj
from numpy.typing import NDArray

from catalog.importers.parsers.files import FileStart, OpenFile, is_zip, members, open_member, open_source, open_zip
from catalog.importers.parsers.xml_registers import Feature, object_id, read_features
from catalog.importers.records import MAX_PLACE_NAME, BadInput, Extract, Note, PostcodeRecord, parse_day, tidy
from catalog.territory.coordinates import medoid
from catalog.text import normalise_postcode

CELL_CM = 50_000
"""Side of a cell. Coordinates are whole centimetres, so that sums do not depend on the order of the file."""

Points = NDArray[np.int32]
"""Eastings and northings in centimetres, an array of shape (n, 2)."""


def cells_of(points: Points) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.intp]]:
    """Return the mean of the points in each cell, in centimetres, their number, and the cell of each point."""
    cells, cell_of, counts = np.unique(points // CELL_CM, axis=0, return_inverse=True, return_counts=True)
    sums = np.zeros((len(cells), 2), np.int64)
    np.add.at(sums, cell_of, points)
    return sums / counts[:, None], counts, cell_of


def centre(points: Points) -> tuple[float, float]:
    """Return easting and northing, in metres, of the centre of points."""
    means, counts, _ = cells_of(points)
    east, north = means[medoid(means, counts)] / 100
    return float(east), float(north)


def within(points: Points, boxes: NDArray[np.float64]) -> Points:
    """Return the points in cells whose mean lies in one of some boxes (W, S, E, N in metres)."""
    means, _, cell_of = cells_of(points)
    means, boxes = means / 100, boxes[:, None, :]
    inside: NDArray[np.bool_] = np.all((means >= boxes[..., :2]) & (means <= boxes[..., 2:]), axis=2)
    return points[np.asarray(inside.any(axis=0))[cell_of]]


MAX_BYTES = 64 << 30
"""Maximum size, unpacked, in bytes. All addresses in the model of 2012 have about 26 GB."""

SUFFIXES = (".xml", ".gml")

NAMESPACES = (b"urn:gugik:specyfikacje:gmlas:panstwowyRejestrGranicAdresy:", b"geoportal.gov.pl/schemas/prgad/")

MOST_WRONG = 0.10
"""Share of addresses outside their voivodeship above which the source is refused."""

MOST_REPEATED = 0.01
"""Share of repeated addresses that is tolerated: a point and an obsolete version of it."""

VOIVODESHIPS = {
    "02": (206, 250, 416, 442),
    "04": (383, 496, 551, 658),
    "06": (681, 275, 862, 499),
    "08": (196, 396, 322, 589),
    "10": (436, 331, 615, 503),
    "12": (506, 146, 675, 295),
    "14": (518, 352, 781, 627),
    "16": (352, 235, 479, 370),
    "18": (653, 133, 824, 333),
    "20": (672, 498, 833, 734),
    "22": (351, 626, 542, 775),
    "24": (431, 170, 569, 359),
    "26": (550, 259, 702, 387),
    "28": (508, 587, 749, 732),
    "30": (282, 360, 507, 646),
    "32": (172, 538, 367, 748),
}
"""West, south, east and north edge of each voivodeship in EPSG:2180, in km. Source: PRG, granice gmin, 2019.

Swapped axes or a wrong zone give points that are often in Poland, but not in their voivodeship.
"""

MARGIN_M = 5_000.0

NO_POSTCODE = frozenset({"", "00-000", "00000"})

LOST = "without their municipality in the file"
ABROAD = "outside Poland"

ADDRESSES = frozenset({"PRG_PunktAdresowy", "AD_PunktAdresowy"})
OF_2012 = "PRG"
"""Prefix of the elements of the model of 2012."""

STANDING = frozenset({"", "istniejacy", "istniejący"})

OFFICIAL_EPSG = 2180
"""PL-1992, in which the register is published, in metres. Assumed where no system is stated."""

_OFFICIAL_SYSTEM = re.compile(rf"(?:.*[:/#])?EPSG[:/](?:.*[:/])?{OFFICIAL_EPSG}|", re.IGNORECASE)

_POSITION = re.compile(r"([0-9]{1,8}(?:\.[0-9]{1,12})?)\s+([0-9]{1,8}(?:\.[0-9]{1,12})?)")

Group = tuple[str, str, tuple[str, ...]]
"""Postcode, place and references of an address."""


def recognises(start: FileStart) -> bool:
    return start.text.startswith(b"<") and any(space in start.text for space in NAMESPACES)


def parse(*paths: Path) -> Extract[PostcodeRecord]:
    """Parse one record per postcode of all files together, by code. as_of: the newest version of an address.

    municipalities: with the number of addresses. places: most addresses first. lat, lon: see `centre`. Planned, former
    and incomplete addresses, and those outside their voivodeship, are counted in `rejected`. Raises BadInput for other
    XML, files of both models, repeated addresses, and more than a tenth outside.
    """
    collected = _Collected()
    for path in paths:
        for source in _sources(path):
            with source as opened:
                collected.read(opened)
    label = ", ".join(str(path) for path in paths)
    collected.check_repetitions(label)
    return collected.extract(label)


def _sources(path: Path) -> Iterator[AbstractContextManager[OpenFile]]:
    if not is_zip(path, max_bytes=MAX_BYTES):
        yield open_source(path, (), max_bytes=MAX_BYTES)
        return
    with open_zip(path) as archive:
        documents = [member for member in members(archive) if PurePosixPath(member.filename).suffix.lower() in SUFFIXES]
        nested = [member.filename for member in members(archive) if member.filename.lower().endswith(".zip")]
        if nested:
            raise BadInput(path, f"holds the zip {nested[0]}; unpack it and give the zips inside")
        if not documents:
            raise BadInput(path, f"holds no {' or '.join(SUFFIXES)} file")
        for member in sorted(documents, key=lambda member: member.filename):
            yield open_member(path, archive, member, max_bytes=MAX_BYTES)


class _Collected:
    def __init__(self) -> None:
        self.model = ""
        # By postcode; eastings and northings in turn, in whole centimetres.
        self.positions: dict[str, array[int]] = defaultdict(lambda: array("i"))
        self.municipalities: dict[str, Counter[str]] = defaultdict(Counter)
        self.places: dict[str, Counter[str]] = defaultdict(Counter)
        self.ids = array("Q")
        self.refused: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.newest = ""

    def read(self, source: OpenFile) -> None:
        """Read one document. References point to objects of the same document, so they are resolved at its end."""
        groups: Counter[Group] = Counter()
        areas: dict[str, tuple[str, str]] = {}
        count = 0
        for feature in read_features(source):
            model, values = feature.kind.partition("_")[0], feature.values
            if self.model not in ("", model):
                raise BadInput(source.label, "holds the other of the two models of addresses; give files of one model")
            self.model = model
            if feature.kind not in ADDRESSES:
                teryt = values.get("idTERYT" if model == OF_2012 else "TERYTGminy", "")
                if len(teryt) == 7 and teryt.isdecimal():
                    areas[object_id(values["id"])] = tidy(values.get("nazwa", "")), teryt
                continue
            count += 1
            group = self.address(feature, source)
            if group is not None:
                groups[group] += 1
        if not count:
            raise BadInput(source.label, "has no address of the PRG (PRG_PunktAdresowy or AD_PunktAdresowy)")
        self.resolve(groups, areas)

    def address(self, point: Feature, source: OpenFile) -> Group | None:
        """Add an address. Returns its postcode, place and references; None if it is skipped."""
        values, position = point.values, _position(point, source)
        name, postcode = values.get("lokalnyId") or values["id"], values.get("kodPocztowy", "")
        if values.get("status", "") not in STANDING or values.get("koniecWersjiObiektu") or values.get("waznyDo"):
            self.refuse("not standing any more, or not yet", name)
            return None
        self.ids.append(hash(name) & 0xFFFF_FFFF_FFFF_FFFF)
        if postcode in NO_POSTCODE:
            self.refuse("without a postcode", name)
            return None
        try:
            code = normalise_postcode(postcode)
        except ValueError:
            self.refuse("with something else than a postcode", f"{name} ({postcode[:20]!r})")
            return None
        if position is None:
            self.refuse("without a position", name)
            return None
        east, north = position
        if not (0 <= east < 1_000_000 and 0 <= north < 1_000_000):
            self.refuse(ABROAD, name)
            return None
        self.positions[code].extend((round(east * 100), round(north * 100)))
        version = values.get("wersjaId", "")[:10]
        if version > self.newest:
            try:
                self.newest = parse_day(version).isoformat()
            except ValueError as error:
                raise BadInput(source.label, f"the version of {name}: {error}") from error
        # Equal strings of the addresses are stored once.
        return intern(code), intern(values.get("miejscowosc", "")), tuple(map(intern, point.references))

    def refuse(self, reason: str, example: str, count: int = 1) -> None:
        self.refused[reason] += count
        self.examples.setdefault(reason, example)

    def resolve(self, groups: Counter[Group], areas: dict[str, tuple[str, str]]) -> None:
        for (code, place, references), count in groups.items():
            area = next((areas[reference] for reference in references if reference in areas), None)
            if area is None:
                self.refuse(LOST, code, count)
                continue
            name, teryt = area
            self.municipalities[code][teryt] += count
            named = tidy(place) or name
            if named and len(named) <= MAX_PLACE_NAME:
                self.places[code][named] += count

    def check_repetitions(self, label: str) -> None:
        """Raise BadInput if more than `MOST_REPEATED` of the addresses are repeated."""
        ids = np.frombuffer(self.ids, np.uint64) if self.ids else np.empty(0, np.uint64)
        ids.sort()
        repeated = int(np.count_nonzero(ids[1:] == ids[:-1]))
        if repeated > len(ids) * MOST_REPEATED:
            raise BadInput(label, f"{repeated} of {len(ids)} addresses are there twice; was a file given twice?")
        if repeated:
            self.refuse("there twice, and counted twice", label, repeated)

    def usable_positions(self, label: str) -> dict[str, Points]:
        """Return positions in the voivodeships of their postcode. Raises BadInput if more than `MOST_WRONG` are not."""
        lost, abroad = self.refused[LOST], self.refused[ABROAD]
        points = {code: np.frombuffer(flat, np.int32).reshape(-1, 2) for code, flat in self.positions.items()}
        usable = {code: within(all_points, self.boxes(code)) for code, all_points in points.items()}
        total, kept = (sum(map(len, rows.values())) for rows in (points, usable))
        outside = max(total - kept - lost, 0)
        total += abroad
        if lost > total * MOST_WRONG:
            raise BadInput(label, f"{lost} of {total} addresses are {LOST}; is a part of the file missing?")
        if outside + abroad > total * MOST_WRONG:
            reason = f"{outside + abroad} of {total} positions lie outside the voivodeship of their postcode"
            hint = "are the axes swapped, or is the reference system another than stated?"
            raise BadInput(label, f"{reason}; {hint}")
        if outside:
            self.refuse("with a position outside their voivodeship, which is left out", label, outside)
        return {code: rows for code, rows in usable.items() if len(rows)}

    def extract(self, label: str) -> Extract[PostcodeRecord]:
        """Return the records. Raises BadInput if nothing is usable."""
        project = pyproj.Transformer.from_crs(OFFICIAL_EPSG, 4326, always_xy=True)
        records = []
        for code, points in sorted(self.usable_positions(label).items()):
            lon, lat = (round(float(degrees), 5) for degrees in project.transform(*centre(points)))
            shares = PostcodeRecord.most_first(self.municipalities[code])
            names = tuple(name for name, _ in PostcodeRecord.most_first(self.places[code]))
            records.append(PostcodeRecord(code, shares, names, lat, lon, "points"))
        if not records:
            raise BadInput(label, "has no usable address")
        notes = [
            Note(f"{count} addresses", f"{reason}, for example {self.examples[reason]}")
            for reason, count in sorted(self.refused.items())
            if count
        ]
        as_of = date.fromisoformat(self.newest) if self.newest else None
        return Extract(tuple(records), as_of, tuple(notes))

    def boxes(self, postcode: str) -> NDArray[np.float64]:
        """Return the boxes that the addresses of a postcode may lie in, in metres."""
        codes = {teryt[:2] for teryt in self.municipalities[postcode]} & VOIVODESHIPS.keys()
        boxes = np.array([VOIVODESHIPS[teryt] for teryt in sorted(codes)], float).reshape(-1, 4) * 1000
        return np.asarray(boxes + np.array([-MARGIN_M, -MARGIN_M, MARGIN_M, MARGIN_M]))


def _position(point: Feature, source: OpenFile) -> tuple[float, float] | None:
    """Return easting and northing in metres, None if not stated. Raises BadInput for another reference system."""
    system, text = point.values.get("srsName", ""), point.values.get("pos", "")
    if _OFFICIAL_SYSTEM.fullmatch(system) is None:
        reason = f"the reference system is {system[:60]!r}; expected EPSG:{OFFICIAL_EPSG}"
        raise BadInput(source.label, reason, row=point.number)
    if not text:
        return None
    match = _POSITION.fullmatch(text)
    if match is None:
        reason = f"the position is {text[:40]!r}; expected two numbers of metres"
        raise BadInput(source.label, reason, row=point.number)
    east, north = float(match[1]), float(match[2])
    return (north, east) if point.kind.startswith(OF_2012) else (east, north)
