"""The kinds of letters: which rows wait for one, what it says, and what is stored once it has left.

Texts are templates, `templates/site/mail/<name>.txt`, of which `compose` makes text and HTML with the same content.
Anybody can enter anybody's address into a form, so the letter with the link contains only data of the catalog: the
depot and the kind of submission. Submitted values and texts of editors go to confirmed addresses only.

`letters` sends them.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, ClassVar

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.template import engines
from django.template.backends.jinja2 import Jinja2
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from catalog.depots import fuels
from catalog.links import depot_url
from catalog.models import Depot, OwnerLink, PendingLetter, Submission, SubmissionQuestion, Subscription
from catalog.submissions import field_groups, objections, tokens
from fueldepot.data.history import lock_rows
from fueldepot.http.links import site_url

State = Submission.State
Kind = Submission.Kind

KIND_NAMES = dict(Kind.choices) | {Kind.CORRECT: "poprawka danych", Kind.PRICE: "ceny opału"}

LONGEST_SUBJECT_NAME = 60
"""Maximum length of a depot's name in a subject, so that the rest is visible in a mailbox."""

Part = tuple[str, dict[str, Any]]
"""A template of `mail/` and its values."""


def compose(email: str, depot: Depot | None, *parts: Part, status: str = "") -> EmailMultiAlternatives:
    """Return a letter of one or more parts.

    depot: None for none. status: URL of the submission's page, "" without one. Templates set `about` (beginning of the
    subject without a depot), `outcome` (its end), `opening`, `closing` (paragraphs), `action` (label of the link whose
    URL is the value `link`) and `sections`: (heading, values, label of the new value beside the former one).
    """
    published = depot is not None and depot.publication == Depot.Publication.PUBLISHED
    name = _depot_name(depot)
    site = {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL}
    engine = engines["jinja2"]
    assert isinstance(engine, Jinja2)  # noqa: S101 - by its name
    texts: list[Any] = [
        engine.env.get_template(f"mail/{part}.txt").make_module(site | values) for part, values in parts
    ]
    links = [(values["link"], text.action) for (_, values), text in zip(parts, texts, strict=True) if "link" in values]
    context = site | {
        "contents": [
            {"opening": paragraphs(text.opening), "sections": getattr(text, "sections", ())} for text in texts
        ],
        "link": links[0] if links else None,
        # Each once, where several parts say the same.
        "closing": list(
            dict.fromkeys(paragraph for text in texts for paragraph in paragraphs(getattr(text, "closing", "")))
        ),
        "depot_name": name,
        "depot_address": depot.address if depot is not None and published else "",
        "depot_url": depot_url(depot.pk, depot.name) if depot is not None and published else "",
        "status_url": status,
        "contact": settings.CONTACT_EMAIL,
    }
    short = name or getattr(texts[0], "about", "Brakujący skład")
    if len(short) > LONGEST_SUBJECT_NAME:
        short = short[: LONGEST_SUBJECT_NAME - 1].rstrip() + "…"
    subject = f"{short}: {', '.join(dict.fromkeys(text.outcome for text in texts))}"
    message = EmailMultiAlternatives(
        subject=subject,
        body=render_to_string("mail/letter.txt", context).strip() + "\n",
        to=[email],
        headers={"Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(render_to_string("mail/letter.html", context | {"subject": subject}), "text/html")
    return message


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which blank lines separate; other line breaks are those of the template."""
    return [paragraph.replace("\n", " ") for paragraph in text.strip().split("\n\n") if paragraph]


def _depot_name(depot: Depot | None) -> str:
    """Return the name of a depot, "" for a missing depot or a name that may be a private person's."""
    if depot is None:
        return ""
    if depot.removal_reason == Depot.RemovalReason.PRIVATE_PERSON or depot.publication == Depot.Publication.HELD:
        return f"wpis nr {depot.pk}"
    return " ".join(depot.name.split())


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

    def told(self, numbers: Collection[int]) -> QuerySet[Any]:
        """Return the rows that letters for some rows are about."""
        return self.model._default_manager.filter(pk__in=numbers)

    def done(self, numbers: Collection[int], on: datetime) -> None:
        """Store that all letters of these rows have left. Runs in a transaction."""
        rows = self.told(numbers)
        lock_rows(rows)
        rows.update(letter_tried_at=None, **self.stored(on))

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
        link = site_url(reverse("submission-confirm")) + f"?odnosnik={token}"
        parts = [row, *row.companions.filter(state=State.UNCONFIRMED).order_by("pk")]
        hours = tokens.LINK_LIFE // timedelta(hours=1)
        return to_author(row, "link", link=link, hours=hours, parts=[describe_part(part) for part in parts])

    def told(self, numbers: Collection[int]) -> QuerySet[Submission]:
        return Submission.objects.of_visits(numbers)

    def stored(self, on: datetime) -> dict[str, Any]:
        return {"mailed_at": on, "mails_sent": F("mails_sent") + 1}


class DecisionLetters(LetterKind):
    """The decisions about an author's submissions: one letter for those about one depot closed at one moment.

    The first of them waits for it. Erased ones have no address, so a pending letter delays no erasing.
    """

    def rows(self, on: datetime) -> QuerySet[Submission]:
        first = ~Exists(_closed_with_outer().filter(pk__lt=OuterRef("pk")))
        others = Exists(_closed_with_outer().filter(pk__gt=OuterRef("pk")))
        rows = Submission.objects.unnotified().filter(first).annotate(has_others=others)
        return rows.select_related("depot__municipality")

    def write(self, row: Any, on: datetime) -> EmailMessage:
        same = {"depot": row.depot_id, "email_hash": row.email_hash, "closed_at": row.answered_at or row.decided_at}
        parts = [row, *(_unnotified().filter(**same, pk__gt=row.pk).order_by("pk") if row.has_others else ())]
        for part in parts:
            part.depot = row.depot
        return compose(row.email, row.depot, *map(decided_part, parts), status=status_url(row))

    def told(self, numbers: Collection[int]) -> QuerySet[Submission]:
        together = Q(pk__in=numbers) | Q(Exists(_closed_with_outer().filter(pk__in=numbers)))
        return Submission.objects.unnotified().filter(together)

    def stored(self, on: datetime) -> dict[str, Any]:
        return {"notification_pending": False}


class ReopeningLetters(LetterKind):
    """Letters to authors who were told of a decision that was undone since: one for those about one depot."""

    def rows(self, on: datetime) -> QuerySet[Submission]:
        rows = _reopened().exclude(Exists(_reopened_with_outer().filter(pk__lt=OuterRef("pk"))))
        return rows.select_related("depot__municipality")

    def write(self, row: Submission, on: datetime) -> EmailMessage:
        others = _reopened().filter(depot__isnull=False, depot=row.depot_id, email_hash=row.email_hash, pk__gt=row.pk)
        lock_rows(others)
        others.update(letter_tried_at=on)  # like the first, so that one reopened meanwhile waits for its own letter
        parts = (("reopened", named(part)) for part in (row, *others.order_by("pk")))
        return compose(row.email, row.depot, *parts, status=status_url(row))

    def told(self, numbers: Collection[int]) -> QuerySet[Submission]:
        together = _reopened_with_outer().filter(pk__in=numbers, letter_tried_at=OuterRef("letter_tried_at"))
        return _reopened().filter(Q(pk__in=numbers) | Q(Exists(together)))

    def stored(self, on: datetime) -> dict[str, Any]:
        return {"reopening_pending": False}


def _reopened() -> QuerySet[Submission]:
    return Submission.objects.filter(reopening_pending=True, erased_at__isnull=True)


def _reopened_with_outer() -> QuerySet[Submission]:
    return _reopened().filter(depot=OuterRef("depot"), email_hash=OuterRef("email_hash"))


def _unnotified() -> QuerySet[Any]:
    """Return submissions whose author was not notified, with the moment they were closed as `closed_at`."""
    return Submission.objects.unnotified().alias(closed_at=Coalesce("answered_at", "decided_at"))


def _closed_with_outer() -> QuerySet[Any]:
    """Return those that one letter tells of together with the row of an outer query."""
    moment = Coalesce(OuterRef("answered_at"), OuterRef("decided_at"))
    return _unnotified().filter(depot=OuterRef("depot"), email_hash=OuterRef("email_hash"), closed_at=moment)


class QuestionLetters(LetterKind):
    model = SubmissionQuestion
    moment = "sent_at"
    locked = ("self", "submission")

    def rows(self, on: datetime) -> QuerySet[SubmissionQuestion]:
        return SubmissionQuestion.objects.unsent().select_related("submission__depot__municipality")

    def letters(self, row: SubmissionQuestion, on: datetime) -> Iterable[Letter]:
        link = tokens.QUESTION.url(row.pk)
        write = partial(to_author, row.submission, "question", question=row, link=link)
        return [Letter(row, row.submission, write)]


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
        return compose(
            row.email, None, ("alerts_link", {"link": link, "hours": tokens.LINK_LIFE // timedelta(hours=1)})
        )


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

    def done(self, numbers: Collection[int], on: datetime) -> None:
        PendingLetter.objects.filter(pk__in=numbers).delete()


KINDS = (
    *(PendingLetters(), LinkLetters(), ReopeningLetters(), DecisionLetters(), QuestionLetters(), ClaimLetters()),
    SubscriptionLetters(),
)
"""Kinds sent as soon as they wait; first those that warn an owner. `retention` sends another once a day."""
