"""The keeper of the embedded PostgreSQL: starts the server as its child, stops it after the last user.

It restarts a server that ended, at growing intervals if it keeps failing. `fueldepot.embedded` describes the locks and
the data directory, and runs this in a process of its own, with the standard library only.
"""

import contextlib
import fcntl
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from fueldepot.embedded.locks import EmbeddedError, is_same_file, open_lock, try_lock
from fueldepot.embedded.server import socket_folder_of, start_server, stop

USERS_POLL_S = 0.2  # interval of checks for users
FIRST_PAUSE_S = 0.2  # before a server that ended is started again; doubled each time, up to
LONGEST_PAUSE_S = 30.0
STEADY_S = 60.0  # uptime that resets the pause
AWAITED = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
READY = "ready"  # the answer to the starter; anything else is an error message


def main(data: str, binaries: str, lock: str, ready: str) -> None:
    """Detach from the starter, which waits for this process only, and `keep`."""
    if os.fork() == 0:  # the starter has no child to reap
        os.umask(0o077)
        keep(Path(data), Path(binaries), int(lock), int(ready))


def keep(data: Path, binaries: Path, lock: int, ready: int) -> None:
    """Start the server of `data`, answer the starter by the pipe `ready`, stop the server without users.

    `lock` is a descriptor of the file `keeper` with the lock held. `binaries` is the directory of `postgres`.
    """
    try:
        users = open_lock(data / "users")
        socket_folder = socket_folder_of(data)
        server = start_server(data, binaries, socket_folder)
    except EmbeddedError as error:
        _answer(ready, str(error))
        return
    except OSError as error:
        _answer(ready, f"{error.strerror}: {error.filename or data}")
        return
    os.pwrite(lock, os.fsencode(socket_folder), 0)
    _answer(ready, READY)
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    pause_s = FIRST_PAUSE_S
    began = time.monotonic()
    while _is_needed(data, users, lock, server):
        os.ftruncate(lock, 0)  # new users wait until the server is back
        pause_s = FIRST_PAUSE_S if time.monotonic() - began > STEADY_S else min(pause_s * 2, LONGEST_PAUSE_S)
        _say(f"the server ended with {server.returncode}; starting it again in {pause_s:g} s")
        if not _is_needed(data, users, lock, limit_s=pause_s):
            break
        began = time.monotonic()
        try:
            server = start_server(data, binaries, socket_folder)
        except (EmbeddedError, OSError) as error:
            _say(f"the server did not start: {error}")
            continue
        os.pwrite(lock, os.fsencode(socket_folder), 0)
    os.ftruncate(lock, 0)  # nobody may join from here on
    stop(server)
    if socket_folder != data:
        with contextlib.suppress(OSError):
            socket_folder.rmdir()
    # `users` stays locked until the process ends: a waiting process must then find no keeper.
    os.close(lock)


def _answer(ready: int, message: str) -> None:
    """Answer the starter, which may have died, and close the pipe."""
    with contextlib.suppress(BrokenPipeError):
        os.write(ready, message.encode(errors="replace"))
    os.close(ready)


def _is_needed(
    data: Path, users: int, lock: int, server: subprocess.Popen[bytes] | None = None, limit_s: float = math.inf
) -> bool:
    """Wait until `server` ends or the time is up, and return True; return False as soon as it is to be stopped.

    It is to be stopped without users, without its directory, or on a signal.
    """
    deadline = time.monotonic() + limit_s
    while is_same_file(data / "keeper", lock):
        if try_lock(users, fcntl.LOCK_EX):
            return False
        if (server is not None and server.poll() is not None) or time.monotonic() > deadline:
            return True
        received = signal.sigtimedwait(AWAITED, USERS_POLL_S)
        if received is not None and received.si_signo != signal.SIGCHLD:
            return False
    return False


def _say(message: str) -> None:
    """Write a line to the log, which is standard error."""
    print(f"keeper: {message}", file=sys.stderr, flush=True)  # noqa: T201
