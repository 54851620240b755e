"""Fixtures that every test may use."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client, override_settings
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from catalog import boundaries, findings, held, kept, shared_cache, versions, written
from catalog.models import Dataset
from pages import texts
from prices import figures
from tests.fueldepot.sharers import eventually
from tests.openapi.description import check_answer

# Each of our clients would read all the world's certificates anew, some 20 ms; tests ask this machine only.
if "LIVE_SITE" not in os.environ:
    os.environ["SSL_CERT_DIR"] = os.devnull

# How long an example takes says more of what else the machine does than of the code.
hypothesis_settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("shared machine")

GOLDEN = Path(__file__).parent / "golden"
SHARED_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what uses the test database: the rest says the same on every server."""
    if item.get_closest_marker("django_db") or not {"db", "transactional_db"}.isdisjoint(item.fixturenames):  # type: ignore[attr-defined]
        item.add_marker(pytest.mark.database)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that start processes and wait for them go first, and all to one worker of xdist.

    So one worker waits while the other computes, and none is left with a long test at the end. Those that need a
    database stay in the order of pytest-django, which keeps the ones that empty it from the others.
    """
    items.sort(key=lambda item: not (item.get_closest_marker("slow") and not item.get_closest_marker("django_db")))


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a process remembers outlives a test's transaction; and no query may depend on how fast the test runs."""
    monkeypatch.setattr(versions, "POLL_SECONDS", float("inf"))
    # Budgets count what an answer reads, not the look that follows it.
    monkeypatch.setattr(versions, "is_current", lambda *stamps: True)
    # Rows that a factory writes raise no version.
    monkeypatch.setattr(kept.answers, "max_bytes", 0)
    boundaries.forget()
    findings.forget()
    held.forget()
    written.depots.forget()
    figures.forget()
    texts.forget()
    yield
    boundaries.forget()
    findings.forget()
    held.forget()
    written.depots.forget()
    figures.forget()
    texts.forget()


@pytest.fixture
def versioned(db: None) -> None:
    """The data sets have versions, as after an import: without them a process holds nothing of their rows."""
    for slug in Dataset.Slug:
        versions.raise_version(slug)
    versions.forget()
    versions.current()


def refuse_writing(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Let only reading statements through."""
    if not sql.lstrip(" (\n").upper().startswith(("SELECT", "WITH", "SAVEPOINT", "RELEASE", "ROLLBACK TO")):
        raise AssertionError(f"a GET request tried to write: {sql[:120]}")
    return execute(sql, params, many, context)


class ReadOnlyClient(Client):
    """A client whose GET and HEAD requests may not write, and that holds answers of the API against openapi.json."""

    def generic(self, method: str, path: str, *args: Any, **kwargs: Any) -> Any:
        if method not in {"GET", "HEAD"}:
            answer = super().generic(method, path, *args, **kwargs)
        else:
            with connection.execute_wrapper(refuse_writing):
                answer = super().generic(method, path, *args, **kwargs)
        if method != "OPTIONS" and path.startswith("/api/v1/"):
            wrong = check_answer(method, path.partition("?")[0], answer)
            assert not wrong, "\n".join(["the answer is not what openapi.json says of it", *wrong])
        return answer


@pytest.fixture(autouse=True, scope="session")
def _settings_of_tests() -> Iterator[None]:
    """What differs for all tests, once: to tell Django of a changed setting costs more than a small test."""
    with override_settings(
        # Templates name static files that only `collectstatic` would give a fingerprint. What it has collected is left
        # alone, since a test that starts a real server may be collecting it anew.
        STATIC_ROOT=settings.BASE_DIR / "var" / "nothing-collected",
        STORAGES={
            **settings.STORAGES,
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        },
        # A test may ask as often as it likes; the tests of the limit set their own.
        RATE_LIMIT=None,
        # The real hash is made to take time and memory.
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    ):
        yield


@pytest.fixture
def client() -> Client:
    """A caller of the API, whose GET requests are refused to write."""
    return ReadOnlyClient()


@pytest.fixture
def golden() -> Callable[[str, Any], None]:
    """Compare a whole answer with the file of that name; with UPDATE_GOLDEN=1 write it (`make golden`)."""

    def check(name: str, answer: Any) -> None:
        path = GOLDEN / f"{name}.json"
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(json.dumps(answer, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        assert answer == json.loads(path.read_text(encoding="utf-8"))

    return check


@pytest.fixture
def shared_data() -> Path:
    """The publishers' files beside the checkout."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the publishers' files are not here: ../shared/data is missing")
    return SHARED_DATA


@pytest.fixture
def redis(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """Debian's Redis on a socket of its own."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed")
    path = tmp_path / "socket"
    command = [program, "--port", "0", "--unixsocket", str(path), "--save", "", "--daemonize", "no"]
    process = subprocess.Popen([*command, "--dir", str(tmp_path)], stdout=subprocess.DEVNULL)
    settings.CACHE_URL = f"unix://{path}"
    monkeypatch.setattr(shared_cache, "WAIT_S", 20.0)  # a busy machine is no fault
    shared_cache.forget()
    try:
        assert eventually(path.exists)
        yield process
    finally:
        shared_cache.forget()
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
