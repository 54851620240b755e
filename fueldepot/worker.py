"""The worker of gunicorn: threads, none of which a caller can hold by sending slowly.

A thread reads a request as it comes. A caller who stops in the middle, or sends a byte now and then, would keep it for
ever, and a handful of such callers the whole service. A proxy in front collects requests before it passes them on;
this is for where there is none.
"""

import contextlib
import socket
import time
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

READ_LIMIT_S = 10.0
"""In which a request has to arrive, body included."""


class ImpatientWorker(ThreadWorker):  # type: ignore[misc] # the library has no types
    """Stops listening to callers that take too long. Answers that take long to make or to send are left alone."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.began: dict[Any, float] = {}

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

    def murder_pending(self) -> None:
        """What the main loop does every second: close what waits in vain, and end what arrives too slowly.

        Only the reading half is shut: a thread that waits for more finds the end, and one that is answering notices
        nothing.
        """
        super().murder_pending()
        late = time.monotonic() - READ_LIMIT_S
        for conn, began in list(self.began.items()):
            if began < late:
                with contextlib.suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RD)
