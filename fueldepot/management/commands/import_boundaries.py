from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    source = "prg-boundaries"
    help = (
        "Import boundaries of municipalities (PRG: zipped shapefile, or GeoJSON). A dry run unless --commit is given."
    )
