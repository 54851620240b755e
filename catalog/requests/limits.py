"""How much one stranger may ask in a day, how much all about one entry, and how many links a mailbox gets in an hour.

Counted in the database, for all workers. Anybody can type anybody's address and name any entry: what nobody has
confirmed counts against its sender alone, so that strangers shut nobody out. What protects a mailbox from letters
counts all of them, and for an hour only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b

from django.db import connection

from catalog.models import DepotRequest

PER_CLIENT = 10
"""Requests of one network, confirmed or not."""

PER_ADDRESS = 6
"""Requests of one mailbox: those that were confirmed, and those that the same network has sent."""

PER_DEPOT = 20
"""Confirmed requests about one entry. Links sent before may still be used: an author who has one is never refused."""

PERIOD = timedelta(days=1)

LINKS_PER_MAILBOX = 3
"""Letters with a link that one mailbox gets in `LINKS_PERIOD`, whoever asks for them."""

LINKS_PERIOD = timedelta(hours=1)

PAUSES = (timedelta(minutes=1), timedelta(minutes=5))
"""How long after the first letter of a request the second may be sent, and so on."""

LINKS_PER_REQUEST = 1 + len(PAUSES)
"""How often the link of one request is sent at most."""


class TooManyRequests(Exception):
    """A limit is reached. The caller does not learn which one, since that would tell what others have sent.

    retry_at: when to try again; it may be allowed before.
    """

    def __init__(self, retry_at: datetime) -> None:
        super().__init__()
        self.retry_at = retry_at


@dataclass(frozen=True, slots=True)
class Counted:
    """What a new request counts against. client, mailbox: hashes. depot: None for a missing depot."""

    client: str
    mailbox: str
    depot: int | None


def wait_for_turn(*hashes: str) -> None:
    """Make others of the same network or mailbox wait until this transaction ends; before any row lock. One query."""
    with connection.cursor() as cursor:
        # In one order, so that two strangers never wait for one another.
        keys = sorted(_key(value) for value in hashes)
        cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])


def check_requests(counted: Counted, on: datetime) -> None:
    """Make sure that one more request is allowed; exact after `wait_for_turn`. One query. Raises TooManyRequests."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT count(*) FILTER (WHERE client_hash = %(client)s),
                   count(*) FILTER (WHERE mailbox_hash = %(mailbox)s
                                      AND (confirmed_at IS NOT NULL OR client_hash = %(client)s)),
                   count(*) FILTER (WHERE depot_id = %(depot)s AND confirmed_at IS NOT NULL)
            FROM {DepotRequest._meta.db_table}
            WHERE created_at > %(since)s
              AND (client_hash = %(client)s OR mailbox_hash = %(mailbox)s OR depot_id = %(depot)s)
            """,  # noqa: S608
            {"client": counted.client, "mailbox": counted.mailbox, "depot": counted.depot, "since": on - PERIOD},
        )
        found = cursor.fetchone()
    if any(count >= limit for count, limit in zip(found, (PER_CLIENT, PER_ADDRESS, PER_DEPOT), strict=True)):
        raise TooManyRequests(on + PERIOD)


def check_links(mailbox: str, on: datetime) -> None:
    """Make sure that a mailbox may get another link; exact after `wait_for_turn`. One query. Raises TooManyRequests."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT sent_at FROM {DepotRequest._meta.db_table}, unnest(links_at) AS sent_at
            WHERE mailbox_hash = %s AND sent_at > %s ORDER BY sent_at DESC LIMIT %s
            """,  # noqa: S608
            [mailbox, on - LINKS_PERIOD, LINKS_PER_MAILBOX],
        )
        sent = [row[0] for row in cursor.fetchall()]
    if len(sent) == LINKS_PER_MAILBOX:
        raise TooManyRequests(sent[-1] + LINKS_PERIOD)


def check_pause(links_at: Sequence[datetime], on: datetime) -> None:
    """Make sure that enough time has passed since the last link of a request. Raises TooManyRequests."""
    if (next_at := next_link_at(links_at)) is not None and on < next_at:
        raise TooManyRequests(next_at)


def next_link_at(links_at: Sequence[datetime]) -> datetime | None:
    """From when on the link of a request may be sent again; None where no letter has left."""
    if not links_at:
        return None
    return links_at[-1] + PAUSES[min(len(links_at), len(PAUSES)) - 1]


def _key(text: str) -> int:
    """A lock's number, in PostgreSQL's bigint."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)
