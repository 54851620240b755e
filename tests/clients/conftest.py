"""Leaves the generated clients out of the suite, unless asked for: their generators come from two registries."""

import pytest

from tests.openapi.test_live import site  # noqa: F401 - a fixture


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "clients" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("clients"):
            item.add_marker(pytest.mark.skip(reason="installs generators of clients; ask for it with -m clients"))
