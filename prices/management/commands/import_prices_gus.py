from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from catalog.importers.download import Download
from catalog.importers.publications import Publication
from catalog.importers.run import Step
from catalog.management.import_command import ImportCommand
from prices.importers.gus import download_step, file_step
from prices.series import BY_SLUG


class Command(ImportCommand):
    source = "gus-bdl"
    help = (
        "Import official average prices (GUS, BDL API v1: saved JSON answers of /variables and /data/by-variable, "
        "or --download). A dry run unless --commit is given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--variable",
            action="append",
            default=[],
            metavar="SERIES=NUMBER",
            help=f"the variable of a series, where its name does not tell; series: {', '.join(BY_SLUG)}",
        )

    def handle(self, *args: Any, sources: list[Path], **options: Any) -> None:
        self.chosen = dict(self.read_choice(text) for text in options["variable"])
        super().handle(*args, sources=sources, **options)

    def read_choice(self, text: str) -> tuple[str, int]:
        """ "prad-g11=12345". Raises CommandError."""
        slug, _, number = text.partition("=")
        if slug not in BY_SLUG or not (number.isascii() and number.isdigit()) or len(number) > 9:
            raise CommandError(f"--variable is {text!r}; give one of {', '.join(BY_SLUG)}, '=' and a number")
        return slug, int(number)

    def steps(self, sources: list[Path]) -> list[Step]:
        return [file_step(sources, self.chosen)]

    def make_step(self, publication: Publication) -> tuple[Step, Download]:
        return download_step(publication, self.chosen, self.fetcher)
