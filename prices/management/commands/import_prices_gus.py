from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from catalog.importers.run import Step
from catalog.management.import_command import ImportCommand
from prices import figures
from prices.importers.gus import download_step, file_step
from prices.series import BY_SLUG


class Command(ImportCommand):
    help = (
        "Import official average prices (GUS, BDL API v1: saved JSON answers of /variables and /data/by-variable, "
        "or --download). A dry run unless --commit is given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sources", nargs="*", type=Path, metavar="SOURCE")
        parser.add_argument("--download", action="store_true", help="ask the statistical office instead of files")
        parser.add_argument(
            "--variable",
            action="append",
            default=[],
            metavar="SERIES=NUMBER",
            help=f"the variable of a series, where its name does not tell; series: {', '.join(BY_SLUG)}",
        )
        self.add_run_arguments(parser)

    def handle(self, *args: Any, sources: list[Path], **options: Any) -> None:
        if bool(sources) == options["download"]:
            raise CommandError("nothing was imported: give either files or --download")
        self.download = options["download"]
        self.chosen = dict(self.read_choice(text) for text in options["variable"])
        self.run_steps(sources, **options)
        if options["commit"]:
            figures.refresh(today=timezone.localdate())

    def read_choice(self, text: str) -> tuple[str, int]:
        """ "prad-g11=12345". Raises CommandError."""
        slug, _, number = text.partition("=")
        if slug not in BY_SLUG or not (number.isascii() and number.isdigit()) or len(number) > 9:
            raise CommandError(f"--variable is {text!r}; give one of {', '.join(BY_SLUG)}, '=' and a number")
        return slug, int(number)

    def steps(self, sources: list[Path]) -> list[Step]:
        return [download_step(self.chosen) if self.download else file_step(sources, self.chosen)]
