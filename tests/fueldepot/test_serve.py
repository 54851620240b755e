"""Refusals of `make run` before the start. tests/openapi/test_live.py covers serving."""

import errno
import fcntl
import os
import socket
import subprocess
import sys

import pytest

from fueldepot.local.embedded import open_lock
from fueldepot.local.serve import VAR, prepare_site
from tests.fueldepot.sharers import NOWHERE, PROJECT_ROOT, run_python
from tests.ports import free_port


def refusal(*arguments: str, **environment: str) -> str:
    done = run_python("-m", "fueldepot.local.serve", *arguments, **environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    return done.stderr.strip()


def test_numbers_out_of_range():
    for arguments, said in (
        (["--port", "0"], "fueldepot: PORT is '0'; give a whole number from 1 to 65535"),
        (["--port", "80a"], "fueldepot: PORT is '80a'; give a whole number from 1 to 65535"),
        (["--workers", "65"], "fueldepot: WORKERS is '65'; give a whole number from 1 to 64"),
    ):
        assert refusal(*arguments) == said


def test_a_port_that_is_taken_or_that_another_start_has_claimed() -> None:
    """A start that still prepares the site does not listen yet."""
    said = "fueldepot: port {} cannot be used: {}; choose another with PORT="
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert refusal("--port", str(port)) == said.format(port, "Address already in use")
    port, claims = free_port(), open_lock(VAR / "ports.lock")
    fcntl.lockf(claims, fcntl.LOCK_EX, 1, port)
    assert refusal("--port", str(port)) == said.format(port, "another start has it")
    os.close(claims)


def test_a_disk_that_is_full_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def call(name: str, *args: object, **options: object) -> None:
        if name == "collectstatic":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("django.core.management.call_command", call)
    monkeypatch.setattr("fueldepot.checks.refuse_unfit_database", lambda: None)
    with pytest.raises(SystemExit, match=r"^fueldepot: No space left on device$"):
        prepare_site("")


@pytest.mark.slow
def test_a_start_waits_while_another_prepares_the_site() -> None:
    """The one that waits would end at once: its database does not answer."""
    gate = open_lock(VAR / "start.lock")
    fcntl.flock(gate, fcntl.LOCK_EX)
    environment = os.environ | {"DATABASE_URL": NOWHERE, "SECRET_KEY": "x"}
    command = [sys.executable, "-m", "fueldepot.local.serve", "--port", str(free_port())]
    with subprocess.Popen(command, cwd=PROJECT_ROOT, env=environment, stderr=subprocess.PIPE, text=True) as second:
        assert second.stderr is not None
        assert second.stderr.readline() == "fueldepot: another start prepares the site; waiting\n"
        os.close(gate)
        assert second.stderr.readline().startswith("fueldepot: the database cannot be used: ")
