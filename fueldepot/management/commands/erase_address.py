from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from catalog.models import Depot, GoneReport, OwnerLink, PendingLetter, Submission, Subscription
from catalog.submissions import owner_links, retention
from fueldepot.data.history import lock_rows
from prices.submissions import withdraw


class Command(BaseCommand):
    help = (
        "Erase at once what is stored of an e-mail address, if its owner demands it: submissions, which are withdrawn "
        "if undecided, reports of closed depots, subscriptions, links of an owner, pending letters. What was published "
        "stays."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="ADDRESS")
        parser.add_argument("--commit", action="store_true", help="write; without it only say what would be done")

    def handle(self, *args: Any, email: str, commit: bool, **options: Any) -> None:
        if "@" not in email:
            raise CommandError(f"{email!r} is no e-mail address")
        now, of_address = timezone.now(), {"email__iexact": email.strip()}
        submissions = Submission.objects.filter(**of_address)
        with transaction.atomic():
            lock_rows(Depot.objects.filter(pk__in=submissions.values("depot")))
            for submission in submissions:
                withdraw(submission=submission, on=now)
            erased = retention.erase(submissions, on=now)
            ended = owner_links.revoke_links(OwnerLink.objects.filter(**of_address), merged=True, on=now)
            reports, subscriptions, letters = (
                model._default_manager.filter(**of_address).delete()[0]
                for model in (GoneReport, Subscription, PendingLetter)
            )
            if not commit:
                transaction.set_rollback(True)
        self.stdout.write(
            f"{erased} submissions freed of personal data, {ended} links of owners ended, {reports} reports, "
            f"{subscriptions} subscriptions and {letters} letters deleted"
        )
        if not commit:
            self.stdout.write("nothing was written; add --commit")
