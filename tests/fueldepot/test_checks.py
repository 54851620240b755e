"""System checks."""

import os
import socket
import subprocess
import sys
from types import SimpleNamespace

import psycopg
import pytest

from fueldepot import checks
from tests.fueldepot.databases import fresh_database, url
from tests.fueldepot.sharers import PROJECT_ROOT


@pytest.mark.django_db
def test_this_server_is_new_enough():
    assert checks.check_postgresql(databases=["default"]) == []


def test_an_old_server_is_an_error(monkeypatch):
    info = SimpleNamespace(server_version=140010, parameter_status=lambda name: "UTF8")
    old = SimpleNamespace(ensure_connection=lambda: None, connection=SimpleNamespace(info=info))
    monkeypatch.setattr(checks, "connections", {"default": old})
    (message,) = checks.check_postgresql(databases=["default"])
    assert message.id == "fueldepot.E001"


@pytest.fixture
def sql_ascii(transactional_db):
    """The environment of a service over a database that knows no letters."""
    with fresh_database("ascii", "LOCALE_PROVIDER libc LOCALE 'C' ENCODING 'SQL_ASCII'") as name:
        yield {**os.environ, "DATABASE_URL": url(name), "SECRET_KEY": "x"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("manage.py", "migrate"), "(fueldepot.E002) database 'default' is SQL_ASCII, not UTF-8"),
        (("-m", "fueldepot.serve", "--port", "{port}"), "fueldepot: database 'default' is SQL_ASCII, not UTF-8"),
        (
            ("-m", "gunicorn", "fueldepot.wsgi", "--config", "fueldepot/gunicorn.py", "--bind", "127.0.0.1:{port}"),
            "fueldepot: database 'default' is SQL_ASCII, not UTF-8; make another: ",
        ),
    ],
    ids=["migrate", "make run", "gunicorn"],
)
def test_a_database_that_is_not_utf8_is_refused(sql_ascii, command, said):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    done = subprocess.run(
        [sys.executable, *(part.format(port=port) for part in command)],
        cwd=PROJECT_ROOT,
        env=sql_ascii,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    with psycopg.connect(sql_ascii["DATABASE_URL"]) as database:
        assert database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


@pytest.mark.slow
@pytest.mark.parametrize("module", ["fueldepot.serve", "gunicorn"])
def test_a_database_that_is_away_at_the_start_is_one_line(module):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    arguments = ["fueldepot.wsgi", "--config", "fueldepot/gunicorn.py", "--bind", f"127.0.0.1:{port}"]
    done = subprocess.run(
        [sys.executable, "-m", module, *(arguments if module == "gunicorn" else ["--port", port])],
        cwd=PROJECT_ROOT,
        env={**os.environ, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "fueldepot: the database cannot be used: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("url", "warned"), [("https://sklady.example.pl", False), ("http://127.0.0.1:8000", True)])
def test_a_public_site_is_reached_by_https(settings, url, warned):
    settings.SITE_URL = url
    assert [message.id for message in checks.check_site_url()] == (["fueldepot.W001"] if warned else [])


@pytest.mark.parametrize(
    ("url", "proxies", "warned"),
    [
        ("https://sklady.example.pl", [], True),
        ("https://sklady.example.pl", ["127.0.0.1"], False),
        ("http://127.0.0.1:8000", [], False),
    ],
)
def test_behind_https_the_proxy_is_known(settings, url, proxies, warned):
    settings.SITE_URL, settings.TRUSTED_PROXIES = url, proxies
    assert [message.id for message in checks.check_proxies()] == (["fueldepot.W002"] if warned else [])
