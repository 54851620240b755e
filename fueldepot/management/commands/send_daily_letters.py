from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fueldepot.desk.daily_letter import send_daily_letters


class Command(BaseCommand):
    help = (
        "Write to the editors who want it what waits at the desk, in the voivodeships that they have claimed. One "
        "letter an editor and day at most; it can be repeated at any time. Ends with 1 when a letter could not be "
        "sent; the next run tries again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="send; without it only say how many would be sent")

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        result = send_daily_letters(today=timezone.localdate(), commit=commit)
        if not commit:
            self.stdout.write(f"{len(result.sent)} letters would be sent; add --commit to send them")
            return
        self.stdout.write(f"{len(result.sent)} letters sent")
        if result.unsent:
            raise CommandError(f"not sent: {', '.join(result.unsent)}; the log says why")
