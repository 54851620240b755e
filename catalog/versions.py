"""Versions of the data sets, as this process knows them: what kept answers and validators are compared with.

They are known of each database that is read here, and read where the rows are read that they speak of: a replica
follows the primary by a moment, and one's stamps on the other's rows would be untrue.

Whoever changes rows raises the version of their data set in the same transaction. A process looks at the versions at
most every quarter of a second, so that an answer which has not changed costs no query.
"""

import time
from collections.abc import Mapping
from datetime import UTC, date, datetime
from threading import Lock
from types import MappingProxyType

from django.db import transaction
from django.db.models import F, Max, Value
from django.utils import timezone

from catalog import databases
from catalog.models import Dataset, ImportRun

POLL_SECONDS = 0.25
"""How long a process trusts that nothing has changed. Changes that it makes itself are seen at once."""

RUNS = "runs"
"""Beside the data sets: what is stamped with every import that was tried, whether or not it changed anything."""

NEVER = float("-inf")


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
    if time.monotonic() - known.read_at < POLL_SECONDS:
        return known.stamps
    # One thread looks; the others meanwhile trust what it found a moment ago, unless nothing was found yet.
    if not known.reading.acquire(blocking=known.read_at == NEVER):
        return known.stamps
    try:
        if time.monotonic() - known.read_at >= POLL_SECONDS:
            looked_at = time.monotonic()
            known.stamps = _read()
            known.read_at = looked_at
        return known.stamps
    finally:
        known.reading.release()


def stamp(*slugs: str) -> str:
    """The stamps of some data sets in one text; "-" for one that has no rows yet. Costs what `current` costs."""
    stamps = current()
    return " ".join(stamps.get(slug, "-") for slug in slugs)


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


def _read() -> Mapping[str, str]:
    rows = Dataset.objects.order_by().values_list("slug", "version", "changed_at")
    runs = ImportRun.objects.order_by().values(slug=Value(RUNS)).annotate(version=Max("pk"), changed_at=Max("finished"))
    rows = rows.union(runs.values_list("slug", "version", "changed_at"), all=True)
    return {slug: f"{version}.{changed_at.timestamp():.6f}" for slug, version, changed_at in rows if version}
