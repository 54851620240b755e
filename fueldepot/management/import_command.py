"""Base of import commands: arguments, report, and one-line errors."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError
from django.utils import timezone
from tqdm import tqdm

from catalog.importers import runner
from catalog.importers.download import Fetcher
from catalog.importers.import_steps import fetch_step, steps_for
from catalog.importers.records import ImportRunning, Note, Options, Report
from catalog.importers.sources import DataSource, all_sources, read_sources
from fueldepot.data.yaml_reader import InvalidYaml

SHOWN = 10
"""Lines per kind in a report; `--verbosity 2` shows all."""


def progress(rows: Iterable[Any], label: str) -> Iterable[Any]:
    return tqdm(rows, desc=label, unit=" rows", leave=False, disable=None, file=sys.stderr)


@contextmanager
def one_line_errors(consequence: str) -> Iterator[None]:
    """Raise CommandError, with what follows from it, for everything that ends an import."""
    try:
        yield
    except (*runner.REFUSALS, ImportRunning) as error:
        raise CommandError(f"{consequence}: {error}") from error
    except runner.CommitOutcomeUnknown as error:
        raise CommandError(str(error)) from error
    except DatabaseError as error:
        raise CommandError(f"{consequence}: {runner.describe_error(error)}") from error


def read_sources_file(path: Path | None) -> dict[str, DataSource]:
    """Return the sources of a file, or of the project's own. Raises CommandError."""
    try:
        return dict(read_sources(path.resolve()) if path else read_sources())
    except InvalidYaml as error:
        raise CommandError(f"nothing was imported: {error}") from error


def add_fetching_arguments(parser: CommandParser) -> None:
    """Add arguments for rehearsals: other sources, and another directory for downloads."""
    kept = "where downloads are kept, instead of var/downloads"
    parser.add_argument("--downloads", type=Path, default=settings.DOWNLOADS_DIR, metavar="DIR", help=kept)
    named = "another file of sources than catalog/sources.yaml, as for a rehearsal"
    parser.add_argument("--sources", dest="sources_file", type=Path, metavar="FILE", help=named)


def add_allowing_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--allow-removals",
        action="store_true",
        help=f"let more than {runner.MOST_REMOVED * 100:.0f} %% of the stored rows be removed",
    )
    parser.add_argument("--allow-older", action="store_true", help="let a file replace what is stored of a later day")


class ImportCommand(BaseCommand):
    """Base of commands that import files: those of the data set of `source`, or what a subclass returns from `steps`.

    A dry run unless `--commit` is given. Fails with one line naming file, row and reason; then nothing was changed.

    source: id of a source for `--download`, "" if there is none.
    """

    source = ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("sources", nargs="*" if self.source else "+", type=Path, metavar="SOURCE")
        if self.source:
            parser.add_argument("--download", action="store_true", help=f"fetch {self.source} from its publisher")
            add_fetching_arguments(parser)
        self.add_run_arguments(parser)

    def add_run_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="write; without it only the report is printed")
        add_allowing_arguments(parser)

    def steps(self, sources: list[Path]) -> list[runner.ImportStep]:
        """Return import steps of the files. Raises BadInput and ImportRefused."""
        return steps_for(sources, all_sources()[self.source].dataset)

    def handle(self, *args: Any, sources: list[Path], commit: bool, **options: Any) -> None:
        if self.source and bool(sources) == options["download"]:
            raise CommandError("nothing was imported: give either files or --download")
        allowed = {name: options[name] for name in ("allow_removals", "allow_older")}
        how = Options(today=timezone.localdate(), write=commit, progress=progress, **allowed)
        fetched = None if sources else self.find_source(options["sources_file"])
        with one_line_errors("nothing was imported"):
            if fetched is None:
                with runner.record_failures({"source": self.source}, write=commit):
                    steps = self.steps(sources)
                reports = runner.run(steps, how)
            else:
                reports = self.fetch_and_import(fetched, Fetcher(options["downloads"].resolve()), how)
        self.print_reports(reports, **options)
        if not commit:
            self.stdout.write("This was a dry run: nothing was changed. Add --commit to write.")

    def find_source(self, sources_file: Path | None) -> DataSource:
        """Return the source that this command fetches. Raises CommandError."""
        sources = read_sources_file(sources_file)
        if self.source not in sources:
            raise CommandError(f"nothing was imported: {sources_file} names no source {self.source}")
        return sources[self.source]

    def fetch_and_import(self, source: DataSource, fetcher: Fetcher, how: Options) -> list[Report]:
        step, download = fetch_step(source, fetcher, write=how.write)
        word = "downloaded" if download.fresh else "still the publisher's current file"
        self.stdout.write(f"{download.path}: {word}, {download.size} bytes, SHA-256 {download.sha256}")
        return runner.run([step], how)

    def print_reports(self, reports: list[Report], **options: Any) -> None:
        everything = options["verbosity"] > 1
        for report in reports:
            self.stdout.write(
                f"{report.title}: {report.added} added, {report.changed} changed, {report.removed} removed, "
                f"{report.unchanged} unchanged, {len(report.skipped)} skipped, {len(report.rejected)} rejected"
            )
            for line in report.lines if everything else report.lines[:SHOWN]:
                self.stdout.write(f"  {line}")
            if not everything and len(report.lines) > SHOWN:
                self.stdout.write(f"  … and {len(report.lines) - SHOWN} more; --verbosity 2 shows all")
            for word, notes in (("skipped", report.skipped), ("rejected", report.rejected), ("left out", report.notes)):
                self.print_notes(word, notes, everything=everything)

    def print_notes(self, word: str, notes: list[Note], *, everything: bool) -> None:
        if everything:
            for note in notes:
                self.stdout.write(f"  {word}: {note.key}: {note.reason}")
            return
        # Reasons end with the value concerned; without it, equal reasons can be counted.
        kinds = Counter(note.reason.partition(": '")[0] for note in notes)
        for kind, count in kinds.most_common(SHOWN):
            example = next(note for note in notes if note.reason.startswith(kind))
            self.stdout.write(f"  {word}: {count} × {kind}, for example {example.key} ({example.reason})")
