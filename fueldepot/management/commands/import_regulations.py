from pathlib import Path

from catalog.importers.runner import ImportStep
from fueldepot.management.import_command import ImportCommand
from regulations.sources import file_step
from regulations.state_files import find_files


class Command(ImportCommand):
    help = "Import the legal state from YAML files or folders of them. A dry run unless --commit is given."

    def steps(self, sources: list[Path]) -> list[ImportStep]:
        return [file_step(find_files(sources))]
