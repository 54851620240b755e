"""The legal state that comes with the project, in the database."""

import pytest

from tests.regulations.loading import load_files


@pytest.fixture
def starter_state(db):
    load_files()
