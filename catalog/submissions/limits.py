"""Limits: submissions per day by network, mailbox and depot, and letters per hour and mailbox.

Counted in the database, for all workers. Anybody can enter anybody's address and name any depot, so unconfirmed
submissions count against their network alone, and nobody can shut others out. Claims and deletions are counted apart
from the rest, so that other users of the same network cannot block an owner. The limit of letters counts all of them,
for an hour only, and delays the letter: the submission is accepted.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b

from django.db import connection
from django.db.models import Count, Q

from catalog.models import OwnerLink, Submission

PER_CLIENT = 10
"""Unconfirmed submissions of one network."""

PER_ADDRESS = 10
"""Submissions of one mailbox: confirmed ones, and those of the same network.

Above nine, so that a price for each fuel may be sent separately.
"""

PER_DEPOT = 20
"""Confirmed submissions about one depot.

Claims and deletions have no such limit. Links sent before remain usable: an author with a link is never refused.
"""

OWNERS_KINDS = (Submission.Kind.CLAIM, Submission.Kind.DELETE)
"""Kinds of submissions of owners."""

PERIOD = timedelta(days=1)

LINKS_PER_MAILBOX = 3
"""Letters to one mailbox in `LINKS_PERIOD`, whoever causes them: links, questions, decisions."""

LINKS_PERIOD = timedelta(hours=1)

PAUSES = (timedelta(minutes=1), timedelta(minutes=5))
"""Pauses before the second letter of a submission, the third, and so on."""

LINKS_PER_SUBMISSION = 1 + len(PAUSES)
"""Letters with a link per submission."""


class TooManyRequests(Exception):
    """A limit is reached. Does not tell which one: that would reveal what others have sent.

    retry_at: latest time from which a retry is allowed.
    """

    def __init__(self, retry_at: datetime) -> None:
        super().__init__()
        self.retry_at = retry_at


def wait_for_turn(*hashes: str) -> None:
    """Serialise transactions of the same networks or mailboxes. Call it before any row lock. One query."""
    with connection.cursor() as cursor:
        # In one order, so that transactions never deadlock.
        keys = sorted(_key(value) for value in hashes)
        cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])


def check_submissions(*, client: str, mailbox: str, depot: int | None, kind: str, on: datetime) -> None:
    """Raise TooManyRequests unless one more submission is allowed. Exact after `wait_for_turn`. One query.

    client, mailbox: hashes. depot: None for a missing depot, which has no limit.
    """
    of_client, of_mailbox = Q(client_hash=client), Q(mailbox_hash=mailbox)
    of_depot = Q(depot=depot, depot__isnull=False)
    is_confirmed = Q(confirmed_at__isnull=False)
    is_owners = kind in OWNERS_KINDS
    recent = Submission.objects.filter(of_client | of_mailbox | of_depot, created_at__gt=on - PERIOD)
    counts = recent.filter(Q(kind__in=OWNERS_KINDS) if is_owners else ~Q(kind__in=OWNERS_KINDS)).aggregate(
        client=Count("pk", filter=of_client & ~is_confirmed),
        mailbox=Count("pk", filter=of_mailbox & (is_confirmed | of_client)),
        depot=Count("pk", filter=of_depot & is_confirmed),
    )
    if (
        counts["client"] >= PER_CLIENT
        or counts["mailbox"] >= PER_ADDRESS
        or (counts["depot"] >= PER_DEPOT and not is_owners)
    ):
        raise TooManyRequests(on + PERIOD)


def mailbox_free_at(mailbox: str, on: datetime) -> datetime | None:
    """Return when a mailbox may get another letter, None for now. One query."""
    sent = recent_letters([mailbox], on).get(mailbox, [])
    return sent[-LINKS_PER_MAILBOX] + LINKS_PERIOD if len(sent) >= LINKS_PER_MAILBOX else None


def recent_letters(mailboxes: Collection[str], on: datetime) -> dict[str, list[datetime]]:
    """Return when letters of the last `LINKS_PERIOD` were sent, oldest first, by mailbox. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT mailbox_hash, sent_at FROM {Submission._meta.db_table}, unnest(links_at) AS sent_at
            WHERE mailbox_hash = ANY(%(mailboxes)s) AND sent_at > %(since)s
            UNION ALL
            SELECT mailbox_hash, sent_at FROM {OwnerLink._meta.db_table}, unnest(links_at) AS sent_at
            WHERE mailbox_hash = ANY(%(mailboxes)s) AND sent_at > %(since)s
            ORDER BY sent_at
            """,  # noqa: S608
            {"mailboxes": list(mailboxes), "since": on - LINKS_PERIOD},
        )
        sent: dict[str, list[datetime]] = {}
        for mailbox, sent_at in cursor.fetchall():
            sent.setdefault(mailbox, []).append(sent_at)
    return sent


def check_pause(links_at: Sequence[datetime], on: datetime) -> None:
    """Raise TooManyRequests unless the pause since the last link of a submission is over."""
    if (next_at := next_link_at(links_at)) is not None and on < next_at:
        raise TooManyRequests(next_at)


def next_link_at(links_at: Sequence[datetime]) -> datetime | None:
    """Return from when the link of a submission may be sent again; None if no letter was sent."""
    if not links_at:
        return None
    return links_at[-1] + PAUSES[min(len(links_at), len(PAUSES)) - 1]


def _key(text: str) -> int:
    """Key of an advisory lock, a PostgreSQL bigint."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)
