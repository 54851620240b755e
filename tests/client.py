"""The client of tests: it sees the rows that a test has made, and holds GET requests to what the service promises."""

import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.messages import get_messages
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.template.response import SimpleTemplateResponse
from django.test import Client
from django.utils import timezone
from django.utils.crypto import get_random_string
from pytest_django import DjangoDbBlocker

from fueldepot.data import snapshot
from fueldepot.http import rate_limit
from tests.openapi.description import check_answer
from tests.pages.reading import text_of_html

GONE = {301, 404, 410}
"""Statuses of what was published once: who follows it is asked of the database."""

QUERIES_OF_GONE = 2

TABLES = re.compile(r"\b(?:catalog|prices|regulations)_[a-z]+\b")
WRITING = re.compile(r"\b(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE|COPY|ALTER|CREATE|DROP|DO|CALL)\b")

PRIVATE = re.compile(r"/(admin/|zgloszenia/|powiadomienia/.|readyz|sklady/dodaj/|sklad/[0-9]+/)")
"""Addresses whose answers may ask the database: the desk, forms, the state of requests and of the service."""


class ReadOnlyClient(Client):
    """A client that holds GET requests to what the public service promises.

    They see the rows that the test has made, send no query (two at most for what is gone), never write, and answers of
    the API are held against openapi.json.
    """

    uses_database = True

    def force_login(self, user: Any, backend: str | None = None) -> None:
        """Give the client a session of the user: one statement, where a login sends seventeen. No login is noted."""
        data = {
            SESSION_KEY: str(user.pk),
            BACKEND_SESSION_KEY: backend or settings.AUTHENTICATION_BACKENDS[-1],
            HASH_SESSION_KEY: user.get_session_auth_hash(),
        }
        key, ends = get_random_string(32), timezone.now() + timedelta(seconds=settings.SESSION_COOKIE_AGE)
        Session.objects.create(session_key=key, session_data=SessionStore().encode(data), expire_date=ends)
        self.cookies[settings.SESSION_COOKIE_NAME] = key

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


def errors_of(answer: Any, status: int = 400) -> list[tuple[str, str]]:
    """Parameters and codes of what an answer of the API refuses."""
    assert answer.status_code == status, (answer.request["PATH_INFO"], answer.request["QUERY_STRING"], answer.content)
    return [(row["parameter"], row["code"]) for row in answer.json()["errors"]]


def context_of(client: Client, address: str, query: dict[str, Any] | None = None, method: str = "get") -> Any:
    """What a page of the desk is made of; the page itself is not rendered, which takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SimpleTemplateResponse, "rendered_content", "")
        return getattr(client, method)(address, query).context_data


def message_of(answer: Any) -> str:
    """What the desk says of an act, as text; the page on which it stands is not asked for."""
    return text_of_html(" ".join(map(str, get_messages(answer.wsgi_request))))


class Rows:
    """The rows that this connection sees, and snapshots built of them.

    stamps: the last write to each table in the transaction of `outer`; a table without has committed rows alone.
    savepoints: the stamps to go back to. built: states with the stamps of their rows: of the committed ones, of
    `share_snapshots`, of the running test. tables: those that each snapshot has read.
    """

    writes = itertools.count()
    outer: object = None
    stamps: dict[str, int] = {}
    savepoints: dict[str, dict[str, int]] = {}
    built: dict[str, tuple[dict[str, int], snapshot.State]] = {}
    tables: dict[snapshot.Snapshot[Any], set[str]] = {}


def watch_rows() -> None:
    """Note from now on what this connection writes, and build the snapshots of what is committed."""
    for each in snapshot.store.snapshots:
        Rows.tables[each] = set()
        each.build = partial(build_noting, each.build, Rows.tables[each])
    snapshot.store.refresh = build_first  # type: ignore[method-assign]
    connection.execute_wrappers.append(note_writing)
    Rows.built["committed"] = {}, snapshot.refresh()


def build_noting(build: Callable[[], Any], tables: set[str]) -> Any:
    """Build a snapshot, and note the tables that it reads."""
    with connection.execute_wrapper(
        lambda execute, sql, *args: tables.update(TABLES.findall(sql)) or execute(sql, *args)
    ):
        return build()


def note_writing(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
    """Stamp the tables of a statement that writes; the stamps of a savepoint come back with its rows."""
    verb, _, rest = sql.lstrip(" (\n").partition(" ")
    if connection.in_atomic_block and verb != "SELECT":
        stamps = stamps_of_transaction()
        if verb == "SAVEPOINT":
            Rows.savepoints[rest] = dict(stamps)
        elif sql.startswith("ROLLBACK TO SAVEPOINT "):
            Rows.stamps = dict(Rows.savepoints[sql.removeprefix("ROLLBACK TO SAVEPOINT ")])
        elif WRITING.search(sql):
            stamps.update(dict.fromkeys(TABLES.findall(sql) or ["?"], next(Rows.writes)))
    return execute(sql, *args)


def stamps_of_transaction() -> dict[str, int]:
    """The last write to each table in the transaction that this connection is in."""
    outer = connection.atomic_blocks[0]
    if outer is not Rows.outer:
        Rows.outer, Rows.stamps, Rows.savepoints = outer, {}, {}
    return Rows.stamps


def try_redis_again() -> None:
    """Make this process try Redis at the next request, with new connections."""
    rate_limit._redis_away_until = 0.0
    rate_limit.client.cache_clear()


def forget_snapshots(*, committed: bool = False) -> None:
    """Make the next request of a test build the snapshots anew. committed: other rows may be committed by now."""
    for name in ("test", "committed") if committed else ("test",):
        Rows.built.pop(name, None)
    snapshot.invalidate()


def build_snapshots() -> None:
    """Build the snapshots of the rows that the test has made, as a thread of the service does; no budget counts it.

    Those whose tables the test has not written are taken from what was built before: the country takes a second.
    """
    counting, connection.force_debug_cursor = connection.force_debug_cursor, False
    try:
        if not connection.in_atomic_block:
            forget_snapshots(committed=True)
            snapshot.refresh()
            return
        stamps = stamps_of_transaction()
        if Rows.built.get("test", (None,))[0] != stamps:
            snapshot.invalidate(snapshot.State({}, dict(copies_of(stamps))))
            Rows.built["test"] = dict(stamps), snapshot.refresh()
    finally:
        connection.force_debug_cursor = counting


def build_first() -> snapshot.State:
    """Build the snapshots for a page that no request of the public came before."""
    if snapshot.store._state is None and connection.in_atomic_block:
        build_snapshots()
    return snapshot.refresh()


def copies_of(stamps: dict[str, int]) -> Iterator[tuple[snapshot.Snapshot[Any], tuple[str, Any]]]:
    """The copies built of the same rows."""
    for former, state in Rows.built.values():
        written = {table for table, _ in former.items() ^ stamps.items()}
        for each, copy in state.copies.items():
            if each in Rows.tables and "?" not in written and written.isdisjoint(Rows.tables[each]):
                yield each, copy


@contextmanager
def share_snapshots() -> Iterator[None]:
    """Build the snapshots once for the tests of this block: each builds anew what it writes."""
    forget_snapshots(committed=not connection.in_atomic_block)
    stamps = dict(stamps_of_transaction()) if connection.in_atomic_block else {}
    around = {name: state for name, state in Rows.built.items() if name == "shared"}
    Rows.built["shared"] = stamps, snapshot.refresh()
    try:
        yield
    finally:
        del Rows.built["shared"]
        Rows.built |= around


def shared_rows(make: Callable[[], Any]) -> Any:
    """Turn a function that makes rows into a fixture of the module; all its tests of the database must ask for it."""

    @pytest.fixture(scope="module", name=make.__name__)
    def rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Any]:
        with django_db_blocker.unblock(), transaction.atomic():
            result = make()
            with share_snapshots():
                yield result
            transaction.set_rollback(True)

    return rows


def note_query(sent: list[str], execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Note every statement, and let only reading ones through."""
    sent.append(sql[:200])
    return refuse_writing(execute, sql, params, many, context)


def refuse_writing(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    if not sql.lstrip(" (\n").upper().startswith(("SELECT", "WITH", "SAVEPOINT", "RELEASE", "ROLLBACK TO")):
        raise AssertionError(f"a GET request tried to write: {sql[:120]}")
    return execute(sql, params, many, context)
