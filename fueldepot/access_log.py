"""Logging of the application server: no line ever holds the query of an address.

A query may carry somebody's income (`GET /subsidy`) or where they live (`/stores`), and so may the Referer. The access
log is off unless an operator turns it on; then it names paths only.
"""

import logging
import re
import sys
from typing import Any

from gunicorn.glogging import Logger

from fueldepot.request_log import JsonFormatter

REFUSAL = "Invalid request from ip="
"""How gunicorn begins to tell of a request that it refuses, before it names the caller and repeats what they sent."""

QUERY = re.compile(r"\?[^\s\"']*")


def without_query(text: str) -> str:
    """Text without what follows the question mark of any address in it."""
    return QUERY.sub("", text)


class QueryFreeFormatter(logging.Formatter):
    """Formats as another formatter does, tracebacks included, then drops queries."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self.inner = inner

    def format(self, record: logging.LogRecord) -> str:
        return without_query(self.inner.format(record))


class QueryFreeLogger(Logger):  # type: ignore[misc] # the library has no types
    """gunicorn's logger, for access and error log alike."""

    def atoms(self, resp: Any, req: Any, environ: Any, request_time: Any) -> dict[str, Any]:
        """What an access log line can be made of: request line, Referer and every header without queries."""
        found = super().atoms(resp, req, environ, request_time)
        clean = {name: without_query(value) if isinstance(value, str) else value for name, value in found.items()}
        return clean | {"q": "", "{query_string}e": ""}

    def warning(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Log a warning; of a request that gunicorn refuses only why, since what came may hold anything."""
        if msg.startswith(REFUSAL):
            error = sys.exception()
            msg, args = "a request was refused unread: %s", (type(error).__name__ if error else "malformed",)
        super().warning(msg, *args, **kwargs)

    def _set_handler(self, log: Any, output: Any, fmt: logging.Formatter, stream: Any = None) -> None:
        # An access log has the form that its operator gave it; everything else is JSON, as the service's own lines are.
        clean = QueryFreeFormatter(fmt) if log is self.access_log else JsonFormatter(without_query)
        super()._set_handler(log, output, clean, stream)
