"""Lock files: one process at a time."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path


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
