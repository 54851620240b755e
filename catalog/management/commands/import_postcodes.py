from pathlib import Path

from catalog.importers.registry import steps_for
from catalog.importers.runner import ImportStep
from catalog.management.import_command import ImportCommand
from catalog.models import Dataset


class Command(ImportCommand):
    source = "geonames-postcodes"
    help = (
        "Import postcodes (address points of the PRG, XML, GML or zips of them, all parts at once; its postcodes, CSV; "
        "GeoNames PL.txt or PL.zip). "
        "A dry run unless --commit is given."
    )

    def steps(self, sources: list[Path]) -> list[ImportStep]:
        return steps_for(sources, Dataset.Slug.POSTCODES)
