"""Leaves the tests of several machines out of the suite, unless asked for: they need the machine for themselves."""

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "machines" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("machines"):
            item.add_marker(pytest.mark.skip(reason="builds up several machines; ask for it with -m machines"))
