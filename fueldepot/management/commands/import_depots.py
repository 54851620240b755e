from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    source = "osm-depots"
    help = (
        "Import fuel depots (OpenStreetMap: Overpass JSON, or an extract in PBF). A dry run unless --commit is given."
    )
