"""Retention of personal data of submissions."""

from collections import defaultdict
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Case, CharField, DateTimeField, Exists, F, Func, Max, OuterRef, Q, QuerySet, When
from django.db.models.functions import Cast, Coalesce, Greatest
from django.utils import timezone
from django.utils.formats import date_format

from catalog.models import (
    CaseComment,
    Decision,
    DecisionLine,
    Depot,
    GoneReport,
    ImportRun,
    PendingLetter,
    Submission,
    SubmissionQuestion,
    Subscription,
)
from catalog.submissions import field_groups, limits
from catalog.submissions.letter_kinds import LetterKind, to_author
from catalog.submissions.limits import PERIOD
from fueldepot.data.history import among, lock_rows

KEPT = timedelta(days=90)
"""Retention of personal data after a decision."""

CLAIM_KEEPS = f"w zgłoszeniu, w którym go podano, zostaje najwyżej {KEPT.days} dni od decyzji"
"""Follows what is said about erasing an owner's address."""

KEPT_UNDECIDED = timedelta(days=365)
"""How long a confirmed submission waits for a decision before it is deleted."""

WARNED_BEFORE = timedelta(days=14)
"""How long before the deletion the author is warned by a letter."""

LETTER_TRIED = timedelta(days=30)
"""Extra time where the letter before a deletion could not be sent: then it happens without.

Counted anew where a decision was undone after the year.
"""

KEPT_FOR_LIMITS = PERIOD
"""Retention of hashes of networks and mailboxes, which limits count, and of authors of decided prices."""

LINK_REPLACED = timedelta(days=14)
"""How long a link is kept that another owner's claim ended, to come back if the decision is undone."""

KEPT_SUBSCRIBED = timedelta(days=730)
"""How long letters are sent after a confirmation before the reader is asked again."""

KEPT_ASKED = timedelta(days=30)
"""How long an asked reader may prolong; then the subscription is deleted."""

LATE = timedelta(days=2)
"""Time since the last purge after which the next one is overdue; it runs daily."""

PURGE = "purge_requests"
"""`ImportRun.source` of purges."""

LAST_LETTER = Func(
    F("letters_at"), template="(%(expressions)s)[cardinality(%(expressions)s)]", output_field=DateTimeField()
)
"""When the last letter of `letters_at` was sent, NULL without one."""

LINK_BEGINS = Coalesce("mailed_at", Case(When(mails_sent__gt=0, then=LAST_LETTER)), "created_at")
"""From when the link of an unconfirmed submission counts, see `link_ends`."""

PERSONAL = (
    *("email", "email_hash", "mailbox_hash", "client_hash", "token_hash"),
    *("subject", "message", "claimant_role", "claimant_nip", "claimant_phone", "objection"),
)
"""Columns that are erased."""


class Purged(NamedTuple):
    """Numbers of rows: deleted unconfirmed, erased personal data, erased network hashes, deleted undecided."""

    deleted: int
    erased: int
    clients: int
    expired: int = 0


@transaction.atomic
def purge_submissions(*, on: datetime) -> Purged:
    """Erase data whose time is over, see the constants above.

    Unconfirmed submissions are deleted when their link expires, undecided ones after `ExpiryLetters`. With the
    personal data go the proposed values that were not published, the questions to the author and the comments about a
    missing depot. Data of prices go `KEPT_FOR_LIMITS` after the last of them was decided, those of withdrawn
    submissions as long after the withdrawal, hashes of mailboxes as long after the last letter. A pending letter delays
    nothing.
    """
    unconfirmed, expired, due, clients, mailboxes = parts = _forgettable(on)
    chosen = reduce(or_, parts)
    lock_rows(Depot.objects.filter(pk__in=chosen.order_by().values("depot")))
    lock_rows(chosen)
    deleted, undecided = (rows.delete()[1].get(Submission._meta.label, 0) for rows in (unconfirmed, expired))
    erased = erase(due, on=on)
    mailboxes.filter(confirmed_at__isnull=False).update(mailbox_hash="", letters_at=[])
    mailboxes.update(mailbox_hash="")  # their links may work for longer than limits count them
    kinds = PendingLetter.Kind
    # A link can be asked for again.
    links = Q(kind__in=[kinds.OWNER_LINK, kinds.PASSWORD], requested_at__lte=on - KEPT_FOR_LIMITS)
    PendingLetter.objects.filter(links | Q(requested_at__lte=on - KEPT)).delete()
    GoneReport.objects.filter(created_at__lte=on - KEPT).delete()
    forget_subscriptions(on=on)
    return Purged(deleted, erased, clients.update(client_hash=""), undecided)


def erase(closed: QuerySet[Submission], *, on: datetime) -> int:
    """Erase the personal data of closed submissions, whose depots are locked. Returns how many there were."""
    for model in (SubmissionQuestion, CaseComment):
        model._default_manager.filter(submission__in=closed).delete()
    closed.exclude(state=Submission.State.ACCEPTED).update(proposed={}, stored={})
    _erase_unpublished(closed.filter(state=Submission.State.ACCEPTED).exclude(proposed={}))
    return closed.update(erased_at=on, notification_pending=False, **dict.fromkeys(PERSONAL, ""))


def _erase_unpublished(submissions: QuerySet[Submission]) -> None:
    """Erase the proposed values of accepted submissions that their depots never had: left out, or altered by editors.

    Values of a group go together. At most four statements.
    """
    rows = list(submissions)
    depots = among({row.depot_id for row in rows if row.depot_id})
    merged = dict(Depot.objects.filter(Q(pk__in=depots) | Q(merged_into__in=depots)).values_list("pk", "merged_into"))
    published: defaultdict[int | None, list[dict[str, Any]]] = defaultdict(list)
    for line in Depot.history.filter(id__in=among(merged)).values("id", *map(Depot.column, Depot.PUBLIC_FIELDS)):
        for depot in (line["id"], merged[line["id"]]):
            published[depot].append(line)
    for row in rows:
        for group in field_groups.groups_in(row.proposed):
            names = row.proposed.keys() & {*group.fields}
            values = {Depot.column(name): row.proposed[name] for name in names}.items()
            is_public = any(values <= line.items() for line in published[row.depot_id])
            if not is_public or group.name not in (row.accepted_fields or names):
                for name in names:
                    del row.proposed[name]
                    row.stored.pop(name, None)
    Submission.objects.bulk_update(rows, ["proposed", "stored"], batch_size=500)


def forget_subscriptions(*, on: datetime) -> None:
    """Delete subscriptions not confirmed within `LINK_LIFE`, or not prolonged within `KEPT_ASKED`.

    Also those whose reader could not be asked for LETTER_TRIED. Erases hashes of networks after `KEPT_FOR_LIMITS`.
    """
    dead = Q(confirmed_at=None, since__lte=on - limits.LINK_LIFE)
    unasked = Q(asked_at=None, confirmed_at__lte=on - KEPT_SUBSCRIBED - LETTER_TRIED)
    rows = Subscription.objects.annotate(since=Coalesce(F("mailed_at"), F("created_at")))
    rows.filter(dead | unasked | Q(asked_at__lte=on - KEPT_ASKED)).delete()
    Subscription.objects.filter(created_at__lte=on - KEPT_FOR_LIMITS).exclude(client_hash="").update(client_hash="")


class ExpiryLetters(LetterKind):
    """Letters to authors of waiting submissions that are deleted in at most `WARNED_BEFORE`.

    The purge sends them, again where they could not be sent or exceeded the limit of their mailbox.
    """

    moment = "expiry_letter_at"

    def rows(self, on: datetime) -> QuerySet[Submission]:
        rows = Submission.objects.waiting().filter(expiry_letter_at__isnull=True).select_related("depot__municipality")
        return rows.filter(confirmed_at__lte=on - KEPT_UNDECIDED + WARNED_BEFORE)

    def write(self, row: Submission, on: datetime) -> EmailMessage:
        assert row.confirmed_at is not None  # noqa: S101 - a constraint of the table
        reopened_at = Decision.objects.about(row).aggregate(at=Max("undone_at"))["at"]
        due = max(row.confirmed_at + KEPT_UNDECIDED, reopened_at or row.confirmed_at)
        ends = min(max(due, on + WARNED_BEFORE), due + LETTER_TRIED)
        return to_author(row, "expiry", day=date_format(timezone.localdate(ends)))


def erased_on(submission: Submission) -> datetime | None:
    """Return when the personal data of a submission are due to be erased, None before it is closed."""
    if submission.answered_at is not None:
        return submission.answered_at + KEPT_FOR_LIMITS
    if submission.decided_at is None:
        return None
    due = submission.decided_at + (KEPT_FOR_LIMITS if submission.state == Submission.State.WITHDRAWN else KEPT)
    return due if submission.confirmed_at is not None else min(due, link_ends(submission))


def link_ends(submission: Submission) -> datetime:
    """Return when the link of an unconfirmed submission expires, sent or not; the last one if another waits."""
    sent = submission.letters_at if submission.mails_sent else []  # else of a process that was killed
    begins = submission.mailed_at or [submission.created_at, *sent][-1]
    return begins + limits.LINK_LIFE


def record_purge(purged: Purged, *, started: datetime, finished: datetime) -> None:
    outcome = ImportRun.Outcome.IMPORTED if any(purged) else ImportRun.Outcome.UNCHANGED
    moments = {"started": started, "finished": finished}
    counts = {"removed": purged.deleted + purged.expired, "changed": purged.erased}
    message = f"network addresses erased: {purged.clients}"
    ImportRun.objects.create(source=PURGE, outcome=outcome, message=message, **moments, **counts)


def is_purge_overdue(last: datetime | None, *, now: datetime) -> bool:
    """Whether purges have stopped, or never ran though data were due `LATE` ago.

    last: when the last one ended. At most one query.
    """
    return last < now - LATE if last is not None else reduce(or_, _forgettable(now - LATE)).exists()


def _forgettable(on: datetime) -> tuple[QuerySet[Submission], ...]:
    """Return the rows to forget, by what is due.

    In order: unconfirmed and undecided submissions, deleted as a whole; those whose personal data are erased; those
    whose hash of a network, or of a mailbox with the moments of its letters, is erased.
    """
    uncounted = on - KEPT_FOR_LIMITS
    rows = Submission.objects.alias(link_begins=LINK_BEGINS, last_sent=Greatest("created_at", "mailed_at", LAST_LETTER))
    withdrawn = Q(state=Submission.State.WITHDRAWN, decided_at__lte=uncounted)
    unconfirmed = rows.filter(Q(link_begins__lte=on - limits.LINK_LIFE) | withdrawn, confirmed_at=None)
    lines = DecisionLine.objects.filter(model=Submission._meta.label_lower, key=Cast(OuterRef("pk"), CharField()))
    reopened = Exists(lines.filter(decision__undone_at__gt=on - LETTER_TRIED))
    warned = Q(expiry_letter_at__lte=on - WARNED_BEFORE)
    unwarned = Q(confirmed_at__lte=on - KEPT_UNDECIDED - LETTER_TRIED) & ~reopened
    expired = rows.waiting().filter(warned | unwarned, confirmed_at__lte=on - KEPT_UNDECIDED)
    closed = Q(decided_at__lte=on - KEPT, answered_at=None) | Q(answered_at__lte=uncounted) | withdrawn
    due = rows.filter(closed, erased_at__isnull=True, confirmed_at__isnull=False)
    clients = rows.filter(created_at__lte=uncounted).exclude(client_hash="")
    unknown = Q(Q(confirmed_at=None) | Q(letters_at=[]), mailbox_hash="")
    mailboxes = rows.filter(last_sent__lte=uncounted).exclude(unknown)
    return unconfirmed, expired, due, clients, mailboxes
