"""JSON log lines, one per request and message, without personal data.

A request's line has time, method, path without the query, status, milliseconds and id. The query may contain an income
or a place; the caller's address is not logged. The id is in every other line of the same request and in the response
(`X-Request-ID`), for error reports.
"""

import logging
import re
import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse

from fueldepot.data.connections import DATABASE_AWAY

HEADER = "X-Request-ID"
GOOD_ID = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
"""Accepted ids from a trusted proxy; others are replaced."""

LONGEST_PATH = 300

logger = logging.getLogger("fueldepot.request")
request_id: ContextVar[str] = ContextVar("request_id", default="")


class JsonFormatter(logging.Formatter):
    """A message as one line of JSON with its traceback. clean: applied to both."""

    def __init__(self, clean: Callable[[str], str] = str) -> None:
        super().__init__()
        self.clean = clean

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without its end."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
        }
        fields = getattr(record, "fields", None)
        line |= {"message": self.clean(record.getMessage())} if fields is None else fields
        if found := request_id.get():
            line["request_id"] = found
        if record.exc_info:
            line["traceback"] = self.clean(self.formatException(record.exc_info))
        return orjson.dumps(line, default=str).decode("utf-8", "replace")


def drop_duplicate_db_errors(record: logging.LogRecord) -> bool:
    """Drop records that duplicate the outage line of `http.errors`."""
    if record.name == "django.request" and getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE:
        return False
    return not (record.exc_info and isinstance(record.exc_info[1], DATABASE_AWAY))


PASSWORD_LINK = re.compile(r"(/admin/haslo/[^/\s]+/)[^/\s\"']+")


def without_tokens(text: str) -> str:
    """Remove tokens of password links, which Django has in the path."""
    return PASSWORD_LINK.sub(r"\1…", text)


def shown_path(path: str) -> str:
    """Return a path for the log: printable, without tokens, limited in length."""
    path = without_tokens(path)
    shown = path if len(path) <= LONGEST_PATH else path[:LONGEST_PATH] + "…"
    return shown if shown.isprintable() else shown.encode("unicode_escape").decode("ascii")


def log_requests(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Give every request an id, and log it with its response."""

    def answer(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        given = request.META.get("HTTP_X_REQUEST_ID", "") if request.META.get("fueldepot.from_proxy") else ""
        current = given if given and GOOD_ID.fullmatch(given) else secrets.token_hex(8)
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
