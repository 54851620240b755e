"""Forgetting requests: personal data stay as long as they are needed, and not a day longer."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from catalog.models import DepotRequest
from catalog.requests import secrecy
from catalog.requests.locking import lock_requests

KEPT = timedelta(days=90)
"""How long personal data stay after a decision."""

KEPT_FOR_LIMITS = timedelta(days=1)
"""How long hashes of networks and mailboxes stay, and the author of a price that was passed on: as long as the limits
count."""


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
