from catalog.models import Dataset
from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    dataset = Dataset.Slug.PLACES
    source = "teryt-simc"
    help = "Import localities (SIMC: CSV, XML or zip; PRNG: JSON). A dry run unless --commit is given."
