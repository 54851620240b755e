"""Pytest plugin: sets up the embedded database before pytest-django reads the settings, and allows byte code.

Loaded by `-p fueldepot.local.pytest_plugin` in pyproject.toml. Under xdist the controller starts the server; its
workers inherit the environment and end before it.
"""

import os
import sys
from collections.abc import Generator

import pytest

from fueldepot import local


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, object, object]:
    """Set missing `DATABASE_URL` and `SECRET_KEY`; see `local.prepare_tests`.

    A wrapper runs before pytest-django, which reads the settings in the same hook with tryfirst.
    """
    # Container images disable byte code to stay small. Here every xdist worker, server and command would compile
    # project and tests again, some five seconds each time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    local.prepare_tests()
    return (yield)
