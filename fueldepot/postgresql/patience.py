"""How long a request waits for the database, all its statements taken together.

A server that was stopped, or a machine that vanished, never answers and never says so; over a Unix socket not even the
kernel gives up. So every wait is cut by the client. Commands and imports wait as long as it takes.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

READING_S = 1.3
"""For GET and HEAD: a caller hears 503 within two seconds."""

REPLICA_S = 0.8
"""For one statement to a replica: the primary is still to be asked when that gets no answer."""

SECOND_TRY_S = 0.7
"""What a request has at least when it turns to the primary, however much the replica has taken."""

WORKING_S = 15.0
"""For the admin and for whatever changes data: behind an import, a change may have to wait for its turn."""

CONNECTING_S = 0.7
"""For one attempt to connect, whatever is left of the above."""

LOOKING_S = 0.3
"""For a look at the server, or an attempt to connect, while it is suspected of being frozen."""

SUSPECTED_S = 5.0
"""How long one question that got no answer casts that suspicion."""

FROZEN_S = 1.0
"""After an attempt to connect that got no answer at all, how long the process does not make another."""

STATEMENT_S = 5.0
"""The server itself gives up a statement of a request after this, whatever the client does."""


class _Request(threading.local):
    """What is left of the patience of this thread's request, in seconds; None outside requests."""

    left: float | None = None


class _Server:
    suspected_until = 0.0
    frozen_until = 0.0


_request = _Request()
_servers: dict[str, _Server] = defaultdict(_Server)
"""By address: a replica that is frozen says nothing about the primary."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Let this thread wait for the database no longer than this, until the block ends."""
    _request.left = seconds
    try:
        yield
    finally:
        _request.left = None


@contextmanager
def shortened(seconds: float) -> Iterator[None]:
    """Let this thread's request wait no longer than this for what is in the block."""
    before = _request.left
    if before is None:
        yield
        return
    granted = _request.left = min(before, seconds)
    try:
        yield
    finally:
        _request.left = max(before - (granted - _request.left), 0.0)


def left() -> float | None:
    """Seconds that this thread may still wait; None where nothing limits it."""
    return _request.left


def spend(seconds: float) -> None:
    """Note that this thread has waited."""
    if _request.left is not None:
        _request.left = max(_request.left - seconds, 0.0)


def grant(seconds: float) -> None:
    """Let this thread's request wait at least this much longer."""
    if _request.left is not None:
        _request.left = max(_request.left, seconds)


def note_silence(server: str) -> None:
    """Note that a question got no answer in time: the server is slow, or frozen."""
    _servers[server].suspected_until = time.monotonic() + SUSPECTED_S


def is_suspected(server: str) -> bool:
    """Whether the server left somebody without an answer a moment ago."""
    return time.monotonic() < _servers[server].suspected_until


def note_frozen(server: str) -> None:
    """Note that the server did not even greet who connected."""
    note_silence(server)
    _servers[server].frozen_until = time.monotonic() + FROZEN_S


def is_frozen(server: str) -> bool:
    """Whether that was a moment ago, so that trying again would only cost time."""
    return time.monotonic() < _servers[server].frozen_until


def forget() -> None:
    """Suspect no server any more."""
    _servers.clear()
