from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.models import Submission, SubmissionQuestion
from catalog.submissions.notifications import resend_letters
from catalog.submissions.questions import send_questions


class Command(BaseCommand):
    help = (
        "Send the letters about decisions, and the questions, that are owed: those that could not be sent, as when "
        "the mail server was down, and those that were too many for one mailbox. Run it every quarter of an hour. "
        "Ends with 1 while some still cannot be sent."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="send; without it only say how many wait")

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        if not commit:
            waiting = Submission.objects.unnotified().count() + SubmissionQuestion.objects.unsent().count()
            self.stdout.write(f"{waiting} letters wait; add --commit to send them")
            return
        decisions, asked = resend_letters(), send_questions()
        self.stdout.write(f"{len(decisions.sent) + len(asked.sent)} letters sent")
        if delayed := len(decisions.delayed) + len(asked.delayed):
            self.stdout.write(f"{delayed} letters wait until their mailboxes may get more")
        if unsent := (*decisions.unsent, *asked.unsent):
            raise CommandError(f"not sent: those of submissions {', '.join(map(str, unsent))}; the log says why")
