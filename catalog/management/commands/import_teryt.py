from pathlib import Path

from catalog.importers.run import Step
from catalog.importers.steps import steps_for
from catalog.management.import_command import ImportCommand
from catalog.models import Dataset


class Command(ImportCommand):
    source = "teryt-terc"
    help = "Import units of the TERYT register (TERC: CSV, XML or zip). A dry run unless --commit is given."

    def steps(self, sources: list[Path]) -> list[Step]:
        return steps_for(sources, Dataset.Slug.UNITS)
