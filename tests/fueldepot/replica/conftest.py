"""A second connection to the test database that plays the replica."""

from collections.abc import Iterator

import pytest
from catalog.databases import PRIMARY, REPLICA
from django.db import connections
from fueldepot.replica.watch import NOT_LOOKED, Verdict, watch


@pytest.fixture
def replica(settings, transactional_db, monkeypatch) -> Iterator[str]:
    """Its alias. The watch says that it may be read, and never looks by itself."""
    monkeypatch.setitem(connections.databases, REPLICA, connections.databases[PRIMARY])
    # Under the primary's name, since Django lets tests connect to no other.
    connections[REPLICA] = connections[PRIMARY].copy()
    monkeypatch.setattr(watch, "_start", lambda: watch._looked.set())
    watch.verdict = Verdict("", 0.0, True)
    watch._looked.set()
    yield REPLICA
    connections[REPLICA].close()
    del connections[REPLICA]
    watch.verdict = NOT_LOOKED
