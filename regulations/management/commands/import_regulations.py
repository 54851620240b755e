from pathlib import Path

from catalog.importers.sync import Options, Report
from catalog.management.import_command import ImportCommand
from regulations.importers.records import find_files
from regulations.importers.sync import import_files


class Command(ImportCommand):
    help = "Import the legal state from YAML files or folders of them. A dry run unless --commit is given."

    def run_sources(self, sources: list[Path], how: Options) -> list[Report]:
        return import_files(find_files(sources), how)
