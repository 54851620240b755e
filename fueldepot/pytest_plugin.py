"""Gives the tests the embedded database, before pytest-django reads the settings.

Loaded by `-p fueldepot.pytest_plugin` in pyproject.toml. Under xdist the controller holds the server; its
workers inherit the environment and end before it.
"""

from collections.abc import Generator

import pytest

from fueldepot import local


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None, object, object]:
    """Set `DATABASE_URL` and `SECRET_KEY` where they are not; see `local.prepare`.

    A wrapper, because pytest-django reads the settings in this same hook and has asked to be first: wrappers
    go before even that.
    """
    local.prepare()
    return (yield)
