from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.submissions import letters

STILL_SENDING = timedelta(seconds=letters.BATCH * settings.EMAIL_TIMEOUT)
"""Letters tried since are left to the process that tried them: it may be sending them, to a slow mail server."""


class LettersCommand(BaseCommand):
    """Base of the commands that send letters: with --commit; without it they only say how many."""

    waiting = "would be sent"
    """What is said of the letters without --commit."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help=f"send; without it only say how many {self.waiting}")

    def send(self, *, commit: bool) -> letters.Sending:
        raise NotImplementedError

    def count(self) -> int:
        return len(self.send(commit=False).sent)

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        if not commit:
            self.stdout.write(f"{self.count()} letters {self.waiting}; add --commit to send them")
            return
        result = self.send(commit=True)
        self.stdout.write(f"{len(result.sent)} letters sent")
        if result.delayed:
            self.stdout.write(f"{len(result.delayed)} letters wait until their mailboxes may get more")
        if result.unsent:
            raise CommandError(f"not sent: {', '.join(result.unsent)}; the log says why")


class Command(LettersCommand):
    help = (
        "Send the letters that wait: those that could not be sent, as when the mail server was down, and those that "
        "were too many for one mailbox. The service does so itself; this is for a service that is down, and tells a "
        "monitor by its exit status. Run it every quarter of an hour. Ends with 1 while some still cannot be sent."
    )
    waiting = "wait"

    def send(self, *, commit: bool) -> letters.Sending:
        return letters.send_waiting(retry=STILL_SENDING)

    def count(self) -> int:
        return letters.count_waiting()
