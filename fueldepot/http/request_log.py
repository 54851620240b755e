"""JSON log lines, one per request and message, without personal data.

A request's line has time, method, path without the query, status, milliseconds and id. The query may contain an income
or a place; the caller's address is not logged. The id is in every other line of the same request and in the response
(`X-Request-ID`), for error reports.
"""

import logging
import re
import secrets
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from gunicorn.glogging import Logger

from fueldepot.data.snapshot import is_away

HEADER = "X-Request-ID"
GOOD_ID = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
"""Accepted ids from a trusted proxy; others are replaced."""

LONGEST_PATH = 300

logger = logging.getLogger("fueldepot.request")
request_id: ContextVar[str] = ContextVar("request_id", default="")


class JsonFormatter(logging.Formatter):
    """A message as one line of JSON with its traceback, both without queries of URLs and tokens in paths."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
        }
        fields = getattr(record, "fields", None)
        line |= {"message": without_query(record.getMessage())} if fields is None else fields
        if current_id := request_id.get():
            line["request_id"] = current_id
        if record.exc_info:
            line["traceback"] = without_query(ROW.sub("", self.formatException(record.exc_info)))
        return orjson.dumps(line, default=str).decode("utf-8", "replace")


ROW = re.compile(r"\nDETAIL: .*?(?=\n\n(?:The above|During handling)|\Z)", re.DOTALL)
"""Details of a database error, left out of tracebacks: they repeat a row, which may hold an address or a message."""


def drop_duplicate_db_errors(record: logging.LogRecord) -> bool:
    """Drop records that duplicate the outage line of `fueldepot.errors`."""
    if record.name == "django.request" and getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE:
        return False
    return not (record.exc_info and is_away(record.exc_info[1]))


PASSWORD_LINK = re.compile(r"(/admin/haslo/[^/\s]+/)[^/\s\"']+")


def without_tokens(text: str) -> str:
    """Remove tokens of password links, which Django has in the path."""
    return PASSWORD_LINK.sub(r"\1…", text)


def shown_path(path: str) -> str:
    """Return a path for the log: printable, without tokens, limited in length."""
    path = without_tokens(path)
    short = path if len(path) <= LONGEST_PATH else path[:LONGEST_PATH] + "…"
    return short if short.isprintable() else short.encode("unicode_escape").decode("ascii")


def log_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def answer(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        proxy_id = request.META.get("HTTP_X_REQUEST_ID", "") if request.META.get("fueldepot.from_proxy") else ""
        current = proxy_id if GOOD_ID.fullmatch(proxy_id) else secrets.token_hex(8)
        token = request_id.set(current)
        try:
            response = get_response(request)
            response[HEADER] = current
            fields = {
                "method": request.method if (request.method or "").isalpha() else "?",
                "path": shown_path(request.path),
                "status": response.status_code,
                "ms": round((time.perf_counter() - began) * 1000, 1),
            }
            logger.info("request", extra={"fields": fields})
            return response
        finally:
            request_id.reset(token)

    return answer


REFUSAL = "Invalid request from ip="
"""Prefix of gunicorn's message about a refused request, before it repeats the caller and their input."""

QUERY = re.compile(r"\?[^\s\"']*")


def without_query(text: str) -> str:
    """Remove query strings of URLs in a text, and tokens in paths."""
    return without_tokens(QUERY.sub("", text))


class QueryFreeLogger(Logger):  # type: ignore[misc] # the library has no types
    def atoms(self, resp: Any, req: Any, environ: Any, request_time: Any) -> dict[str, Any]:
        """Return the fields of an access log line: request line, Referer and headers without queries."""
        fields = super().atoms(resp, req, environ, request_time)
        clean = {name: without_query(value) if isinstance(value, str) else value for name, value in fields.items()}
        return clean | {"q": "", "{query_string}e": ""}

    def warning(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Log a warning; about a refused request only the reason, since its content may be anything."""
        if msg.startswith(REFUSAL):
            error = sys.exception()
            msg, args = "a request was refused unread: %s", (type(error).__name__ if error else "malformed",)
        super().warning(msg, *args, **kwargs)

    def _set_handler(self, log: Any, output: Any, fmt: logging.Formatter, stream: Any = None) -> None:
        # An access log keeps the operator's format (of `atoms`); all else is JSON, like the service's own lines.
        super()._set_handler(log, output, fmt if log is self.access_log else JsonFormatter(), stream)
