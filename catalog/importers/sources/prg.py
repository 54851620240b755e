"""The PRG of GUGiK: boundaries of municipalities, and postcodes of its address points.

Postcodes are read from the address points, or from a CSV of them merged by code. Columns: postcode; municipalities,
"TERYT:addresses|…"; places, "name|…"; lat, lon (centre, WGS84 degrees); addresses; source, "prg-2023" or, for codes
that the register lacks, "geonames-2026", which have no numbers of addresses.
"""

import re
from pathlib import Path

from catalog.importers.parsers import boundaries, prg_addresses
from catalog.importers.parsers.files import FileStart, csv_rows, open_source
from catalog.importers.records import MAX_PLACE_NAME, BadInput, Extract, Note, PostcodeRecord, parse_degrees, tidy
from catalog.importers.sources import DataSource, FileFormat, Rank
from catalog.importers.sync_places import sync_boundaries, sync_postcodes
from catalog.models import Dataset, Postcode
from catalog.territory.coordinates import in_poland
from catalog.text import normalise_postcode

POSTCODE_COLUMNS = ("postcode", "municipalities", "places", "lat", "lon", "addresses", "source")

KINDS = {"prg": "prg", "geonames": "filled"}

_SHARE = re.compile(r"([0-9]{6}[123]?):([0-9]{0,9})")
_COUNT = re.compile(r"[0-9]{0,9}")


def recognises_postcodes(start: FileStart) -> bool:
    return start.has_columns(("postcode", "municipalities", "places"), delimiter=",")


def parse_postcodes(path: Path) -> Extract[PostcodeRecord]:
    """Parse one record per postcode, in the order of the file, without as_of. Raises BadInput."""
    records: dict[str, PostcodeRecord] = {}
    rejected: list[Note] = []
    with open_source(path, (".csv",)) as source:
        for row, values in csv_rows(source, POSTCODE_COLUMNS, delimiter=","):
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
    source = KINDS.get(values["source"].partition("-")[0])
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


PUBLISHER = "Główny Urząd Geodezji i Kartografii"
LICENCE = "bezpłatne, art. 40a ustawy Prawo geodezyjne i kartograficzne"
TERMS = "https://www.geoportal.gov.pl/pl/dane/panstwowy-rejestr-granic-prg/"

BOUNDARIES = DataSource(
    id="prg-boundaries",
    order=30,
    dataset=Dataset.Slug.BOUNDARIES,
    title="Państwowy Rejestr Granic, jednostki administracyjne",
    publisher=PUBLISHER,
    credit="GUGiK, Państwowy Rejestr Granic",
    licence=LICENCE,
    terms=TERMS,
    formats=(
        FileFormat(
            "boundaries",
            boundaries.recognises_shapefile,
            boundaries.parse,
            r"00_jednostki.*\.zip|a03_granice_gmin.*\.(shp|zip)",
        ),
        FileFormat(
            "boundaries_geojson",
            boundaries.recognises_geojson,
            boundaries.parse,
            r"(gminy|a03_granice_gmin).*\.(geojson|json)",
        ),
    ),
    write=sync_boundaries,
    needs=Dataset.Slug.UNITS,
    method="file",
    # Others have recorded downloads of 19 and 23 September 2026 (378 MB). The WFS of the same publisher is not used:
    # one file for the country asks less of the server than sixteen queries.
    url="https://opendata.geoportal.gov.pl/prg/granice/00_jednostki_administracyjne.zip",
    file="00_jednostki_administracyjne.zip",
    rhythm_days=90,
    min_rows=2400,
    max_megabytes=1000,
    confirmed=True,
)

RANKS = {
    Postcode.Source.POINTS.value: Rank(2, "kept as the address points have it"),
    Postcode.Source.PRG.value: Rank(1, "kept as the address register has it"),
    Postcode.Source.FILLED.value: Rank(1, "kept as the address register has it"),
}

ADDRESSES = DataSource(
    id="prg-addresses",
    order=40,
    dataset=Dataset.Slug.POSTCODES,
    title="Państwowy Rejestr Granic, punkty adresowe",
    publisher=PUBLISHER,
    credit="GUGiK, punkty adresowe PRG",
    licence=LICENCE,
    terms=TERMS,
    formats=(
        FileFormat("prg_postcodes", recognises_postcodes, parse_postcodes, r"prg_postcodes.*\.(csv|zip)"),
        FileFormat(
            "prg_addresses",
            prg_addresses.recognises,
            prg_addresses.parse,
            r"(.*_)?prg[_-](addresses|punkty_?adresowe|ad).*\.(xml|gml|zip)",
            in_parts=True,
        ),
    ),
    write=sync_postcodes,
    needs=Dataset.Slug.UNITS,
    rows=Postcode.objects.filter(source__in=RANKS),
    ranks=RANKS,
    # The page of the register; the addresses of its files were not looked up.
    url=TERMS,
    rhythm_days=365,
    min_rows=15000,
    confirmed=False,
)

SOURCES = (BOUNDARIES, ADDRESSES)
