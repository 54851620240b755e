"""Per-process copies of whole data sets, rebuilt when a version changes. Public GET requests read nothing else.

All outdated snapshots are built in one REPEATABLE READ transaction and replaced together, so a request that reads
within `consistent` sees one database state. The former ones are served meanwhile. A process that has committed a change
rebuilds before it answers again; others notice the new version within `POLL_INTERVAL_S`. While the database is away,
the last state is served.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from django.db import close_old_connections, connection, transaction
from django.utils import timezone

from fueldepot.data import connections
from fueldepot.data.connections import DATABASE_AWAY
from fueldepot.data.versions import UNKNOWN, changed_here, read_versions

logger = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.25
"""Interval between comparisons of the snapshots with the versions in the database."""

AWAY_AFTER_S = 2.0
"""Time without a response to a poll after which the database counts as away."""

HANG_UP_AFTER_S = 5.0
"""Time without a response to a poll after which all connections are hung up: there may have been a failover."""

BUILD_LIMIT_S = 60.0
"""Time limit of a build, after which all connections are hung up."""

T = TypeVar("T")


class Snapshot(Generic[T]):
    """A cached copy of data sets, shared by all threads: read-only."""

    def __init__(self, build: Callable[[], T], *slugs: str) -> None:
        """build: reads the rows and returns the copy. slugs: every data set that it reads."""
        self.build, self.slugs = build, slugs
        _snapshots.append(self)

    def get(self) -> T:
        """Return the copy: within `consistent` that of its state, else the newest. No query once it is built."""
        copy: T = current().copy_of(self)
        return copy

    def get_built(self) -> T:
        """Return the copy of `built`: for data sets that this process does not change."""
        copy: T = built().copy_of(self)
        return copy


@dataclass(frozen=True, slots=True)
class State:
    """All snapshots of one transaction. versions: version keys by data set. copies: with the keys they are of."""

    versions: Mapping[str, str] = field(default_factory=dict)
    copies: Mapping[Snapshot[Any], tuple[str, Any]] = field(default_factory=dict)

    def key(self, *slugs: str) -> str:
        """Return the version keys of some data sets as one string."""
        return " ".join(self.versions.get(slug, UNKNOWN) for slug in slugs)

    def copy_of(self, snapshot: Snapshot[T]) -> T:
        """Return the copy of a snapshot."""
        copy: T = self.copies[snapshot][1]
        return copy

    def changed_on(self, *slugs: str) -> date | None:
        """Return the day on which any of some data sets changed last, None when none was ever written."""
        moments = [float(self.versions[slug].partition(".")[2]) for slug in slugs if slug in self.versions]
        return timezone.localtime(datetime.fromtimestamp(max(moments), UTC)).date() if moments else None


_snapshots: list[Snapshot[Any]] = []
_taken: ContextVar[State | None] = ContextVar("taken", default=None)
_building = Lock()


class _Process:
    """State of this process.

    is_behind: whether a change that it committed is being built. polling_since, building_since: monotonic start time of
    the pending poll and build, None for none.
    """

    state: State | None = None
    is_behind = False
    polling_since: float | None = None
    building_since: float | None = None
    away = False


def current() -> State:
    """Return the state of `consistent`, else the newest; builds it first if there is none.

    Includes changes committed by this process.
    """
    taken = _taken.get()
    if taken is not None:
        return taken
    state = _Process.state
    if state is None or len(state.copies) < len(_snapshots):
        return refresh()
    # Changes of an open transaction may still be rolled back.
    if (changed_here.is_set() or _Process.is_behind) and not connection.in_atomic_block:
        return _catch_up(state)
    return state


def built() -> State:
    """Return the state of `consistent`, else the newest; builds it if there is none.

    Never waits for changes committed by this process, and so may lack them.
    """
    taken = _taken.get() or _Process.state
    return current() if taken is None or len(taken.copies) < len(_snapshots) else taken


def committed_key(*slugs: str) -> str:
    """Return the version keys of some data sets, those of changes committed by this process included.

    Builds nothing. One query while such a change is not built yet, else none.
    """
    is_behind = changed_here.is_set() or _Process.is_behind
    if _taken.get() is None and is_behind and not connection.in_atomic_block:
        return State(read_versions()).key(*slugs)
    return built().key(*slugs)


@contextmanager
def consistent() -> Iterator[State]:
    """Serve all reads of this block from one state."""
    state = current()
    token = _taken.set(state)
    try:
        yield state
    finally:
        _taken.reset(token)


def changed_on(*slugs: str) -> date | None:
    """Return the day on which any of some data sets changed last, None when none was ever written. No query."""
    return current().changed_on(*slugs)


def refresh() -> State:
    """Rebuild outdated snapshots from one database state. One query if there are none.

    Concurrent threads wait for it.
    """
    with _building:
        return _build()


def _catch_up(former: State) -> State:
    """Return the state with the changes committed by this process, or the former one if the database is away.

    Another thread may be building it; a database that froze meanwhile must not block every reader.
    """
    if not _building.acquire(timeout=AWAY_AFTER_S):
        return former
    try:
        return _build() if changed_here.is_set() else _Process.state or former
    except DATABASE_AWAY:
        note_away()
        return former
    finally:
        _building.release()


def _build() -> State:
    """Rebuild outdated snapshots. Requires the lock `_building`."""
    if changed_here.is_set():
        # In this order: readers must see one of the two flags until the change is in the state.
        _Process.is_behind = True
        changed_here.clear()
    former = _Process.state or State()
    _Process.building_since = time.monotonic()
    try:
        with repeatable_read():
            versions = read_versions()
            copies: dict[Snapshot[Any], tuple[str, Any]] = {}
            for snapshot in _snapshots:
                key = State(versions).key(*snapshot.slugs)
                known = former.copies.get(snapshot)
                copies[snapshot] = known if known and known[0] == key else (key, snapshot.build())
        _Process.state = State(versions, copies)
        return _Process.state
    finally:
        _Process.is_behind = False
        _Process.building_since = None


def invalidate() -> None:
    """Discard all state: rebuild everything at the next read."""
    _Process.state, _Process.polling_since, _Process.away = None, None, False


@contextmanager
def repeatable_read() -> Iterator[None]:
    """Read from one database state in this block; inside a transaction, from that one's."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def start_polling() -> None:
    """Keep the snapshots of this process current from a thread. Call it once per process that serves requests.

    Threads do not survive a fork, and a worker may be forked long after its parent built.
    """
    connections.start()
    _poll()
    Thread(target=_poll_forever, name="snapshots", daemon=True).start()
    Thread(target=_watch_forever, name="snapshots-watch", daemon=True).start()


def _poll_forever() -> None:
    while True:
        changed_here.wait(POLL_INTERVAL_S)
        _Process.polling_since = time.monotonic()
        close_old_connections()
        _poll()


def _watch_forever() -> None:
    """Hang up when a poll or a build exceeds its limit."""
    while True:
        time.sleep(1)
        now = time.monotonic()
        waits = ((_Process.polling_since, HANG_UP_AFTER_S), (_Process.building_since, BUILD_LIMIT_S))
        if any(since is not None and now - since > limit_s for since, limit_s in waits):
            note_away()
            logger.error("%s connections to a database that does not answer were hung up", connections.hang_up())


def _poll() -> None:
    """Compare the versions, and rebuild if they differ. Never raises."""
    try:
        _Process.polling_since = time.monotonic()
        versions = read_versions()
        _Process.polling_since = None
        if _Process.state is None or changed_here.is_set() or versions != _Process.state.versions:
            refresh()
        if _Process.away:
            logger.warning("the database answers again")
            _Process.away = False
    except DATABASE_AWAY:
        note_away()
    except Exception:
        logger.exception("the snapshots could not be built; the former ones go on answering")
        changed_here.wait(1)  # no tight loop while the cause lasts
    finally:
        _Process.polling_since = None


def note_away() -> None:
    """Record that the database is away, with one log line per outage."""
    if not _Process.away:
        logger.error("the database does not answer; reading goes on from the last state")
    _Process.away = True


def database_is_away() -> bool:
    """Whether the last poll failed, or is pending for `AWAY_AFTER_S`. No query."""
    since = _Process.polling_since
    if since is not None and time.monotonic() - since > AWAY_AFTER_S:
        note_away()
    return _Process.away
