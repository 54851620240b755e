from pathlib import Path

from catalog.importers.registry import steps_for
from catalog.importers.runner import ImportStep
from catalog.management.import_command import ImportCommand
from catalog.models import Dataset


class Command(ImportCommand):
    source = "teryt-terc"
    help = "Import units of the TERYT register (TERC: CSV, XML or zip). A dry run unless --commit is given."

    def steps(self, sources: list[Path]) -> list[ImportStep]:
        return steps_for(sources, Dataset.Slug.UNITS)
