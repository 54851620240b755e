from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from catalog.importers import import_steps
from catalog.importers.records import Options
from catalog.importers.runner import run
from fueldepot.management.import_command import one_line_errors, progress
from prices import starter as prices
from regulations import sources as regulations


class Command(BaseCommand):
    help = "Load the starter data into whatever part of the catalog is still empty."

    def handle(self, *args: Any, **options: Any) -> None:
        how = Options(today=timezone.localdate(), write=True, progress=progress)
        with one_line_errors("nothing was loaded"):
            steps = [*import_steps.missing_steps(), *prices.missing_steps(), *regulations.missing_steps()]
            reports = run(steps, how, recorded=False)
        for report in filter(lambda report: report.added, reports):
            self.stdout.write(f"starter data: {report.added} {report.title}")
