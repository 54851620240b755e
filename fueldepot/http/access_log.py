"""Logging of gunicorn without query strings.

A query may contain an income (`GET /subsidy`) or a place (`/stores`), and so may the Referer. The access log is off by
default; if an operator turns it on, it contains paths only.
"""

import logging
import re
import sys
from typing import Any

from gunicorn.glogging import Logger

from fueldepot.http.request_log import JsonFormatter, without_tokens

REFUSAL = "Invalid request from ip="
"""Prefix of gunicorn's message about a refused request, before it repeats the caller and their input."""

QUERY = re.compile(r"\?[^\s\"']*")


def without_query(text: str) -> str:
    """Remove query strings of URLs in a text, and tokens in paths."""
    return without_tokens(QUERY.sub("", text))


class QueryFreeFormatter(logging.Formatter):
    """Formats like another formatter, tracebacks included, and removes queries."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self.inner = inner

    def format(self, record: logging.LogRecord) -> str:
        return without_query(self.inner.format(record))


class QueryFreeLogger(Logger):  # type: ignore[misc] # the library has no types
    """gunicorn's logger for access and error log."""

    def atoms(self, resp: Any, req: Any, environ: Any, request_time: Any) -> dict[str, Any]:
        """Return the fields of an access log line: request line, Referer and headers without queries."""
        found = super().atoms(resp, req, environ, request_time)
        clean = {name: without_query(value) if isinstance(value, str) else value for name, value in found.items()}
        return clean | {"q": "", "{query_string}e": ""}

    def warning(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Log a warning; about a refused request only the reason, since its content may be anything."""
        if msg.startswith(REFUSAL):
            error = sys.exception()
            msg, args = "a request was refused unread: %s", (type(error).__name__ if error else "malformed",)
        super().warning(msg, *args, **kwargs)

    def _set_handler(self, log: Any, output: Any, fmt: logging.Formatter, stream: Any = None) -> None:
        # An access log keeps the operator's format; everything else is JSON, like the service's own lines.
        clean = QueryFreeFormatter(fmt) if log is self.access_log else JsonFormatter(without_query)
        super()._set_handler(log, output, clean, stream)
