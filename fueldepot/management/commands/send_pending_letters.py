from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.submissions import letters

RETRY = timedelta(minutes=1)
"""Letters tried since are left to the process that tried them."""


class Command(BaseCommand):
    help = (
        "Send the letters that wait: those that could not be sent, as when the mail server was down, and those that "
        "were too many for one mailbox. The service does so itself; this is for a service that is down, and tells a "
        "monitor by its exit status. Run it every quarter of an hour. Ends with 1 while some still cannot be sent."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="send; without it only say how many wait")

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        if not commit:
            self.stdout.write(f"{letters.count_waiting()} letters wait; add --commit to send them")
            return
        sent = letters.send_waiting(retry=RETRY)
        self.stdout.write(f"{len(sent.sent)} letters sent")
        if sent.delayed:
            self.stdout.write(f"{len(sent.delayed)} letters wait until their mailboxes may get more")
        if sent.unsent:
            raise CommandError(f"not sent: {', '.join(sent.unsent)}; the log says why")
