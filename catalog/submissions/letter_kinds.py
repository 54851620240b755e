"""The kinds of letters: which rows wait for one, what it says, and what is stored once it has left.

`letters` sends them.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django.core.mail import EmailMessage
from django.db.models import F, Q, QuerySet

from catalog.models import OwnerLink, PendingLetter, Submission, SubmissionQuestion
from catalog.submissions import emails, objections, tokens
from catalog.submissions.limits import lock_submissions

State = Submission.State


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter to send.

    row: that waits for it. counted: whose `links_at` counts it against the limit of its mailbox, None for no limit.
    write: returns the message. left: called once the letter has left.
    """

    row: Any
    counted: Submission | OwnerLink | None
    write: Callable[[], EmailMessage]
    left: Callable[[], object] | None = None

    @property
    def label(self) -> str:
        """Table and id of the row, for logs, which contain no address."""
        return f"{self.row._meta.model_name} {self.row.pk}"


class LetterKind:
    """A kind of letters. locked: relations of `rows` to lock, as `select_for_update` takes them."""

    locked: ClassVar[tuple[str, ...]] = ("self",)

    def rows(self, on: datetime) -> QuerySet[Any]:
        """Return the rows that wait for a letter."""
        raise NotImplementedError

    def letters(self, row: Any, on: datetime) -> Iterable[Letter]:
        """Return the letters of a row. Without any the row counts as done."""
        raise NotImplementedError

    def done(self, numbers: Collection[int], on: datetime) -> None:
        """Store that all letters of these rows have left. Runs in a transaction."""
        raise NotImplementedError


class SubmissionLetters(LetterKind):
    """Letters to the author of a submission: one for each row."""

    def letters(self, row: Submission, on: datetime) -> Iterable[Letter]:
        return [Letter(row, row, partial(self.write, row, on))]

    def write(self, row: Submission, on: datetime) -> EmailMessage:
        raise NotImplementedError

    def done(self, numbers: Collection[int], on: datetime) -> None:
        rows = Submission.objects.filter(pk__in=numbers)
        lock_submissions(rows)
        rows.update(letter_tried_at=None, **self.stored(on))

    def stored(self, on: datetime) -> dict[str, Any]:
        """Return the values that say that the letter has left."""
        raise NotImplementedError


class LinkLetters(SubmissionLetters):
    """The link that confirms the submissions of a visit."""

    def rows(self, on: datetime) -> QuerySet[Submission]:
        return Submission.objects.unmailed().select_related("depot")

    def write(self, row: Submission, on: datetime) -> EmailMessage:
        # The table has only the hash of the token, so every attempt makes a new link.
        token, row.token_hash = tokens.new_token(row.pk, on)
        return emails.link_letter(row, token)

    def done(self, numbers: Collection[int], on: datetime) -> None:
        rows = Submission.objects.filter(Q(pk__in=numbers) | Q(visit__in=numbers))
        lock_submissions(rows)
        rows.update(letter_tried_at=None, mailed_at=on, mails_sent=F("mails_sent") + 1)


class DecisionLetters(SubmissionLetters):
    """The decision about a submission. Erased ones have no address, so a pending letter delays no erasing."""

    by_state: ClassVar = {
        State.ACCEPTED: emails.accepted_letter,
        State.REJECTED: emails.rejected_letter,
        State.SUPERSEDED: emails.superseded_letter,
        State.PASSED_ON: emails.prices_letter,
    }

    def rows(self, on: datetime) -> QuerySet[Submission]:
        return Submission.objects.unnotified().select_related("depot")

    def write(self, row: Submission, on: datetime) -> EmailMessage:
        return self.by_state[State(row.state)](row)

    def stored(self, on: datetime) -> dict[str, Any]:
        return {"notification_pending": False}


class QuestionLetters(LetterKind):
    """Questions of editors to authors."""

    locked = ("self", "submission")

    def rows(self, on: datetime) -> QuerySet[SubmissionQuestion]:
        return SubmissionQuestion.objects.unsent().select_related("submission__depot")

    def letters(self, row: SubmissionQuestion, on: datetime) -> Iterable[Letter]:
        return [Letter(row, row.submission, partial(emails.question_letter, row.submission, row))]

    def done(self, numbers: Collection[int], on: datetime) -> None:
        SubmissionQuestion.objects.filter(pk__in=numbers).update(sent_at=on, letter_tried_at=None)


class ClaimLetters(SubmissionLetters):
    """Letters to the present owners of an entry that somebody else claims."""

    def rows(self, on: datetime) -> QuerySet[Submission]:
        return objections.claims_to_announce().select_related("depot")

    def letters(self, row: Submission, on: datetime) -> Iterable[Letter]:
        for link in objections.other_owners(row):
            yield Letter(row, link, partial(emails.claimed_letter, row, link, on + objections.OBJECTION_TIME))

    def stored(self, on: datetime) -> dict[str, Any]:
        return {"owner_told_at": on}


class PendingLetters(LetterKind):
    """Letters of `PendingLetter`, by its kind: one for equal requests. `catalog.admin.password_links` adds some."""

    writers: ClassVar[dict[str, Callable[[PendingLetter, datetime], Iterable[Letter]]]] = {}

    def rows(self, on: datetime) -> QuerySet[PendingLetter]:
        return PendingLetter.objects.filter(kind__in=self.writers).select_related("depot")

    def letters(self, row: PendingLetter, on: datetime) -> Iterable[Letter]:
        equal = PendingLetter.objects.filter(kind=row.kind, email__iexact=row.email, depot=row.depot_id)
        return [] if equal.filter(pk__lt=row.pk).exists() else self.writers[row.kind](row, on)

    def done(self, numbers: Collection[int], on: datetime) -> None:
        PendingLetter.objects.filter(pk__in=numbers).delete()


def owner_link_letter(row: PendingLetter, on: datetime) -> Iterable[Letter]:
    """Yield the new link of an owner; nothing for another address, whose request thereby ends."""
    links = OwnerLink.objects.working().filter(depot=row.depot_id, email_hash=tokens.hash_email(row.email))
    for link in links.select_related("depot"):
        yield Letter(row, link, partial(emails.owner_letter, link))


def owner_replaced_letter(row: PendingLetter, on: datetime) -> Iterable[Letter]:
    """Yield the letter to a former owner, whose link has ended and therefore counts no letters."""
    if row.depot is not None:
        yield Letter(row, None, partial(emails.replaced_letter, row.email, row.depot))


PendingLetters.writers |= {
    PendingLetter.Kind.OWNER_LINK: owner_link_letter,
    PendingLetter.Kind.OWNER_REPLACED: owner_replaced_letter,
}

KINDS = (LinkLetters(), DecisionLetters(), QuestionLetters(), ClaimLetters(), PendingLetters())
"""Kinds that are sent as soon as they wait. `retention` sends another once a day."""
