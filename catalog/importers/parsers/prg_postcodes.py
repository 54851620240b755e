"""Postcodes of the address register (PRG), merged by code into a CSV.

Columns: postcode; municipalities, "TERYT:addresses|…"; places, "name|…"; lat, lon (centre, WGS84 degrees); addresses;
source, "prg-2023" or, for codes that the register lacks, "geonames-2026", which have no numbers of addresses.
"""

import re
from pathlib import Path

from catalog.importers.parsers.files import FileStart, csv_rows, open_source
from catalog.importers.parsers.values import MAX_PLACE_NAME, in_poland, parse_degrees, tidy
from catalog.importers.records import BadInput, Extract, Note, PostcodeRecord
from catalog.text import normalise_postcode

COLUMNS = ("postcode", "municipalities", "places", "lat", "lon", "addresses", "source")

SOURCES = {"prg": "prg", "geonames": "filled"}
"""Source of the record by the prefix of the column."""

_SHARE = re.compile(r"([0-9]{6}[123]?):([0-9]{0,9})")
_COUNT = re.compile(r"[0-9]{0,9}")


def recognises(start: FileStart) -> bool:
    """Whether a CSV has the columns of postcodes."""
    return start.has_columns(("postcode", "municipalities", "places"), delimiter=",")


def parse(path: Path) -> Extract[PostcodeRecord]:
    """Parse one record per postcode, in the order of the file; as_of is not stated (only the year of the source is).

    A missing number of addresses is 0. A centre outside Poland is rejected.

    Raises BadInput for wrong columns or values, a repeated code, and a file without rows.
    """
    records: dict[str, PostcodeRecord] = {}
    rejected: list[Note] = []
    with open_source(path, (".csv",)) as source:
        for row, values in csv_rows(source, COLUMNS, delimiter=","):
            try:
                record = _record(values)
            except ValueError as error:
                raise BadInput(source.label, str(error), row=row) from error
            if record.code in records:
                raise BadInput(source.label, f"the postcode {record.code} is there twice", row=row)
            if not in_poland(record.lat, record.lon):
                rejected.append(Note(record.code, f"the centre is outside Poland: '{record.lat}, {record.lon}'"))
                continue
            records[record.code] = record
    if not records:
        raise BadInput(path, "has no usable postcode")
    return Extract(rows=tuple(records.values()), rejected=tuple(rejected))


def _record(values: dict[str, str]) -> PostcodeRecord:
    """Parse one row. Raises ValueError naming the unreadable value."""
    code = normalise_postcode(values["postcode"])
    if _COUNT.fullmatch(values["addresses"]) is None:
        raise ValueError(f"addresses is {values['addresses'][:20]!r}, not a number")
    source = SOURCES.get(values["source"].partition("-")[0])
    if source is None:
        raise ValueError(f"source is {values['source'][:20]!r}; expected prg-YYYY or geonames-YYYY")
    shares: dict[str, int] = {}
    for part in values["municipalities"].split("|"):
        share = _SHARE.fullmatch(part.strip())
        if share is None:
            raise ValueError(f"municipalities has {part[:30]!r}; expected TERYT:addresses")
        if share[1] in shares:
            raise ValueError(f"municipalities has {share[1]} twice")
        shares[share[1]] = int(share[2] or 0)
    places = dict.fromkeys(name for part in values["places"].split("|") if (name := tidy(part)))
    too_long = [name for name in places if len(name) > MAX_PLACE_NAME]
    if too_long:
        raise ValueError(f"the place {too_long[0][:40]!r}… is longer than {MAX_PLACE_NAME} characters")
    # Stable sort: shares without numbers keep the order of the file.
    ordered = sorted(shares.items(), key=lambda share: -share[1])
    return PostcodeRecord(
        code, tuple(ordered), tuple(places), parse_degrees(values["lat"]), parse_degrees(values["lon"]), source
    )
