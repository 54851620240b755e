from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from catalog.importers.registry import NoKnownFiles, directory_steps
from catalog.importers.runner import ImportStep
from catalog.management.import_command import ImportCommand
from prices.importers import gus_import
from prices.importers.bdl_parser import is_answer
from regulations.importers.records import YAML_SUFFIXES
from regulations.importers.sync import file_step


class Command(ImportCommand):
    help = "Import every file of a directory that is of a known form, in order. A dry run unless --commit is given."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sources", nargs=1, type=Path, metavar="DIR")
        self.add_run_arguments(parser)

    def handle(self, *args: Any, sources: list[Path], **options: Any) -> None:
        self.run_steps(sources, **options)

    def steps(self, sources: list[Path]) -> list[ImportStep]:
        directory = sources[0]
        files = sorted(path for path in directory.iterdir() if path.is_file()) if directory.is_dir() else []
        averages = [path for path in files if is_answer(path)]
        laws = [path for path in files if path.suffix in YAML_SUFFIXES]
        try:
            steps, others = directory_steps(directory)
        except NoKnownFiles:
            if not averages and not laws:
                raise
            steps, others = [], [path.name for path in files]
        unknown = [name for name in others if directory / name not in {*averages, *laws}]
        if unknown:
            self.stdout.write(f"not imported, of no known form: {', '.join(unknown)}")
        if averages:
            steps.append(gus_import.file_step(averages, {}))
        if laws:
            steps.append(file_step(laws))
        return steps
