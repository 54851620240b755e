"""Whether the replica may be read now. A thread of each process looks every second; requests ask it for free.

A request that the replica failed says so at once (`note_failure`); the next look that finds nothing wrong lets the
replica be read again.
"""

import logging
import os
import threading
import time
from typing import Any, NamedTuple

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections
from django.db.migrations.recorder import MigrationRecorder

from catalog.databases import PRIMARY, REPLICA
from fueldepot.postgresql import patience
from fueldepot.replica.lag import Positions

logger = logging.getLogger(__name__)

LOOK_S = 1.0
"""Between two looks; also how long one waits for each server."""

FIRST_LOOKS, FIRST_LOOKS_S = 20, 0.1
"""Between so many first looks of a process, while the replica has yet to replay what the first one found."""

FIRST_ANSWER_S = 1.0
"""How long the first request of a process waits for the first look."""

PRIMARY_POSITION = "SELECT (pg_current_wal_lsn() - '0/0')::bigint"
REPLICA_POSITION = "SELECT pg_is_in_recovery(), (pg_last_wal_replay_lsn() - '0/0')::bigint"


class Verdict(NamedTuple):
    """What a look found. problem: why the replica is left out, "" when it may be read.

    behind_s: at most; None when that cannot be told. primary: whether the primary answered.
    """

    problem: str
    behind_s: float | None
    primary: bool


NOT_LOOKED = Verdict("nobody has looked at it yet", None, True)


class Replayed(NamedTuple):
    """Where a replica is. position: 0 before it has replayed anything."""

    position: int
    is_replica: bool
    has_schema: bool


def judge(positions: Positions, replayed: Replayed | None, *, primary: bool, most_s: float) -> Verdict:
    """Whether a replica may be read.

    One that a process meets while the primary is away cannot be measured, and is read: the alternative is no answer.
    """
    if replayed is None:
        return Verdict("it does not answer", None, primary)
    if not replayed.is_replica:
        return Verdict("it is not a replica", None, primary)
    if not replayed.has_schema:
        return Verdict("it lacks migrations of this release", None, primary)
    behind_s = positions.behind_s(replayed.position)
    if behind_s is not None and behind_s > most_s:
        return Verdict(f"it is more than {most_s:g} s behind", behind_s, primary)
    return Verdict("", behind_s, primary)


class Watch:
    """The watch of a process and its thread, which starts with the first question: workers are forked before."""

    def __init__(self) -> None:
        self.pid = 0
        self.verdict = NOT_LOOKED
        self.positions = Positions(0)
        self.has_schema = False
        self.looks = 0
        self._starting = threading.Lock()
        self._looked = threading.Event()

    def current(self) -> Verdict:
        """What is known now. Costs nothing but for the first question of a process, which waits for the answer."""
        if self.pid != os.getpid():
            self._start()
        self._looked.wait(FIRST_ANSWER_S)
        return self.verdict

    def note_failure(self) -> None:
        """Leave the replica out until the next look."""
        self._conclude(self.verdict._replace(problem="it failed a request"))

    def look(self) -> None:
        """Ask both servers where they are, and conclude."""
        moment = time.monotonic()
        position = _ask(PRIMARY, PRIMARY_POSITION)
        if position is not None:
            self.positions.note(moment, int(position[0]))
        found = _ask(REPLICA, REPLICA_POSITION)
        replayed = None
        if found is not None:
            # Migrations are only ever added, so a replica that has them once has them for good.
            self.has_schema = self.has_schema or _has_schema()
            replayed = Replayed(int(found[1] or 0), bool(found[0]), self.has_schema)
        most_s: float = settings.REPLICA_MAX_LAG_S
        self._conclude(judge(self.positions, replayed, primary=position is not None, most_s=most_s))

    def _start(self) -> None:
        with self._starting:
            if self.pid == os.getpid():
                return
            self.verdict, self.has_schema, self.looks = NOT_LOOKED, False, 0
            self.positions = Positions(settings.REPLICA_MAX_LAG_S + 2 * LOOK_S)
            self._looked = threading.Event()
            threading.Thread(target=self._run, name="replica-watch", daemon=True).start()
            self.pid = os.getpid()

    def _run(self) -> None:
        while True:
            try:
                self.look()
            except Exception:
                # Whatever it was: without the watch the replica would be left out, or trusted, for ever.
                logger.exception("the look at the replica failed")
                self._conclude(Verdict("nobody could look at it", None, self.verdict.primary))
            self._looked.set()
            self.looks += 1
            time.sleep(FIRST_LOOKS_S if self.verdict.problem and self.looks < FIRST_LOOKS else LOOK_S)

    def _conclude(self, verdict: Verdict) -> None:
        before, self.verdict = self.verdict, verdict
        if bool(before.problem) != bool(verdict.problem):
            if verdict.problem:
                logger.warning("the replica is left out: %s", verdict.problem)
            else:
                logger.info("the replica is read")


watch = Watch()
"""That of this process."""


def _ask(alias: str, sql: str) -> tuple[Any, ...] | None:
    """One row of a server, None when it does not answer in time."""
    connection = connections[alias]
    # What Django does at the beginning of a request: a connection that the server closed is replaced, not used.
    connection.close_if_unusable_or_obsolete()
    try:
        with patience.limited(LOOK_S), connection.cursor() as cursor:
            cursor.execute(sql)
            row: tuple[Any, ...] | None = cursor.fetchone()
            return row
    except (DatabaseError, InterfaceError):
        connection.close()
        return None


def _has_schema() -> bool:
    """Whether the replica has every migration of this release."""
    from fueldepot.health import known_migrations

    try:
        with patience.limited(LOOK_S):
            return known_migrations() <= set(MigrationRecorder(connections[REPLICA]).applied_migrations())
    except (DatabaseError, InterfaceError):
        return False
