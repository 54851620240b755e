"""Options of an import that writes."""

from datetime import date

import pytest

from catalog.importers.records import Options


@pytest.fixture
def options() -> Options:
    return Options(today=date(2026, 11, 21), write=True)
