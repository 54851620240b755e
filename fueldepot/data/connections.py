"""Database connections of a process that serves requests: their limits, and hanging up on a frozen server.

A server that neither answers nor closes would block every waiting thread, even after a failover: TCP keeps the
connection while the machine acknowledges, and libpq has no timeout for a read.
"""

import os
import socket
from contextlib import suppress
from typing import Any
from weakref import WeakSet

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError
from django.db import connection as default
from django.db.backends.signals import connection_created
from psycopg import Connection
from psycopg import Error as DriverError

DATABASE_AWAY = (OperationalError, InterfaceError)
"""Errors of a database that cannot be reached."""

_open: WeakSet[Connection[Any]] = WeakSet()


def limit_statements() -> None:
    """Set STATEMENT_LIMITS for all connections that this process opens from now on.

    Options in DATABASE_URL override them.
    """
    options = default.settings_dict["OPTIONS"]
    own = options.get("options", "")  # PostgreSQL takes the last of equal options
    options["options"] = " ".join([*(f"-c {name}={value}" for name, value in settings.STATEMENT_LIMITS.items()), own])


def remember(*, connection: Any, **kwargs: Any) -> None:
    """Handler of `connection_created`."""
    _open.add(connection.connection)


def start() -> None:
    """Track every connection opened from now on."""
    connection_created.connect(remember, dispatch_uid="fueldepot.data.connections")


def hang_up() -> int:
    """Shut down the sockets of all open connections. Returns their number.

    Waiting threads get OperationalError, and reconnect when they next need the database. Nothing is sent: the server
    notices by itself, and rolls back.
    """
    closed = 0
    for connection in list(_open):
        with suppress(OSError, Error, DriverError):
            # Duplicate: libpq closes its own descriptor.
            with socket.socket(fileno=os.dup(connection.fileno())) as copy:
                copy.shutdown(socket.SHUT_RDWR)
            closed += 1
    _open.clear()
    return closed
