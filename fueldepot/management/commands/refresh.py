"""`manage.py refresh`: imports due sources; run daily by a timer."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseError
from django.utils import timezone

from catalog.importers.download import Fetcher
from catalog.importers.freshness import SourceState, last_runs
from catalog.importers.import_steps import one_refresh, refresh_source
from catalog.importers.records import ImportRunning, Options
from catalog.importers.runner import CommitOutcomeUnknown, describe_error
from catalog.importers.sources import DataSource
from catalog.models import ImportRun
from catalog.text import one_line
from fueldepot.data.snapshot import DATABASE_AWAY
from fueldepot.management.import_command import add_allowing_arguments, add_fetching_arguments, read_sources_file


class Command(BaseCommand):
    help = (
        "Fetch and import every source whose interval has passed since it was last found current. Without --commit it "
        "says what is due, and fetches nothing. Ends with 1 when a source failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="fetch and write")
        parser.add_argument(
            "--only", action="append", default=[], metavar="SOURCE", help="only this source; repeatable"
        )
        parser.add_argument("--force", action="store_true", help="also what is not due yet")
        add_allowing_arguments(parser)
        add_fetching_arguments(parser)

    def handle(self, *args: Any, commit: bool, only: list[str], force: bool, **options: Any) -> None:
        today = timezone.localdate()
        sources = read_sources_file(options["sources_file"])
        self.check_names(only, sources)
        try:
            if not commit:
                self.show(self.choose(sources, only, force, today))
                return
            with one_refresh():
                # Under the lock, or two refreshes would do the same work.
                chosen = self.choose(sources, only, force, today)
                allowed = {name: options[name] for name in ("allow_removals", "allow_older")}
                how = Options(today=today, write=True, **allowed)
                failed = self.refresh(chosen, how, Fetcher(options["downloads"].resolve()))
        except ImportRunning as error:
            raise CommandError(f"nothing was refreshed: {error}") from error
        except CommitOutcomeUnknown as error:
            raise CommandError(str(error)) from error
        except DATABASE_AWAY as error:
            raise CommandError(f"the database does not answer: {one_line(str(error))}") from error
        except DatabaseError as error:
            raise CommandError(f"not all was refreshed: {describe_error(error)}") from error
        if failed:
            raise CommandError(f"failed: {', '.join(failed)}; the next refresh tries again")

    def check_names(self, only: list[str], sources: Mapping[str, DataSource]) -> None:
        for name in only:
            if name not in sources or not sources[name].fetched:
                fetched = ", ".join(source.id for source in sources.values() if source.fetched)
                raise CommandError(f"--only is {name!r}; the sources that can be fetched are {fetched}")

    def choose(self, sources: Mapping[str, DataSource], only: list[str], force: bool, today: date) -> list[SourceState]:
        """Return the sources to refresh, in the order of the file. If there are none, print the next one.

        Raises CommandError if the file names no source that can be fetched.
        """
        states = [state for state in last_runs(sources) if state.source.fetched]
        if not states:
            raise CommandError("nothing was refreshed: the file names no source that can be fetched")
        states = [state for state in states if not only or state.source.id in only]
        chosen = [state for state in states if force or (state.due_on or today) <= today]
        if not chosen:
            due_on, name = min((state.due_on or today, state.source.id) for state in states)
            self.stdout.write(f"nothing is due; the next is {name} on {due_on}")
        return chosen

    def show(self, chosen: list[SourceState]) -> None:
        for state in chosen:
            source = state.source
            since = f"last found current on {state.checked_on}" if state.good else "never imported"
            unsure = "" if source.confirmed else "; nobody has confirmed the address"
            self.stdout.write(f"{source.id}: {since}, due every {source.rhythm_days} days, {source.url}{unsure}")
        if chosen:
            self.stdout.write("This was a dry run: nothing was fetched. Add --commit to fetch and write.")

    def refresh(self, chosen: list[SourceState], how: Options, fetcher: Fetcher) -> list[str]:
        """Refresh sources one after another. Returns the ids of those that failed."""
        failed = []
        for state in chosen:
            name = state.source.id
            try:
                run, reports = refresh_source(state, how, fetcher)
            except ImportRunning as error:
                self.stderr.write(f"{name}: not refreshed, the next refresh tries again: {error}")
                failed.append(name)
                continue
            took = f"{run.duration_s:.1f} s"
            if run.outcome in ImportRun.GOOD:
                counts = f"{run.rows} rows, {run.added} added, {run.changed} changed, {run.removed} removed"
                if reports:
                    counts += f", {run.skipped} skipped, {run.rejected} rejected"
                self.stdout.write(f"{name}: {run.outcome}: {counts}, {took}; SHA-256 {run.checksum[:16]}…")
            else:
                self.stderr.write(f"{name}: {run.outcome}, nothing was changed ({took}): {run.message}")
                failed.append(name)
        return failed
