"""Forgetting requests: personal data stay as long as they are needed, and not a day longer."""

from dataclasses import astuple, dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from catalog.models import DepotRequest, ImportRun
from catalog.requests import secrecy
from catalog.requests.locking import lock_requests

KEPT = timedelta(days=90)
"""How long personal data stay after a decision."""

KEPT_FOR_LIMITS = timedelta(days=1)
"""How long hashes of networks and mailboxes stay, and the author of a price that was passed on: as long as the limits
count."""

LATE = timedelta(days=2)
"""How long after the last purge the next one is overdue: it is run once a day."""

SOURCE = "purge_requests"
"""What the records of purges (`ImportRun`) have as their source."""


@dataclass(frozen=True, slots=True)
class Purged:
    """How many rows were deleted, and of how many personal data were erased."""

    deleted: int
    erased: int
    clients: int


@transaction.atomic
def purge_requests(*, on: datetime) -> Purged:
    """Forget what is not needed any more.

    Requests that were never confirmed go once their link has expired. Personal data go `KEPT` after the decision,
    and with them what was proposed and not accepted; of prices a day after they were passed on. Hashes of network
    addresses go after a day, those of mailboxes a day after the last link. A letter that never left keeps nothing any
    longer.
    """
    unconfirmed, due, clients, mailboxes = _forgettable(on)
    lock_requests(unconfirmed | due | clients | mailboxes)
    deleted, _ = unconfirmed.delete()
    due.exclude(state=DepotRequest.State.ACCEPTED).update(proposed={}, stored={}, subject="")
    erased = due.update(
        erased_at=on,
        email="",
        email_hash="",
        mailbox_hash="",
        message="",
        claimant_role="",
        claimant_nip="",
        claimant_phone="",
        client_hash="",
        token_hash="",
        letter_owed=False,
    )
    mailboxes.update(mailbox_hash="", links_at=[])
    return Purged(deleted, erased, clients.update(client_hash=""))


def record_purge(purged: Purged, *, started: datetime, finished: datetime) -> None:
    """Write down that a purge ran, also when there was nothing to forget."""
    ImportRun.objects.create(
        source=SOURCE,
        started=started,
        finished=finished,
        outcome=ImportRun.Outcome.IMPORTED if any(astuple(purged)) else ImportRun.Outcome.UNCHANGED,
        removed=purged.deleted,
        changed=purged.erased,
        message=f"network addresses erased: {purged.clients}",
    )


def last_purge() -> datetime | None:
    """When the last purge ended, None for never. One query."""
    last: datetime | None = ImportRun.objects.filter(source=SOURCE).aggregate(last=Max("finished"))["last"]
    return last


def is_purge_overdue(last: datetime | None, *, now: datetime) -> bool:
    """Whether purges have stopped, or never began though something should have been forgotten `LATE` ago.

    last: when the last one ended. At most one query.
    """
    if last is not None:
        return last < now - LATE
    unconfirmed, due, clients, mailboxes = _forgettable(now - LATE)
    return (unconfirmed | due | clients | mailboxes).exists()


def _forgettable(on: datetime) -> tuple[QuerySet[DepotRequest], ...]:
    """Requests that go as a whole, those whose personal data go, and those whose hash of a network or mailbox goes."""
    expired = on - secrecy.LINK_LIFE
    unconfirmed = DepotRequest.objects.filter(
        Q(mailed_at__isnull=True) | Q(mailed_at__lte=expired), confirmed_at__isnull=True, created_at__lte=expired
    )
    due = DepotRequest.objects.filter(erased_at__isnull=True, confirmed_at__isnull=False).filter(
        Q(decided_at__lte=on - KEPT) | Q(state=DepotRequest.State.PASSED_ON, decided_at__lte=on - KEPT_FOR_LIMITS)
    )
    old = DepotRequest.objects.filter(created_at__lte=on - KEPT_FOR_LIMITS)
    clients = old.exclude(client_hash="")
    mailboxes = old.exclude(mailbox_hash="").filter(Q(mailed_at__isnull=True) | Q(mailed_at__lte=on - KEPT_FOR_LIMITS))
    return unconfirmed, due, clients, mailboxes
