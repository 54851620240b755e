"""Lock files of the embedded server, and its error."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path


class EmbeddedError(Exception):
    """The embedded server cannot be used. The message is one line with a remedy."""


def open_lock(path: Path) -> int:
    """Open a lock file, created if missing, without inheritance of the descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def try_lock(descriptor: int, kind: int) -> bool:
    """Try a `flock` of `kind` without waiting. Returns whether it was acquired."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def hold_alone(path: Path, while_waiting: str) -> Iterator[int]:
    """Lock `path`, created if missing, and yield its descriptor.

    Prints `while_waiting` to standard error if another process has the lock. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = open_lock(path)
    try:
        if not try_lock(descriptor, fcntl.LOCK_EX):
            print(while_waiting, file=sys.stderr)  # noqa: T201
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def is_same_file(path: Path, descriptor: int) -> bool:
    """Whether `path` still refers to the open file, not so after its directory was deleted."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False
