from catalog.models import Dataset
from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    dataset = Dataset.Slug.DEPOTS
    source = "osm-depots"
    help = (
        "Import fuel depots (OpenStreetMap: Overpass JSON, or an extract in PBF). A dry run unless --commit is given."
    )
