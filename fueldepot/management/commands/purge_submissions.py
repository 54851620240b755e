from typing import Any

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from catalog.submissions import letters, owner_links, retention
from catalog.submissions.retention import KEPT, KEPT_UNDECIDED, WARNED_BEFORE


class Command(BaseCommand):
    help = (
        f"Erase personal data of submissions decided {KEPT.days} days ago; delete submissions that were not confirmed, "
        f"or not decided within {KEPT_UNDECIDED.days} days, with a letter to their authors {WARNED_BEFORE.days} days "
        "before. Run it once a day. Ends with 1 when a letter could not be sent; the next run tries again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--commit", action="store_true", help="write; without it only say what would be done")

    def handle(self, *args: Any, commit: bool, **options: Any) -> None:
        with transaction.atomic():
            started = timezone.now()
            purged = retention.purge_submissions(on=started)
            ended = owner_links.forget_unused(on=started)
            Session.objects.filter(expire_date__lt=started).delete()
            # Otherwise deleted with their addresses by the next login only.
            AccessAttempt.objects.filter(attempt_time__lte=started - settings.AXES_COOLOFF_TIME).delete()
            retention.record_purge(purged, started=started, finished=timezone.now())
            if not commit:
                transaction.set_rollback(True)
        self.stdout.write(
            f"{purged.deleted} submissions deleted that nobody confirmed, {purged.expired} that nobody decided in a "
            f"year, {purged.erased} freed of personal data, {purged.clients} of the network address, "
            f"{ended} links of owners ended"
        )
        if not commit:
            due = retention.ExpiryLetters().rows(started).count()
            self.stdout.write(f"{due} letters would tell that nobody decided")
            self.stdout.write("nothing was written; add --commit")
            return
        warned = letters.send(retention.ExpiryLetters(), on=started)
        if warned.sent:
            self.stdout.write(f"{len(warned.sent)} letters tell that nobody decided")
        if warned.delayed:
            self.stdout.write(f"{len(warned.delayed)} such letters wait until their mailboxes may get more")
        if warned.unsent:
            raise CommandError(f"not sent: {', '.join(warned.unsent)}; the log says why")
