"""Gives the tests the embedded database, before pytest-django reads the settings, and lets them keep byte code.

Loaded by `-p fueldepot.pytest_plugin` in pyproject.toml. Under xdist the controller holds the server; its
workers inherit the environment and end before it.
"""

import os
import sys
from collections.abc import Generator

import pytest

from fueldepot import local


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, object, object]:
    """Set `DATABASE_URL` and `SECRET_KEY` where they are not; see `local.prepare`.

    A wrapper, because pytest-django reads the settings in this same hook and has asked to be first: wrappers
    go before even that.
    """
    # Images of containers forbid byte code to stay small. Here every worker of xdist, every server and every command
    # that a test starts would compile the project and the tests anew, some five seconds each time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    local.prepare()
    return (yield)
