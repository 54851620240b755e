"""The backend that `DATABASES` names.

Beside what Django's own does:

- A connection that the server closed while it lay idle is noticed without a query and replaced before it is used, so a
  restart of the database costs no failed request (`is_usable`).
- A request waits for the database for a limited time, also when the server is frozen (`patience`). Then it fails with
  OperationalError, which is answered with 503, and the connection is given up.
- The server gives up statements of requests too, and those whose client has gone.
"""

import math
import select
import time
from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from fueldepot.postgresql import patience

SESSION = {
    "statement_timeout": f"{patience.STATEMENT_S:g}s",
    # A client that gave up has closed its connection; nobody will read what its statement finds.
    "client_connection_check_interval": "1s",
    # A frozen worker must not hold locks for ever.
    "idle_in_transaction_session_timeout": "60s",
}
"""Of connections made by requests; those of commands are limited by nothing."""


def server_of(conninfo: str) -> str:
    """The address of the server that a connection string leads to."""
    known = conninfo_to_dict(conninfo)
    return f"{known.get('hostaddr') or known.get('host')}:{known.get('port')}"


class PatientConnection(psycopg.Connection[Any]):
    """A connection whose waiting is limited by `patience`.

    server: its address. most_s: for how long a request waits for one statement, whatever it has left.
    """

    server = ""
    most_s = math.inf

    @classmethod
    def _connect_gen(cls, conninfo: str = "") -> Generator[Any, Any, Any]:
        limit = patience.left()
        server = server_of(conninfo)
        if limit is None:
            connection = yield from super()._connect_gen(conninfo)
            connection.server = server
            return connection
        if patience.is_frozen(server):
            raise errors.ConnectionTimeout("the database server does not answer")
        limit = min(limit, patience.LOOKING_S if patience.is_suspected(server) else patience.CONNECTING_S)
        began = time.monotonic()
        connecting = super()._connect_gen(conninfo)
        wanted = next(connecting)
        try:
            while True:
                ready = yield wanted
                # Nothing is ready only when the driver has waited in vain, a tenth of a second at a time.
                if not ready and time.monotonic() - began > limit:
                    patience.note_frozen(server)
                    raise errors.ConnectionTimeout("the database server does not answer")
                wanted = connecting.send(ready)
        except StopIteration as made:
            made.value.server = server
            return made.value
        finally:
            patience.spend(time.monotonic() - began)

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for the server as long as this thread's request may. Raises OperationalError when it may not any more.

        The connection is closed then: the answer, should it come, would be taken for that of the next question.
        """
        limit = patience.left()
        if limit is None:
            return super().wait(gen, interval, timeout)
        began = time.monotonic()
        try:
            return super().wait(gen, interval, min(limit, self.most_s, math.inf if timeout is None else timeout))
        except errors._WaitTimeout:
            patience.note_silence(self.server)
            self.pgconn.finish()
            raise psycopg.OperationalError("the database did not answer in time") from None
        finally:
            patience.spend(time.monotonic() - began)


class DatabaseWrapper(base.DatabaseWrapper):
    """See the module."""

    Database = SimpleNamespace(**{**vars(psycopg), "connect": PatientConnection.connect})  # type: ignore[assignment]

    def get_new_connection(self, conn_params: dict[str, Any]) -> PatientConnection:
        """Connect. `WAIT_S` in the settings of a database is what a statement of a request has at most there."""
        connection: PatientConnection = super().get_new_connection(conn_params)
        connection.most_s = self.settings_dict.get("WAIT_S", math.inf)
        return connection

    def init_connection_state(self) -> None:
        """Limit what the server does for a connection that serves requests."""
        super().init_connection_state()
        if patience.left() is not None:
            assert self.connection is not None  # noqa: S101 - made a moment ago
            settings = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in SESSION.items())
            with self.connection.cursor() as cursor:
                cursor.execute(f"SELECT {settings}")

    def is_usable(self) -> bool:
        """Whether the server is still there. Costs a look at the socket, and a query only where there is a reason.

        Nothing comes on an idle connection but the server's good-bye, or now and then a note that a setting changed.
        """
        connection = self.connection
        if connection is None or connection.closed:
            return False
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            return bool(super().is_usable())
        look = select.poll()
        look.register(connection.fileno(), select.POLLIN)
        if not look.poll(0) and not (patience.left() is not None and patience.is_suspected(connection.server)):
            return True
        with patience.shortened(patience.LOOKING_S):
            return bool(super().is_usable())
