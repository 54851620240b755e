"""Postcodes of GeoNames: PL.txt, or PL.zip as published.

Twelve tab-separated columns without a header: country, postcode, place, then name and code of voivodeship, county and
municipality, latitude, longitude (WGS84 degrees), accuracy. One row per postcode and place; the code of the
municipality is the first six digits of TERYT. Source: https://download.geonames.org/export/zip/readme.txt.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from catalog import starter
from catalog.importers.parsers.files import FileStart, OpenFile, open_source, text_lines
from catalog.importers.records import MAX_PLACE_NAME, BadInput, Extract, Note, PostcodeRecord, parse_degrees, tidy
from catalog.importers.sources import DataSource, FileFormat, Rank
from catalog.importers.sync_places import sync_postcodes
from catalog.models import Dataset, Postcode
from catalog.territory.coordinates import in_poland
from catalog.text import normalise_postcode

COLUMNS = 12
COUNTRY = "PL"

_POSTCODE = re.compile(r"[0-9]{2}-[0-9]{3}")
_UNIT = re.compile(r"[0-9]{6}")


Row = tuple[str, str, float, float]
"""Code of the municipality, "" for none, place, latitude and longitude."""


def recognises(start: FileStart) -> bool:
    row = start.line.split("\t")
    return len(row) == COLUMNS and bool(re.fullmatch(r"[A-Z]{2}", row[0]) and _POSTCODE.fullmatch(row[1]))


def parse(path: Path) -> Extract[PostcodeRecord]:
    """Parse one record per Polish postcode, by code; as_of is not stated.

    municipalities: six digits with the number of rows, instead of addresses; none if no row has a code. lat, lon:
    median of each coordinate over the rows, since single points are kilometres off. Rows of other countries are
    skipped; rows with an impossible code, unit, name or position are rejected.

    Raises BadInput for another number of columns, coordinates that are no numbers, and a file without Polish rows.
    """
    codes: dict[str, list[Row]] = defaultdict(list)
    rejected: list[Note] = []
    with open_source(path, ("pl.txt", ".txt")) as source:
        for row, columns in _lines(source):
            country, postcode, place, unit = columns[0], columns[1], tidy(columns[2]), columns[8]
            if country != COUNTRY:
                continue
            try:
                lat, lon = parse_degrees(columns[9]), parse_degrees(columns[10])
            except ValueError as error:
                raise BadInput(source.label, str(error), row=row) from error
            key = f"row {row}: {tidy(postcode)} {place}"[:80]
            try:
                code = normalise_postcode(postcode)
            except ValueError as error:
                rejected.append(Note(key, str(error)))
                continue
            if not in_poland(lat, lon):
                rejected.append(Note(key, f"the position is outside Poland: '{lat}, {lon}'"))
            elif unit and _UNIT.fullmatch(unit) is None:
                rejected.append(Note(key, f"the code of the municipality is {unit[:20]!r}, not six digits"))
            elif not place or len(place) > MAX_PLACE_NAME:
                rejected.append(Note(key, "the name of the place is empty or too long"))
            else:
                codes[code].append((unit, place, lat, lon))
    if not codes:
        raise BadInput(path, f"has no usable row of {COUNTRY}")
    return Extract(rows=tuple(_merged(code, codes[code]) for code in sorted(codes)), rejected=tuple(rejected))


def _merged(code: str, rows: list[Row]) -> PostcodeRecord:
    units, places, lats, lons = zip(*rows, strict=True)
    shares = PostcodeRecord.most_first(Counter(filter(None, units)))
    # Five decimals are a metre; the mean of two middle values would have more than the source.
    lat, lon = round(median(lats), 5), round(median(lons), 5)
    return PostcodeRecord(code, shares, tuple(dict.fromkeys(places)), lat, lon, "geonames")


def _lines(source: OpenFile) -> Iterator[tuple[int, list[str]]]:
    for row, line in enumerate(text_lines(source), 1):
        if not line.strip():
            continue
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) != COLUMNS:
            reason = f"has {len(columns)} columns between tabs, expected {COLUMNS}; is the file cut off?"
            raise BadInput(source.label, reason, row=row)
        yield row, columns


SOURCES = (
    DataSource(
        id="geonames-postcodes",
        order=41,
        dataset=Dataset.Slug.POSTCODES,
        title="GeoNames, kody pocztowe Polski",
        publisher="GeoNames",
        credit="GeoNames, CC BY 4.0",
        licence="CC BY 4.0",
        terms="https://download.geonames.org/export/zip/readme.txt",
        formats=(FileFormat("geonames", recognises, parse, r"pl\.(txt|zip)"),),
        write=sync_postcodes,
        needs=Dataset.Slug.UNITS,
        rows=Postcode.objects.filter(source=Postcode.Source.GEONAMES),
        lent=Postcode.objects.filter(source=Postcode.Source.FILLED),
        starter=(starter.POSTCODES_CREDIT, starter.POSTCODES_AS_OF),
        ranks={Postcode.Source.GEONAMES.value: Rank(0, "kept as GeoNames has it")},
        # The publisher's readme describes the folder; others have recorded a download of 30 July 2026.
        url="https://download.geonames.org/export/zip/PL.zip",
        file="PL.zip",
        rhythm_days=30,
        min_rows=15000,
        max_megabytes=50,
        confirmed=True,
    ),
)
