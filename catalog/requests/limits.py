"""How much one stranger may ask in a day, and all about one entry; counted in the database: exact for all workers."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b

from django.db import connection

from catalog.models import DepotRequest

PER_CLIENT = 10
PER_ADDRESS = 6
PER_DEPOT = 20
PERIOD = timedelta(days=1)

LINKS_PER_REQUEST = 3
"""How often the link of one request is sent at most."""


class TooManyRequests(Exception):
    """Today's limit is reached. It is not said which, so that nobody learns what others have sent."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What a new request counts against. client, email: hashes. depot: None for a missing depot."""

    client: str
    email: str
    depot: int | None


def take_turn(counted: Counted, on: datetime) -> None:
    """Make sure that one more request is allowed; others of the same origin wait until this transaction ends.

    Two queries. Raises TooManyRequests.
    """
    limits = [("client_hash", counted.client, PER_CLIENT), ("email_hash", counted.email, PER_ADDRESS)]
    if counted.depot is not None:
        limits.append(("depot_id", str(counted.depot), PER_DEPOT))
    with connection.cursor() as cursor:
        # In one order, so that two strangers never wait for one another.
        keys = sorted(_key(f"{column}:{value}") for column, value, _ in limits)
        cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])
        counts = ", ".join(f"count(*) FILTER (WHERE {column} = %s)" for column, _, _ in limits)
        where = " OR ".join(f"{column} = %s" for column, _, _ in limits)
        values = [counted.depot if column == "depot_id" else value for column, value, _ in limits]
        cursor.execute(
            f"SELECT {counts} FROM {DepotRequest._meta.db_table} WHERE created_at > %s AND ({where})",  # noqa: S608
            [*values, on - PERIOD, *values],
        )
        found = cursor.fetchone()
    if any(count >= limit for count, (_, _, limit) in zip(found, limits, strict=True)):
        raise TooManyRequests


def _key(text: str) -> int:
    """A lock's number, in PostgreSQL's bigint."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)
