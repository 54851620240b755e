"""Sending of letters: after the answer of the request that caused them, and again until they have left.

Rows say which letters wait (`letter_kinds`). A process that serves requests has a thread that sends them, so that
neither an answer nor its time depends on the mail server; a command sends its own. A batch is first marked as tried, in
a short transaction, and then sent without one: a slow mail server holds no locks, and what a killed process had marked
is tried again after `RETRY`. So a letter may leave twice, and none is lost.
"""

import logging
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from smtplib import SMTPException
from threading import Event, Thread
from typing import Any, ClassVar

from django.core.mail import EmailMessage, get_connection
from django.db import connection, transaction
from django.db.models import F, Func, Model, Q, Value
from django.utils import timezone

from catalog.models import OwnerLink, PendingLetter, Submission, SubmissionQuestion, Subscription
from catalog.submissions.letter_kinds import KINDS, Letter, LetterKind
from catalog.submissions.limits import COUNTED, LETTERS_PER_MAILBOX, PERIOD, hash_mailbox, recent_letters, wait_for_turn
from fueldepot.data.history import lock_rows
from fueldepot.data.snapshot import DATABASE_AWAY

logger = logging.getLogger(__name__)

RETRY = timedelta(minutes=15)
"""Time from an attempt to the next."""

BATCH = 50
"""Rows marked at once: what one mail server takes well within `RETRY`."""

PAUSE_S = 60.0
"""How often the thread looks for letters whose time has come."""

AFTER_ANSWER_S = 1.0
"""How long the thread waits after a request, so that its work does not slow down an answer that is still being sent."""

TRIED_COLUMNS: Mapping[type[Model], list[str]] = {
    Submission: ["letter_tried_at", "token_hash", "mailbox_hash", "letters_at"],
    SubmissionQuestion: ["letter_tried_at"],
    OwnerLink: ["letter_tried_at", "letters_at"],
    Subscription: ["letter_tried_at", "letters_at"],
    PendingLetter: ["letter_tried_at"],
}
"""Columns that an attempt changes, of the row that waits and of the one that counts the letter."""


@dataclass(frozen=True, slots=True)
class Sending:
    """Result of sending, by labels of letters: sent, failed, or delayed by the limit of their mailbox."""

    sent: tuple[str, ...] = ()
    unsent: tuple[str, ...] = ()
    delayed: tuple[str, ...] = ()

    def __add__(self, other: "Sending") -> "Sending":
        return Sending(self.sent + other.sent, self.unsent + other.unsent, self.delayed + other.delayed)


class Sender(Thread):
    """The thread that sends letters: soon after `woken` is set, and every `PAUSE_S`. current: of this process."""

    current: ClassVar["Sender | None"] = None

    def __init__(self) -> None:
        super().__init__(name="letters", daemon=True)
        self.woken, self.stopped = Event(), Event()

    def run(self) -> None:
        is_stopped = False
        while not is_stopped:
            if self.woken.wait(PAUSE_S):
                self.woken.clear()
                is_stopped = self.stopped.wait(AFTER_ANSWER_S)
            try:
                send_waiting()
            except DATABASE_AWAY:
                logger.warning("the database does not answer; letters wait")
            except Exception:
                logger.exception("letters could not be sent; they are tried again")
            finally:
                connection.close()

    def stop(self) -> None:
        """End the thread after the letters that wait now."""
        self.stopped.set()
        self.woken.set()
        self.join()


def start() -> Sender:
    """Start the thread that sends letters. Call it once per process that serves requests."""
    sender = Sender.current = Sender()
    sender.start()
    return sender


def send_soon() -> None:
    """Have waiting letters sent once the transaction commits: by the thread, or here in a process without one."""
    sender = Sender.current
    transaction.on_commit(sender.woken.set if sender is not None and sender.is_alive() else send_waiting)


def send_waiting(*, retry: timedelta = RETRY) -> Sending:
    """Send all waiting letters but those tried less than `retry` ago, which another process may be sending."""
    now = timezone.now()
    # One query for a kind without any, in place of a transaction.
    return sum((send(kind, retry=retry) for kind in KINDS if kind.rows(now).exists()), Sending())


def count_waiting() -> int:
    """Return the number of rows that wait for letters. One query for each kind."""
    return sum(kind.rows(timezone.now()).count() for kind in KINDS)


def send(kind: LetterKind, *, retry: timedelta = RETRY, on: datetime | None = None) -> Sending:
    """Send the waiting letters of a kind. on: the moment, None for the present one of each batch."""
    result, looked_at = Sending(), set[int]()
    while True:
        at = on or timezone.now()
        batch, messages, delayed = _mark(kind, at, retry, looked_at)
        unsent = _send(messages)
        # In transactions of their own: one would lock links before submissions, and change some of these twice.
        for letter in messages:
            if letter.left is not None and letter not in unsent:
                letter.left()
        if unsent:
            _uncount(unsent, at)
        failed = {letter.row.pk for letter in unsent}
        with transaction.atomic():
            kind.done({letter.row.pk: letter.row for letter in messages if letter.row.pk not in failed}.values(), at)
        sent = tuple(letter.label for letter in messages if letter not in unsent)
        result += Sending(sent, tuple(letter.label for letter in unsent), tuple(letter.label for letter in delayed))
        looked_at |= batch
        if len(batch) < BATCH:
            return result


@transaction.atomic
def _mark(
    kind: LetterKind, on: datetime, retry: timedelta, looked_at: set[int]
) -> tuple[set[int], dict[Letter, EmailMessage], list[Letter]]:
    """Mark the letters of a batch as tried. Returns ids of its rows, messages, and letters that a limit delays.

    The letters of a row leave together, so one delayed letter delays the others; a row is done with the last of them.

    looked_at: ids of rows to leave out. Rows locked by another transaction are left out.
    """
    wait_for_turn("letters")  # the limits are exact only if one process marks at a time
    due = Q(letter_tried_at=None) | Q(letter_tried_at__lte=on - retry)
    waiting = kind.rows(on).filter(due).exclude(pk__in=looked_at).order_by("pk")
    rows = list(waiting.select_for_update(of=kind.locked, skip_locked=True)[:BATCH])
    letters = {row: [*kind.letters(row, on)] for row in rows}
    # One object per row, so that several letters to one owner add up.
    counted = {letter.counted: letter.counted for letter in chain(*letters.values()) if letter.counted is not None}
    for row in counted.values():
        row.mailbox_hash = hash_mailbox(row.email)  # may have been erased since the previous letter
    sent_before = recent_letters({row.mailbox_hash for row in counted.values()}, on)
    counts = Counter({mailbox: len(moments) for mailbox, moments in sent_before.items()})
    messages: dict[Letter, EmailMessage] = {}
    delayed = []
    changed: dict[type[Model], set[Model]] = {model: set() for model in TRIED_COLUMNS}
    for row, of_row in letters.items():
        recipients = [counted[letter.counted] for letter in of_row if letter.counted is not None]
        new = Counter(recipient.mailbox_hash for recipient in recipients)
        if any(counts[box] and counts[box] + number > LETTERS_PER_MAILBOX for box, number in new.items()):
            delayed += of_row
            continue
        counts += new
        for recipient in recipients:
            # Counted before it is sent, so that no other letter is sent meanwhile.
            recipient.letters_at = [*recipient.letters_at, on]
            changed[type(recipient)].add(recipient)
        for letter in of_row:
            row.letter_tried_at = on
            changed[type(row)].add(row)
            messages[letter] = letter.write()
    for model, marked in changed.items():
        # One UPDATE: a second one of the same rows would lock their depots, after their submissions (`limits`).
        model._default_manager.bulk_update(marked, TRIED_COLUMNS[model])
    kind.done([row for row, of_row in letters.items() if not of_row], on)
    return {row.pk for row in rows}, messages, delayed


class MailServerAway(OSError):
    """Raised from what kept a connection from opening: every other letter would wait for it in vain."""


def hand_over(message: EmailMessage, mail_server: Any) -> None:
    """Send a letter over a connection that others use, too."""
    try:
        mail_server.open()  # no-op on an open connection
    except (SMTPException, OSError) as error:
        raise MailServerAway from error
    message.connection = mail_server
    message.send()


def _send(messages: Mapping[Letter, EmailMessage]) -> list[Letter]:
    """Send letters over one connection. Returns those that could not be sent: all of them without a mail server."""
    unsent: list[Letter] = []
    mail_server = get_connection()
    for position, (letter, message) in enumerate(messages.items()):
        try:
            hand_over(message, mail_server)
        except (SMTPException, OSError, ValueError) as error:
            # The error text may contain the address.
            logger.error("letter of %s not sent: %s", letter.label, type(error.__cause__ or error).__name__)
            mail_server.close()
            if isinstance(error, MailServerAway):
                return [*unsent, *list(messages)[position:]]
            unsent.append(letter)
    mail_server.close()
    return unsent


@transaction.atomic
def _uncount(unsent: Collection[Letter], on: datetime) -> None:
    """Count letters that have not left no longer against the limit of their mailbox."""
    others = Func(F("letters_at"), Value(on), function="array_remove")
    for model in COUNTED:
        counted = {letter.counted for letter in unsent if type(letter.counted) is model}
        rows = model._default_manager.filter(pk__in=[row.pk for row in counted])
        lock_rows(rows)
        past = [row.pk for row in counted if isinstance(row, Submission) and not _is_counted(row, on)]
        rows.filter(pk__in=past).update(letters_at=others, mailbox_hash="")
        rows.exclude(pk__in=past).update(letters_at=others)


def _is_counted(row: Submission, on: datetime) -> bool:
    """Whether limits count the mailbox of a submission, but for the letter of a moment. Else its hash is not kept."""
    return any(moment > on - PERIOD for moment in (row.created_at, *row.letters_at) if moment != on)
