from catalog.models import Dataset
from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    dataset = Dataset.Slug.UNITS
    source = "teryt-terc"
    help = "Import units of the TERYT register (TERC: CSV, XML or zip). A dry run unless --commit is given."
