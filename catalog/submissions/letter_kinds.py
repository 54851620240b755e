"""The kinds of letters: which rows wait for one, what it says, and what is stored once it has left.

Anybody can enter anybody's address into a form, so the letter with the link contains only data of the catalog: the
depot and the kind of submission. Submitted values and texts of editors go to confirmed addresses only.

`letter_text` makes their texts, `letters` sends them.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db.models import Exists, F, Model, OuterRef, QuerySet
from django.utils import timezone
from django.utils.formats import date_format

from catalog.depots import fuels
from catalog.models import Decision, OwnerLink, PendingLetter, Submission, SubmissionQuestion, Subscription
from catalog.submissions import field_groups, objections, tokens
from catalog.submissions.letter_text import Block, Part, compose, compose_blocks
from fueldepot.data.history import lock_rows
from fueldepot.http.links import route_url

State = Submission.State
Kind = Submission.Kind

KIND_NAMES = dict(Kind.choices) | {Kind.CORRECT: "poprawka danych", Kind.PRICE: "ceny opału"}


def to_author(submission: Submission, name: str, **values: Any) -> EmailMultiAlternatives:
    """Return a letter to the author of a submission. Reads the depot; use `select_related`."""
    return compose(
        submission.email, submission.depot, (name, named(submission) | values), status=status_url(submission)
    )


def named(submission: Submission) -> dict[str, Any]:
    """Return what templates say of a submission: itself, and its number with its kind."""
    return {"submission": submission, "numbered": f"nr {submission.pk} ({KIND_NAMES[Kind(submission.kind)]})"}


def decided_part(submission: Submission) -> Part:
    """Return the part of a letter about the decision on a submission: what was accepted, what was not, and why."""
    values = named(submission)
    match submission.state:
        case State.REJECTED:
            changes = proposed_changes(submission) if submission.kind == Kind.CORRECT else []
            return "rejected", values | {"changes": changes}
        case State.SUPERSEDED:
            return "superseded", values
        case State.PASSED_ON:
            changes = [
                {"label": label, "before": "", "after": value, "reason": reason}
                for label, value, reason in submission.proposed.get("outcomes", [])
            ]
            return "prices", values | {"changes": changes}
    match submission.kind:
        case Kind.CLAIM:
            owned = OwnerLink.objects.working().filter(depot=submission.depot, email_hash=submission.email_hash)
            link = owned.first()
            values |= {"link": tokens.OWNER.url([link.pk, link.serial])} if link else {}
        case Kind.CORRECT | Kind.ADD:
            values["changes"] = accepted_changes(submission)
        case Kind.DELETE:
            values["link"] = tokens.RESTORE.url(submission.pk)
    return f"accepted_{submission.kind}", values


def proposed_changes(submission: Submission) -> list[dict[str, Any]]:
    """Return the values of a correction or new depot, before and after."""
    names = field_groups.municipalities(submission.stored, submission.proposed)
    return field_groups.differences(submission.stored, submission.proposed, names)


def accepted_changes(submission: Submission) -> list[dict[str, Any]]:
    """Return the values of a submission with `is_accepted`; omitted ones with the reason of the editor.

    Accepted values that an editor altered are as the depot has them now, with the author's as `proposed`. The
    municipality follows from the position, and the week from its text, so they are not compared.
    """
    changes = proposed_changes(submission)
    now = field_groups.values_of(submission.depot) if submission.depot is not None else {}
    for group, change in zip(field_groups.groups_in(submission.proposed), changes, strict=True):
        change["is_accepted"] = group.name in submission.accepted_fields
        compared = [name for name in group.fields if name not in {"municipality", "hours"}]
        if not change["is_accepted"]:
            change["reason"] = submission.reason
        elif now and any(now[name] != submission.proposed.get(name) for name in compared):
            present = field_groups.group_in_words(group, now, field_groups.municipalities(now))
            change |= {"after": present, "proposed": change["after"]}
    return changes


def describe_part(submission: Submission) -> tuple[str, str]:
    """Return the kind of a submission, and the names of its fields or fuels, "" for none: no submitted text."""
    if submission.kind == Kind.PRICE:
        names = [fuels.BY_SLUG[price["fuel"]].name.lower() for price in submission.proposed["prices"]]
    else:
        values, is_new = submission.proposed, submission.kind == Kind.ADD  # with every field, also those left empty
        groups = field_groups.groups_in(values)
        names = [group.label for group in groups if not is_new or any(map(values.get, group.fields))]
    return KIND_NAMES[Kind(submission.kind)], ", ".join(names)


def status_url(submission: Submission) -> str:
    return tokens.STATUS.url(submission.visit_id or submission.pk)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter to send.

    row: that waits for it. counted: whose `letters_at` counts it against the limit of its mailbox, None for no limit.
    write: returns the message. left: called once the letter has left.
    """

    row: Any
    counted: Submission | OwnerLink | Subscription | None
    write: Callable[[], EmailMessage]
    left: Callable[[], object] | None = None

    @property
    def label(self) -> str:
        """Table and id of the row, for logs, which contain no address."""
        return f"{self.row._meta.model_name} {self.row.pk}"


class LetterKind:
    """A kind of letters: one for each row, unless a kind says otherwise.

    model: of the rows. moment: its column of when the letter has left. locked: relations of `rows` to lock, as
    `select_for_update` takes them.
    """

    model: ClassVar[type[Model]] = Submission
    moment: ClassVar[str]
    locked: ClassVar[tuple[str, ...]] = ("self",)

    def rows(self, on: datetime) -> QuerySet[Any]:
        """Return the rows that wait for a letter."""
        raise NotImplementedError

    def letters(self, row: Any, on: datetime) -> Iterable[Letter]:
        """Return the letters of a row. Without any the row counts as done."""
        return [Letter(row, row, partial(self.write, row, on))]

    def write(self, row: Any, on: datetime) -> EmailMessage:
        raise NotImplementedError

    def told(self, rows: Collection[Any], on: datetime) -> QuerySet[Any]:
        """Return the rows that letters for some rows are about, which were marked as tried at a moment."""
        return self.model._default_manager.filter(pk__in=[row.pk for row in rows])

    def done(self, rows: Collection[Any], on: datetime) -> None:
        """Store that all letters of these rows have left. Runs in a transaction."""
        about = self.told(rows, on)
        lock_rows(about)
        about.update(letter_tried_at=None, **self.stored(on))

    def stored(self, on: datetime) -> dict[str, Any]:
        """Return the values that say that the letter has left."""
        return {self.moment: on}


class LinkLetters(LetterKind):
    """The link that confirms the submissions of a visit."""

    def rows(self, on: datetime) -> QuerySet[Submission]:
        return Submission.objects.unmailed().select_related("depot__municipality")

    def write(self, row: Submission, on: datetime) -> EmailMessage:
        # The table has only the hash of the token, so every attempt makes a new link.
        token, row.token_hash = tokens.new_token(row.pk, on)
        link = route_url("submission-confirm") + f"?odnosnik={token}"
        parts = [row, *row.companions.filter(state=State.UNCONFIRMED).order_by("pk")]
        described = [describe_part(part) for part in parts]
        return to_author(row, "link", link=link, hours=tokens.LINK_HOURS, parts=described)

    def told(self, rows: Collection[Submission], on: datetime) -> QuerySet[Submission]:
        return Submission.objects.of_visits([row.pk for row in rows])

    def stored(self, on: datetime) -> dict[str, Any]:
        return {"mailed_at": on, "mails_sent": F("mails_sent") + 1}


class GatheredLetters(LetterKind):
    """One letter to each author, about all submissions with the flag.

    One row stands for them: a row that a letter under way already includes, so that no submission is told twice, else
    the first.
    """

    flag: ClassVar[str]

    def pending(self) -> QuerySet[Submission]:
        # Erased ones have no address, so a pending letter delays no erasing.
        return Submission.objects.filter(**{self.flag: True}, erased_at__isnull=True)

    def part(self, submission: Submission) -> Part:
        raise NotImplementedError

    def rows(self, on: datetime) -> QuerySet[Submission]:
        of_authors = self.pending().order_by("email_hash", "letter_tried_at", "pk").distinct("email_hash")
        others = Exists(self.pending().filter(email_hash=OuterRef("email_hash")).exclude(pk=OuterRef("pk")))
        rows = self.pending().filter(pk__in=of_authors.values("pk")).annotate(has_others=others)
        return rows.select_related("depot__municipality")

    def write(self, row: Any, on: datetime) -> EmailMessage:
        rows = [row, *(self._mark_others(row, on) if row.has_others else ())]
        by_depot: dict[tuple[int | None, int | None], list[Submission]] = {}
        for submission in rows:
            key = submission.depot_id, None if submission.depot_id else submission.pk
            by_depot.setdefault(key, []).append(submission)
        return compose_blocks(
            row.email,
            [Block(same[0].depot, [*map(self.part, same)], status_url(same[0])) for same in by_depot.values()],
        )

    def _mark_others(self, row: Submission, on: datetime) -> list[Submission]:
        """Return the author's others, marked as tried like the first: one decided meanwhile waits for its own letter.

        Locked ones are left for another letter: to wait for them here could be a deadlock.
        """
        others = self.pending().filter(email_hash=row.email_hash).exclude(pk=row.pk).order_by("pk")
        rows = list(others.select_for_update(of=("self",), skip_locked=True).select_related("depot__municipality"))
        Submission.objects.filter(pk__in=[other.pk for other in rows]).update(letter_tried_at=on)
        return rows

    def told(self, rows: Collection[Submission], on: datetime) -> QuerySet[Submission]:
        # The row that stood for the others may have been erased since.
        return self.pending().filter(email_hash__in={row.email_hash for row in rows}, letter_tried_at=on)

    def stored(self, on: datetime) -> dict[str, Any]:
        return {self.flag: False}


class DecisionLetters(GatheredLetters):
    """Decisions about submissions: those made together, and those that the limit of the mailbox delays."""

    flag = "notification_pending"

    def part(self, submission: Submission) -> Part:
        return decided_part(submission)


class ReopeningLetters(GatheredLetters):
    """Decisions undone since their authors were told of them."""

    flag = "reopening_pending"

    def part(self, submission: Submission) -> Part:
        undone = Decision.objects.about(submission).exclude(undone_at=None).order_by("undone_at").last()
        granted = undone is not None and undone.lines.filter(model=OwnerLink._meta.label_lower).exists()
        return "reopened", named(submission) | {"ends_link": granted}


class QuestionLetters(LetterKind):
    model = SubmissionQuestion
    moment = "sent_at"
    locked = ("self", "submission")

    def rows(self, on: datetime) -> QuerySet[SubmissionQuestion]:
        return SubmissionQuestion.objects.unsent().select_related("submission__depot__municipality")

    def letters(self, row: SubmissionQuestion, on: datetime) -> Iterable[Letter]:
        link = tokens.QUESTION.url(row.pk)
        return [Letter(row, row.submission, partial(to_author, row.submission, "question", question=row, link=link))]


class ClaimLetters(LetterKind):
    """Letters to the present owners of an entry that somebody else claims."""

    moment = "owner_told_at"

    def rows(self, on: datetime) -> QuerySet[Submission]:
        return objections.claims_to_announce().select_related("depot__municipality")

    def letters(self, row: Submission, on: datetime) -> Iterable[Letter]:
        ends = date_format(timezone.localtime(on + objections.OBJECTION_TIME), r"j E Y \r., H:i")
        for owner in objections.other_owners(row):
            link = tokens.OBJECTION.url([row.pk, owner.pk])
            part: Part = "claimed", {"link": link, "ends": ends}
            yield Letter(row, owner, partial(compose, owner.email, row.depot, part))


class SubscriptionLetters(LetterKind):
    """The link by which a reader confirms having asked for letters."""

    model = Subscription
    moment = "mailed_at"

    def rows(self, on: datetime) -> QuerySet[Subscription]:
        return Subscription.objects.filter(mailed_at__isnull=True)

    def write(self, row: Subscription, on: datetime) -> EmailMessage:
        link = tokens.SUBSCRIPTION.url(row.pk)
        return compose(row.email, None, ("alerts_link", {"link": link, "hours": tokens.LINK_HOURS}))


class PendingLetters(LetterKind):
    """Letters of `PendingLetter`, by its kind: one for equal requests.

    `owner_links` and `catalog.admin.accounts` add them.
    """

    writers: ClassVar[dict[str, Callable[[PendingLetter, datetime], Iterable[Letter]]]] = {}

    def rows(self, on: datetime) -> QuerySet[PendingLetter]:
        return PendingLetter.objects.filter(kind__in=self.writers).select_related("depot__municipality")

    def letters(self, row: PendingLetter, on: datetime) -> Iterable[Letter]:
        equal = PendingLetter.objects.filter(kind=row.kind, email__iexact=row.email, depot=row.depot_id)
        if row.kind == PendingLetter.Kind.OWNER_CHANGED:
            equal = equal.filter(letter_tried_at=None)  # a letter that is under way does not tell of later changes
        return [] if equal.filter(pk__lt=row.pk).exists() else self.writers[row.kind](row, on)

    def done(self, rows: Collection[PendingLetter], on: datetime) -> None:
        PendingLetter.objects.filter(pk__in=[row.pk for row in rows]).delete()


KINDS = (
    *(PendingLetters(), LinkLetters(), ReopeningLetters(), DecisionLetters(), QuestionLetters(), ClaimLetters()),
    SubscriptionLetters(),
)
"""Kinds sent as soon as they wait; first those that warn an owner. `retention` sends another once a day."""
