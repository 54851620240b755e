"""Local publishers, and a refresh from them."""

import pytest

from tests import small_country
from tests.fueldepot.refreshing import Rehearsal, without_waiting
from tests.publisher_server import Publishers, serve


@pytest.fixture
def publishers():
    published = Publishers(files=small_country.files())
    with serve(published):
        yield published


@pytest.fixture
def rehearsal(publishers, tmp_path, settings, monkeypatch):
    without_waiting(monkeypatch)
    settings.DOWNLOADS_DIR = tmp_path / "downloads"
    return Rehearsal(publishers, publishers.sources(tmp_path / "sources.yaml", **small_country.SMALL))
