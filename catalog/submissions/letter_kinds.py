"""The kinds of letters: which rows wait for one, what it says, and what is stored once it has left.

`letter_texts` writes them, `letters` sends them.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db.models import Case, Exists, F, Model, OuterRef, Q, QuerySet, Value, When
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from catalog.depots import fuels
from catalog.models import Decision, Depot, OwnerLink, PendingLetter, Submission, SubmissionQuestion, Subscription
from catalog.submissions import field_groups, limits, objections, tokens
from catalog.submissions.letter_texts import Block, Part, compose, compose_blocks
from fueldepot.data.history import among, lock_rows
from fueldepot.http.links import route_url, site_url

State = Submission.State
Kind = Submission.Kind

KIND_NAMES = dict(Kind.choices) | {Kind.CORRECT: "poprawka danych", Kind.PRICE: "ceny opału"}


def to_author(submission: Submission, name: str, **values: Any) -> EmailMultiAlternatives:
    """Return a letter to the author of a submission. Reads the depot; use `select_related`."""
    part: Part = name, named(submission) | values
    return compose(submission.email, submission.depot, part, status=status_url(submission))


def named(submission: Submission) -> dict[str, Any]:
    """Return what templates say of a submission: itself, and its number with its kind."""
    return {"submission": submission, "numbered": f"nr {submission.pk} ({KIND_NAMES[Kind(submission.kind)]})"}


def decided_part(submission: Submission) -> Part:
    """Return the part of a letter about the decision on a submission: what was accepted, what was not, and why."""
    values = named(submission)
    match submission.state:
        case State.REJECTED:
            is_correction = submission.kind == Kind.CORRECT
            changes = field_groups.differences(submission.stored, submission.proposed) if is_correction else []
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
        case Kind.CLAIM | Kind.RESTORE:
            link = link_of(submission)
            values |= {"link": tokens.OWNER.url([link.pk, link.serial])} if link else {}
        case Kind.CORRECT | Kind.ADD:
            values["changes"] = field_groups.accepted_changes(submission)
        case Kind.DELETE:
            values["link"] = tokens.RESTORE.url(submission.pk)
    return f"accepted_{submission.kind}", values


def link_of(submission: Submission) -> OwnerLink | None:
    """Return the working link of the author of a submission to its depot. One query."""
    return OwnerLink.objects.working().filter(depot=submission.depot, email_hash=submission.email_hash).first()


def reopened_part(submission: Submission) -> Part:
    undone = Decision.objects.about(submission).exclude(undone_at=None).order_by("undone_at").last()
    granted = undone is not None and undone.lines.filter(model=OwnerLink._meta.label_lower).exists()
    return "reopened", named(submission) | {"ends_link": granted and not link_of(submission)}


def ownership_part(link: OwnerLink) -> Part:
    """Return what a letter says of a link that has lost its entry, or has it again. One query for the former."""
    depot = link.depot
    if link.loss_told_at is not None:
        return "owner_restored", {"link": tokens.OWNER.url([link.pk, link.serial])}
    path, removed = reverse("depot-claim", args=[depot.pk]), depot.publication == Depot.Publication.REMOVED
    if removed:
        path = f"{reverse('depot-add')}?teryt={depot.municipality_id}"
    others = OwnerLink.objects.working().filter(email_hash=link.email_hash).exists()
    return "owner_lost", {"link": site_url(path), "depot": depot, "removed": removed, "others": others}


def kind_and_fields(submission: Submission) -> tuple[str, str]:
    """Return the kind of a submission, and the names of its fields or fuels, "" for none: no submitted text."""
    if submission.kind == Kind.PRICE:
        names = [fuels.BY_SLUG[price["fuel"]].name.lower() for price in submission.proposed["prices"]]
    else:
        values, is_new = submission.proposed, submission.kind == Kind.ADD  # with every field, also those left empty
        groups = field_groups.groups_in(values)
        names = [group.label for group in groups if not is_new or any(map(values.get, group.fields))]
    return KIND_NAMES[Kind(submission.kind)], ", ".join(names)


def status_url(submission: Submission) -> str:
    return tokens.STATUS.url(submission.visit_number)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter to send.

    row: that waits for it. counted: whose `letters_at` counts it against the limit of its mailbox, None for no limit.
    write: returns the message. left: called once the letter has left, maybe not the others of its row.
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

    def concerned(self, rows: Collection[Any], on: datetime) -> QuerySet[Any]:
        """Return the rows that letters for some rows are about, which were marked as tried at a moment."""
        return self.model._default_manager.filter(pk__in=[row.pk for row in rows])

    def done(self, rows: Collection[Any], on: datetime) -> None:
        """Store that all letters of these rows have left. Runs in a transaction."""
        about = self.concerned(rows, on)
        lock_rows(about)
        about.update(letter_tried_at=None, **self.stored(on))

    def stored(self, on: datetime) -> dict[str, Any]:
        """Return the values that say that the letter has left."""
        return {self.moment: on}


class LinkLetters(LetterKind):
    """The link that confirms the submissions of a visit."""

    def rows(self, on: datetime) -> QuerySet[Submission]:
        rows = Submission.objects.filter(state=State.UNCONFIRMED, visit=None, mailed_at=None)
        return rows.select_related("depot__municipality")

    def write(self, row: Submission, on: datetime) -> EmailMessage:
        # The table has only the hash of the token, so every attempt makes a new link.
        token, row.token_hash = tokens.new_token(row.pk, on)
        link = route_url("submission-confirm") + f"?odnosnik={token}"
        parts = [row, *row.companions.filter(state=State.UNCONFIRMED).order_by("pk")]
        return to_author(row, "link", link=link, hours=limits.LINK_HOURS, parts=[*map(kind_and_fields, parts)])

    def concerned(self, rows: Collection[Submission], on: datetime) -> QuerySet[Submission]:
        return Submission.objects.of_visits([row.pk for row in rows])

    def stored(self, on: datetime) -> dict[str, Any]:
        return {"mailed_at": on, "mails_sent": F("mails_sent") + 1}


class GatheredLetters(LetterKind):
    """One letter to each author, about all submissions with the flag; to each owner, about all links.

    One row stands for them: a row that a letter under way already includes, so that no submission is told twice, else
    the first.
    """

    def __init__(self, flag: str, part: Callable[[Any], Part], status: Callable[[Any], str] = status_url) -> None:
        """part: returns what the letter says of one of them. status: returns the URL of its page, "" for none."""
        self.flag, self.part, self.status = flag, part, status

    def pending(self) -> QuerySet[Any]:
        # Erased ones have no address, so a pending letter delays no erasing.
        return Submission.objects.filter(**{self.flag: True}, erased_at__isnull=True)

    def rows(self, on: datetime) -> QuerySet[Any]:
        of_authors = self.pending().order_by("email_hash", "letter_tried_at", "pk").distinct("email_hash")
        others = Exists(self.pending().filter(email_hash=OuterRef("email_hash")).exclude(pk=OuterRef("pk")))
        rows: QuerySet[Any] = self.pending().filter(pk__in=of_authors.values("pk")).annotate(has_others=others)
        return rows.select_related("depot__municipality")

    def write(self, row: Any, on: datetime) -> EmailMessage:
        rows = [row, *(self._mark_others(row, on) if row.has_others else ())]
        by_depot: dict[tuple[int | None, int | None], list[Any]] = {}
        for pending in rows:
            key = pending.depot_id, None if pending.depot_id else pending.pk
            by_depot.setdefault(key, []).append(pending)
        blocks = [Block(same[0].depot, [*map(self.part, same)], self.status(same[0])) for same in by_depot.values()]
        return compose_blocks(row.email, blocks)

    def _mark_others(self, row: Any, on: datetime) -> list[Any]:
        """Return the author's others, marked as tried like the first: one decided meanwhile waits for its own letter.

        Locked ones are left for another letter: to wait for them here could be a deadlock.
        """
        others = self.pending().filter(email_hash=row.email_hash).exclude(pk=row.pk).order_by("pk")
        rows = list(others.select_for_update(of=("self",), skip_locked=True).select_related("depot__municipality"))
        self.model._default_manager.filter(pk__in=[other.pk for other in rows]).update(letter_tried_at=on)
        return rows

    def concerned(self, rows: Collection[Any], on: datetime) -> QuerySet[Any]:
        # The row that stood for the others may have been erased since.
        return self.pending().filter(email_hash__in={row.email_hash for row in rows}, letter_tried_at=on)

    def stored(self, on: datetime) -> dict[str, Any]:
        return {self.flag: False}


class OwnershipLetters(GatheredLetters):
    """Letters to owners whose links have lost their entries, or have them again.

    Not of merged entries, whose links move, nor of those removed at the owner's wish.
    """

    model = OwnerLink

    def pending(self) -> QuerySet[OwnerLink]:
        deletions = Submission.objects.filter(kind=Kind.DELETE, state=State.ACCEPTED, depot=OuterRef("depot"))
        own = Exists(deletions.filter(email_hash__in=[OuterRef("email_hash"), ""]))  # erased ones are from long ago
        removed = Q(depot__publication=Depot.Publication.REMOVED, depot__merged_into=None)
        removed &= ~Q(own, depot__removal_reason=Depot.RemovalReason.OWNER)
        reset = Q(depot__publication=Depot.Publication.PUBLISHED) & ~OwnerLink.OWNED
        lost, restored = Q(removed | reset, loss_told_at=None), Q(OwnerLink.OWNED, loss_told_at__isnull=False)
        return OwnerLink.objects.in_force().filter(lost | restored)

    def concerned(self, rows: Collection[OwnerLink], on: datetime) -> QuerySet[OwnerLink]:
        # The entry may have come back, or gone again, while the letter was under way.
        return OwnerLink.objects.filter(email_hash__in={row.email_hash for row in rows}, letter_tried_at=on)

    def stored(self, on: datetime) -> dict[str, Any]:
        return {self.flag: Case(When(loss_told_at=None, then=Value(on)))}


def returning_owners(depots: Collection[int], on: datetime) -> set[str]:
    """Return the addresses of owners who will read that their links to depots work again. Two queries.

    on: the moment since when the links work again.
    """
    returned = OwnerLink.objects.working().filter(depot__in=among(depots), loss_told_at__isnull=False)
    letters = PendingLetter.objects.filter(kind=PendingLetter.Kind.OWNER_RESTORED, requested_at__gte=on)
    letters = letters.filter(depot__in=among(depots))
    return {*returned.values_list("email", flat=True), *letters.values_list("email", flat=True)}


class QuestionLetters(LetterKind):
    model = SubmissionQuestion
    moment = "sent_at"
    locked = ("self", "submission")

    def rows(self, on: datetime) -> QuerySet[SubmissionQuestion]:
        return SubmissionQuestion.objects.open().filter(sent_at=None).select_related("submission__depot__municipality")

    def letters(self, row: SubmissionQuestion, on: datetime) -> Iterable[Letter]:
        link = tokens.QUESTION.url(row.pk)
        return [Letter(row, row.submission, partial(to_author, row.submission, "question", question=row, link=link))]


class ClaimLetters(LetterKind):
    """Letters to the present owners of an entry that somebody else claims or wants deleted."""

    moment = "owner_told_at"

    def rows(self, on: datetime) -> QuerySet[Submission]:
        return objections.claims_to_announce().select_related("depot__municipality")

    def letters(self, row: Submission, on: datetime) -> Iterable[Letter]:
        ends = date_format(timezone.localtime(on + objections.OBJECTION_TIME), "DATETIME_FORMAT")
        # One whose mailbox refuses the letter delays the others' time to object, but no letter of theirs is repeated.
        for owner in objections.other_owners(row).exclude(pk__in=row.owners_told):
            part: Part = "claimed", named(row) | {"link": tokens.OBJECTION.url([row.pk, owner.pk]), "ends": ends}
            write = partial(compose, owner.email, row.depot, part)
            yield Letter(row, owner, write, partial(self.note_told, row, owner))

    def note_told(self, claim: Submission, owner: OwnerLink) -> None:
        claim.owners_told.append(owner.pk)
        Submission.objects.filter(pk=claim.pk).update(owners_told=claim.owners_told)


class SubscriptionLetters(LetterKind):
    """The link by which a reader confirms having asked for letters."""

    model = Subscription
    moment = "mailed_at"

    def rows(self, on: datetime) -> QuerySet[Subscription]:
        return Subscription.objects.filter(mailed_at__isnull=True)

    def write(self, row: Subscription, on: datetime) -> EmailMessage:
        link = tokens.SUBSCRIPTION.url(row.pk)
        return compose(row.email, None, ("alerts_link", {"link": link, "hours": limits.LINK_HOURS}))


@dataclass(frozen=True)
class PendingLetters(LetterKind):
    """Letters of `PendingLetter`, by its kind: one for equal requests. `owner_links` and `admin.accounts` add them."""

    condition: Q
    writers: ClassVar[dict[str, Callable[[PendingLetter, datetime], Iterable[Letter]]]] = {}

    def rows(self, on: datetime) -> QuerySet[PendingLetter]:
        return PendingLetter.objects.filter(self.condition, kind__in=self.writers).select_related("depot__municipality")

    def letters(self, row: PendingLetter, on: datetime) -> Iterable[Letter]:
        equal = PendingLetter.objects.filter(kind=row.kind, email__iexact=row.email, depot=row.depot_id)
        if row.kind == PendingLetter.Kind.OWNER_CHANGED:
            equal = equal.filter(letter_tried_at=None)  # a letter that is under way does not tell of later changes
        return [] if equal.filter(pk__lt=row.pk).exists() else self.writers[row.kind](row, on)

    def done(self, rows: Collection[PendingLetter], on: datetime) -> None:
        PendingLetter.objects.filter(pk__in=[row.pk for row in rows]).delete()


DECISION_LETTERS = GatheredLetters("notification_pending", decided_part)
REOPENING_LETTERS = GatheredLetters("reopening_pending", reopened_part)
OWNERSHIP_LETTERS = OwnershipLetters("loss_told_at", ownership_part, lambda _: "")

RENEWAL = Q(kind=PendingLetter.Kind.OWNER_LINK)
KINDS = (
    PendingLetters(~RENEWAL),
    ClaimLetters(),
    OWNERSHIP_LETTERS,
    REOPENING_LETTERS,
    DECISION_LETTERS,
    QuestionLetters(),
    LinkLetters(),
    SubscriptionLetters(),
    PendingLetters(RENEWAL),
)
"""Kinds sent as soon as they wait; first warnings to owners, last what anybody may ask for. `retention` has another."""
