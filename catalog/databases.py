"""Which database a request reads: the primary, or a replica that follows it by a moment.

A request reads one database throughout, stamps of data sets and rows alike: an answer is then never older than its
validator says. `fueldepot.replica` chooses; outside requests, and where no replica is set, it is the primary. Whatever
changes rows, and whatever decides on a change, works on the primary.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

PRIMARY = "default"
REPLICA = "replica"
"""Their names in the setting DATABASES."""


class _Request(threading.local):
    alias: str = PRIMARY
    wrote: bool = False


_request = _Request()


def has_replica() -> bool:
    """Whether there is another database than the primary to read."""
    return REPLICA in connections.databases


def alias() -> str:
    """Name of the database that this thread reads now."""
    return _request.alias


def connection() -> BaseDatabaseWrapper:
    """The connection to it, for statements written by hand. Those that write take Django's own `connection`."""
    return connections[_request.alias]


@contextmanager
def using(name: str) -> Iterator[None]:
    """Let this thread read the database of that name until the block ends."""
    before = _request.alias
    _request.alias = name
    try:
        yield
    finally:
        _request.alias = before


@contextmanager
def watching_writes() -> Iterator[None]:
    """Begin with `wrote` being false."""
    _request.wrote = False
    try:
        yield
    finally:
        _request.wrote = False


def note_write() -> None:
    """Note that this thread turns to the primary in order to change something."""
    _request.wrote = True


def wrote() -> bool:
    """Whether it has, since `watching_writes` began."""
    return _request.wrote
