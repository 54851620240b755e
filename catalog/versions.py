"""Versions of the data sets, as this process knows them: what kept answers and validators are compared with.

They are known of each database that is read here, and read where the rows are read that they speak of: a replica
follows the primary by a moment, and one's stamps on the other's rows would be untrue.

Whoever changes rows raises the version of their data set in the same transaction. A process looks at the versions at
most every quarter of a second, so that an answer which has not changed costs no query.
"""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from threading import Lock
from types import MappingProxyType
from typing import TypeVar

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from catalog import databases, questions
from catalog.models import Dataset

POLL_SECONDS = 0.25
"""How long a process trusts that nothing has changed. Changes that it makes itself are seen at once."""

TRUST_S = 1.0
"""How long it trusts it while somebody is looking and the database does not answer. After that nothing is trusted."""

RUNS = "runs"
"""Beside the data sets: what is stamped with every import that was tried, whether or not it changed anything."""

TRIES = 3
"""How often something is read anew because the data changed meanwhile."""

NEVER = float("-inf")

READ = f"""
    SELECT slug, version || '.' || extract(epoch FROM changed_at) FROM catalog_dataset WHERE version > 0
    UNION ALL
    SELECT '{RUNS}', max(id) || '.' || extract(epoch FROM max(finished)) FROM catalog_importrun HAVING count(*) > 0
"""  # noqa: S608 - a constant

STAMP = """
    coalesce((
        SELECT version || '.' || extract(epoch FROM changed_at)
        FROM catalog_dataset
        WHERE slug = '{slug}' AND version > 0
    ), '-')
"""

Made = TypeVar("Made")


class _Known:
    """What was read last of a database, and when."""

    def __init__(self) -> None:
        self.stamps: Mapping[str, str] = MappingProxyType({})
        self.read_at = NEVER
        self.reading = Lock()

    def forget(self) -> None:
        self.read_at = NEVER


_known = {alias: _Known() for alias in (databases.PRIMARY, databases.REPLICA)}


def current() -> Mapping[str, str]:
    """A stamp for every data set that has rows; it is never had twice, not even by a change that was undone.

    One query, or none within a quarter of a second of the last look. What this thread reads after this call from the
    database that it reads now is at least as new as the stamps.
    """
    known = _known[databases.alias()]
    age_s = time.monotonic() - known.read_at
    if age_s < POLL_SECONDS:
        return known.stamps
    # One thread looks; the others meanwhile trust what it found a moment ago.
    first = known.reading.acquire(blocking=False)
    if not first and age_s < TRUST_S:
        return known.stamps
    try:
        look(known)
        return known.stamps
    finally:
        if first:
            known.reading.release()


def stamp(*slugs: str) -> str:
    """The stamps of some data sets in one text; "-" for one that has no rows yet. Costs what `current` costs."""
    stamps = current()
    return " ".join(stamps.get(slug, "-") for slug in slugs)


def stamp_sql(*slugs: str) -> str:
    """The stamps of some data sets as an SQL expression, of the state that it sees, worded as by `stamp`."""
    each = " || ' ' || ".join(STAMP.format(slug=slug) for slug in slugs)
    return f"({each})"


def answered_of(seen: str, *slugs: str) -> bool:
    """Note which state the last statement saw, by its own `stamp_sql`. Whether it is that of the present stamps.

    slugs: every data set that the statement read. Costs what `current` costs.
    """
    if seen != stamp(*slugs):
        return False
    questions.close_last()
    return True


def changed_on(*slugs: str) -> date | None:
    """The day on which any of some data sets changed last, None when none has rows. Costs what `current` costs."""
    stamps = current()
    moments = [float(stamps[slug].partition(".")[2]) for slug in slugs if slug in stamps]
    return timezone.localtime(datetime.fromtimestamp(max(moments), UTC)).date() if moments else None


def forget() -> None:
    """Look at the versions anew at the next question."""
    for known in _known.values():
        known.forget()


def raise_version(slug: str, **values: object) -> None:
    """Tell every process that rows of a data set changed. Call it in the transaction of the change.

    values: fields of its Dataset that are new as well.
    """
    values["changed_at"] = timezone.now()
    if not Dataset.objects.filter(slug=slug).update(version=F("version") + 1, **values):
        Dataset.objects.create(slug=slug, version=1, **({"row_count": 0, "source": ""} | values))
    transaction.on_commit(_known[databases.PRIMARY].forget)


def is_current(stamps: str, *slugs: str) -> bool:
    """Whether some data sets still have the stamps that `stamp` gave. One query, always.

    If so, whatever this thread has read of them in between is of one state of the data, and that is the state stamped.
    """
    look(_known[databases.alias()])
    return stamp(*slugs) == stamps


def settled(make: Callable[[], Made], *slugs: str) -> tuple[str, Made]:
    """What `make` reads of some data sets, all of one state, with the stamps of that state.

    Reads anew when a change came in between. The stamps are "" when changes never ceased.
    """
    for _ in range(TRIES):
        stamps = stamp(*slugs)
        made = make()
        if is_current(stamps, *slugs):
            return stamps, made
    return "", made


def look(known: _Known) -> None:
    """Read the stamps that the database has now."""
    looked_at = time.monotonic()
    with databases.connection().cursor() as cursor:
        cursor.execute(READ)
        stamps = dict(cursor.fetchall())
    questions.close_last()
    # Another thread may have looked later and be done before.
    if looked_at > known.read_at:
        known.stamps, known.read_at = stamps, looked_at
