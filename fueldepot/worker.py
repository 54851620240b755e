"""The worker of gunicorn: threads, none of which a caller can hold by sending slowly or by not hanging up.

A thread reads a request as it comes. A caller who stops in the middle, or sends a byte now and then, would keep it for
ever, and a handful of such callers the whole service. After the last answer of a connection gunicorn waits for the
caller to hang up, and the whole worker with it. A proxy in front collects requests before it passes them on, and hangs
up; this is for where there is none.
"""

import contextlib
import selectors
import socket
import time
from functools import partial
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

READ_LIMIT_S = 10.0
"""In which a request has to arrive, body included."""

LINGER_S = 2.0
"""For which a caller may go on sending after the last answer. Closing at once would take the answer away from them."""


class ImpatientWorker(ThreadWorker):  # type: ignore[misc] # the library has no types
    """Stops listening to callers that take too long. Answers that take long to make or to send are left alone."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.began: dict[Any, float] = {}
        self.leaving: set[Any] = set()

    def enqueue_req(self, conn: Any) -> None:
        """Queue a request for a thread; note since when.

        The time in the queue counts: slow callers who wait behind slow callers are ended together with them, not a
        limit later. A request that has arrived while it waited is read and answered all the same.
        """
        self.began[conn] = time.monotonic()
        super().enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Handle a request, in a thread."""
        try:
            return super().handle(conn)
        finally:
            self.began.pop(conn, None)

    def finish_request(self, conn: Any, fs: Any) -> None:
        """What the main loop does after a thread is done: keep the connection, or say that it is over."""
        if fs.cancelled() or fs.exception() or fs.result():
            super().finish_request(conn, fs)
            return
        self.leaving.add(conn)
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
            conn.timeout = time.monotonic() + LINGER_S
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.read_off, conn))
        except OSError:
            self.let_go(conn)

    def read_off(self, conn: Any, sock: socket.socket) -> None:
        """Read what still comes after the last answer; close with its end."""
        try:
            if sock.recv(65_536):
                return
        except BlockingIOError:
            return
        except OSError:
            pass  # the caller has broken the connection off
        self.let_go(conn)

    def let_go(self, conn: Any) -> None:
        """Close a connection whose last answer was sent."""
        self.leaving.discard(conn)
        with contextlib.suppress(KeyError, ValueError):  # it was over before it was waited for
            self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """What the main loop does every second: close what waits in vain, and end what arrives too slowly.

        Only the reading half is shut: a thread that waits for more finds the end, and one that is answering notices
        nothing.
        """
        super().murder_pending()
        now = time.monotonic()
        for conn in [conn for conn in self.leaving if conn.timeout < now]:
            self.let_go(conn)
        late = now - READ_LIMIT_S
        for conn, began in list(self.began.items()):
            if began < late:
                with contextlib.suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RD)
