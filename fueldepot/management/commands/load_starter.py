from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import Error as DatabaseError
from django.utils import timezone

from catalog.importers.records import BadInput
from catalog.importers.runner import AnalyzeFailed, CommitOutcomeUnknown, ImportRunning, describe_error, run
from catalog.importers.sync import ImportRefused, Options
from catalog.management.import_command import ImportCommand, progress
from catalog.starter import load
from prices import starter as prices
from regulations import starter as regulations


class Command(ImportCommand):
    help = "Load the starter data into whatever part of the catalog is still empty."

    def add_arguments(self, parser: CommandParser) -> None:
        """No arguments: empty data sets are loaded."""

    def handle(self, *args: Any, **options: Any) -> None:
        how = Options(today=timezone.localdate(), write=True, progress=progress)
        try:
            reports = run([*load.missing_steps(), *prices.missing_steps(), *regulations.missing_steps()], how)
        except (BadInput, ImportRefused) as error:
            raise CommandError(f"nothing was loaded: {error}") from error
        except ImportRunning as error:
            raise CommandError("nothing was loaded: another import is running; wait until it ends") from error
        except (CommitOutcomeUnknown, AnalyzeFailed) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"nothing was loaded: {describe_error(error)}") from error
        for report in filter(lambda report: report.added, reports):
            self.stdout.write(f"starter data: {report.added} {report.title}")
