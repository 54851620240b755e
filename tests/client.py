"""The client of tests: it sees the rows that a test has made, and holds GET requests to what the service promises."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.db import connection
from django.test import Client

from fueldepot.data import snapshot
from tests.openapi.description import check_answer

GONE = {301, 404, 410}
"""Statuses of what was published once: who follows it is asked of the database."""

QUERIES_OF_GONE = 2

PRIVATE = re.compile(r"/(admin/|zgloszenia/|powiadomienia/.|readyz|sklady/dodaj/|sklad/[0-9]+/)")
"""Addresses whose answers may ask the database: the desk, forms, the state of requests and of the service."""


class ReadOnlyClient(Client):
    """A client that holds GET requests to what the public service promises.

    They see the rows that the test has made, send no query (two at most for what is gone), never write, and answers of
    the API are held against openapi.json.
    """

    uses_database = True

    def generic(self, method: str, path: str, *args: Any, **kwargs: Any) -> Any:
        if method not in {"GET", "HEAD"}:
            answer = super().generic(method, path, *args, **kwargs)
        elif PRIVATE.match(path):
            with connection.execute_wrapper(refuse_writing):
                answer = super().generic(method, path, *args, **kwargs)
        else:
            if self.uses_database:
                build_snapshots()
            sent: list[str] = []
            with connection.execute_wrapper(partial(note_query, sent)):
                answer = super().generic(method, path, *args, **kwargs)
            budget = QUERIES_OF_GONE if answer.status_code in GONE else 0
            assert len(sent) <= budget, f"{path} sent {len(sent)} queries, {budget} may be sent: {sent[:3]}"
        if method != "OPTIONS" and path.startswith("/api/v1/"):
            wrong = check_answer(method, path.partition("?")[0], answer)
            assert not wrong, "\n".join(["the answer is not what openapi.json says of it", *wrong])
        return answer


class _Built:
    """How many rows the transaction of the test had written when its snapshots were built; None for none.

    shared: the same of `share_snapshots`, with the snapshots.
    """

    writes: int | None = None
    shared: tuple[int, snapshot.State] | None = None


def forget_snapshots() -> None:
    """Make the next request of a test build the snapshots anew."""
    _Built.writes = None
    snapshot.invalidate()


def build_snapshots() -> None:
    """Build the snapshots of the rows that the test has made, as a thread of the service does; no budget counts it."""
    counting, connection.force_debug_cursor = connection.force_debug_cursor, False
    try:
        writes = count_writes()
        if writes is None or writes != _Built.writes:
            shared = _Built.shared
            snapshot.invalidate(shared[1] if shared and shared[0] == writes else None)
            snapshot.refresh()
            _Built.writes = writes
    finally:
        connection.force_debug_cursor = counting


@contextmanager
def share_snapshots() -> Iterator[None]:
    """Build the snapshots once for the tests of this block that write nothing.

    They share its transaction, or read what was committed before it.
    """
    _Built.shared = count_writes() or 0, snapshot.refresh()
    try:
        yield
    finally:
        _Built.shared = None


def count_writes() -> int | None:
    """How many rows this transaction has written; None outside of one. The country takes a second to build."""
    if not connection.in_atomic_block:
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint FROM pg_stat_xact_user_tables")
        found: int = cursor.fetchone()[0]
    return found


def note_query(sent: list[str], execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Note every statement, and let only reading ones through."""
    sent.append(sql[:200])
    return refuse_writing(execute, sql, params, many, context)


def refuse_writing(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Let only reading statements through."""
    if not sql.lstrip(" (\n").upper().startswith(("SELECT", "WITH", "SAVEPOINT", "RELEASE", "ROLLBACK TO")):
        raise AssertionError(f"a GET request tried to write: {sql[:120]}")
    return execute(sql, params, many, context)
