from catalog.models import Dataset
from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    dataset = Dataset.Slug.BOUNDARIES
    source = "prg-boundaries"
    help = (
        "Import boundaries of municipalities (PRG: zipped shapefile, or GeoJSON). A dry run unless --commit is given."
    )
