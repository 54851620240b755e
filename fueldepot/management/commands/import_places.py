from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    source = "teryt-simc"
    help = "Import localities (SIMC: CSV, XML or zip; PRNG: JSON). A dry run unless --commit is given."
