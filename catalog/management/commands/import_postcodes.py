from pathlib import Path

from catalog.importers.run import Step
from catalog.importers.steps import steps_for
from catalog.management.import_command import ImportCommand
from catalog.models import Dataset


class Command(ImportCommand):
    source = "geonames-postcodes"
    help = (
        "Import postcodes (address points of the PRG, XML, GML or zips of them, all parts at once; its postcodes, CSV; "
        "GeoNames PL.txt or PL.zip). "
        "A dry run unless --commit is given."
    )

    def steps(self, sources: list[Path]) -> list[Step]:
        return steps_for(sources, Dataset.Slug.POSTCODES)
