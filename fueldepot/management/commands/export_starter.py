import csv
import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.importers.sync_places import stored_postcodes
from catalog.importers.sync_units import stored_units
from catalog.models import Place
from catalog.starter import DISTRICT_COLUMNS, FILES, PLACE_COLUMNS, POSTCODE_COLUMNS, UNIT_COLUMNS

Table = tuple[str, Sequence[str], Iterable[Sequence[object]]]


class Command(BaseCommand):
    help = (
        "Write units, places with a position, districts and postcodes of this catalog as starter files. The same "
        "catalog gives the same bytes. Days and credits are stated in catalog/starter, and the README of its files."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", type=Path, default=FILES, metavar="DIR", help="instead of catalog/starter/files")

    def handle(self, *args: Any, out: Path, **options: Any) -> None:
        try:
            out.mkdir(parents=True, exist_ok=True)
            for name, columns, rows in read_tables():
                content = table_bytes(columns, rows, packed=name.endswith(".gz"))
                (out / name).write_bytes(content)
                self.stdout.write(f"{hashlib.sha256(content).hexdigest()}  {name}")
        except OSError as error:
            raise CommandError(f"not all was written: {error.strerror}: {error.filename or out}") from error


def read_tables() -> Iterator[Table]:
    yield "units.csv", UNIT_COLUMNS, [(u.teryt, u.name, u.kind) for _, u in sorted(stored_units().items())]
    places = sorted(Place.objects.exclude(lat=None).exclude(lon=None), key=lambda place: by_number(place.id))
    rows = [(p.id, p.name, p.kind, p.municipality_id, degrees(p.lat), degrees(p.lon)) for p in places]
    yield "places.csv.gz", PLACE_COLUMNS, rows
    districts = Place.objects.filter(lat=None, id__startswith="terc:").order_by("id")
    yield "districts.csv", DISTRICT_COLUMNS, districts.values_list("id", "name", "kind", "municipality_id")
    postcodes = (
        (code, "|".join(f"{teryt}:{count}" for teryt, count in p.municipalities), "|".join(p.places), p.lat, p.lon)
        for code, p in sorted(stored_postcodes().items())
    )
    yield "postcodes.csv.gz", POSTCODE_COLUMNS, postcodes


def by_number(key: str) -> tuple[bool, str, int, str]:
    """Return the sort key of a place: the PRNG first, then by source and number."""
    source, _, identifier = key.partition(":")
    return source != "prng", source, int(identifier) if identifier.isdecimal() else 0, identifier


def degrees(value: float | None) -> str:
    """Return degrees as the package of places writes them: whole ones without decimals."""
    return str(value).removesuffix(".0")


def table_bytes(columns: Sequence[str], rows: Iterable[Sequence[object]], *, packed: bool) -> bytes:
    """Return a table with `;` between columns, compressed without a day if `packed`."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0) if packed else text.getvalue().encode()
