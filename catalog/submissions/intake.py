"""Intake of submissions: store the parts of a form, confirm by the link, withdraw.

Owners ask for their further depots, and for a removed one back, by links to their addresses: these submissions wait for
an editor at once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.crypto import constant_time_compare

from catalog.models import Decision, Depot, OwnerLink, Submission, SubmissionQuerySet, max_length
from catalog.services import Refusal
from catalog.services.editing import REPEAT
from catalog.services.moderation import DepotIsErased, DepotIsRemoved, locked
from catalog.submissions import field_groups, letters, limits, tokens
from catalog.submissions.field_groups import Values
from catalog.text import fold
from fueldepot.data.history import among, lock_rows, locking

STATED = ("message", "claimant_role", "claimant_nip", "claimant_phone")
"""Columns of what an author says besides the values."""

COMPARED = ("proposed", *STATED)
"""Fields compared to recognise a repeated submission."""

SAME = ("kind", "subject", "email_hash")
"""Fields that a submission and the one that it replaces have in common, beside the depot."""

State = Submission.State
Kind = Submission.Kind


class NothingChanged(Refusal):
    status, title = 400, "Nie ma czego poprawiać"
    reason = (
        "Niczego nie zmieniono: wpis mówi już dokładnie to, co w formularzu. Nie wysłaliśmy żadnego zgłoszenia, bo "
        "sama wiadomość nie wystarczy. Jeśli wiesz tylko, że coś się nie zgadza, na przykład telefon albo godziny, "
        "wyczyść te pola i napisz w wiadomości, co jest nie tak. Zrób tak również wtedy, gdy skład już nie działa."
    )


class LinkAlreadyUsed(Refusal):
    title, reason = "Zgłoszenie jest już potwierdzone", "Ten odnośnik został już użyty."
    onward, onward_label = "status", "Zobacz stan zgłoszenia"


class TokenSuperseded(Refusal):
    title = "Jest nowszy odnośnik"
    reason = "Ten odnośnik zastąpiło późniejsze zgłoszenie albo nowsza wiadomość. Otwórz ten z ostatniej wiadomości."


class SubmissionWithdrawn(Refusal):
    title = "Zgłoszenie jest wycofane"
    reason = "Nie można go już potwierdzić. Jeśli chcesz je jednak wysłać, wypełnij formularz jeszcze raz."
    onward, onward_label = "form", "Wypełnij formularz jeszcze raz"


class ClosedWithDepot(SubmissionWithdrawn):
    title, reason = "Zgłoszenie jest zamknięte", "Zamknięto je, gdy usunięto wpis, który potem wrócił do katalogu."


class TooManyEmails(Refusal):
    """The link of a submission was sent `LETTERS_PER_SUBMISSION` times."""

    status, title = 429, "Odnośnik wysłaliśmy już kilka razy"
    reason = "Sprawdź folder ze spamem. Jeśli w adresie był błąd, wypełnij formularz jeszcze raz."


Author = Mapping[str, str]
"""The columns of a submission that are of its author, see `author_of`."""

SubmissionPart = tuple[Kind, Values]
"""One part of a form: its kind, and the wanted values of a correction or new depot, else what the kind needs."""


def author_of(email: str, client: str, **stated: str) -> Author:
    """Return the columns of an author. client: network address. stated: by names of `STATED`."""
    return {**tokens.address(email), "client_hash": limits.hash_client(client), **stated}


@transaction.atomic
def create_submission(
    *, parts: Sequence[SubmissionPart], depot: Depot | None, author: Author, on: datetime
) -> Submission:
    """Store the parts of a form; its author is sent one link that confirms them all.

    Returns the submission of the first part, which carries the link; the others refer to it by `visit`. A correction
    that changes nothing is omitted.

    An unconfirmed visit of the same author and network with the same first part is superseded; or returned, without
    another letter, if it is equal and not older than `REPEAT`. Waiting submissions stay, see `confirm_submission`; so
    do those of other networks, since anybody may know the address.

    The letter is sent after the commit, or later if the mailbox has used up its letters of the hour: whoever caused the
    others must not block this submission.

    Raises DepotIsRemoved, DepotIsErased, NothingChanged, TooManyRequests.
    """
    limits.wait_for_turn(author["client_hash"], author["mailbox_hash"])
    if depot is not None:
        depot = locked(depot)
        check_published(depot)
    rows = [row_of(*part, depot, author, on) for part in parts]
    rows = [row for row in rows if row.proposed or row.kind != Kind.CORRECT]
    if not rows:
        raise NothingChanged(None if depot is None else depot.pk)
    submission, *companions = rows
    unconfirmed = _of_same_author(submission).filter(state=State.UNCONFIRMED, visit=None)
    earlier = unconfirmed.filter(client_hash=submission.client_hash)
    for repeated in _alike(earlier, submission).filter(created_at__gt=on - REPEAT):
        if _contents(repeated.companions.filter(state=State.UNCONFIRMED)) == _contents(companions):
            return repeated
    limits.check_submission(submission, on=on)
    visits = Submission.objects.of_visits(list(earlier.values_list("pk", flat=True))).filter(state=State.UNCONFIRMED)
    lock_rows(visits)
    visits.update(state=State.SUPERSEDED, decided_at=on)
    submission.save()
    for companion in companions:
        companion.visit = submission
        companion.save()
    letters.send_soon()
    return submission


@transaction.atomic
def resend_link(*, submission: Submission, on: datetime) -> None:
    """Have a new link sent, which invalidates the former one. Does nothing while a letter waits to be sent.

    Raises LinkExpired, LinkAlreadyUsed, SubmissionWithdrawn, TokenSuperseded, TooManyEmails, and LinkSentJustNow.
    """
    rows = Submission.objects.select_for_update(of=("self",)).select_related("depot")
    stored = rows.filter(pk=submission.pk).first()
    if stored is None:
        raise tokens.LinkExpired(submission.pk)
    _check_unconfirmed(stored)
    if stored.mails_sent >= limits.LETTERS_PER_SUBMISSION:
        raise TooManyEmails(stored.pk)
    if stored.mailed_at is not None:
        if (next_at := limits.next_letter_at(stored.letters_at)) is not None and on < next_at:
            raise limits.LinkSentJustNow(next_at, stored.pk)
        stored.mailed_at = None
        stored.save(update_fields=["mailed_at"])
        letters.send_soon()


def get_confirmable(*, token: str, on: datetime) -> Submission:
    """Return the submission that a link would confirm, with its depot. Two queries.

    Raises InvalidToken, LinkExpired, LinkAlreadyUsed, SubmissionWithdrawn, TokenSuperseded,
    DepotIsRemoved, DepotIsErased.
    """
    try:
        number = tokens.read_token(token, on)
    except tokens.LinkExpired as expired:
        if Submission.objects.filter(pk=expired.args[0], confirmed_at__isnull=False).exists():
            raise LinkAlreadyUsed(expired.args[0]) from None  # it counts, and need not be sent again
        raise
    submission = Submission.objects.select_related("depot").filter(pk=number).first()
    if submission is None:
        raise tokens.LinkExpired(number)  # the submission was deleted
    if submission.depot is not None:
        check_published(submission.depot)
    _check_unconfirmed(submission)
    if not constant_time_compare(tokens.hash_token(token), submission.token_hash):
        raise TokenSuperseded(submission.pk)
    return submission


@transaction.atomic
def confirm_submission(*, token: str, on: datetime) -> Submission:
    """Confirm a submission and its companions: they wait for an editor; the caller passes prices on.

    Supersedes waiting submissions of the same author: for claims, deletions and new depots any about the same depot,
    for corrections only equal ones. Other corrections wait side by side.

    Raises what `get_confirmable` raises.
    """
    submission = get_confirmable(token=token, on=on)
    if submission.depot is not None:
        locked(submission.depot)
    parts = Submission.objects.of_visits([submission.pk]).filter(state=State.UNCONFIRMED).order_by("pk")
    # No depot keeps others from confirming or reopening the same new one: their rows, in whichever state, are locked.
    replaced = (
        Q(pk__in=waiting_like(part) if part.depot_id else _alike(Submission.objects.all(), part, SAME))
        for part in parts
    )
    lock_rows(Submission.objects.filter(reduce(or_, replaced, Q(pk__in=parts.order_by()))))
    # Check again: it may have been confirmed, its link renewed, or its depot removed, while this waited for the locks.
    get_confirmable(token=token, on=on)
    for part in parts.all():
        waiting_like(part).update(state=State.SUPERSEDED, decided_at=on)
        part.confirmed_at = on
        if part.kind == Kind.PRICE:
            part.state, part.decided_at = State.PASSED_ON, on
        else:
            part.state = State.WAITING
        part.save()
    letters.send_soon()  # the owner of a claimed entry is told
    return Submission.objects.select_related("depot").get(pk=submission.pk)


@transaction.atomic
def withdraw_submission(*, submission: Submission, on: datetime) -> None:
    """Withdraw a submission that is not closed: with its whole visit while unconfirmed, alone afterwards.

    The caller withdraws waiting prices first.
    """
    chosen = Submission.objects.filter(pk=submission.pk)
    if submission.state == State.UNCONFIRMED:
        chosen = Submission.objects.of_visits([submission.pk])
    lock_rows(chosen)
    standing = chosen.filter(state__in=[*Submission.OPEN, State.PASSED_ON])
    standing.update(state=State.WITHDRAWN, decided_at=on, notification_pending=False)


@transaction.atomic
def correct_address(*, submission: Submission, email: str, client: str, on: datetime) -> Submission:
    """Send an unconfirmed visit from another address: a new one, under all limits, which replaces the former.

    Returns the submission that carries the link. The former link stops working. Raises LinkExpired, LinkAlreadyUsed,
    SubmissionWithdrawn, TokenSuperseded and what `create_submission` raises.
    """
    _check_unconfirmed(submission)
    visit = Submission.objects.of_visits([submission.pk]).filter(state=State.UNCONFIRMED)
    parts = [(Kind(part.kind), part.proposed) for part in visit.order_by("pk")]
    if not parts:
        raise tokens.LinkExpired(submission.pk)
    author = author_of(email, client, **{name: getattr(submission, name) for name in STATED})
    renewed = create_submission(parts=parts, depot=submission.depot, author=author, on=on)
    if renewed.pk != submission.pk:
        lock_rows(visit)
        for former in Submission.objects.filter(pk=submission.pk):  # none if it was erased meanwhile
            _check_unconfirmed(former)
        visit.update(state=State.SUPERSEDED, decided_at=on)
    return renewed


def check_published(depot: Depot) -> None:
    """Raise DepotIsRemoved, or DepotIsErased for a held depot: for the public there is none."""
    if depot.publication == Depot.Publication.REMOVED:
        raise DepotIsRemoved(depot.pk)
    if depot.publication == Depot.Publication.HELD:
        raise DepotIsErased(depot.pk)


def row_of(kind: Kind, proposed: Values, depot: Depot | None, author: Author, on: datetime) -> Submission:
    """Return a part as an unsaved row. A correction proposes only what differs from the depot."""
    stored, subject = {}, ""
    if kind == Kind.CORRECT and depot is not None:
        present = field_groups.values_of(depot)
        proposed = field_groups.changes(present, proposed)
        stored = {name: present[name] for name in proposed}
    if kind == Kind.ADD:
        names = f"{fold(proposed['name'])} | {fold(proposed['place'])}"
        subject = names[: max_length(Submission, "subject")]  # folding lengthens: ß is ss
    if kind == Kind.PRICE:
        subject = " ".join(price["fuel"] for price in proposed["prices"])
    content = {"subject": subject, "proposed": dict(proposed), "stored": stored}
    return Submission(depot=depot, kind=kind, created_at=on, **content, **author)


def _contents(submissions: Iterable[Submission]) -> list[tuple[str, Values]]:
    """Return the values of the submissions of a visit, in the order sent."""
    return [(row.kind, row.proposed) for row in sorted(submissions, key=lambda row: row.pk or 0)]


def waiting_like(submission: Submission) -> SubmissionQuerySet:
    """Return the waiting submissions that this one supersedes on confirmation."""
    waiting = _of_same_author(submission).waiting()
    return _alike(waiting, submission) if submission.kind == Kind.CORRECT else waiting


def _of_same_author(submission: Submission) -> SubmissionQuerySet:
    return _alike(Submission.objects.all(), submission, ("depot", *SAME))


def _alike(rows: SubmissionQuerySet, submission: Submission, names: Iterable[str] = COMPARED) -> SubmissionQuerySet:
    return rows.filter(**{name: getattr(submission, name) for name in names})


def _check_unconfirmed(submission: Submission) -> None:
    """Raise LinkAlreadyUsed, SubmissionWithdrawn, ClosedWithDepot or TokenSuperseded unless it is unconfirmed."""
    if submission.confirmed_at is not None:
        raise LinkAlreadyUsed(submission.pk)
    if submission.state == State.WITHDRAWN:
        raise SubmissionWithdrawn(submission.pk)
    if submission.state != State.UNCONFIRMED:
        # An editor's decision closes it with its entry only.
        is_decided = Decision.objects.about(submission).filter(undone_at=None).exists()
        raise (ClosedWithDepot if is_decided else TokenSuperseded)(submission.pk)


class BranchRefused(Refusal):
    """A further depot is not published, or the owner has all of them."""

    status = 400


class NotRestorable(Refusal):
    """The depot is published again, or the data of the deletion's author are erased."""

    status, title = 410, "O przywrócenie nie można już poprosić"
    reason = (
        "Wpis wrócił już do katalogu albo od usunięcia minęło zbyt wiele czasu. Jeśli go nie ma, dodaj go jeszcze raz."
    )


def find_branches(link: OwnerLink) -> list[Any]:
    """Return the published depots with the NIP of an owner's depot that the owner has no link to. One query.

    `is_claimed`: whether a claim by the owner waits.
    """
    if not link.depot.nip:
        return []
    claims = Submission.objects.waiting().filter(kind=Kind.CLAIM, email_hash=link.email_hash, depot=OuterRef("pk"))
    rows = Depot.objects.published().filter(nip=link.depot.nip).exclude(pk__in=_depots_of(link))
    rows = rows.annotate(is_claimed=Exists(claims))
    return list(rows.select_related("municipality").order_by("name", "pk")[: limits.PER_MAILBOX])


def _depots_of(link: OwnerLink) -> "QuerySet[OwnerLink, int]":
    """Ids of the depots of a link's owner."""
    return OwnerLink.objects.working().filter(email_hash=link.email_hash).values_list("depot", flat=True)


@transaction.atomic
def claim_branches(*, link: OwnerLink, depots: Collection[int], client: str, on: datetime) -> None:
    """Let claims of further depots by the owner of one wait for an editor; the link has confirmed the address.

    Leaves out those that the owner has. Replaces waiting claims of the same author. client: network address. Raises
    BranchRefused and TooManyRequests.
    """
    evidence = f"Zgłoszone odnośnikiem właściciela wpisu nr {link.depot_id} ({link.depot.name})."
    author = author_of(link.email, client, claimant_nip=link.depot.nip or "", message=evidence)
    limits.wait_for_turn(author["client_hash"], author["mailbox_hash"])
    rows = list(locking(Depot.objects.filter(pk__in=among(depots))))
    if unknown := set(depots) - {depot.pk for depot in rows if depot.publication == Depot.Publication.PUBLISHED}:
        raise BranchRefused(reason=f"Nie ma opublikowanego składu o numerze {min(unknown)}.")
    owned = {*_depots_of(link)}
    if not (rows := [depot for depot in rows if depot.pk not in owned]):
        raise BranchRefused(reason="Te składy są już pod Twoim odnośnikiem.")
    for depot in rows:
        _let_wait(row_of(Kind.CLAIM, {}, depot, author, on), on)
    letters.send_soon()  # other owners of these entries are told


def get_restorable(token: str) -> Submission:
    """Return the deletion whose author may ask for the entry back, with its depot. One query.

    Raises InvalidToken, and NotRestorable once the entry is back or the author's data are erased.
    """
    rows = Submission.objects.select_related("depot").filter(kind=Kind.DELETE, state=State.ACCEPTED, erased_at=None)
    deletion = rows.filter(pk=tokens.RESTORE.read(token), depot__publication=Depot.Publication.REMOVED).first()
    if deletion is None:
        raise NotRestorable
    return deletion


@transaction.atomic
def ask_restoring(*, token: str, text: str, client: str, on: datetime) -> None:
    """Let the request for a removed depot wait for an editor; the letter has confirmed the address.

    Replaces a waiting one of the same author. Raises what `get_restorable` raises, and TooManyRequests.
    """
    deletion = get_restorable(token)
    claimant = {"claimant_role": deletion.claimant_role, "claimant_nip": deletion.claimant_nip}
    author = author_of(deletion.email, client, message=text, **claimant)
    limits.wait_for_turn(author["client_hash"], author["mailbox_hash"])
    assert deletion.depot is not None  # noqa: S101 - a constraint of the table
    depot = locked(deletion.depot)
    get_restorable(token)  # the entry may be back, or the author's data erased, while this waited for the lock
    _let_wait(row_of(Kind.RESTORE, {}, depot, author, on), on)


def _let_wait(row: Submission, on: datetime) -> None:
    """Save a submission of a confirmed address. Lock its depot before. Raises TooManyRequests."""
    limits.check_submission(row, on=on)
    lock_rows(waiting_like(row))
    waiting_like(row).update(state=State.SUPERSEDED, decided_at=on)
    row.state, row.mailed_at, row.confirmed_at = State.WAITING, on, on
    row.save()
