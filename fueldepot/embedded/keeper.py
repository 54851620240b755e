"""The keeper of the embedded PostgreSQL: starts the server as its child, stops it after the last user.

A server that ends before that is started again, at growing distances when it does not stay up. `fueldepot.embedded`
describes the locks and the data folder, and runs this in a process of its own, with the standard library only.
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

USERS_POLL_S = 0.2  # how soon it is noticed that nobody is left
FIRST_PAUSE_S = 0.2  # before a server that ended is started again; doubled each time, up to
LONGEST_PAUSE_S = 30.0
STEADY_S = 60.0  # a server that stayed up so long is trusted again
AWAITED = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
READY = "ready"  # the answer to the starter; anything else is an error message


def main(data: str, binaries: str, lock: str, ready: str) -> None:
    """Leave the starter, who waits for this process only, and `keep`."""
    if os.fork() == 0:  # the starter has no child to reap later
        os.umask(0o077)
        keep(Path(data), Path(binaries), int(lock), int(ready))


def keep(data: Path, binaries: Path, lock: int, ready: int) -> None:
    """Start the server of `data`, tell the starter by the pipe `ready`, stop the server when nobody is left.

    `lock` is a descriptor of the file `keeper` with the lock held. `binaries` is the folder of `postgres`.
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
        os.ftruncate(lock, 0)  # who joins now waits until the server is back
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
    os.ftruncate(lock, 0)  # from here on nobody may join
    stop(server)
    if socket_folder != data:
        with contextlib.suppress(OSError):
            socket_folder.rmdir()
    # `users` stays locked until the process is gone: who waits for it must then find no keeper.
    os.close(lock)


def _answer(ready: int, message: str) -> None:
    """Tell the starter, who may be dead by now, and close the pipe."""
    with contextlib.suppress(BrokenPipeError):
        os.write(ready, message.encode(errors="replace"))
    os.close(ready)


def _is_needed(
    data: Path, users: int, lock: int, server: subprocess.Popen[bytes] | None = None, limit_s: float = math.inf
) -> bool:
    """Wait until `server` ends or the time is up, and return True; or return False as soon as it is to be stopped.

    That is when nobody uses it, when its folder is gone, or when a signal says so.
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
    """A line of the log, which is standard error."""
    print(f"keeper: {message}", file=sys.stderr, flush=True)  # noqa: T201
