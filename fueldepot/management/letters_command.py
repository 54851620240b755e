"""Base of the commands that a timer runs once a day to send letters."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.submissions.letters import Told


class LettersCommand(BaseCommand):
    """Sends with --commit; without it only says how many letters would be sent."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="send; without it only say how many would be sent")

    def send(self, *, commit: bool) -> Told:
        raise NotImplementedError

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        result = self.send(commit=commit)
        if not commit:
            self.stdout.write(f"{len(result.sent)} letters would be sent; add --commit to send them")
            return
        self.stdout.write(f"{len(result.sent)} letters sent")
        if result.unsent:
            raise CommandError(f"not sent: {', '.join(result.unsent)}; the log says why")
