from catalog.importers.command import ImportCommand
from catalog.models import Dataset


class Command(ImportCommand):
    dataset = Dataset.Slug.DEPOTS
    source = "osm-depots"
    help = (
        "Import fuel depots (OpenStreetMap: Overpass JSON, or an extract in PBF). A dry run unless --commit is given."
    )
