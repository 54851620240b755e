"""Postcodes of GeoNames."""

from catalog.importers.parsers import geonames
from catalog.importers.source import DataSource, FileFormat, Rank
from catalog.importers.sync.places import sync_postcodes
from catalog.models import Dataset, Postcode
from catalog.starter import reader

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
        formats=(FileFormat("geonames", geonames.recognises, geonames.parse, r"pl\.(txt|zip)"),),
        write=sync_postcodes,
        needs=Dataset.Slug.UNITS,
        built_on=(Dataset.Slug.UNITS,),
        rows=Postcode.objects.filter(source=Postcode.Source.GEONAMES),
        starter=(reader.POSTCODES_CREDIT, reader.POSTCODES_AS_OF),
        ranks={Postcode.Source.GEONAMES.value: Rank(0, "kept as GeoNames has it")},
        method="file",
        # The publisher's readme describes the folder; others have recorded a download of 30 July 2026.
        url="https://download.geonames.org/export/zip/PL.zip",
        file="PL.zip",
        rhythm_days=30,
        min_rows=15000,
        max_megabytes=50,
        confirmed=True,
    ),
)
