from catalog.importers.command import ImportCommand
from catalog.models import Dataset


class Command(ImportCommand):
    dataset = Dataset.Slug.BOUNDARIES
    source = "prg-boundaries"
    help = (
        "Import boundaries of municipalities (PRG: zipped shapefile, or GeoJSON). A dry run unless --commit is given."
    )
