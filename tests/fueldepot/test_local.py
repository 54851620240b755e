"""A checkout without configuration: secret key, errors, refusals of `make run` before the start.

That manage.py asks for the database by name only, too. test_embedded covers the database, tests/openapi/test_live.py
serving.
"""

import errno
import fcntl
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from fueldepot import __main__ as command_line
from fueldepot import local
from fueldepot.local.embedded import open_lock
from fueldepot.local.postgres import socket_folder_of
from fueldepot.local.serve import VAR, prepare_site
from tests import ROOT
from tests.fueldepot import sharers
from tests.fueldepot.sharers import NOWHERE, PIPES, refusal, run_python, server_package, wait_until_stopped
from tests.ops.databases import fresh_database, url
from tests.ports import free_port

NO_DATABASE = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
PREPARE = """
import os, sys
from pathlib import Path
from fueldepot import local
local.prepare(Path(sys.argv[1]))
print(os.environ["SECRET_KEY"])
"""


def start(root: Path, program: str = PREPARE, **environment: str) -> subprocess.Popen[str]:
    """A process that runs `program` (prepares `root` and prints the key); of the settings, it has only those given."""
    ours = {name: value for name, value in NO_DATABASE.items() if name != "SECRET_KEY"}
    command = [sys.executable, "-c", program, str(root)]
    return subprocess.Popen(command, cwd=ROOT, env=ours | environment, **PIPES)


def test_key_is_made_once_for_all_at_once(tmp_path):
    processes = [start(tmp_path, DATABASE_URL="postgresql:///other") for _ in range(3)]
    keys = {process.communicate()[0].strip() for process in processes}
    assert len(keys) == 1
    assert len(keys.pop()) >= 50
    assert [file.name for file in (tmp_path / "var").iterdir()] == ["secret_key"]  # and no server
    assert (tmp_path / "var" / "secret_key").stat().st_mode & 0o777 == 0o600


def test_given_settings_are_left_alone_and_programs_of_the_embedded_server_come_first(tmp_path, monkeypatch):
    for name, value in {"DATABASE_URL": "postgresql:///other", "SECRET_KEY": "given", "PATH": os.defpath}.items():
        monkeypatch.setenv(name, value)
    local.prepare(tmp_path)
    assert (os.environ["DATABASE_URL"], os.environ["SECRET_KEY"]) == ("postgresql:///other", "given")
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("DATABASE_URL", "embedded")
    monkeypatch.setattr(local.embedded, "ensure", lambda data: f"postgresql:///{data.name}")
    local.prepare(tmp_path)
    assert shutil.which("pg_dump") == str(server_package() / "pginstall" / "bin" / "pg_dump")


def test_the_suite_does_not_share_the_server_of_make_run():
    assert settings.DATABASES["default"]["HOST"] != str(socket_folder_of(ROOT / "var" / "postgres"))


RUN_TESTS = """
import sys
from pathlib import Path
from fueldepot.local import embedded
from tests.plugin import prepare_tests
prepare_tests(Path(sys.argv[1]))
print(embedded.is_ready(Path(sys.argv[1]) / "var" / "postgres-tests" / "cluster"), flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_a_second_run_of_the_suite_waits_for_the_first(tmp_path):
    with start(tmp_path, RUN_TESTS) as first:
        assert first.stdout.readline() == "True\n"
        with start(tmp_path, RUN_TESTS) as second:
            assert second.stderr.readline() == "fueldepot: other tests are under way; waiting\n"
            first.communicate()
            assert second.stdout.readline() == "True\n"  # it has started a server of its own
            second.communicate()
    assert not sharers.processes_naming(tmp_path)


def test_an_empty_key_and_an_error_of_the_server_are_one_line(tmp_path):
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret_key").write_text("\n")
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "var").write_text("a file")
    for process, said in (
        (
            start(tmp_path, DATABASE_URL="postgresql:///other"),
            f"{tmp_path}/var/secret_key is empty: delete it, and a new key",
        ),
        (start(tmp_path / "file"), f"embedded PostgreSQL: Not a directory: {tmp_path}/file/var/postgres; "),
    ):
        error = process.communicate()[1]
        assert process.returncode == 1
        assert error.startswith(f"fueldepot: {said}")
        assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("command", "environment"), [("migrate", {}), ("check", {"DATABASE_URL": " "})])
def test_no_command_guesses_its_database(command, environment):
    said = refusal("manage.py", command, settings=NO_DATABASE, **environment)
    assert said.startswith("fueldepot: DATABASE_URL is not set; set it to postgresql://")
    assert "or to embedded for" in said


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [(), ("help",), ("migrate", "--help"), ("--version",)])
def test_commands_are_explained_without_a_database(arguments):
    done = run_python("manage.py", *arguments, settings=NO_DATABASE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_what_the_disk_refuses_is_one_line():
    full = OSError(errno.ENOSPC, "No space left on device", "/var/static/site.css")
    assert command_line.describe_failure(full) == "No space left on device: /var/static/site.css"
    assert command_line.describe_failure(OSError(errno.ENOSPC, "No space left on device")) == "No space left on device"
    assert command_line.describe_failure(OSError(errno.EBADF, "Bad file descriptor")) is None  # a fault of the program


@pytest.mark.slow
@pytest.mark.parametrize("command", [["purge_submissions"], ["create_editor"], ["refresh"], ["back_up", "/missing"]])
def test_a_database_without_tables_is_one_line(transactional_db, command):
    with fresh_database("bare") as name:
        said = refusal("manage.py", *command, DATABASE_URL=url(name), SECRET_KEY="x")
    assert said.startswith(("fueldepot: the database is not that of this release; run manage.py migrate: ", "Comm"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment", [{}, {"DATABASE_URL": " "}, {"DATABASE_URL": "embedded"}], ids=["unset", "blank", "by name"]
)
def test_database_and_key_for_an_empty_checkout(tmp_path, environment):
    process = start(tmp_path, **environment)
    process.communicate()
    assert process.returncode == 0
    assert wait_until_stopped(tmp_path / "var" / "postgres", 30)
    assert (tmp_path / "var" / "postgres" / "cluster" / "PG_VERSION").read_text() == "18\n"


SERVE = ("-m", "fueldepot.local.serve")


def test_numbers_out_of_range():
    for name, value, highest in (("port", "0", 65535), ("port", "80a", 65535), ("workers", "65", 64)):
        said = f"fueldepot: {name.upper()} is '{value}'; give a whole number from 1 to {highest}"
        assert refusal(*SERVE, f"--{name}", value) == said


def test_a_port_that_is_taken_or_that_another_start_has_claimed():
    """A start that still prepares the site does not listen yet."""
    said = "fueldepot: port {} cannot be used: {}; choose another with PORT="
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert refusal(*SERVE, f"--port={port}") == said.format(port, "Address already in use")
    port, claims = free_port(), open_lock(VAR / "ports.lock")
    fcntl.lockf(claims, fcntl.LOCK_EX, 1, port)
    assert refusal(*SERVE, f"--port={port}") == said.format(port, "another start has it")
    os.close(claims)


def test_a_disk_that_is_full_is_one_line(monkeypatch):
    def call(name: str, *args: object, **options: object) -> None:
        if name == "collectstatic":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("django.core.management.call_command", call)
    monkeypatch.setattr("fueldepot.checks.refuse_unfit_database", lambda: None)
    with pytest.raises(SystemExit, match=r"^fueldepot: No space left on device$"):
        prepare_site("")


@pytest.mark.slow
def test_a_start_waits_while_another_prepares_the_site():
    """The one that waits would end at once: its database does not answer."""
    gate = open_lock(VAR / "start.lock")
    fcntl.flock(gate, fcntl.LOCK_EX)
    environment = os.environ | {"DATABASE_URL": NOWHERE, "SECRET_KEY": "x"}
    command = [sys.executable, *SERVE, f"--port={free_port()}"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, **PIPES) as second:
        assert second.stderr.readline() == "fueldepot: another start prepares the site; waiting\n"
        os.close(gate)
        assert second.stderr.readline().startswith("fueldepot: the database cannot be used: ")
