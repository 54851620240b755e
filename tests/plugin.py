"""Pytest plugin: sets up the embedded database before pytest-django reads the settings, and allows byte code.

Loaded by `-p tests.plugin` in pyproject.toml. Under xdist the controller starts the server; its
workers inherit the environment and end before it.
"""

import atexit
import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from fueldepot import local
from fueldepot.local import embedded
from tests import ROOT


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, object, object]:
    """Set missing `DATABASE_URL` and `SECRET_KEY`; see `prepare_tests`.

    A wrapper runs before pytest-django, which reads the settings in the same hook with tryfirst.
    """
    # Container images disable byte code to stay small. Here every xdist worker, server and command would compile
    # project and tests again, some five seconds each time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    prepare_tests()
    return (yield)


def prepare_tests(root: Path = ROOT) -> None:
    """Do what `local.prepare` does, with a server for tests alone, which may run beside that of `make run`.

    Their databases have fixed names and end with the run that started the server: a second run waits for the first.
    Raises SystemExit.
    """
    if not local.is_set("DATABASE_URL"):
        turn = contextlib.ExitStack()
        turn.enter_context(
            embedded.hold_alone(root / "var" / "tests.lock", "fueldepot: other tests are under way; waiting")
        )
        atexit.register(turn.close)  # the last registered runs first: the server has stopped by then
    local.prepare(root, server="postgres-tests")
