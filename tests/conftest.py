"""Fixtures that every test may use."""

import gc
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.template import Template
from django.test import Client, TransactionTestCase, override_settings
from django.utils import timezone
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker

from catalog.depots import duplicates
from catalog.services.editors import EDITOR
from fueldepot.http import rate_limit
from pages import machine_files
from tests import factories, small_country, template_database
from tests.client import ReadOnlyClient, forget_snapshots, shared_rows, try_redis_again, watch_rows
from tests.fueldepot.sharers import redis_server
from tests.publisher_server import Publishers, serve

# Each of our clients would read all the world's certificates anew, some 20 ms; tests ask this machine only.
if "LIVE_SITE" not in os.environ:
    os.environ["SSL_CERT_DIR"] = os.devnull
    os.environ.pop("SSL_CERT_FILE", None)

# How long an example takes says more of what else the machine does than of the code. CI tries more of them.
for profile, examples in {"quick": 25, "thorough": 200}.items():
    hypothesis_settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
hypothesis_settings.load_profile("quick")

ASKED_FOR = {
    "browser": "drives a browser",
    "clients": "installs generators of clients from two registries",
    "machines": "builds up several machines",
}
"""Marks of what needs the machine for itself, or packages that are not locked."""

DATABASE_FIXTURES = {"db", "transactional_db", "django_db_setup"}

plain = Template._render
WIDGETS = ("django/forms/widgets/", "admin/widgets/")

GOLDEN = Path(__file__).parent / "golden"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what uses the test database: the rest says the same on every server."""
    if uses_database(item):
        item.add_marker(pytest.mark.database)


def uses_database(item: pytest.Item) -> bool:
    fixtures: list[str] = item.fixturenames  # type: ignore[attr-defined]
    return bool(item.get_closest_marker("django_db")) or not DATABASE_FIXTURES.isdisjoint(fixtures)


def pytest_collection_finish() -> None:
    """Keep what was imported out of all later garbage collections, as gunicorn's workers do."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)  # tests make and drop many more objects than a request


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what must be asked for. Put the long tests first: they start processes, or import the whole country.

    Put the slow tests that empty the database last, with their modules: the others need its rows, and CI deals tests
    out by the module (`--dist loadfile`). Raises UsageError for a module with slow tests of both kinds.
    """
    for mark, what in ASKED_FOR.items():
        for item in items:
            if item.get_closest_marker(mark) and mark not in config.option.markexpr:
                item.add_marker(pytest.mark.skip(reason=f"{what}; ask for it with -m {mark}"))
    slow = [item for item in items if item.get_closest_marker("slow")]
    emptying = {item.path for item in slow if empties_database(item)}
    if mixed := emptying & {item.path for item in slow if uses_database(item) and not empties_database(item)}:
        names = ", ".join(sorted(path.name for path in mixed))
        message = f"{names}: move the slow tests that empty the database to a module of their own"
        raise pytest.UsageError(message)
    items.sort(key=lambda item: (item in slow and item.path in emptying, patches_django(item), not is_long(item)))


def patches_django(item: pytest.Item) -> bool:
    """Whether a test leaves Django slower: Sentry wraps every query, signal and middleware for good."""
    return item.path.name == "test_error_reports.py"


def is_long(item: pytest.Item) -> bool:
    """Whether a test starts processes, or imports the whole country or its legal state, which one worker should do."""
    waits = item.get_closest_marker("slow") and not uses_database(item)
    fixtures: list[str] = item.fixturenames  # type: ignore[attr-defined]
    return bool(waits or item.get_closest_marker("full_scale") or "loaded" in fixtures)


def empties_database(item: pytest.Item) -> bool:
    """Whether a test commits, so that all tables are emptied afterwards."""
    mark = item.get_closest_marker("django_db")
    fixtures: list[str] = item.fixturenames  # type: ignore[attr-defined]
    return "transactional_db" in fixtures or bool(mark and mark.kwargs.get("transaction"))


@pytest.fixture(autouse=True)
def _forget(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a process remembers outlives the transaction of a test."""
    forget()
    yield
    forget(committed=empties_database(request.node))


def forget(*, committed: bool = False) -> None:
    forget_snapshots(committed=committed)
    duplicates.find.cache_clear()
    machine_files.written.cache_clear()


@pytest.fixture(autouse=True, scope="session")
def _settings_of_tests(django_test_environment: None) -> Iterator[None]:
    """What differs for all tests, once: to tell Django of a changed setting costs more than a small test."""
    noted = Template._render
    # A form has hundreds of widgets, and no test asks for their contexts.
    Template._render = lambda self, context: (plain if (self.name or "").startswith(WIDGETS) else noted)(self, context)
    static_files = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    with override_settings(
        # Templates name static files that only `collectstatic` would give a fingerprint. What it has collected is left
        # alone, since a test that starts a real server may be collecting it anew.
        STATIC_ROOT=settings.BASE_DIR / "var" / "nothing-collected",
        STORAGES=settings.STORAGES | static_files,
        # A test may ask as often as it likes; the tests of the limit set their own.
        RATE_LIMIT=None,
        # The real hash is made to take time and memory.
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    ):
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The database of this process, in place of the one of pytest-django."""
    with ExitStack() as stack:
        with django_db_blocker.unblock():
            stack.enter_context(template_database.copied())
            watch_rows()
        TransactionTestCase._fixture_teardown = template_database.empty_tables  # type: ignore[method-assign]
        yield
        with django_db_blocker.unblock():
            stack.close()


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Client:
    """A caller of the public service."""
    caller = ReadOnlyClient()
    caller.uses_database = uses_database(request.node)
    return caller


@pytest.fixture
def editor(client: Client) -> AbstractBaseUser:
    """A user of the group Redaktor, logged in at the desk."""
    user: AbstractBaseUser = factories.member(EDITOR)
    client.force_login(user)
    return user


@pytest.fixture
def desk() -> Client:
    """An editor in chief, logged in at the desk, beside the reader of `client`."""
    return factories.desk_of(factories.UserFactory())


@shared_rows
def krakow_stays() -> None:
    """Kraków, made and read once for the tests of a module."""
    factories.krakow()


@pytest.fixture
def the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make it `factories.TODAY` for whatever reads the clock."""
    monkeypatch.setattr(timezone, "localdate", lambda value=None: factories.TODAY)


@pytest.fixture
def publishers() -> Iterator[Publishers]:
    """The publishers of a small country, on this machine."""
    with serve(Publishers(small_country.files())) as published:
        yield published


@pytest.fixture
def golden() -> Callable[[str, Any], None]:
    """Compare a whole answer, its order too, with the file of that name; UPDATE_GOLDEN=1 writes it (`make golden`)."""

    def check(name: str, answer: Any) -> None:
        path = GOLDEN / f"{name}.json"
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(json.dumps(answer, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        expected = json.loads(path.read_text(encoding="utf-8"))
        assert answer == expected
        assert json.dumps(answer) == json.dumps(expected), "the fields come in another order"

    return check


@pytest.fixture
def commit(django_capture_on_commit_callbacks: Callable[..., Any]) -> Callable[..., Any]:
    """Do something and what waits for its commit, letters above all; returns what it returned."""

    def do(act: Callable[..., Any], *args: Any, **values: Any) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            return act(*args, **values)

    return do


@pytest.fixture
def redis(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """Debian's Redis on a socket of its own."""
    monkeypatch.setattr(rate_limit, "WAIT_S", 20.0)  # a busy machine is no fault
    with redis_server(tmp_path) as (settings.CACHE_URL, process):
        try_redis_again()
        yield process
    try_redis_again()
