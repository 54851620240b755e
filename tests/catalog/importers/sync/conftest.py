"""Options of an import that writes."""

import pytest

from catalog.importers.records import Options
from tests.factories import TODAY


@pytest.fixture
def options() -> Options:
    return Options(today=TODAY, write=True)
