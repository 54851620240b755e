"""How decisions on submissions are undone: they wait again, their authors are told, and owners' links come back."""

from django.db.models import Q

from catalog.models import Depot, OwnerLink, PendingLetter, Submission
from catalog.services.journal import Undoing
from catalog.submissions import letters

State = Submission.State
Kind = Submission.Kind

CLOSED = (State.ACCEPTED, State.REJECTED, State.SUPERSEDED)


def undo_submissions(undoing: Undoing) -> None:
    """Reopen submissions that a decision closed. Four statements.

    One stays closed, and is named, if its depot was changed since and so not restored, if its author has sent the same
    anew, or if the author's data were erased. Prices are left to their own app.
    """
    rows = Submission.objects.filter(pk__in=undoing.keys(Submission), state__in=CLOSED)
    submissions = list(rows.select_for_update(of=("self",)).order_by("pk").select_related("depot"))
    waiting = Submission.objects.waiting().exclude(kind=Kind.CORRECT)
    depots = [row.depot_id for row in submissions]
    columns = ("depot", "kind", "subject", "email_hash")
    standing = set(waiting.filter(Q(depot__in=depots) | Q(depot=None)).values_list(*columns))
    kept = {row.pk for row in undoing.left if isinstance(row, Depot)}
    again = []
    for row in submissions:
        if row.kind == Kind.ADD:
            if row.depot_id in kept:
                undoing.left.append(row)
                continue
            row.depot = None
        key = (row.depot_id, row.kind, row.subject, row.email_hash)
        is_removed = row.depot is not None and row.depot.publication == Depot.Publication.REMOVED
        if row.depot_id in kept or is_removed or row.erased_at is not None or key in standing:
            undoing.left.append(row)
            continue
        if row.kind != Kind.CORRECT:
            standing.add(key)
        reopen(row)
        again.append(row)
    store_reopened(again, undoing)


def reopen(submission: Submission) -> None:
    """Let a submission wait again, without saving it; its author is told if the letter about the decision has left."""
    if submission.state != State.PASSED_ON:
        submission.state, submission.decided_at, submission.decided_by = State.WAITING, None, None
        submission.reason, submission.accepted_fields = "", []
    submission.reopening_pending = not submission.notification_pending
    submission.notification_pending = False


REOPENED_COLUMNS = (
    *("depot", "state", "decided_at", "decided_by", "reason", "accepted_fields"),
    *("proposed", "answered_at", "notification_pending", "reopening_pending"),
)


def store_reopened(submissions: list[Submission], undoing: Undoing) -> None:
    """Save reopened submissions and count them; the letters are sent after the commit. One statement."""
    Submission.objects.bulk_update(submissions, REOPENED_COLUMNS, batch_size=500)
    undoing.reopened += len(submissions)
    undoing.told += sum(row.reopening_pending for row in submissions)
    if submissions:
        letters.send_soon()


def undo_owner_links(undoing: Undoing) -> None:
    """Revoke the link that an accepted claim granted, and bring those back that it replaced. Four statements."""
    at = undoing.decision.decided_at
    links = OwnerLink.objects.filter(pk__in=undoing.keys(OwnerLink)).select_for_update(of=("self",)).order_by("pk")
    replaced = [link for link in links if link.replaced_at is not None and link.revoked_at is None]
    granted = [link.pk for link in links if link.granted_at == at and link.replaced_at is None]
    OwnerLink.objects.filter(pk__in=granted, revoked_at=None).update(
        revoked_at=undoing.on, email="", email_hash="", mailbox_hash="", links_at=[]
    )
    OwnerLink.objects.filter(pk__in=[link.pk for link in replaced]).update(replaced_at=None)
    for link in replaced:
        letter = PendingLetter.objects.filter(
            kind=PendingLetter.Kind.OWNER_REPLACED, email=link.email, depot=link.depot_id, letter_tried_at=None
        )
        if not letter.delete()[0]:  # the letter about the end of the link has left
            kind = PendingLetter.Kind.OWNER_RESTORED
            PendingLetter.objects.create(kind=kind, email=link.email, depot_id=link.depot_id, requested_at=undoing.on)
    undoing.restored += len(replaced)
    letters.send_soon()
