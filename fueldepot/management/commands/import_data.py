from pathlib import Path

from django.core.management.base import CommandParser

from catalog.importers.import_steps import directory_steps
from catalog.importers.runner import ImportStep
from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    help = "Import every file of a directory that is of a known form, in order. A dry run unless --commit is given."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sources", nargs=1, type=Path, metavar="DIR")
        self.add_run_arguments(parser)

    def steps(self, sources: list[Path]) -> list[ImportStep]:
        steps, unknown = directory_steps(sources[0])
        if unknown:
            self.stdout.write(f"not imported, of no known form: {', '.join(unknown)}")
        return steps
