from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    source = "teryt-terc"
    help = "Import units of the TERYT register (TERC: CSV, XML or zip). A dry run unless --commit is given."
