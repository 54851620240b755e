"""The kinds of letters: which rows wait for one, what it says, and what is stored once it has left.

Text and HTML with the same content are made of templates `templates/site/mail/<name>.txt`; `letters` sends them.

Anybody can enter anybody's address into a form, so the letter with the link contains only data of the catalog: the
depot and the kind of submission. Submitted values and texts of editors go to confirmed addresses only.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, ClassVar

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet
from django.template import engines
from django.template.backends.jinja2 import Jinja2
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format

from catalog.depots import fuels
from catalog.links import depot_url
from catalog.models import Decision, Depot, OwnerLink, PendingLetter, Submission, SubmissionQuestion, Subscription
from catalog.submissions import field_groups, objections, tokens
from catalog.text import one_line, wrapped
from fueldepot.data.history import lock_rows
from fueldepot.http.links import route_url

State = Submission.State
Kind = Submission.Kind

KIND_NAMES = dict(Kind.choices) | {Kind.CORRECT: "poprawka danych", Kind.PRICE: "ceny opału"}

LONGEST_SUBJECT_NAME = 60
"""Maximum length of a depot's name in a subject, so that the rest is visible in a mailbox."""

Part = tuple[str, dict[str, Any]]
"""A template of `mail/` and its values."""


@dataclass(frozen=True, slots=True)
class Block:
    """What a letter says about one depot. depot: None for none. status: URL of the page of the submission, or ""."""

    depot: Depot | None
    parts: Sequence[Part]
    status: str = ""


def compose(email: str, depot: Depot | None, *parts: Part, status: str = "") -> EmailMultiAlternatives:
    return compose_blocks(email, [Block(depot, parts, status)])


def compose_blocks(email: str, blocks: Sequence[Block]) -> EmailMultiAlternatives:
    """Return a letter about one or more depots, each with one or more parts.

    Templates set `about` (beginning of the subject without a depot), `outcome` (its end), `opening`, `closing`
    (paragraphs), `action` (label of the link whose URL is the value `link`) and `sections`: (heading, values, label of
    the new value beside the former one).
    """
    engine = engines["jinja2"]
    assert isinstance(engine, Jinja2)  # noqa: S101 - by its name
    texts: list[list[Any]] = [
        [engine.env.get_template(f"mail/{part}.txt").make_module(values) for part, values in block.parts]
        for block in blocks
    ]
    every = list(chain.from_iterable(texts))
    # Each paragraph once, where several parts say the same: at the end of the letter if all blocks do.
    closings = [
        dict.fromkeys(paragraph for text in modules for paragraph in paragraphs(getattr(text, "closing", "")))
        for modules in texts
    ]
    shared = [paragraph for paragraph in closings[0] if all(paragraph in closing for closing in closings)]
    context = {
        "blocks": [
            _block_context(block, modules) | {"closing": [text for text in closing if text not in shared]}
            for block, modules, closing in zip(blocks, texts, closings, strict=True)
        ],
        "closing": shared,
    }
    short = _depot_name(blocks[0].depot) or getattr(every[0], "about", "Brakujący skład")
    more = f" i jeszcze {len(blocks) - 1}" if len(blocks) > 1 else ""
    if len(short) > LONGEST_SUBJECT_NAME:
        short = short[: LONGEST_SUBJECT_NAME - 1].rstrip() + "…"
    subject = f"{short}{more}: {', '.join(dict.fromkeys(text.outcome for text in every))}"
    message = EmailMultiAlternatives(
        subject=subject,
        body=wrapped(render_to_string("mail/letter.txt", context)),
        to=[email],
        headers={"Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(render_to_string("mail/letter.html", context | {"subject": subject}), "text/html")
    return message


def _block_context(block: Block, texts: Sequence[Any]) -> dict[str, Any]:
    depot = block.depot
    published = depot is not None and depot.publication == Depot.Publication.PUBLISHED
    links = [
        (values["link"], text.action) for (_, values), text in zip(block.parts, texts, strict=True) if "link" in values
    ]
    return {
        "contents": [
            {"opening": paragraphs(text.opening), "sections": getattr(text, "sections", ())} for text in texts
        ],
        "link": links[0] if links else None,
        "depot_name": _depot_name(depot),
        "depot_address": depot.address if depot is not None and published else "",
        "depot_url": depot_url(depot.pk, depot.name) if depot is not None and published else "",
        "status_url": block.status,
    }


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which blank lines separate; other line breaks are those of the template."""
    return [paragraph.replace("\n", " ") for paragraph in text.strip().split("\n\n") if paragraph]


def _depot_name(depot: Depot | None) -> str:
    """Return the name of a depot, "" for a missing depot or a name that may be a private person's."""
    if depot is None:
        return ""
    if depot.removal_reason == Depot.RemovalReason.PRIVATE_PERSON or depot.publication == Depot.Publication.HELD:
        return f"wpis nr {depot.pk}"
    return one_line(depot.name)


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
        case Kind.CLAIM:
            link = link_of(submission)
            values |= {"link": tokens.OWNER.url([link.pk, link.serial])} if link else {}
        case Kind.CORRECT | Kind.ADD:
            values["changes"] = field_groups.accepted_changes(submission)
        case Kind.DELETE:
            values["link"] = tokens.RESTORE.url(submission.pk)
    return f"accepted_{submission.kind}", values


def link_of(claim: Submission) -> OwnerLink | None:
    """Return the working link of the author of a claim. One query."""
    return OwnerLink.objects.working().filter(depot=claim.depot, email_hash=claim.email_hash).first()


def reopened_part(submission: Submission) -> Part:
    undone = Decision.objects.about(submission).exclude(undone_at=None).order_by("undone_at").last()
    granted = undone is not None and undone.lines.filter(model=OwnerLink._meta.label_lower).exists()
    return "reopened", named(submission) | {"ends_link": granted and not link_of(submission)}


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
    return tokens.STATUS.url(submission.visit_number)


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

    def note_left(self, letters: Collection[Letter]) -> None:
        """Store that these letters have left, maybe not the others of their rows. Runs in the same transaction."""

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
        return to_author(row, "link", link=link, hours=tokens.LINK_HOURS, parts=[*map(describe_part, parts)])

    def told(self, rows: Collection[Submission], on: datetime) -> QuerySet[Submission]:
        return Submission.objects.of_visits([row.pk for row in rows])

    def stored(self, on: datetime) -> dict[str, Any]:
        return {"mailed_at": on, "mails_sent": F("mails_sent") + 1}


class GatheredLetters(LetterKind):
    """One letter to each author, about all submissions with the flag.

    One row stands for them: a row that a letter under way already includes, so that no submission is told twice, else
    the first.
    """

    def __init__(self, flag: str, part: Callable[[Submission], Part]) -> None:
        """part: returns what the letter says of one of them."""
        self.flag, self.part = flag, part

    def pending(self) -> QuerySet[Submission]:
        # Erased ones have no address, so a pending letter delays no erasing.
        return Submission.objects.filter(**{self.flag: True}, erased_at__isnull=True)

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
        blocks = [Block(same[0].depot, [*map(self.part, same)], status_url(same[0])) for same in by_depot.values()]
        return compose_blocks(row.email, blocks)

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
        ends = date_format(timezone.localtime(on + objections.OBJECTION_TIME), r"j E Y \r., H:i")
        # One whose mailbox refuses the letter delays the others' time to object, but no letter of theirs is repeated.
        for owner in objections.other_owners(row).exclude(pk__in=row.owners_told):
            part: Part = "claimed", named(row) | {"link": tokens.OBJECTION.url([row.pk, owner.pk]), "ends": ends}
            yield Letter(row, owner, partial(compose, owner.email, row.depot, part))

    def note_left(self, letters: Collection[Letter]) -> None:
        for claim, of_claim in groupby(letters, attrgetter("row")):
            owners = [*claim.owners_told, *(letter.counted.pk for letter in of_claim if letter.counted)]
            Submission.objects.filter(pk=claim.pk).update(owners_told=owners)


class SubscriptionLetters(LetterKind):
    """The link by which a reader confirms having asked for letters."""

    model = Subscription
    moment = "mailed_at"

    def rows(self, on: datetime) -> QuerySet[Subscription]:
        return Subscription.objects.filter(mailed_at__isnull=True)

    def write(self, row: Subscription, on: datetime) -> EmailMessage:
        link = tokens.SUBSCRIPTION.url(row.pk)
        return compose(row.email, None, ("alerts_link", {"link": link, "hours": tokens.LINK_HOURS}))


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

RENEWAL = Q(kind=PendingLetter.Kind.OWNER_LINK)
KINDS = (
    *(PendingLetters(~RENEWAL), ClaimLetters(), REOPENING_LETTERS, DECISION_LETTERS, QuestionLetters()),
    *(LinkLetters(), SubscriptionLetters(), PendingLetters(RENEWAL)),
)
"""Kinds sent as soon as they wait; first warnings to owners, last what anybody may ask for. `retention` has another."""
