from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from catalog.requests import purge_requests, record_purge


class Command(BaseCommand):
    help = (
        "Erase personal data of requests that were decided 90 days ago, and requests that nobody confirmed. "
        "Run it once a day."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="write; without it only say what would be done")

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        with transaction.atomic():
            started = timezone.now()
            purged = purge_requests(on=started)
            record_purge(purged, started=started, finished=timezone.now())
            if not commit:
                transaction.set_rollback(True)
        self.stdout.write(
            f"{purged.deleted} requests deleted that nobody confirmed, {purged.erased} freed of personal data, "
            f"{purged.clients} of the network address"
        )
        if not commit:
            self.stdout.write("nothing was written; add --commit")
