"""What processes that share the embedded server tell one another by: locked files, and an error with advice."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path


class EmbeddedError(Exception):
    """The embedded server cannot be used. The message is one line that says what to do."""


def open_lock(path: Path) -> int:
    """Open a lock file, made where missing; programs started from here do not inherit the descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def try_lock(descriptor: int, kind: int) -> bool:
    """Take a `flock` of `kind` without waiting; return whether it was to be had."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def hold_alone(path: Path, while_waiting: str) -> Iterator[int]:
    """Lock `path`, made where missing, against other processes, and yield its descriptor.

    Prints `while_waiting` to standard error where another process has it. Raises OSError.
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
    """Whether `path` still leads to the open file: not so once somebody deleted the folder."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False
