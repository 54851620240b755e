from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from catalog.importers.records import BadInput
from catalog.importers.run import ImportRunning
from catalog.importers.sync import ImportRefused, Options
from regulations.importers.records import DATA, find_files
from regulations.importers.sync import import_files
from regulations.models import LegalState


class Command(BaseCommand):
    help = "Load the legal state that comes with the project, if the database has none."

    def handle(self, *args: Any, **options: Any) -> None:
        if LegalState.objects.exists():
            return
        try:
            reports = import_files(find_files([DATA]), Options(today=timezone.localdate(), write=True))
        except ImportRunning as error:
            raise CommandError("nothing was loaded: another import is running; wait until it ends") from error
        except (BadInput, ImportRefused) as error:
            raise CommandError(f"nothing was loaded: {error}") from error
        for report in reports:
            self.stdout.write(f"starter data: {report.added} {report.title}")
