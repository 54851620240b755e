"""Notification of authors about decisions, at once or, after a failure or beyond the limit of a mailbox, later."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from catalog.models import Submission
from catalog.submissions import emails, limits, tokens

State = Submission.State

LETTERS = {
    State.ACCEPTED: emails.accepted_letter,
    State.REJECTED: emails.rejected_letter,
    State.SUPERSEDED: emails.superseded_letter,
    State.PASSED_ON: emails.prices_letter,
}
"""Letters by the state of a closed submission."""


@dataclass(frozen=True, slots=True)
class PriceOutcome:
    """Decision about one price. fuel, value: in words. reason: why it was refused, "" if accepted."""

    fuel: str
    value: str
    reason: str


def record_price_outcomes(outcomes: Mapping[int, Sequence[PriceOutcome]], *, on: datetime) -> None:
    """Record the decisions about all prices of submissions; the letters are sent on commit.

    outcomes: by id of the submission. Runs in the transaction of the decision. Two statements, none without outcomes.
    Erased submissions are skipped.
    """
    if not outcomes:
        return
    found = Submission.objects.filter(pk__in=outcomes, erased_at__isnull=True).select_related("depot").order_by("pk")
    rows = list(found.select_for_update(of=("self",)))
    for row in rows:
        decided = [[one.fuel, one.value, one.reason] for one in outcomes[row.pk]]
        row.proposed = row.proposed | {"outcomes": [*row.proposed.get("refused", []), *decided]}
        row.answered_at, row.notification_pending = on, True
    Submission.objects.bulk_update(rows, ["proposed", "answered_at", "notification_pending"], batch_size=500)
    transaction.on_commit(lambda: resend_letters(submissions=outcomes))


@dataclass(frozen=True, slots=True)
class Told:
    """Ids of submissions: letter sent, sending failed, or delayed by the limit of the mailbox."""

    sent: tuple[int, ...] = ()
    unsent: tuple[int, ...] = ()
    delayed: tuple[int, ...] = ()


@transaction.atomic
def resend_letters(*, submissions: Collection[int] | None = None) -> Told:
    """Send pending letters. submissions: ids, None for all; those already notified are skipped.

    Pending letters do not delay erasing: without personal data there is no address. Letters are sent before the
    transaction ends, so that concurrent calls do not send them twice. Four statements.
    """
    owed = Submission.objects.unnotified()
    if submissions is not None:
        owed = owed.filter(pk__in=submissions)
    rows = lock_mailboxes(owed)
    letters = [(row, LETTERS[State(row.state)](row)) for row in rows]
    return deliver(letters, on=timezone.now(), notification_pending=False)


def lock_mailboxes(submissions: QuerySet[Submission]) -> list[Submission]:
    """Lock submissions and return them with their depots, by id; those locked by another transaction are skipped.

    Locks their mailboxes first, as everywhere else. Three queries, one if there are none.
    """
    addresses = dict(submissions.order_by().values_list("pk", "email"))
    if not addresses:
        return []
    limits.wait_for_turn(*{tokens.hash_mailbox(address) for address in addresses.values()})
    rows = submissions.filter(pk__in=addresses).select_related("depot").order_by("pk")
    return list(rows.select_for_update(of=("self",), skip_locked=True))


def deliver(letters: Sequence[tuple[Submission, EmailMultiAlternatives]], *, on: datetime, **saved: Any) -> Told:
    """Send letters about submissions from `lock_mailboxes`, within the limit of each mailbox. Two statements.

    Letters beyond the limit are not sent; the caller keeps them pending. saved: fields to set where a letter was sent.
    """
    if not letters:
        return Told()
    sent_before = limits.recent_letters({tokens.hash_mailbox(row.email) for row, _ in letters}, on)
    counts = Counter({mailbox: len(sent) for mailbox, sent in sent_before.items()})
    leaving, delayed = [], []
    for row, letter in letters:
        # The hash may have been erased since the previous letter.
        row.mailbox_hash = tokens.hash_mailbox(row.email)
        counts[row.mailbox_hash] += 1
        if counts[row.mailbox_hash] > limits.LINKS_PER_MAILBOX:
            delayed.append(row.pk)
        else:
            leaving.append((row, letter))
    unsent = emails.send({row.pk: letter for row, letter in leaving})
    sent = [row for row, _ in leaving if row.pk not in unsent]
    for row in sent:
        row.links_at = [*row.links_at, on]
        for name, value in saved.items():
            setattr(row, name, value)
    # One UPDATE: a second one of the same rows would lock their depots, after their submissions (`locking`).
    Submission.objects.bulk_update(sent, ["mailbox_hash", "links_at", *saved], batch_size=500)
    return Told(tuple(row.pk for row in sent), tuple(unsent), tuple(delayed))
