"""The PRG of GUGiK: boundaries of municipalities, and postcodes of its address points."""

from catalog.importers.parsers import boundaries, prg_addresses, prg_postcodes
from catalog.importers.source import DataSource, FileFormat, Rank
from catalog.importers.sync.boundaries import sync_boundaries
from catalog.importers.sync.places import sync_postcodes
from catalog.models import Dataset, Postcode

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
    built_on=(Dataset.Slug.UNITS,),
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
        FileFormat("prg_postcodes", prg_postcodes.recognises, prg_postcodes.parse, r"prg_postcodes.*\.(csv|zip)"),
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
    built_on=(Dataset.Slug.UNITS,),
    rows=Postcode.objects.filter(source__in=RANKS),
    ranks=RANKS,
    # The page of the register; the addresses of its files were not looked up.
    url=TERMS,
    rhythm_days=365,
    min_rows=15000,
    confirmed=False,
)

SOURCES = (BOUNDARIES, ADDRESSES)
