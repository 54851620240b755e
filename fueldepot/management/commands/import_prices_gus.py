import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from catalog.importers.records import BadInput
from catalog.importers.runner import ImportStep
from catalog.importers.sources import DataSource
from fueldepot.management.import_command import ImportCommand
from prices.bdl import BdlClient, VariableRecord
from prices.official_series import BY_SLUG, SERIES, SeriesKind
from prices.sources import fetch, file_step, find_candidates


class Command(ImportCommand):
    source = "gus-bdl"
    help = (
        "Import official average prices (GUS, BDL API v1: saved JSON answers of /variables and /data/by-variable, "
        "or --download). With --find it lists what the office has under the name of each series, asks which it is, "
        "and goes on as with --download. A dry run unless --commit is given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--find",
            action="store_true",
            help="look for the variables of the series: number, name, unit and years of each candidate",
        )
        parser.add_argument(
            "--variable",
            action="append",
            default=[],
            metavar="SERIES=NUMBER",
            help=f"the variable of a series, where its name does not tell; series: {', '.join(BY_SLUG)}",
        )

    def handle(self, *args: Any, sources: list[Path], **options: Any) -> None:
        self.chosen = dict(self.read_choice(text) for text in options["variable"])
        if options["find"]:
            if sources or options["download"]:
                raise CommandError("nothing was imported: give --find alone; it downloads by itself")
            self.chosen |= self.find(self.find_source(options["sources_file"]))
            if not self.chosen:
                self.stdout.write("Nothing was chosen and nothing was imported.")
                return
            options["download"] = True
        super().handle(*args, sources=sources, **options)

    def find(self, source: DataSource) -> dict[str, int]:
        """List the candidates of each series without `--variable`; return the numbers that the operator chooses.

        Without a terminal it only lists them. Raises CommandError.
        """
        chosen: dict[str, int] = {}
        asking = sys.stdin.isatty()
        try:
            with BdlClient(source.url, settings.BDL_CLIENT_ID) as client:
                for series in SERIES:
                    if series.slug in self.chosen:
                        continue
                    candidates = find_candidates(client, series)
                    self.stdout.write(f"{series.slug} ({series.name}, {series.unit}):")
                    for line in candidates.values() or ["nothing found"]:
                        self.stdout.write(f"  {line}")
                    number = self.choose(series, candidates) if asking and candidates else None
                    if number is not None:
                        chosen[series.slug] = number
        except BadInput as error:
            raise CommandError(f"nothing was imported: {error}") from error
        if not asking:
            self.stdout.write("To import: --download --variable SERIES=NUMBER for each, and --commit.")
        return chosen

    def choose(self, series: SeriesKind, candidates: Iterable[VariableRecord]) -> int | None:
        """Ask for the candidate of a series; None to leave it out. Repeats for an unknown number or another unit."""
        by_number = {variable.id: variable for variable in candidates}
        while True:
            answer = input(f"Number of the variable of {series.slug}, or nothing to leave it out: ").strip()
            if not answer:
                return None
            variable = by_number.get(int(answer)) if answer.isascii() and answer.isdigit() else None
            if variable is None:
                self.stdout.write(f"  {answer!r} is none of those above.")
            elif trouble := variable.trouble_with_unit(series):
                self.stdout.write(f"  {trouble}.")
            else:
                return variable.id

    def read_choice(self, text: str) -> tuple[str, int]:
        """ "prad-g11=12345". Raises CommandError."""
        slug, _, number = text.partition("=")
        if slug not in BY_SLUG or not (number.isascii() and number.isdigit()) or len(number) > 9:
            raise CommandError(f"--variable is {text!r}; give one of {', '.join(BY_SLUG)}, '=' and a number")
        return slug, int(number)

    def steps(self, sources: list[Path]) -> list[ImportStep]:
        return [file_step(sources, self.chosen)]

    def find_source(self, sources_file: Path | None) -> DataSource:
        return replace(super().find_source(sources_file), fetch=partial(fetch, chosen=self.chosen))
