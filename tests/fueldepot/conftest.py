"""Local publishers, and a refresh from them."""

import pytest

from tests import small_country
from tests.fueldepot.refreshing import Rehearsal, without_waiting


@pytest.fixture
def rehearsal(publishers, tmp_path, settings, monkeypatch):
    without_waiting(monkeypatch)
    settings.DOWNLOADS_DIR = tmp_path / "downloads"
    return Rehearsal(publishers, publishers.sources(tmp_path / "sources.yaml", **small_country.SMALL))
