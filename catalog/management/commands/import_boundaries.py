from pathlib import Path

from catalog.importers.registry import steps_for
from catalog.importers.runner import ImportStep
from catalog.management.import_command import ImportCommand
from catalog.models import Dataset


class Command(ImportCommand):
    source = "prg-boundaries"
    help = (
        "Import boundaries of municipalities (PRG: zipped shapefile, or GeoJSON). A dry run unless --commit is given."
    )

    def steps(self, sources: list[Path]) -> list[ImportStep]:
        return steps_for(sources, Dataset.Slug.BOUNDARIES)
