from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from pages.alerts import WEEK, send_alerts


class Command(BaseCommand):
    help = (
        "Send the letters that readers asked for: deadlines and changed rules of their municipalities, medians that "
        f"moved. One letter a reader in {WEEK.days} days at most. Run it once a day; it can be repeated at any time. "
        "Ends with 1 when a letter could not be sent; the next run tries again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="send; without it only say how many would be sent")

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        result = send_alerts(on=timezone.now(), commit=commit)
        if not commit:
            self.stdout.write(f"{len(result.sent)} letters would be sent; add --commit to send them")
            return
        self.stdout.write(f"{len(result.sent)} letters sent")
        if result.unsent:
            raise CommandError(f"{len(result.unsent)} letters not sent; the log says why")
