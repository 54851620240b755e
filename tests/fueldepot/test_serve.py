"""What `make run` refuses before it prepares anything. That it serves is in tests/openapi/test_live.py."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.fueldepot.sharers import PROJECT_ROOT


@pytest.fixture
def taken() -> Iterator[str]:
    """A port on which somebody else listens."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield str(other.getsockname()[1])


def refusal(*arguments: str, **environment: str) -> str:
    """The line with which it ends."""
    done = subprocess.run(
        [sys.executable, "-m", "fueldepot.serve", *arguments],
        cwd=PROJECT_ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    return done.stderr.strip()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "0"], "fueldepot: PORT is '0'; give a whole number from 1 to 65535"),
        (["--port", "80a"], "fueldepot: PORT is '80a'; give a whole number from 1 to 65535"),
        (["--workers", "65"], "fueldepot: WORKERS is '65'; give a whole number from 1 to 64"),
    ],
)
def test_numbers_out_of_range(arguments: list[str], said: str) -> None:
    assert refusal(*arguments) == said


def test_a_port_that_is_taken(taken: str) -> None:
    said = f"fueldepot: port {taken} cannot be used: Address already in use; choose another with PORT="
    assert refusal("--port", taken) == said


def test_a_database_that_does_not_answer() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    said = refusal("--port", port, DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing", SECRET_KEY="x")
    assert said.startswith("fueldepot: the database does not answer: ")
