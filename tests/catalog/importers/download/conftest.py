"""Publishers on this machine, and a fetcher that waits only in its head."""

import pytest

from catalog.importers.download import Fetcher, RetryPolicy
from catalog.importers.sources import read_sources
from tests import small_country


@pytest.fixture
def sources(publishers, tmp_path):
    return read_sources(publishers.sources(tmp_path / "sources.yaml", **small_country.SMALL))


@pytest.fixture
def slept():
    """The seconds that the fetcher wanted to sleep on top of real time."""
    return []


@pytest.fixture
def fetcher(tmp_path, slept):
    patience = RetryPolicy(attempts=4, first_wait_s=1, longest_wait_s=60, idle_s=20, whole_s=90)
    return Fetcher(tmp_path / "downloads", patience, sleep=slept.append)
