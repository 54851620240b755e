"""What owners ask for by a link to their address: their further depots, and a removed one back. An editor decides."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from catalog.models import Depot, OwnerLink, Submission
from catalog.services import Refusal
from catalog.services.moderation import locked
from catalog.submissions import intake, letters, limits, tokens
from catalog.submissions.intake import Author, SubmissionPart
from fueldepot.data.history import among, lock_rows

State = Submission.State
Kind = Submission.Kind


class BranchUnknown(Refusal):
    status = 400


class NoFurtherBranch(Refusal):
    status, reason = 400, "Te składy są już pod Twoim odnośnikiem."


class NotRestorable(Refusal):
    """The depot is published again, or the data of the deletion's author are erased."""

    status, title = 410, "O przywrócenie nie można już poprosić"
    reason = (
        "Wpis wrócił już do katalogu albo od usunięcia minęło zbyt wiele czasu. Jeśli go nie ma, dodaj go jeszcze raz."
    )


def find_branches(link: OwnerLink) -> list[Depot]:
    """Return the published depots with the NIP of an owner's depot that the owner has no link to. One query."""
    if not link.depot.nip:
        return []
    rows = Depot.objects.published().filter(nip=link.depot.nip).exclude(pk__in=_depots_of(link))
    return list(rows.select_related("municipality").order_by("name", "pk")[: limits.PER_MAILBOX])


def _depots_of(link: OwnerLink) -> "QuerySet[OwnerLink, int]":
    """Ids of the depots of a link's owner."""
    return OwnerLink.objects.working().filter(email_hash=link.email_hash).values_list("depot", flat=True)


@transaction.atomic
def claim_branches(*, link: OwnerLink, depots: Collection[int], author: Author, on: datetime) -> None:
    """Let claims of further depots by the owner of one wait for an editor; the link has confirmed the address.

    Leaves out those that the owner has. Replaces waiting claims of the same author. Raises BranchUnknown,
    NoFurtherBranch and TooManyRequests.
    """
    limits.wait_for_turn(tokens.hash_client(author.client), tokens.hash_mailbox(author.email))
    rows = list(Depot.objects.select_for_update(of=("self",)).filter(pk__in=among(depots)).order_by("pk"))
    if unknown := set(depots) - {depot.pk for depot in rows if depot.publication == Depot.Publication.PUBLISHED}:
        raise BranchUnknown(reason=f"Nie ma opublikowanego składu o numerze {min(unknown)}.")
    owned = {*_depots_of(link)}
    if not (rows := [depot for depot in rows if depot.pk not in owned]):
        raise NoFurtherBranch
    evidence = f"Zgłoszone odnośnikiem właściciela wpisu nr {link.depot_id} ({link.depot.name})."
    for depot in rows:
        _let_wait(intake.row_of(SubmissionPart(Kind.CLAIM), depot, replace(author, message=evidence), on), on)
    letters.send_soon()  # other owners of these entries are told


def get_restorable(token: str, *, on: datetime) -> Submission:
    """Return the deletion whose author may ask for the entry back, with its depot. One query.

    Raises InvalidToken, and NotRestorable once the entry is back or the author's data are erased.
    """
    rows = Submission.objects.select_related("depot").filter(kind=Kind.DELETE, state=State.ACCEPTED, erased_at=None)
    deletion = rows.filter(pk=tokens.RESTORE.read(token), depot__publication=Depot.Publication.REMOVED).first()
    if deletion is None:
        raise NotRestorable
    return deletion


@transaction.atomic
def ask_restoring(*, deletion: Submission, text: str, client: str, on: datetime) -> None:
    """Let the request for a removed depot wait for an editor; the letter has confirmed the address.

    Replaces a waiting one of the same author. Raises NotRestorable and TooManyRequests.
    """
    limits.wait_for_turn(tokens.hash_client(client), deletion.mailbox_hash or tokens.hash_mailbox(deletion.email))
    assert deletion.depot is not None  # noqa: S101 - a constraint of the table
    depot = locked(deletion.depot)
    if depot.publication != Depot.Publication.REMOVED:
        raise NotRestorable
    author = Author(deletion.email, client, deletion.claimant_role, deletion.claimant_nip, "", text)
    _let_wait(intake.row_of(SubmissionPart(Kind.RESTORE), depot, author, on), on)


def _let_wait(row: Submission | None, on: datetime) -> None:
    """Save a submission of a confirmed address. Lock its depot before. Raises TooManyRequests."""
    assert row is not None  # noqa: S101 - only a correction may change nothing
    limits.check_submission(row, on=on)
    lock_rows(intake.waiting_like(row))
    intake.waiting_like(row).update(state=State.SUPERSEDED, decided_at=on)
    row.state, row.mailed_at, row.confirmed_at = State.WAITING, on, on
    row.save()
