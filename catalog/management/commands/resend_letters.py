from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.models import DepotRequest
from catalog.requests import resend_letters


class Command(BaseCommand):
    help = (
        "Send again the letters about decisions that could not be sent, as when the mail server was down. "
        "Ends with 1 while some still cannot."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="send; without it only say how many wait")

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        if not commit:
            self.stdout.write(f"{DepotRequest.objects.untold().count()} letters wait; add --commit to send them")
            return
        told = resend_letters()
        self.stdout.write(f"{len(told.sent)} letters sent")
        if told.unsent:
            raise CommandError(f"not sent: those of requests {', '.join(map(str, told.unsent))}; the log says why")
