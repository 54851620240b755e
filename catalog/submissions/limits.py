"""Limits: submissions per day by network, mailbox and depot, and letters per hour and mailbox.

Counted in the database, for all workers. Anybody can enter anybody's address and name any depot, so unconfirmed
submissions count against their network alone, and nobody can shut others out. Claims and deletions are counted apart
from the rest, so that other users of the same network cannot block an owner. The limit of letters counts all of them,
for an hour only, and delays the letter: the submission is accepted.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from math import inf

from django.db import connection

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


@dataclass(frozen=True, slots=True)
class RateKey:
    """Keys that a new submission counts against. client, mailbox: hashes. depot: None for a missing depot."""

    client: str
    mailbox: str
    depot: int | None
    kind: Submission.Kind

    @property
    def limits(self) -> tuple[float, float, float]:
        """Limits of network, mailbox and depot."""
        return PER_CLIENT, PER_ADDRESS, inf if self.kind in OWNERS_KINDS else PER_DEPOT


def wait_for_turn(*hashes: str) -> None:
    """Serialise transactions of the same networks or mailboxes. Call it before any row lock. One query."""
    with connection.cursor() as cursor:
        # In one order, so that transactions never deadlock.
        keys = sorted(_key(value) for value in hashes)
        cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])


def check_submissions(counted: RateKey, on: datetime) -> None:
    """Raise TooManyRequests unless one more submission is allowed. Exact after `wait_for_turn`. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT count(*) FILTER (WHERE client_hash = %(client)s AND confirmed_at IS NULL),
                   count(*) FILTER (WHERE mailbox_hash = %(mailbox)s
                                      AND (confirmed_at IS NOT NULL OR client_hash = %(client)s)),
                   count(*) FILTER (WHERE depot_id = %(depot)s AND confirmed_at IS NOT NULL)
            FROM {Submission._meta.db_table}
            WHERE created_at > %(since)s AND (kind = ANY(%(owners)s)) = %(asks_owner)s
              AND (client_hash = %(client)s OR mailbox_hash = %(mailbox)s OR depot_id = %(depot)s)
            """,  # noqa: S608
            {
                "client": counted.client,
                "mailbox": counted.mailbox,
                "depot": counted.depot,
                "since": on - PERIOD,
                "owners": list(OWNERS_KINDS),
                "asks_owner": counted.kind in OWNERS_KINDS,
            },
        )
        found = cursor.fetchone()
    if any(count >= limit for count, limit in zip(found, counted.limits, strict=True)):
        raise TooManyRequests(on + PERIOD)


def check_links(mailbox: str, on: datetime) -> None:
    """Raise TooManyRequests unless the mailbox may get another link. Exact after `wait_for_turn`. One query."""
    if (free_at := mailbox_free_at(mailbox, on)) is not None:
        raise TooManyRequests(free_at)


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
