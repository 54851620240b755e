"""Towns and villages of the PRNG of GUGiK, by the npm package that the starter data were taken from."""

from pathlib import Path
from typing import Any

from catalog.importers.parsers import prng
from catalog.importers.records import Extract
from catalog.importers.source import DataSource, FileFormat
from catalog.importers.sync.places import sync_places
from catalog.models import Dataset, Municipality, Place
from catalog.starter import reader

PACKAGE = "https://www.npmjs.com/package/polskie-miejscowosci"


def parse(path: Path) -> Extract[Any]:
    """Parse a file with the stored units: it has their names instead of codes. One query."""
    municipalities = Municipality.objects.select_related("county", "voivodeship")
    return prng.parse(path, {(m.voivodeship.name, m.county.name, m.name, m.kind): m.teryt for m in municipalities})


SOURCES = (
    DataSource(
        id="prng-places",
        order=21,
        dataset=Dataset.Slug.PLACES,
        title="Państwowy Rejestr Nazw Geograficznych (pakiet polskie-miejscowosci)",
        publisher="Główny Urząd Geodezji i Kartografii",
        credit="GUGiK, PRNG",
        licence="CC BY 3.0",
        terms=PACKAGE,
        formats=(FileFormat("places_json", prng.recognises, parse, r"polskie-miejscowosci.*\.(json|zip)"),),
        write=sync_places,
        needs=Dataset.Slug.UNITS,
        built_on=(Dataset.Slug.UNITS,),
        rows=Place.objects.filter(id__startswith="prng:"),
        starter=(reader.PLACES_CREDIT, reader.PLACES_AS_OF),
        url=PACKAGE,
        rhythm_days=365,
        min_rows=40000,
        confirmed=True,
    ),
)
