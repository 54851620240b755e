"""Per-process copies of whole data sets, rebuilt when a version changes. Public GET requests read nothing else.

All outdated snapshots are built from rows read in one REPEATABLE READ transaction and replaced together, so a request
that reads within `consistent` sees one state of the database. While the new ones are built, the former go on
answering. A process that has committed a change itself builds before it answers again; the others notice the new
version within `POLL_INTERVAL_S`. When the database is away, the last state goes on answering.
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

from django.db import InterfaceError, OperationalError, close_old_connections, connection, transaction
from django.utils import timezone

from fueldepot.data.versions import UNKNOWN, changed_here, read_versions

logger = logging.getLogger(__name__)

POLL_INTERVAL_S = 0.25
"""How often a process compares its snapshots with the versions in the database."""

AWAY_AFTER_S = 2.0
"""How long the database may leave a poll without an answer before it counts as away."""

DATABASE_AWAY = (OperationalError, InterfaceError)

T = TypeVar("T")


class Snapshot(Generic[T]):
    """A copy of some data sets. All threads share it: treat it as read-only."""

    def __init__(self, build: Callable[[], T], *slugs: str) -> None:
        """build: reads the rows and makes the copy. slugs: every data set that it reads."""
        self.build, self.slugs = build, slugs
        _snapshots.append(self)

    def get(self) -> T:
        """Return the copy: of the state that `consistent` has taken, else of the newest. No query once it is built."""
        copy: T = current().copy_of(self)
        return copy


@dataclass(frozen=True, slots=True)
class State:
    """All snapshots as of one transaction. versions: keys by data set. copies: with the key each was built for."""

    versions: Mapping[str, str] = field(default_factory=dict)
    copies: Mapping[Snapshot[Any], tuple[str, Any]] = field(default_factory=dict)

    def key(self, *slugs: str) -> str:
        """Return the keys of some data sets in one text."""
        return " ".join(self.versions.get(slug, UNKNOWN) for slug in slugs)

    def copy_of(self, snapshot: Snapshot[T]) -> T:
        """Return what a snapshot has built."""
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
    """What this process knows.

    is_behind: a change that it has committed is being built. polling_since: monotonic time of the poll that has no
    answer yet, None for none.
    """

    state: State | None = None
    is_behind = False
    polling_since: float | None = None
    away = False


def current() -> State:
    """Return the state that `consistent` has taken, else the newest; builds it first where there is none.

    A change that this process has committed is in it.
    """
    taken = _taken.get()
    if taken is not None:
        return taken
    state = _Process.state
    if state is None or len(state.copies) < len(_snapshots):
        return refresh()
    # What an open transaction sees may yet be undone.
    if (changed_here.is_set() or _Process.is_behind) and not connection.in_atomic_block:
        return _catch_up(state)
    return state


@contextmanager
def consistent() -> Iterator[State]:
    """Let all reads of this block come from one state."""
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
    """Build what is outdated, all from one state of the database. One query when nothing is.

    Threads that come meanwhile wait and find it done.
    """
    with _building:
        return _build()


def _catch_up(former: State) -> State:
    """Return the state with what this process has committed, the former one where the database does not give it.

    Another thread may be building it; a database that froze meanwhile must not hold every reader.
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
    """Build what is outdated. Only the thread that holds `_building` may call it."""
    if changed_here.is_set():
        # In this order: a reader must find one of the two until the change is in the state.
        _Process.is_behind = True
        changed_here.clear()
    former = _Process.state or State()
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


def invalidate() -> None:
    """Start as a new process would: build everything at the next read."""
    _Process.state, _Process.polling_since, _Process.away = None, None, False


@contextmanager
def repeatable_read() -> Iterator[None]:
    """Read everything in this block from one state of the database. Inside a transaction, from the state of that."""
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def start_polling() -> None:
    """Keep the snapshots of this process current from a thread. Call it once in every process that serves requests.

    Threads do not survive a fork, and a worker may be forked long after its parent has built.
    """
    _poll()
    Thread(target=_poll_forever, name="snapshots", daemon=True).start()


def _poll_forever() -> None:
    while True:
        changed_here.wait(POLL_INTERVAL_S)
        _Process.polling_since = time.monotonic()
        close_old_connections()
        _poll()


def _poll() -> None:
    """Compare the versions, and build where they differ. Never raises."""
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
        changed_here.wait(1)  # not in a tight loop while the cause lasts
    finally:
        _Process.polling_since = None


def note_away() -> None:
    """Note that the database does not answer, with one line in the log for each time it goes away."""
    if not _Process.away:
        logger.error("the database does not answer; reading goes on from the last state")
    _Process.away = True


def database_is_away() -> bool:
    """Tell whether the last poll failed, or has been without an answer for `AWAY_AFTER_S`. No query."""
    since = _Process.polling_since
    if since is not None and time.monotonic() - since > AWAY_AFTER_S:
        note_away()
    return _Process.away
