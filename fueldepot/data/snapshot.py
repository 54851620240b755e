"""Per-process copies of whole data sets. Public GET requests read nothing else.

A `Snapshot` knows how to build a copy of some data sets. A `State` is the copies of all snapshots at one moment of the
database, with the versions of the data sets; it never changes. The `SnapshotStore` holds the newest state. Its thread
compares the versions with the database every `POLL_INTERVAL_S`; where they differ, it builds the outdated copies in one
REPEATABLE READ transaction and replaces the state. Readers take the former one meanwhile, and while the database is
away.

A request reads within `consistent`: one state from start to end. Only this waits, and only for a change that this
process itself has committed: an editor sees what they have just saved. All other reads take the newest state.

A server that neither answers nor closes would block every waiting thread, even after a failover: TCP keeps the
connection while the machine acknowledges, and libpq has no timeout for a read. So connections are hung up.
"""

import gc
import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from math import inf
from threading import RLock, Thread
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, close_old_connections, connection, transaction
from django.db.backends.signals import connection_created
from django.utils import timezone
from psycopg import Connection
from psycopg import Error as DriverError

DATABASE_AWAY = (OperationalError, InterfaceError)
"""Errors of a database that cannot be reached."""

READ_ONLY = "25006"
"""SQLSTATE of a write that a standby, or a database set so, refuses."""


def is_away(error: BaseException | None) -> bool:
    """Whether an error comes of a database that cannot be reached, or takes no writes, and not of a bug."""
    return isinstance(error, DATABASE_AWAY) or getattr(getattr(error, "__cause__", None), "sqlstate", "") == READ_ONLY


_open: WeakSet[Connection[Any]] = WeakSet()


def limit_statements() -> None:
    """Set STATEMENT_LIMITS for all connections opened from now on; options in DATABASE_URL override them."""
    options = connection.settings_dict["OPTIONS"]
    own = options.get("options", "")  # PostgreSQL takes the last of equal options
    options["options"] = " ".join([*(f"-c {name}={value}" for name, value in settings.STATEMENT_LIMITS.items()), own])


def remember_connection(*, connection: Any, **kwargs: Any) -> None:
    _open.add(connection.connection)


def hang_up() -> int:
    """Shut down the sockets of all open connections. Returns their number.

    Waiting threads get OperationalError, and reconnect when they next need the database. Nothing is sent: the server
    notices by itself, and rolls back.
    """
    closed = 0
    for opened in list(_open):
        with suppress(OSError, Error, DriverError):
            # Duplicate: libpq closes its own descriptor.
            with socket.socket(fileno=os.dup(opened.fileno())) as copy:
                copy.shutdown(socket.SHUT_RDWR)
            closed += 1
    _open.clear()
    return closed


logger = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.25
"""Interval between comparisons of the versions with those in the database."""

BUILD_AGAIN_S = 1.0
"""Interval after a build that failed."""

AWAY_AFTER_S = 2.0
"""Time without the versions after which the database counts as away."""

HANG_UP_AFTER_S = 5.0
"""Time without the versions after which all connections are hung up: there may have been a failover."""

BUILD_LIMIT_S = 60.0
"""Time limit of a build, after which all connections are hung up."""

UNKNOWN = "-"
"""Version key of a data set that was never written."""

T = TypeVar("T")


class Snapshot(Generic[T]):
    """A copy of data sets, shared by all threads: read-only."""

    def __init__(self, build: Callable[[], T], *slugs: str) -> None:
        """build: reads the rows and returns the copy. slugs: every data set that it reads."""
        self.build, self.slugs = build, slugs
        store.snapshots.append(self)

    def get(self) -> T:
        """Return the copy: within `consistent` that of its state, else the newest. No query once it is built."""
        copy: T = store.current().copies[self][1]
        return copy


@dataclass(frozen=True, slots=True)
class State:
    """All snapshots of one transaction. versions: version keys by data set. copies: with the keys they are of."""

    versions: Mapping[str, str] = field(default_factory=dict)
    copies: Mapping[Snapshot[Any], tuple[str, Any]] = field(default_factory=dict)

    def key(self, *slugs: str) -> str:
        return " ".join(self.versions.get(slug, UNKNOWN) for slug in slugs)

    def changed_on(self, *slugs: str) -> date | None:
        """Return the day on which any of some data sets changed last, None when none was ever written."""
        moments = [float(self.versions[slug].partition(".")[2]) for slug in slugs if slug in self.versions]
        return timezone.localtime(datetime.fromtimestamp(max(moments), UTC)).date() if moments else None


_taken: ContextVar[State | None] = ContextVar("taken", default=None)


class SnapshotStore:
    """The snapshots of this process.

    snapshots: all there are. read_versions: returns the version keys of all written data sets, as "version.epoch
    seconds", by one query; set by the app that defines them. Times are of the monotonic clock.
    """

    snapshots: list[Snapshot[Any]]
    read_versions: Callable[[], Mapping[str, str]]

    def __init__(self) -> None:
        self.snapshots = []
        self._lock = RLock()  # of the thread that reads versions and builds
        self.invalidate()

    def invalidate(self, state: State | None = None) -> None:
        """Begin anew with a state; without one the next read builds everything."""
        self._state = state
        self._committed_at = -inf  # when this process last committed a change
        self._built_at = -inf  # when the last build began: it has every earlier change, unless it failed
        self._away = False
        # While the database is queried: when it counts as away, and when its connections are hung up.
        self._away_at = self._hang_up_at = inf

    def current(self) -> State:
        """Return the state of `consistent`, else the newest; builds it if there is none."""
        state = _taken.get() or self._state
        return self.refresh() if state is None or len(state.copies) < len(self.snapshots) else state

    @contextmanager
    def consistent(self) -> Iterator[State]:
        """Serve all reads of this block from one state, which has every change that this process has committed.

        If the database does not give that change, the block gets the former state after `AWAY_AFTER_S`.
        """
        state = self.current()
        # Changes of an open transaction may still be rolled back.
        if self._is_behind() and _taken.get() is None and not connection.in_atomic_block:
            state = self._catch_up(state)
        token = _taken.set(state)
        try:
            yield state
        finally:
            _taken.reset(token)

    def note_change(self) -> None:
        self._committed_at = time.monotonic()

    def _is_behind(self) -> bool:
        return self._committed_at >= self._built_at and not self.database_is_away()

    def _catch_up(self, former: State) -> State:
        if self._lock.acquire(timeout=AWAY_AFTER_S):
            try:
                if self._is_behind():  # no other thread has built the change meanwhile
                    self.poll()
            finally:
                self._lock.release()
        return self._state or former

    def refresh(self) -> State:
        """Rebuild outdated snapshots from one database state. One query if there are none.

        Concurrent threads wait for it. Raises what the database or a build raises; the former state stays.
        """
        with self._lock:
            began_at = time.monotonic()
            try:
                self._away_at, self._hang_up_at = began_at + AWAY_AFTER_S, began_at + HANG_UP_AFTER_S
                versions, state = self.read_versions(), self._state
                if state is None or versions != state.versions or len(state.copies) < len(self.snapshots):
                    self._away_at = self._hang_up_at = time.monotonic() + BUILD_LIMIT_S
                    with without_collections():
                        state = self._state = self._build_state(state or State())
                if self._away:
                    logger.warning("the database answers again")
                    self._away = False
                return state
            finally:
                # Also after an error: readers wait for one attempt, and the thread goes on trying.
                self._built_at = began_at
                self._away_at = self._hang_up_at = inf

    def _build_state(self, former: State) -> State:
        """Return the present state, with the copies of `former` whose data sets have not changed."""
        with repeatable_read():
            versions = State(self.read_versions())  # again: rows and versions of the same moment
            copies: dict[Snapshot[Any], tuple[str, Any]] = {}
            for snapshot in self.snapshots:
                key = versions.key(*snapshot.slugs)
                copy = former.copies.get(snapshot)
                copies[snapshot] = copy if copy and copy[0] == key else (key, snapshot.build())
        return State(versions.versions, copies)

    def poll(self) -> bool:
        """Refresh the state. Returns whether it is current; logs an error instead of raising it."""
        try:
            self.refresh()
        except DATABASE_AWAY:
            self._note_away()
        except Exception:
            logger.exception("the snapshots could not be built; the former ones go on answering")
        else:
            return True
        return False

    def start_polling(self) -> None:
        """Keep the state current from a thread. Call it once per process that serves requests.

        Threads do not survive a fork, and a worker may be forked long after its parent built.
        """
        connection_created.connect(remember_connection, dispatch_uid="fueldepot.data.snapshot")
        self.poll()
        Thread(target=self._poll_forever, name="snapshots", daemon=True).start()
        Thread(target=self._watch_forever, name="snapshots-watch", daemon=True).start()

    def _poll_forever(self) -> None:
        is_current = True
        while True:
            time.sleep(POLL_INTERVAL_S if is_current or self._away else BUILD_AGAIN_S)
            close_old_connections()
            is_current = self.poll()

    def _watch_forever(self) -> None:
        """Hang up when the versions or a build are late: the thread that waits for them cannot."""
        while True:
            time.sleep(1)
            if time.monotonic() > self._hang_up_at:
                self._note_away()
                logger.error("%s connections to a database that does not answer were hung up", hang_up())

    def _note_away(self) -> None:
        """Record that the database is away, with one log line per outage."""
        if not self._away:
            logger.error("the database does not answer; reading goes on from the last state")
        self._away = True

    def database_is_away(self) -> bool:
        """Whether the database failed to give the versions, or is late by `AWAY_AFTER_S`. No query."""
        if time.monotonic() > self._away_at:
            self._note_away()
        return self._away


@contextmanager
def without_collections() -> Iterator[None]:
    """Look for garbage once, after this block, among what it made.

    Rows make no cycles, but their number makes Python look for some again and again, each time among all of them and
    with every thread stopped.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect(1)  # the generations of what is new; what is older was looked through


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


store = SnapshotStore()

current, consistent, refresh = store.current, store.consistent, store.refresh
invalidate, database_is_away = store.invalidate, store.database_is_away
